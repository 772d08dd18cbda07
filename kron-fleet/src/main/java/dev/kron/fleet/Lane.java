package dev.kron.fleet;

import org.jspecify.annotations.Nullable;

/**
 * One of a node's two connections: the statement under way on it, and how long it is left alone.
 */
final class Lane {
  private static final long QUARTER_SECOND = 250_000_000L;

  private @Nullable Statement under;
  private long sentNanos;
  private long notBeforeNanos = Long.MIN_VALUE;
  private int failures;

  boolean isIdle() {
    return under == null;
  }

  boolean isUnderway(Class<? extends Statement> kind) {
    return kind.isInstance(under);
  }

  boolean isFree(long nanos) {
    return under == null && nanos >= notBeforeNanos;
  }

  /** Whether an answer belongs to the last question; others are of a time before. */
  boolean awaits(Statement statement) {
    return statement.equals(under);
  }

  void asked(Statement statement, long nanos) {
    under = statement;
    sentNanos = nanos;
  }

  long sentNanos() {
    return sentNanos;
  }

  long notBeforeNanos() {
    return notBeforeNanos;
  }

  /** The wait after a failure: a quarter of a second, then twice as long each time, up to eight. */
  void failed(long nanos, double jitter) {
    under = null;
    long wait = QUARTER_SECOND << Math.min(failures++, 5);
    notBeforeNanos = nanos + (long) (wait * (1 + jitter / 4));
  }

  void answered() {
    under = null;
    failures = 0;
  }

  /** The answer is not waited for any more. */
  void drop() {
    under = null;
  }
}
