package dev.kron.cli.crontab;

import dev.kron.cron.CronCalendar;
import dev.kron.cron.CronExpression;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.zone.ZoneOffsetTransition;

/**
 * Whether cron treats a job apart when clocks change.
 *
 * <p>Cron, the one of Debian and its like, takes a change of less than three hours for summer or
 * winter time. A job whose minute and hour are fixed then runs once for each of its times: those
 * that are skipped at the moment of the change, those that come twice the first time only. Jobs
 * with a star in minute or hour follow the clock.
 */
final class CronClocks {
  /** What makes a job of ours do the same. */
  static final String MODIFIER = " @dst(cron)";

  /** Rules of zones repeat every year; a few more are enough to see them all. */
  private static final long LOOKED_AT_SECONDS = 10L * 366 * 86_400;

  private CronClocks() {}

  /** Whether a change of the zone's clocks after {@code now} meets the job's time of day. */
  static boolean concern(CronTimes times, ZoneId zone, long now) {
    if (times.wild()) {
      return false;
    }
    String[] fields = times.fields().split(" ");
    // Local time laid out as if it were UTC, where nothing is skipped and nothing comes twice.
    CronCalendar everyDay =
        new CronCalendar(
            CronExpression.krontab(fields[0] + " " + fields[1] + " * * *"), ZoneOffset.UTC);
    ZoneOffsetTransition next = zone.getRules().nextTransition(Instant.ofEpochSecond(now));
    while (next != null && next.toEpochSecond() <= now + LOOKED_AT_SECONDS) {
      long length = Math.abs(next.getDuration().toSeconds());
      long before = next.toEpochSecond() + next.getOffsetBefore().getTotalSeconds();
      long from = next.isGap() ? before : before - length;
      if (everyDay.next(from - 1) < from + length) {
        return true;
      }
      next = zone.getRules().nextTransition(next.getInstant());
    }
    return false;
  }
}
