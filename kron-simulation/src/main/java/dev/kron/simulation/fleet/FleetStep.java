package dev.kron.simulation.fleet;

import java.time.Duration;

/**
 * One thing that an operator, the world or chance does.
 *
 * @param seed of all chance from this step to the next
 * @param amount how much of it: nanoseconds, or one in so many
 * @param machine which it concerns
 * @param job which it concerns
 */
record FleetStep(Kind kind, long seed, long amount, int machine, int job) {
  /** What can happen. */
  enum Kind {
    PASS,
    KILL,
    FREEZE,
    SLEEP,
    SLEEP_CLOCK_STANDS,
    POWER_LOSS,
    CUT_OFF,
    DATABASE_AWAY,
    DATABASE_RESTART,
    FAILOVER,
    CLOCK_JUMP,
    LOSSY,
    SLOW_NETWORK,
    SLOW_COMMITS,
    SLOW_STARTS,
    CLONE,
    REMEMBER_DIRECTORY,
    OLD_DIRECTORY,
    ADOPT,
    EDIT,
    ROLL_OUT,
    SUSPEND,
    RESUME,
    TRIGGER,
    TRIGGER_HERE,
    RELEASE,
    REMOVE
  }

  @Override
  public String toString() {
    return switch (kind) {
      case PASS, DATABASE_AWAY -> kind + " " + Duration.ofNanos(amount);
      case KILL, FREEZE, SLEEP, SLEEP_CLOCK_STANDS, POWER_LOSS, CUT_OFF ->
          kind + " #" + machine + " " + Duration.ofNanos(amount);
      case FAILOVER, CLOCK_JUMP -> kind + " " + Duration.ofNanos(amount);
      case LOSSY, SLOW_NETWORK, SLOW_COMMITS, SLOW_STARTS -> kind + " 1 in " + amount;
      case CLONE, REMEMBER_DIRECTORY, OLD_DIRECTORY, ADOPT, REMOVE -> kind + " #" + machine;
      case EDIT, ROLL_OUT, TRIGGER_HERE -> kind + " #" + machine + " job" + job;
      case SUSPEND, RESUME, TRIGGER, RELEASE -> kind + " job" + job;
      case DATABASE_RESTART -> kind.toString();
    };
  }
}
