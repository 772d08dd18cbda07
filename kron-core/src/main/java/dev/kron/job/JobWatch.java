package dev.kron.job;

/**
 * The time limits after which somebody is notified about a job, in milliseconds; 0 switches one
 * off.
 *
 * @param lateMillis how long after its due time a run may begin
 * @param expectMillis how long a run may take
 * @param leastMillis the shortest time that a run can take
 * @param silentMillis how long the job may be without a success
 */
public record JobWatch(long lateMillis, long expectMillis, long leastMillis, long silentMillis) {
  public static final JobWatch NONE = new JobWatch(0, 0, 0, 0);

  /** Whether none of the limits can pass while nothing happens. */
  public boolean needsNoClock() {
    return lateMillis == 0 && expectMillis == 0 && silentMillis == 0;
  }
}
