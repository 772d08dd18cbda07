package dev.kron.job;

import dev.kron.schedule.Policy;
import java.util.List;

/**
 * The rules of a job's file for its runs, as far as its machine has to know.
 *
 * @param then identities of the jobs that follow its successes
 */
public record RunRules(Policy policy, RetryPolicy retry, List<String> then) {
  /** The rules of a job that is in no file. */
  public static final RunRules DEFAULT = new RunRules(Policy.DEFAULT, RetryPolicy.NONE);

  public RunRules {
    then = List.copyOf(then);
  }

  /** The rules of a job that nothing follows. */
  public RunRules(Policy policy, RetryPolicy retry) {
    this(policy, retry, List.of());
  }

  /** How late an attempt may still begin after an absence. */
  long retryDeadlineSeconds() {
    return Math.max(policy.deadlineSeconds(), retry.longestMillis() / 1000);
  }
}
