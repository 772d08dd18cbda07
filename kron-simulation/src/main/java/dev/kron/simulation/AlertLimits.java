package dev.kron.simulation;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.kron.process.Signal;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.BiFunction;

/**
 * The time that alerts have: TERM when it is used up, KILL when that did not help. Neither comes
 * too early, nor late where a daemon is there that knows of the alert and can act.
 */
final class AlertLimits {
  private static final long SECOND = 1_000_000_000L;
  private static final long LIMIT_NANOS = 600 * SECOND;
  private static final long GRACE_NANOS = 10 * SECOND;

  /** The kernel tells when a process began in hundredths of a second. */
  private static final long TICK_NANOS = SECOND / 50;

  private final Machine machine;
  private final Circumstances around;
  private final BiFunction<Invariant, String, Violation> fail;
  private final List<Execution> going = new ArrayList<>();
  private final Map<String, Long> launched = new HashMap<>();

  AlertLimits(
      Machine machine, Circumstances around, BiFunction<Invariant, String, Violation> fail) {
    this.machine = machine;
    this.around = around;
    this.fail = fail;
  }

  /** A daemon tries to start an alert. */
  void launching(String directory) {
    launched.putIfAbsent(directory, machine.clock.nanos()); // the first keeper may be on its way
  }

  void began(Execution execution) {
    execution.launchedNanos =
        launched.getOrDefault(Alarms.directory(execution), execution.beganNanos);
    going.add(execution);
  }

  /** A daemon that starts knows of those whose notes were written to their ends. */
  void started() {
    going.removeIf(it -> !isNoted(it));
  }

  private boolean isNoted(Execution execution) {
    byte[] note = machine.disk.content(note(execution));
    return note != null && new String(note, UTF_8).contains("\nboot");
  }

  private static Path note(Execution execution) {
    Path directory = execution.run.directory();
    return directory.resolveSibling("alert-" + directory.getFileName());
  }

  /** The directory that tells of an alert is gone. */
  void lost(String directory) {
    going.removeIf(it -> Alarms.directory(it).equals(directory));
  }

  void signalled(Execution execution, Signal signal) {
    long now = machine.clock.nanos();
    if (signal == Signal.TERM) {
      requireTime(execution, signal, execution.launchedNanos + LIMIT_NANOS);
      execution.termNanos = now;
    } else {
      // Where its record cannot be read, it is not told to end before it is killed.
      if (!around.readErrors && going.contains(execution)) {
        boolean told = execution.termNanos != Execution.NEVER;
        requireTime(execution, signal, (told ? execution.termNanos : now) + GRACE_NANOS);
      }
      execution.killNanos = now;
    }
  }

  private void requireTime(Execution execution, Signal signal, long dueNanos) {
    if (machine.clock.nanos() < dueNanos - TICK_NANOS) {
      throw fail.apply(
          Invariant.LIMITS_ARE_KEPT,
          "%s to the alert %s %s ms too early"
              .formatted(
                  signal,
                  Alarms.directory(execution),
                  (dueNanos - machine.clock.nanos()) / 1_000_000));
    }
  }

  /** Time has passed. */
  void look() {
    going.removeIf(it -> it.over || !Objects.requireNonNull(it.command.keeper).alive);
    for (Execution execution : going) {
      boolean told = execution.termNanos != Execution.NEVER;
      long dueNanos =
          told
              ? Math.max(execution.termNanos, around.freeSinceNanos()) + GRACE_NANOS
              : execution.beganNanos + LIMIT_NANOS;
      boolean killed = told && execution.killNanos >= execution.termNanos;
      if (!killed && around.hadTime(dueNanos)) {
        throw fail.apply(
            Invariant.LIMITS_ARE_KEPT,
            "%s to the alert %s was due %s s ago"
                .formatted(
                    told ? Signal.KILL : Signal.TERM,
                    Alarms.directory(execution),
                    (machine.clock.nanos() - dueNanos) / SECOND));
      }
    }
  }
}
