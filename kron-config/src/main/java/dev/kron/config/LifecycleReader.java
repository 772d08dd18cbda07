package dev.kron.config;

import dev.kron.service.ExitCodes;
import dev.kron.service.HealthCheck;
import dev.kron.service.HealthCheck.Probe;
import dev.kron.service.Hook;
import dev.kron.service.Hooks;
import dev.kron.service.Lifecycle;
import dev.kron.service.LogLimits;
import dev.kron.service.ReadySignal;
import dev.kron.service.ServiceSpec;
import dev.kron.text.VisibleText;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The reader of the tables that say how a service's process is run: [lifecycle], [health], [hooks]
 * and [log].
 */
final class LifecycleReader {
  private static final long MONTH_MILLIS = 30L * 86_400_000;
  private static final String MILLIS = " of milliseconds";
  private static final long TINY_BYTES = 64 << 10;

  private final ServiceNotes notes;
  private final ServiceCommand command;
  private final TomlSection lifecycle;
  private final TomlSection health;
  private final TomlSection hooks;
  private final TomlSection log;

  LifecycleReader(
      ServiceNotes notes,
      ServiceCommand command,
      TomlSection lifecycle,
      TomlSection health,
      TomlSection hooks,
      TomlSection log) {
    this.notes = notes;
    this.command = command;
    this.lifecycle = lifecycle;
    this.health = health;
    this.hooks = hooks;
    this.log = log;
  }

  @Nullable HealthCheck health(ServiceSpec.Type type) {
    if (!health.isThere()) {
      return null;
    }
    if (type == ServiceSpec.Type.TARGET) {
      notes.error(notes.place("health"), "a target has no process to check; remove [health]");
      return null;
    }
    long interval = TomlSection.or(health.number("interval_ms", 1, MONTH_MILLIS, MILLIS), 5_000L);
    long timeout = TomlSection.or(health.number("timeout_ms", 1, MONTH_MILLIS, MILLIS), 2_000L);
    long retries = TomlSection.or(health.number("retries", 1, 1_000, ""), 3L);
    List<String> probes = List.of("exec", "http", "tcp").stream().filter(health::has).toList();
    if (probes.size() > 1) {
      for (String extra : probes.subList(1, probes.size())) {
        notes.error(
            health.keyPlace(extra),
            "a service has one health check, and "
                + probes.getFirst()
                + " is it already; keep one of "
                + String.join(", ", probes));
      }
      return null;
    }
    if (probes.isEmpty()) {
      if (health.keys().stream().noneMatch(key -> health.isMisspelt("exec"))) {
        notes.warning(
            notes.place("health"),
            "[health] without exec, http or tcp checks nothing: the service counts as ready as"
                + " soon as it was started");
      }
      return null;
    }
    @Nullable Probe probe = probe(probes.getFirst());
    return probe == null ? null : new HealthCheck(probe, interval, timeout, (int) retries);
  }

  /** The commands beside the service's own. */
  Hooks hooks(ServiceSpec.Type type) {
    boolean shell = TomlSection.or(hooks.flag("shell"), false);
    List<String> beforeStart = hook(Hook.BEFORE_START.text(), shell);
    List<String> afterStop = hook(Hook.AFTER_STOP.text(), shell);
    List<String> reload = hook(Hook.RELOAD.text(), shell);
    List<String> onFailure = hook(Hooks.ON_FAILURE, shell);
    long timeout =
        TomlSection.or(
            hooks.number("timeout_ms", 1, MONTH_MILLIS, MILLIS), Hooks.STANDARD_TIMEOUT_MILLIS);
    if (type == ServiceSpec.Type.TARGET) {
      return Hooks.NONE;
    }
    if (type == ServiceSpec.Type.ONESHOT && !reload.isEmpty()) {
      hooks.warning(
          "reload", "reload has no effect: a oneshot is starting until it exits, never running");
    }
    if (hooks.isThere()
        && beforeStart.isEmpty()
        && afterStop.isEmpty()
        && reload.isEmpty()
        && onFailure.isEmpty()
        && notes.isValid()) {
      notes.warning(
          notes.place("hooks"),
          "[hooks] without before_start, after_stop, reload or onfailure does nothing");
    }
    return new Hooks(beforeStart, afterStop, reload, onFailure, timeout);
  }

  private List<String> hook(String key, boolean shell) {
    if (!hooks.has(key)) {
      return List.of();
    }
    List<String> words = command.words(hooks, key, shell);
    return shell && !words.isEmpty() ? List.of("/bin/sh", "-c", words.getFirst()) : words;
  }

