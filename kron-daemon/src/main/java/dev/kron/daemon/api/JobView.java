package dev.kron.daemon.api;

import dev.kron.cron.CronCalendar;
import dev.kron.job.JobSpec;
import dev.kron.job.JobState;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A job at one moment.
 *
 * @param spec null: no longer in any file
 * @param state what is on disk
 * @param dueAt the second at which its next period is due, {@link #NEVER}: none is waited for
 * @param mutedUntilMillis until when nobody is told of it; 0: it is not muted
 */
public record JobView(
    String identity, @Nullable JobSpec spec, JobState state, long dueAt, long mutedUntilMillis) {
  public static final long NEVER = Long.MAX_VALUE;

  /** The last part of the identity, where the file no longer tells. */
  public String name() {
    return spec == null ? identity.substring(identity.lastIndexOf(':') + 1) : spec.name();
  }

  /** The words of {@link #stateAt}. */
  static final Set<String> STATES =
      Set.of("running", "suspended", "retrying", "held", "gone", "ready");

  /** What it is about, in a word, as {@code kron jobs} has it. */
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
    return Shapes.heldUntil(this, nowMillis) == CronCalendar.NONE ? "ready" : "held";
  }

  /** The file that it stands or stood in. */
  String group() {
    return spec == null
        ? identity.substring(0, Math.max(0, identity.lastIndexOf(':')))
        : spec.file();
  }

  public boolean suspended() {
    return state.suspended() || (spec != null && spec.schedule().policy().suspend());
  }
}
