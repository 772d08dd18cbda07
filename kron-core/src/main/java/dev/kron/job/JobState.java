package dev.kron.job;

import dev.kron.cron.CronCalendar;
import dev.kron.schedule.Window;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * All that a job's future depends on. Its history does not, and stays on disk: a machine's step
 * says which entries to append.
 *
 * @param lastHandled nominal second of the last handled period, {@code CronCalendar.NONE}: none yet
 * @param lastOutcome null exactly when {@code lastHandled} is none
 * @param lastChosen chosen second of that period, {@code NONE} where unschedulable or none
 * @param active runs, oldest first; the last one is the file's {@code ActiveExecution}
 * @param fingerprint of the schedule that {@code since} belongs to
 * @param since epoch second from which due times count (first seen, schedule changed, quarantined)
 * @param pastLost the state was quarantined at {@code since}: of the periods after it only those
 *     count whose window begins later
 * @param suspended by command
 * @param begunAhead nominal seconds after {@code lastHandled} that are handled all the same: they
 *     began under a clock that was far ahead, and were left out when the operator released the rest
 * @param retry an attempt that waits, or null
 * @param links what is under way to and from other jobs
 */
public record JobState(
    String identity,
    long lastHandled,
    @Nullable Outcome lastOutcome,
    long lastChosen,
    List<ActiveRun> active,
    String fingerprint,
    long since,
    boolean pastLost,
    boolean suspended,
    List<Long> begunAhead,
    @Nullable Retry retry,
    Links links) {
  private static final long LONGEST_WINDOW_SECONDS = Window.LONGEST_NANOS / 1_000_000_000L;

  public JobState {
    active = List.copyOf(active);
    begunAhead = List.copyOf(begunAhead);
  }

  /** Of a job of which nothing ever ran ahead of its time, and nothing waits. */
  public JobState(
      String identity,
      long lastHandled,
      @Nullable Outcome lastOutcome,
      long lastChosen,
      List<ActiveRun> active,
      String fingerprint,
      long since,
      boolean pastLost,
      boolean suspended) {
    this(
        identity,
        lastHandled,
        lastOutcome,
        lastChosen,
        active,
        fingerprint,
        since,
        pastLost,
        suspended,
        List.of(),
        null,
        Links.NONE);
  }

  /** The state of a job that was never seen before. */
  public static JobState unseen(String identity) {
    return arrived(identity, "", CronCalendar.NONE, false);
  }

  /** The state of a job that was seen before and has done nothing since. */
  public static JobState arrived(
      String identity, String fingerprint, long since, boolean pastLost) {
    return new JobState(
        identity,
        CronCalendar.NONE,
        null,
        CronCalendar.NONE,
        List.of(),
        fingerprint,
        since,
        pastLost,
        false);
  }

  /** The same job under another schedule has no past; under the same one it goes on as it is. */
  public JobState withSchedule(String fingerprint, long since) {
    if (fingerprint.equals(this.fingerprint)) {
      return this;
    }
    boolean lost = pastLostStillMatters(since);
    return withArrival(fingerprint, lost ? Math.max(this.since, since) : since, lost);
  }

  /** The same job, counted from another moment on. */
  public JobState withArrival(String fingerprint, long since, boolean pastLost) {
    return new JobState(
        identity,
        lastHandled,
        lastOutcome,
        lastChosen,
        active,
        fingerprint,
        since,
        pastLost,
        suspended,
        begunAhead,
        retry,
        links);
  }

  /** The same job with other runs. */
  public JobState withActive(List<ActiveRun> active) {
    return new JobState(
        identity,
        lastHandled,
        lastOutcome,
        lastChosen,
        active,
        fingerprint,
        since,
        pastLost,
        suspended,
        begunAhead,
        retry,
        links);
  }

  /** The same, with other periods that began ahead. */
  public JobState withBegunAhead(List<Long> begunAhead) {
    return new JobState(
        identity,
        lastHandled,
        lastOutcome,
        lastChosen,
        active,
        fingerprint,
        since,
        pastLost,
        suspended,
        begunAhead,
        retry,
        links);
  }

  /** The same, with an equal text for its identity. */
  public JobState withIdentity(String identity) {
    return new JobState(
        identity,
        lastHandled,
        lastOutcome,
        lastChosen,
        active,
        fingerprint,
        since,
        pastLost,
        suspended,
        begunAhead,
        retry,
        links);
  }

  /** Whether a reason is there to look at the job although it is in no file. */
  public boolean isUnfinished() {
    return !active.isEmpty() || retry != null || !links.owed().isEmpty();
  }

  /**
   * Whether what a quarantine lost may have begun a period that counts from a later moment on: not
   * once the longest window that was open then has closed.
   */
  boolean pastLostStillMatters(long later) {
    return pastLost && (since == CronCalendar.NONE || later - since <= LONGEST_WINDOW_SECONDS);
  }

  /** The nominal time up to which every period is handled: done with, or in an active run. */
  public long handled() {
    return handled(lastHandled, active);
  }

  static long handled(long lastHandled, List<ActiveRun> active) {
    long handled = lastHandled;
    for (ActiveRun run : active) {
      handled = Math.max(handled, run.nominal()); // a manual run's is NONE, the smallest
    }
    return handled;
  }
}
