package dev.kron.daemon;

import dev.kron.daemon.api.ApiSettings;
import dev.kron.daemon.log.EventLog;
import dev.kron.process.SystemLog;
import dev.kron.process.SystemUsers;
import dev.kron.store.LinuxDisk;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * A real daemon in a process of its own, for tests that kill it: on fast clocks, with a point at
 * which it dies by itself. Arguments: configuration, state, clocks, fault, and then, if wanted, a
 * socket where it answers, and in how many seconds everything ends that ends with it.
 */
final class FastDaemon {
  private FastDaemon() {}

  public static void main(String[] args) throws InterruptedException {
    Fault fault = Fault.parse(args[3]);
    var ports =
        new Ports(
            FastClocks.parse(args[2]),
            new DyingDisk(new LinuxDisk(), fault),
            exits -> DyingProcesses.open(exits, fault),
            new SystemUsers(),
            SystemLog.SOCKET,
            System.getenv());
    var settings =
        Settings.builder(List.of(Path.of(args[0])), Path.of(args[1]))
            .logLevel(EventLog.Level.DEBUG)
            .historyLimit(1_000_000)
            .stopTimeout(Duration.ofSeconds(args.length > 5 ? Long.parseLong(args[5]) : 60))
            .api(args.length > 4 ? ApiSettings.at(Path.of(args[4])) : ApiSettings.NONE)
            .build();
    System.exit(new Daemon(settings, ports, System.out, System.err).run());
  }
}
