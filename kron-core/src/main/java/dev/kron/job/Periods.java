package dev.kron.job;

import dev.kron.cron.CronCalendar;
import dev.kron.schedule.DueTimes;
import dev.kron.schedule.DueTimes.Due;
import dev.kron.schedule.Schedule;
import org.jspecify.annotations.Nullable;

/**
 * Which period of a job comes next. Pure.
 *
 * <p>Of the periods that fell due while nobody was there, only the one with the latest nominal time
 * is looked at: never a burst. The periods that fall due while the daemon is there come one after
 * another, in nominal order.
 */
public final class Periods {
  private Periods() {}

  /**
   * A period that is not handled.
   *
   * @param chosen {@code CronCalendar.NONE} where unschedulable
   * @param due where it lies in the future: come back then
   * @param lateSeconds {@link JobEvent.PeriodDue#SEEN}, or how late it was when the daemon was back
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
   * Until when a job is held: a period is handled, or a first moment is on record, that lies beyond
   * anything that could be due, because the clock was once far ahead.
   *
   * @return the second at which it is due again, {@code CronCalendar.NONE}: it is not held
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
   * The nominal time up to which no period counts: handled, or, where the state was lost, with a
   * window that had begun by then.
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
