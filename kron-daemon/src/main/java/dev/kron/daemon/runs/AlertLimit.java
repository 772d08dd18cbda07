package dev.kron.daemon.runs;

import dev.kron.daemon.log.EventLog;
import dev.kron.daemon.loop.Errands;
import dev.kron.daemon.loop.Errands.Place;
import dev.kron.process.ProcessIdentity;
import dev.kron.process.Processes;
import dev.kron.process.Run;
import dev.kron.process.Signal;
import dev.kron.process.SignalDelivery;
import java.io.IOException;
import java.time.Duration;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The time limit of {@code onfailure} commands. A command that passes it gets TERM, then KILL, with
 * all processes that it started. Otherwise a receiver that never answers would leave one process
 * behind for each failure.
 */
final class AlertLimit {
  private static final long GRACE_MILLIS = 10_000;
  private static final long AGAIN_MILLIS = 1_000;

  private final Processes processes;
  private final Errands errands;
  private final Duration limit;
  private final long graceMillis;
  private final Function<Run, AlertCommands.@Nullable Alert> goingOn;
  private final EventLog log;

  /** One attempt to end a command. */
  private interface Step {
    void take(Run run) throws IOException;
  }

  /**
   * @param goingOn the alert whose command runs; null if it has ended
   */
  AlertLimit(
      Processes processes,
      Errands errands,
      Duration limit,
      Function<Run, AlertCommands.@Nullable Alert> goingOn,
      EventLog log) {
    this.processes = processes;
    this.errands = errands;
    this.limit = limit;
    this.graceMillis = Math.min(GRACE_MILLIS, limit.toMillis());
    this.goingOn = goingOn;
    this.log = log;
  }

  /** A command began that long ago. */
  void began(Run run, Duration age) {
    after(Math.max(0, limit.minus(age).toMillis()), run, this::ask);
  }

  private void ask(Run run) throws IOException {
    AlertCommands.Alert alert = goingOn.apply(run);
    if (alert == null) {
      return;
    }
    boolean unbegun = processes.forestall(run); // a command that has not begun never will
    if (!unbegun && processes.signal(run, Signal.TERM) == SignalDelivery.NOT_YET) {
      after(AGAIN_MILLIS, run, this::ask);
      return;
    }
    log.warn(
        "alert", "onfailure_timed_out", alert.kind(), alert.about(), "limit_s", limit.toSeconds());
    after(graceMillis, run, this::kill);
  }

  /** Kills the processes named in the run's record, and those that are found without it. */
  private void kill(Run run) throws IOException {
    if (goingOn.apply(run) != null) {
      for (ProcessIdentity process : processes.members(run)) {
        processes.signal(process, Signal.KILL);
      }
      processes.signal(run, Signal.KILL);
      after(graceMillis, run, this::kill);
    }
  }

  private void after(long millis, Run run, Step step) {
    errands.after(
        millis,
        Place.END_ALERT,
        () -> {
          try {
            step.take(run);
          } catch (IOException e) {
            again(run); // the record cannot be read now, or is gone
          }
        },
        thrown -> again(run));
  }

  private void again(Run run) {
    after(graceMillis, run, this::kill);
  }
}
