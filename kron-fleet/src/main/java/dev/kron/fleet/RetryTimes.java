package dev.kron.fleet;

import dev.kron.job.RetryPolicy;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** The moment at which an attempt that failed is tried again. */
final class RetryTimes {
  /** The outcome of a run that failed for certain. */
  static final String FAILED = "failed";

  private RetryTimes() {}

  /** Null: not at all. */
  static @Nullable Long after(Claim claim, Settlement.End end, @Nullable Watched watched) {
    if (watched == null || !end.outcome().equals(FAILED) || !claim.kind().hasPeriod()) {
      return null;
    }
    RetryPolicy policy = watched.job.retry();
    int used = claim.retriesUsed();
    if (used >= policy.retries()) {
      return null;
    }
    String period = Instant.ofEpochSecond(claim.period().nominal()).toString();
    return end.endedMillis() + policy.delayMillis(watched.job.seed(), period, used + 1);
  }
}
