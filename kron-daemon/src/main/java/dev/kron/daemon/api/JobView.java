package dev.kron.daemon.api;

import dev.kron.cron.CronCalendar;
import dev.kron.job.JobSpec;
import dev.kron.job.JobState;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A job at one moment.
 *
 * @param spec null: in no file any more
 * @param state the state on disk
 * @param dueAt the second at which its next period is due; {@link #NEVER}: none
 * @param mutedUntilMillis until when it is muted; 0: it is not
 * @param fleet how it stands in the fleet; null: it is a job of this machine alone
 */
public record JobView(
    String identity,
    @Nullable JobSpec spec,
    JobState state,
    long dueAt,
    long mutedUntilMillis,
    @Nullable InFleet fleet) {

  /**
   * A job of a fleet, as this machine saw it last.
   *
   * @param on the nodes that it runs on
   * @param suspended whether nothing of it is claimed
   * @param lostRun the run that holds it, as nobody knows whether it goes on; null: none
   * @param differs whether other files are in force than this machine has
   */
  public record InFleet(String on, boolean suspended, @Nullable String lostRun, boolean differs) {}

  public static final long NEVER = Long.MAX_VALUE;

  /** The identity by which its seconds are chosen. */
  String seed() {
    return spec == null ? identity : spec.seed();
  }

  /** The name of the job; the last part of its identity if it is in no file any more. */
  public String name() {
    return spec == null ? identity.substring(identity.lastIndexOf(':') + 1) : spec.name();
  }

  /** The words of {@link #stateAt}. */
  static final Set<String> STATES =
      Set.of("running", "suspended", "retrying", "held", "gone", "ready");

  /** The state of the job in one word, as {@code kron jobs} shows it. */
  String stateAt(long nowMillis) {
    if (spec == null) {
      return "gone";
    }
    if (!state.active().isEmpty()) {
      return "running";
    }
    if (suspended()) {
      return "suspended";
    }
    if (state.retry() != null) {
      return "retrying";
    }
    boolean lost = fleet != null && fleet.lostRun() != null;
    return lost || Shapes.heldUntil(this, nowMillis) != CronCalendar.NONE ? "held" : "ready";
  }

  /** The file that the job is or was in. */
  String group() {
    return spec == null
        ? identity.substring(0, Math.max(0, identity.lastIndexOf(':')))
        : spec.file();
  }

  public boolean suspended() {
    return state.suspended()
        || (fleet != null && fleet.suspended())
        || (spec != null && spec.schedule().policy().suspend());
  }
}
