package dev.kron.scheduler;

import dev.kron.cron.CronCalendar;
import dev.kron.schedule.Schedule;
import org.jspecify.annotations.Nullable;

/**
 * When a task is due: at the occurrences of its expression or, with a window, at a second after
 * each of them. Where windows overlap, an occurrence waits for those before it. All times are epoch
 * seconds.
 */
final class TaskTimetable {
  static final long NONE = CronCalendar.NONE;

  private final CronCalendar calendar;
  private final @Nullable Schedule schedule;
  private final String identity;
  private final long windowSeconds;

  private TaskTimetable(
      CronCalendar calendar, @Nullable Schedule schedule, String identity, long windowSeconds) {
    this.calendar = calendar;
    this.schedule = schedule;
    this.identity = identity;
    this.windowSeconds = windowSeconds;
  }

  static TaskTimetable of(CronCalendar calendar) {
    return new TaskTimetable(calendar, null, "", 0);
  }

  /**
   * @param identity whose seconds they are, besides the schedule's salt
   */
  static TaskTimetable of(CronCalendar calendar, Schedule schedule, String identity) {
    return new TaskTimetable(calendar, schedule, identity, schedule.window().endOffsetSeconds());
  }

  CronCalendar calendar() {
    return calendar;
  }

  boolean hasWindow() {
    return schedule != null;
  }

  /** When an occurrence is due, as far as it alone is concerned. */
  long due(long occurrence) {
    return schedule == null || occurrence == NONE
        ? occurrence
        : schedule.decide(identity, occurrence).ownDueEpochSecond();
  }

  /**
   * The first occurrence that is due after a moment.
   *
   * @param handled an occurrence that was started already, and with it all before it; or NONE
   */
  long next(long after, long handled) {
    if (schedule == null) {
      return calendar.next(after);
    }
    long occurrence = calendar.next(Math.max(after - windowSeconds - 1, handled));
    while (occurrence != NONE && due(occurrence) <= after) {
      occurrence = calendar.next(occurrence);
    }
    return occurrence;
  }

  /** The latest occurrence that is due at a moment, and with it all before it. */
  long latest(long firstDue, long now) {
    if (schedule == null) {
      return now < firstDue + 60 ? firstDue : calendar.previous(now);
    }
    long latest = Math.max(firstDue, calendar.previous(now - windowSeconds));
    for (long later = calendar.next(latest);
        later != NONE && later <= now && due(later) <= now;
        later = calendar.next(later)) {
      latest = later;
    }
    return latest;
  }
}
