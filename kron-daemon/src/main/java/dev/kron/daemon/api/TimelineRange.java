package dev.kron.daemon.api;

/**
 * A range of time, in epoch seconds.
 *
 * @param to the first second after it
 * @param buckets the number of parts that a picture can show
 */
record TimelineRange(long from, long to, int buckets) {
  boolean touches(long fromMillis, long toMillis) {
    return toMillis >= from * 1000 && fromMillis < to * 1000;
  }

  boolean holds(long second) {
    return second >= from && second < to;
  }

  private long millis() {
    return (to - from) * 1000;
  }

  /** The bucket that a moment falls into, or the nearest. */
  int bucket(long atMillis) {
    long past = Math.clamp(atMillis - from * 1000, 0, millis() - 1);
    return (int) (past * buckets / millis());
  }

  /** Where a bucket begins, epoch millisecond; the one after the last begins at the end. */
  long beginOf(int bucket) {
    return from * 1000 + Math.ceilDiv(bucket * millis(), (long) buckets);
  }
}
