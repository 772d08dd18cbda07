package dev.kron.daemon;

import dev.kron.daemon.loop.Clocks;
import dev.kron.daemon.loop.SystemClocks;
import dev.kron.notify.channel.Receivers;
import dev.kron.notify.channel.Sender;
import dev.kron.process.Exits;
import dev.kron.process.LinuxProcesses;
import dev.kron.process.Processes;
import dev.kron.process.SystemLog;
import dev.kron.process.SystemUsers;
import dev.kron.process.Users;
import dev.kron.store.Disk;
import dev.kron.store.LinuxDisk;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Function;

/**
 * The ports of a daemon to the outside. A test uses a clock that it moves by hand, a disk that
 * fails or processes that die at the worst moment; everything else is the real daemon.
 *
 * @param processes opened with who is told of ends
 * @param systemLog the socket of the system log
 * @param environment the daemon's own
 * @param sender the way to receivers of messages, made with the clocks when it is first needed
 */
public record Ports(
    Clocks clocks,
    Disk disk,
    Function<Exits, Processes> processes,
    Users users,
    Path systemLog,
    Map<String, String> environment,
    Function<Clocks, Sender> sender) {

  /** Ports with receivers in the network. */
  public Ports(
      Clocks clocks,
      Disk disk,
      Function<Exits, Processes> processes,
      Users users,
      Path systemLog,
      Map<String, String> environment) {
    this(
        clocks,
        disk,
        processes,
        users,
        systemLog,
        environment,
        own -> new Receivers(own::wallMillis));
  }

  static Ports system() {
    return new Ports(
        new SystemClocks(),
        new LinuxDisk(),
        LinuxProcesses::open,
        new SystemUsers(),
        SystemLog.SOCKET,
        callers(System.getenv()));
  }

  /** The environment as it was before the launcher chose a locale for the daemon alone. */
  static Map<String, String> callers(Map<String, String> own) {
    var environment = new HashMap<>(own);
    String locale = environment.remove("KRON_CALLER_LC_ALL");
    if (locale != null) {
      environment.remove("LC_ALL");
      if (!locale.isEmpty()) {
        environment.put("LC_ALL", locale);
      }
    }
    return environment;
  }
}