  private @Nullable Probe probe(String key) {
    if (key.equals("exec")) {
      List<String> words = command.words(health, key, false);
      return words.isEmpty() ? null : new Probe.Exec(words);
    }
    String example = key.equals("http") ? "\"http://localhost:8080/up\"" : "\"localhost:8080\"";
    @Nullable String text = health.text(key, example);
    if (text == null) {
      return null;
    }
    @Nullable Probe probe = key.equals("http") ? ServiceValues.http(text) : ServiceValues.tcp(text);
    if (probe == null) {
      health.error(
          key, key + " is " + VisibleText.quote(text) + "; expected something such as " + example);
    }
    return probe;
  }

  @Nullable Lifecycle lifecycle(boolean hasCheck) {
    Lifecycle standard = Lifecycle.standard(hasCheck);
    Lifecycle.Restart restart =
        TomlSection.or(lifecycle.word("restart", Lifecycle.Restart.values()), standard.restart());
    long delay = millis("restart_delay_ms", 0, standard.restartDelayMillis());
    @Nullable Long most = lifecycle.number("restart_delay_max_ms", 0, MONTH_MILLIS, MILLIS);
    if (most != null && most < delay) {
      lifecycle.error(
          "restart_delay_max_ms",
          "restart_delay_max_ms is %s, less than restart_delay_ms, which is %s"
              .formatted(most, delay));
      return null;
    }
    return standard.toBuilder()
        .restart(restart)
        .restartDelayMillis(delay)
        .restartDelayMaxMillis(
            most == null ? Math.max(delay, standard.restartDelayMaxMillis()) : most)
        .maxRestarts(
            Math.toIntExact(
                TomlSection.or(
                    lifecycle.number("max_restarts", 0, 1_000_000, ""),
                    (long) standard.maxRestarts())))
        .startTimeoutMillis(millis("start_timeout_ms", 1, standard.startTimeoutMillis()))
        .stopTimeoutMillis(millis("stop_timeout_ms", 1, standard.stopTimeoutMillis()))
        .stopSignal(TomlSection.or(stopSignal(), standard.stopSignal()))
        .minUptimeMillis(millis("min_uptime_ms", 0, standard.minUptimeMillis()))
        .startStableMillis(millis("start_stable_ms", 0, standard.startStableMillis()))
        .exitCodes(
            new ExitCodes(exitCodes("success_exit_codes"), exitCodes("no_restart_exit_codes")))
        .build();
  }

  /** How the process itself reports that it is ready; null: it does not. */
  @Nullable ReadySignal ready(ServiceSpec.Type type) {
    @Nullable String text = lifecycle.text("ready", "\"notify\"");
    if (text == null) {
      return null;
    }
    @Nullable ReadySignal signal = ServiceValues.readySignal(text);
    if (signal == null) {
      lifecycle.error("ready", ServiceValues.readySignalProblem(text));
    } else if (type == ServiceSpec.Type.ONESHOT) {
      lifecycle.error(
          "ready",
          "a oneshot is ready when it has exited; remove ready, or make it type = \"simple\"");
    }
    return type == ServiceSpec.Type.SIMPLE ? signal : null;
  }

  private long millis(String key, long least, long standard) {
    return TomlSection.or(lifecycle.number(key, least, MONTH_MILLIS, MILLIS), standard);
  }

  private Set<Integer> exitCodes(String key) {
    Set<Integer> codes = new TreeSet<>();
    for (long code : lifecycle.numbers(key, 0, 255, "[75, 143]")) {
      codes.add((int) code);
    }
    return codes;
  }

  private @Nullable String stopSignal() {
    Object value = lifecycle.value("stop_signal");
    if (value instanceof Long) {
      lifecycle.wrongType("stop_signal", value, "a signal by its name, such as \"SIGINT\"");
      return null;
    }
    @Nullable String text = lifecycle.text("stop_signal", "\"SIGINT\"");
    @Nullable String signal = text == null ? null : ServiceValues.signal(text);
    if (text != null && signal == null) {
      lifecycle.error("stop_signal", ServiceValues.signalProblem(text));
    }
    return signal;
  }

  @Nullable LogLimits log() {
    long keep = TomlSection.or(log.number("keep", 0, 1_000, ""), (long) LogLimits.STANDARD.keep());
    Object value = log.value("max_size");
    long size = LogLimits.STANDARD.maxSizeBytes();
    if (value instanceof String text) {
      size = ServiceValues.size(text);
    } else if (value instanceof Long number) {
      size = ServiceValues.size(number.toString());
    } else if (value != null) {
      size = -1;
    }
    if (size < 0) {
      log.wrongType("max_size", value, "a size from 1 byte to 1 TiB, such as \"10MiB\"");
      return null;
    }
    if (size < TINY_BYTES) {
      log.warning(
          "max_size",
          "max_size is %s bytes, so small that the log is rotated all the time; 64KiB is a good"
                  .formatted(size)
              + " least");
    }
    return new LogLimits(size, (int) keep);
  }
}
