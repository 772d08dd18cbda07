package dev.kron.simulation;

import java.time.Duration;

/**
 * One thing that an operator, the world or chance does.
 *
 * @param seed of all chance from this step to the next
 * @param amount how much of it: nanoseconds, operations, a number in a row
 * @param which of several it concerns
 */
record HistoryStep(Kind kind, long seed, long amount, int which) {
  /** What can happen. */
  enum Kind {
    PASS,
    START,
    CRASH,
    CRASH_SOON,
    POWER_LOSS,
    POWER_LOSS_SOON,
    STOP,
    STOP_AFTER_JOBS,
    STOP_WITH_JOBS,
    SECOND_DAEMON,
    EDIT,
    POLICY_EDIT,
    REMOVE,
    BAD_EDIT,
    RELOAD,
    SUSPEND,
    RESUME,
    RUN_NOW,
    END_RUNS,
    FORGET,
    CLOCK_JUMP,
    SLEEP,
    PAUSE,
    BUSY,
    DISK_FULL,
    DISK_ERRORS,
    SYNC_FAILS,
    DISK_HEALS,
    SLOW_DISK,
    SLOW_CLAIMS,
    LAUNCHES_FAIL,
    DAMAGE,
    KILL_KEEPER,
    KILL_COMMAND,
    OLD_VERSION,
    NEWER_VERSION,
    KEEP_HOUSE,
    SERVICE_START,
    SERVICE_STOP,
    SERVICE_RESTART,
    SERVICE_EDIT,
    SERVICE_POLICY_EDIT,
    SERVICE_REMOVE,
    SERVICE_DAMAGE,
    VANISH,
    NOTIFY_EDIT,
    RECEIVERS,
    SERVICE_SCALE
  }

  @Override
  public String toString() {
    return switch (kind) {
      case PASS, SLEEP, PAUSE, BUSY, SLOW_DISK, SLOW_CLAIMS, CLOCK_JUMP ->
          kind + " " + Duration.ofNanos(amount);
      case CRASH_SOON, POWER_LOSS_SOON, DISK_ERRORS, LAUNCHES_FAIL -> kind + " " + amount;
      case EDIT,
          POLICY_EDIT,
          REMOVE,
          SUSPEND,
          RESUME,
          RUN_NOW,
          END_RUNS,
          FORGET,
          DAMAGE,
          KILL_KEEPER,
          KILL_COMMAND,
          SERVICE_START,
          SERVICE_STOP,
          SERVICE_RESTART,
          SERVICE_EDIT,
          SERVICE_POLICY_EDIT,
          SERVICE_REMOVE ->
          kind + " #" + which;
      case SERVICE_SCALE -> kind + " #" + which + " to " + amount;
      case RECEIVERS -> kind + " " + SimulatedReceivers.Mood.ALL.get((int) amount);
      case VANISH -> kind + " " + Vanishing.KINDS.get((int) amount) + " #" + which;
      default -> kind.toString();
    };
  }
}
