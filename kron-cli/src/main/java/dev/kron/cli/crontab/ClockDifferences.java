package dev.kron.cli.crontab;

import dev.kron.cli.crontab.Finding.Kind;
import dev.kron.cli.output.Times;
import dev.kron.cron.CronCalendar;
import dev.kron.schedule.Schedule;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.zone.ZoneOffsetTransition;
import java.util.ArrayList;
import java.util.List;

/**
 * Where cron and krond part when clocks change.
 *
 * <p>Cron, the one of Debian and its like, takes a change of less than three hours for summer or
 * winter time. A job whose minute and hour are fixed then runs once for each of its times: those
 * that are skipped at the moment of the change, those that come twice the first time only. Jobs
 * with a star in minute or hour follow the clock, as all jobs do here.
 */
final class ClockDifferences {
  private static final long TWO_YEARS_SECONDS = 2L * 366 * 86_400;
  private static final long LONGEST_SECONDS = 3 * 3_600;
  private static final int SHOWN = 3;

  private final long now;

  ClockDifferences(long now) {
    this.now = now;
  }

  /** One finding for each change that matters in the next two years. */
  List<Finding> of(CronTimes times, ZoneId zone, int line, String job) {
    List<Finding> found = new ArrayList<>();
    if (times.wild()) {
      return found;
    }
    // Local time laid out as if it were UTC, where nothing is skipped and nothing comes twice.
    Schedule local = Schedule.parse((times.fields() + " " + times.only()).strip());
    ZoneOffsetTransition next = zone.getRules().nextTransition(Instant.ofEpochSecond(now));
    while (next != null && next.toEpochSecond() <= now + TWO_YEARS_SECONDS) {
      List<Long> minutes = minutes(local, next);
      if (!minutes.isEmpty()) {
        found.add(finding(minutes, next, line, job));
      }
      next = zone.getRules().nextTransition(next.getInstant());
    }
    return found;
  }

  /** The job's times, as if in UTC, that a change skips or repeats. */
  private static List<Long> minutes(Schedule local, ZoneOffsetTransition change) {
    List<Long> minutes = new ArrayList<>();
    long length = Math.abs(change.getDuration().toSeconds());
    boolean tooLong = change.isGap() ? length >= LONGEST_SECONDS : length > LONGEST_SECONDS;
    if (tooLong) {
      return minutes;
    }
    long before = change.toEpochSecond() + change.getOffsetBefore().getTotalSeconds();
    long from = change.isGap() ? before : before - length;
    long nominal = local.next(from - 1);
    while (nominal != CronCalendar.NONE && nominal < from + length) {
      if (!local.decide("", nominal).unschedulable()) {
        minutes.add(nominal);
      }
      nominal = local.next(nominal);
    }
    return minutes;
  }

  private static Finding finding(
      List<Long> minutes, ZoneOffsetTransition change, int line, String job) {
    List<String> times = minutes.stream().map(m -> Times.minute(m, ZoneOffset.UTC)).toList();
    String date = Times.date(minutes.getFirst(), ZoneOffset.UTC);
    String shown = String.join(", ", times.subList(0, Math.min(SHOWN, times.size())));
    if (times.size() > SHOWN) {
      shown += " and " + (times.size() - SHOWN) + " more";
    }
    String after = change.getDateTimeAfter().toLocalTime().toString();
    String message =
        change.isGap()
            ? "on "
                + date
                + " clocks skip "
                + shown
                + ": cron makes up for it at "
                + after
                + ", krond does not run it"
            : "on "
                + date
                + " clocks repeat "
                + shown
                + ": cron runs it the first time only, krond both times";
    return new Finding(line, Kind.DIFFERS, job, date, times, message);
  }
}
