package dev.kron.daemon.api;

import dev.kron.job.JobSpec;
import dev.kron.job.JobState;
import org.jspecify.annotations.Nullable;

/**
 * A job at one moment.
 *
 * @param spec null: no longer in any file
 * @param state what is on disk
 * @param dueAt the second at which its next period is due, {@link #NEVER}: none is waited for
 */
public record JobView(String identity, @Nullable JobSpec spec, JobState state, long dueAt) {
  public static final long NEVER = Long.MAX_VALUE;

  /** The last part of the identity, where the file no longer tells. */
  public String name() {
    return spec == null ? identity.substring(identity.lastIndexOf(':') + 1) : spec.name();
  }

  public boolean suspended() {
    return state.suspended() || (spec != null && spec.schedule().policy().suspend());
  }
}
