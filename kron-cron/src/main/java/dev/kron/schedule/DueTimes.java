package dev.kron.schedule;

import dev.kron.cron.CronCalendar;
import java.util.Iterator;
import java.util.NoSuchElementException;
import org.jspecify.annotations.Nullable;

/**
 * When the periods of one job fall due.
 *
 * <p>A period is due at its chosen second (at its window's end where it is unschedulable), but
 * never before a period with an earlier nominal time: where windows overlap and a later period drew
 * an earlier second, it waits. So due times never decrease from one period to the next.
 *
 * <p>Two facts keep this cheap however far windows reach. The first period that is due after a
 * moment is the first whose <em>own</em> time is after it. And a predecessor matters only if its
 * window ends after what is known already, so looking back ends as soon as that is no longer so.
 */
public final class DueTimes {
  private final Schedule schedule;
  private final String identity;
  private final long startOffset;
  private final long endOffset;

  private DueTimes(Schedule schedule, String identity) {
    this.schedule = schedule;
    this.identity = identity;
    this.startOffset = schedule.window().startOffsetSeconds();
    this.endOffset = schedule.window().endOffsetSeconds();
  }

  public static DueTimes of(Schedule schedule, String identity) {
    return new DueTimes(schedule, identity);
  }

  /** A period and the second at which it is due. */
  public record Due(Decision decision, long dueEpochSecond) {}

  /** The periods that are due after a moment, in order, for as long as the calendar lasts. */
  public Iterator<Due> after(long epochSecond) {
    return new Iterator<>() {
      private @Nullable Due upcoming = firstAfter(epochSecond);

      @Override
      public boolean hasNext() {
        return upcoming != null;
      }

      @Override
      public Due next() {
        Due result = upcoming;
        if (result == null) {
          throw new NoSuchElementException("the calendar ends with the year 9999");
        }
        upcoming = following(result);
        return result;
      }
    };
  }

  /** The first period, in nominal order, that is due after a moment, or null. */
  public @Nullable Due firstAfter(long epochSecond) {
    // Windows that end by then cannot hold a later time.
    long nominal = schedule.next(epochSecond - endOffset);
    while (nominal != CronCalendar.NONE) {
      Decision decision = schedule.decide(identity, nominal);
      long due = decision.ownDueEpochSecond();
      if (due > epochSecond) {
        return new Due(decision, due);
      }
      nominal = schedule.next(nominal);
    }
    return null;
  }

  /** The period after the given one, or null where the calendar ends. */
  public @Nullable Due following(Due due) {
    long nominal = schedule.next(due.decision().nominalEpochSecond());
    if (nominal == CronCalendar.NONE) {
      return null;
    }
    Decision decision = schedule.decide(identity, nominal);
    return new Due(decision, Math.max(due.dueEpochSecond(), decision.ownDueEpochSecond()));
  }

  /** The period with the latest nominal time among those due at or before a moment, or null. */
  public @Nullable Due latestAtOrBefore(long epochSecond) {
    Due later = firstAfter(epochSecond);
    long nominal =
        schedule.previous(
            later == null ? epochSecond - startOffset : later.decision().nominalEpochSecond() - 1);
    return nominal == CronCalendar.NONE ? null : of(nominal);
  }

  /** The due time of the period with the given nominal time, which must be the schedule's. */
  public Due of(long nominal) {
    Decision decision = schedule.decide(identity, nominal);
    long due = decision.ownDueEpochSecond();
    long earlier = schedule.previous(nominal - 1);
    while (earlier != CronCalendar.NONE && earlier + endOffset > due) {
      due = Math.max(due, schedule.decide(identity, earlier).ownDueEpochSecond());
      earlier = schedule.previous(earlier - 1);
    }
    return new Due(decision, due);
  }
}
