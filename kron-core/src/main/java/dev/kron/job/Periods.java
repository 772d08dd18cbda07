package dev.kron.job;

import dev.kron.cron.CronCalendar;
import dev.kron.schedule.DueTimes;
import dev.kron.schedule.DueTimes.Due;
import dev.kron.schedule.Schedule;
import org.jspecify.annotations.Nullable;

/**
 * The choice of a job's next period. Pure.
 *
 * <p>Of the periods that became due while the daemon was away, only the one with the latest nominal
 * time counts, so that there is never a burst. Periods that become due while the daemon is there
 * follow one after another, in nominal order.
 */
public final class Periods {
  private Periods() {}

  /**
   * A period that is not handled yet.
   *
   * @param chosen {@code CronCalendar.NONE} where unschedulable
   * @param due the due second; if it is in the future, ask again then
   * @param lateSeconds {@link JobEvent.PeriodDue#SEEN}, or how late it was when the daemon came
   *     back
   */
  public record Next(long nominal, long chosen, long due, long lateSeconds) {}

  /**
   * @param seenSinceMillis since when the daemon has been there, wall clock
   * @return null where no period is left within the supported years
   */
  public static @Nullable Next next(Schedule schedule, JobState state, long seenSinceMillis) {
    DueTimes dueTimes = DueTimes.of(schedule, state.identity());
    long firstSeen = Math.ceilDiv(seenSinceMillis, 1000L);
    Due unseen = firstSeen - 1 >= state.since() ? dueTimes.latestAtOrBefore(firstSeen - 1) : null;
    if (unseen != null
        && unseen.dueEpochSecond() >= state.since()
        && unseen.decision().nominalEpochSecond() > lastUncounted(schedule, state)
        && !state.begunAhead().contains(unseen.decision().nominalEpochSecond())) {
      long late = Math.floorDiv(seenSinceMillis - unseen.dueEpochSecond() * 1000L, 1000L);
      return next(unseen, late);
    }
    Due seen = dueTimes.firstAfter(Math.max(firstSeen, state.since()) - 1);
    if (seen != null) {
      long first = seen.decision().nominalEpochSecond();
      long uncounted = lastUncounted(schedule, state);
      long nominal = first <= uncounted ? schedule.next(uncounted) : first;
      while (state.begunAhead().contains(nominal)) {
        nominal = schedule.next(nominal);
      }
      if (nominal != first) {
        seen = nominal == CronCalendar.NONE ? null : dueTimes.of(nominal);
      }
    }
    return seen == null ? null : next(seen, JobEvent.PeriodDue.SEEN);
  }

  /**
   * The second until which a job is held. A job is held where a handled period, or the moment from
   * which it counts, lies further ahead than anything that could be due, because the clock was once
   * far ahead.
   *
   * @return the second at which the job is due again; {@code CronCalendar.NONE} if it is not held
   */
  public static long heldUntil(Schedule schedule, JobState state, long nowMillis) {
    long now = Math.floorDiv(nowMillis, 1000L);
    long handled = state.handled();
    boolean ahead =
        handled != CronCalendar.NONE && handled + schedule.window().startOffsetSeconds() > now;
    if (!ahead && state.since() <= now + 1) {
      return CronCalendar.NONE;
    }
    Next next = next(schedule, state, nowMillis);
    return next == null ? CronCalendar.NONE : next.due();
  }

  /**
   * The nominal time up to which no period counts: it is handled, or the state was lost after its
   * window had begun.
   */
  private static long lastUncounted(Schedule schedule, JobState state) {
    long handled = state.handled();
    return state.pastLost()
        ? Math.max(handled, state.since() - schedule.window().startOffsetSeconds())
        : handled;
  }

  private static Next next(Due due, long lateSeconds) {
    return new Next(
        due.decision().nominalEpochSecond(),
        due.decision().unschedulable() ? CronCalendar.NONE : due.decision().chosenEpochSecond(),
        due.dueEpochSecond(),
        lateSeconds);
  }
}
