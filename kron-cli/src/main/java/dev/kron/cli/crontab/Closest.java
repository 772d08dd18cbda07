package dev.kron.cli.crontab;

import dev.kron.cron.CronCalendar;
import dev.kron.schedule.Schedule;

/** How close two periods of a schedule come. */
final class Closest {
  /** Enough to see the end of an hour, a day, a week and a month. */
  private static final int LOOK_AHEAD = 100;

  private Closest() {}

  static long seconds(Schedule schedule, long now) {
    long closest = Long.MAX_VALUE;
    long nominal = schedule.next(now);
    for (int i = 0; i < LOOK_AHEAD && nominal != CronCalendar.NONE; i++) {
      long next = schedule.next(nominal);
      if (next == CronCalendar.NONE) {
        break;
      }
      closest = Math.min(closest, next - nominal);
      nominal = next;
    }
    return closest;
  }
}
