package dev.kron.job;

import dev.kron.schedule.Policy;

/** The rules of a job's file for its runs, as far as its machine has to know. */
public record RunRules(Policy policy, RetryPolicy retry) {
  /** The rules of a job that is in no file. */
  public static final RunRules DEFAULT = new RunRules(Policy.DEFAULT, RetryPolicy.NONE);

  /** How late an attempt may still begin after an absence. */
  long retryDeadlineSeconds() {
    return Math.max(policy.deadlineSeconds(), retry.longestMillis() / 1000);
  }
}
