package dev.kron.daemon.notices;

import dev.kron.config.ConfigFiles;
import dev.kron.config.NotifyFile;
import dev.kron.config.VariableFile;
import dev.kron.daemon.log.EventLog;
import dev.kron.daemon.log.Faults;
import dev.kron.daemon.loop.Clocks;
import dev.kron.daemon.loop.Errands;
import dev.kron.daemon.loop.Errands.Place;
import dev.kron.notice.Channel;
import dev.kron.notice.NotifySpec;
import dev.kron.notify.Courier;
import dev.kron.notify.channel.Secrets;
import dev.kron.store.DiskException;
import dev.kron.store.RunDirectories;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The environment in which messages are sent: clocks, threads, secrets, output, and the reports of
 * deliveries.
 */
final class ChannelWorld implements Courier.World {
  private static final String COMPONENT = "notify";
  private static final String CHANNEL = "notification channel ";
  private static final int TAIL_BYTES = 64 * 1024;
  private static final Path HOST_NAME = Path.of("/proc/sys/kernel/hostname");

  private final Clocks clocks;
  private final Errands errands;
  private final EventLog log;
  private final Faults faults;
  private final RunDirectories runs;
  private final ConfigFiles.Settings files;
  private final Notifier.Wakes wakes;
  private final String host = hostName();
  private volatile NotifyFile file;

  ChannelWorld(Notifier.Means means, NotifyFile file) {
    this.clocks = means.clocks();
    this.errands = means.errands();
    this.log = means.reports().log();
    this.faults = means.reports().meters().faults;
    this.runs = means.directory().runs();
    this.files = means.files();
    this.wakes = means.wakes();
    this.file = file;
  }

  /** Applies a changed file; problems of its channels are checked again. */
  void use(NotifyFile changed) {
    file = changed;
    faults.standing().stream()
        .map(Faults.Fault::component)
        .filter(component -> component.startsWith(CHANNEL))
        .forEach(faults::clear);
  }

  NotifySpec spec() {
    return file.spec();
  }

  @Override
  public long nanos() {
    return clocks.bootNanos();
  }

  @Override
  public long wallMillis() {
    return clocks.wallMillis();
  }

  @Override
  public void execute(String lane, Runnable task) {
    errands.execute("notify " + lane, Place.SEND_NOTICE, task, thrown -> task.run());
  }

  @Override
  public void after(String lane, long millis, Runnable task) {
    wakes.at(
        "notify:" + lane,
        clocks.bootNanos() + millis * 1_000_000L,
        () -> errands.execute(Place.SEND_NOTICE, task, thrown -> task.run()));
  }

  @Override
  public Secrets secrets(Channel channel) {
    VariableFile profile = file.credentials(channel, files);
    if (profile == null) {
      return Secrets.NONE;
    }
    if (!profile.isValid()) {
      throw new IllegalArgumentException(profile.diagnostics().getFirst().toString());
    }
    Map<String, String> values = new HashMap<>();
    for (String variable : profile.variables()) {
      int equals = variable.indexOf('=');
      values.put(variable.substring(0, equals), variable.substring(equals + 1));
    }
    return new Secrets(values);
  }

  @Override
  public List<String> output(String run, int lines) {
    var text = new StringBuilder();
    for (String stream : List.of("stdout", "stderr")) {
      try {
        text.append(new String(runs.kept(run, stream, TAIL_BYTES), StandardCharsets.UTF_8));
      } catch (DiskException | IllegalArgumentException e) {
        // The output is gone; the message contains the rest.
      }
    }
    List<String> all = text.toString().lines().toList();
    return all.subList(Math.max(0, all.size() - lines), all.size());
  }

  @Override
  public String host() {
    return host;
  }

  private static String hostName() {
    try {
      return Files.readString(HOST_NAME).strip();
    } catch (IOException e) {
      return "localhost";
    }
  }

  @Override
  public void report(String channel, @Nullable String problem) {
    if (problem == null) {
      faults.clear(CHANNEL + channel);
      log.info(COMPONENT, "channel_works", "channel", channel);
    } else {
      faults.raise(CHANNEL + channel, clocks.wallMillis(), problem);
      log.warn(COMPONENT, "channel_failed", "channel", channel, "reason", problem);
    }
  }

  @Override
  public void gaveUp(String channel, String id, String problem) {
    log.error(COMPONENT, "message_given_up", "channel", channel, "id", id, "reason", problem);
  }
}
