package dev.kron.job;

/**
 * The clocks that watch a job, in milliseconds; 0: that one does not.
 *
 * @param lateMillis how long after its due time a run may begin
 * @param expectMillis how long a run may take
 * @param leastMillis how long a run takes at least
 * @param silentMillis how long the job may be without a success
 */
public record JobWatch(long lateMillis, long expectMillis, long leastMillis, long silentMillis) {
  public static final JobWatch NONE = new JobWatch(0, 0, 0, 0);

  /** Whether nothing is to be watched while time passes. */
  public boolean needsNoClock() {
    return lateMillis == 0 && expectMillis == 0 && silentMillis == 0;
  }
}
