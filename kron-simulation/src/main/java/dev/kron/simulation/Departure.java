package dev.kron.simulation;

import java.util.function.BiFunction;
import java.util.function.Predicate;

/** Judges what a daemon that takes everything down with it says of what is left when it leaves. */
final class Departure {
  private static final int LEFT_BEHIND = 5;

  /** The time in which an end may not have been heard of yet. */
  private static final long LATELY_NANOS = 5_000_000_000L;

  private final Machine machine;
  private final Circumstances around;
  private final Predicate<Execution> isUnknowable;
  private final BiFunction<Invariant, String, Violation> fail;

  /**
   * @param isUnknowable whether all that told of a run of a service was lost
   */
  Departure(
      Machine machine,
      Circumstances around,
      Predicate<Execution> isUnknowable,
      BiFunction<Invariant, String, Violation> fail) {
    this.machine = machine;
    this.around = around;
    this.isUnknowable = isUnknowable;
    this.fail = fail;
  }

  void check(int exitCode) {
    if (exitCode == LEFT_BEHIND) {
      if (isQuiet()) {
        throw fail.apply(
            Invariant.LEFT_BEHIND_IS_TRUE, "something is said to be left, and nothing is");
      }
      return;
    }
    for (Execution execution : machine.keepers.executions()) {
      if (!execution.over && isEnded(execution)) {
        throw fail.apply(
            Invariant.LEFT_BEHIND_IS_TRUE,
            "run %s of %s is left, the exit code is %s"
                .formatted(
                    execution.run.id(),
                    execution.instance == null ? execution.identity : execution.instance,
                    exitCode));
      }
    }
  }

  /**
   * Whether it ends with a daemon that takes everything along, and that daemon could know of it.
   */
  private boolean isEnded(Execution execution) {
    boolean known = !execution.forgotten && !execution.unheard && !execution.unknowable;
    return known && !isUnknowable.test(execution) && !execution.alert && !execution.check;
  }

  /** Whether nothing was there for a while, and the daemon could see that. */
  private boolean isQuiet() {
    long now = machine.clock.nanos();
    boolean keepers =
        machine.processes.living().stream().anyMatch(it -> it.kind == SimulatedProcess.Kind.KEEPER);
    return !keepers
        && !around.readErrors
        && now - around.freeSinceNanos() > LATELY_NANOS
        && machine.keepers.executions().stream()
            .allMatch(it -> it.over && now - it.endedNanos > LATELY_NANOS);
  }
}
