package dev.kron.simulation;

import dev.kron.process.Run;
import dev.kron.process.Signal;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;

/**
 * The time limits of runs: TERM when its time is used up, KILL when TERM did not help for the grace
 * that the specification gives. Neither comes too early, nor late where a daemon is there that can
 * act.
 */
final class JobLimits {
  private static final long SECOND = 1_000_000_000L;
  private static final long GRACE_NANOS = 10 * SECOND;

  /** The kernel tells when a process began in hundredths of a second. */
  private static final long SOON_NANOS = 5_000_000_000L;

  private static final long TICK_NANOS = SECOND / 50;

  private final Machine machine;
  private final Circumstances around;
  private final BiFunction<Invariant, String, Violation> fail;
  private final List<Execution> going = new ArrayList<>();
  private final Map<String, Long> tried = new HashMap<>();
  private long lookAgainNanos;

  JobLimits(Machine machine, Circumstances around, BiFunction<Invariant, String, Violation> fail) {
    this.machine = machine;
    this.around = around;
    this.fail = fail;
  }

  /** A daemon wants a run to end, which may not have begun. */
  void tried(Run run) {
    tried.putIfAbsent(run.id(), machine.clock.nanos());
  }

  void began(Execution execution) {
    going.add(execution);
  }

  /**
   * @param ending why it is ended, by the file
   */
  void signalled(Execution execution, Signal signal, String ending) {
    long now = machine.clock.nanos();
    if (signal == Signal.TERM) {
      long least = execution.leastNanos;
      long due = least == Execution.NO_LIMIT ? least : execution.launchedNanos + least;
      if (ending.equals("timed-out") && now < due - TICK_NANOS) {
        throw early(execution, signal, due);
      }
      execution.termNanos = now;
    } else if (signal == Signal.KILL) {
      long told = tried.getOrDefault(execution.run.id(), now);
      boolean unheard = execution.termNanos == Execution.NEVER;
      // Where records cannot always be read, TERM may come as late as KILL. And a daemon that
      // leaves
      // with everything may have been stopped for all the time that it had.
      boolean outOfTime = around.leaving && told - around.freeSinceNanos() < SOON_NANOS;
      boolean lost = execution.unheard || outOfTime;
      if (!around.readErrors && !lost && (unheard || now < told + GRACE_NANOS - TICK_NANOS)) {
        throw early(execution, signal, told + GRACE_NANOS);
      }
      execution.killNanos = now;
    }
  }

  private Violation early(Execution execution, Signal signal, long dueNanos) {
    return fail.apply(
        Invariant.LIMITS_ARE_KEPT,
        "%s to run %s of %s %s ms too early"
            .formatted(
                signal,
                execution.run.id(),
                execution.identity,
                (dueNanos - machine.clock.nanos()) / 1_000_000));
  }

  /** A daemon that adopts it counts from its beginning, the one that launched it from then. */
  private static long dueNanos(Execution execution) {
    return execution.limitNanos >= Execution.UNSURE
        ? execution.limitNanos
        : execution.beganNanos + execution.limitNanos;
  }

  /** Time has passed. */
  void look() {
    long now = machine.clock.nanos();
    if (now < lookAgainNanos) {
      return;
    }
    lookAgainNanos = now + SECOND;
    going.removeIf(it -> it.over);
    for (Execution execution : going) {
      if (!execution.forgotten && !execution.unheard) {
        look(execution);
      }
    }
  }

  private void look(Execution execution) {
    boolean told = execution.termNanos != Execution.NEVER;
    long dueNanos =
        told
            ? Math.max(execution.termNanos, around.freeSinceNanos()) + GRACE_NANOS
            : dueNanos(execution);
    boolean killed = told && execution.killNanos >= execution.termNanos;
    if (!killed && dueNanos < Execution.UNSURE && around.hadTime(dueNanos)) {
      throw fail.apply(
          Invariant.LIMITS_ARE_KEPT,
          "%s to run %s of %s was due %s s ago"
              .formatted(
                  told ? Signal.KILL : Signal.TERM,
                  execution.run.id(),
                  execution.identity,
                  (machine.clock.nanos() - dueNanos) / SECOND));
    }
  }
}
