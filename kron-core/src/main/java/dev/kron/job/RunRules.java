package dev.kron.job;

import dev.kron.schedule.Policy;
import java.util.List;

/**
 * The rules of a job's file that its machine needs for runs.
 *
 * @param then identities of the jobs that run after each success
 * @param fleet whether a fleet says which runs begin here: then one that never began stays so
 * @param exact whether a second is drawn from the allowed ones alone
 */
public record RunRules(
    Policy policy, RetryPolicy retry, List<String> then, boolean fleet, boolean exact) {
  /** The rules for a job that is in no file. */
  public static final RunRules DEFAULT = new RunRules(Policy.DEFAULT, RetryPolicy.NONE);

  /** The rules for a job of a fleet that is in no file. */
  public static final RunRules FLEET_DEFAULT =
      new RunRules(Policy.DEFAULT, RetryPolicy.NONE, List.of(), true, false);

  public RunRules {
    then = List.copyOf(then);
  }

  /** Rules for a job of this machine alone. */
  public RunRules(Policy policy, RetryPolicy retry, List<String> then) {
    this(policy, retry, then, false, false);
  }

  /** Rules for a job without following jobs. */
  public RunRules(Policy policy, RetryPolicy retry) {
    this(policy, retry, List.of());
  }

  /** The lateness within which a retry still begins after the daemon was away. */
  long retryDeadlineSeconds() {
    return Math.max(policy.deadlineSeconds(), retry.longestMillis() / 1000);
  }
}
