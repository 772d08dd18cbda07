package dev.kron.cli.crontab;

import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneId;
import java.time.zone.ZoneRules;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Locale;

/**
 * A model of the cron of Debian and its like, after its manual pages and what is known of its clock
 * loop. It shares no code with what it is compared with.
 *
 * <p>It wakes up every minute of real time and looks at the local clock. Its own idea of the time,
 * the virtual minute, is where it has run everything. Usually the clock is one minute ahead of it.
 * If it is further ahead, but no three hours, jobs with a star in minute or hour run for the new
 * minute, the others for every minute that was passed over. If it is behind, only jobs with a star
 * run until the virtual minute is reached. Any other change is taken as it is.
 */
final class VixieCron {
  private static final List<String> MONTHS =
      List.of("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec");
  private static final List<String> WEEKDAYS =
      List.of("sun", "mon", "tue", "wed", "thu", "fri", "sat");
  private static final int DAY = 1_440;

  private final List<Job> jobs = new ArrayList<>();

  /** One entry: five fields. */
  private static final class Job {
    final BitSet minutes;
    final BitSet hours;
    final BitSet days;
    final BitSet months;
    final BitSet weekdays;
    final boolean wild;
    final boolean eitherDay;
    final List<Long> runs = new ArrayList<>();
    long lookedAtDay = Long.MIN_VALUE;
    boolean dayMatches;

    Job(String[] fields) {
      minutes = bits(fields[0], 0, 59, List.of(), 0);
      hours = bits(fields[1], 0, 23, List.of(), 0);
      days = bits(fields[2], 1, 31, List.of(), 0);
      months = bits(fields[3], 1, 12, MONTHS, 1);
      weekdays = bits(fields[4], 0, 7, WEEKDAYS, 0);
      if (weekdays.get(7)) {
        weekdays.set(0);
      }
      wild = fields[0].startsWith("*") || fields[1].startsWith("*");
      eitherDay = !fields[2].startsWith("*") && !fields[4].startsWith("*");
    }

    boolean matches(long localMinute) {
      long day = Math.floorDiv(localMinute, DAY);
      if (day != lookedAtDay) {
        lookedAtDay = day;
        dayMatches = dayMatches(LocalDate.ofEpochDay(day));
      }
      int minute = (int) Math.floorMod(localMinute, (long) DAY);
      return dayMatches && hours.get(minute / 60) && minutes.get(minute % 60);
    }

    private boolean dayMatches(LocalDate date) {
      boolean day = days.get(date.getDayOfMonth());
      boolean weekday = weekdays.get(date.getDayOfWeek().getValue() % 7);
      return months.get(date.getMonthValue()) && (eitherDay ? day || weekday : day && weekday);
    }
  }

  private static BitSet bits(String field, int least, int most, List<String> names, int first) {
    var bits = new BitSet();
    for (String element : field.split(",")) {
      String[] rangeAndStep = element.split("/");
      int step = rangeAndStep.length == 2 ? Integer.parseInt(rangeAndStep[1]) : 1;
      int from = least;
      int to = most;
      if (!rangeAndStep[0].equals("*")) {
        String[] ends = rangeAndStep[0].split("-");
        from = number(ends[0], names, first);
        to = ends.length == 2 ? number(ends[1], names, first) : from;
      }
      for (int value = from; value <= to; value += step) {
        bits.set(value);
      }
    }
    return bits;
  }

  private static int number(String text, List<String> names, int first) {
    int name = names.indexOf(text.toLowerCase(Locale.ROOT));
    return name >= 0 ? name + first : Integer.parseInt(text);
  }

  /** Takes an entry; the number under which its runs are kept. */
  int add(String fields) {
    jobs.add(new Job(fields.split(" ")));
    return jobs.size() - 1;
  }

  /** The epoch seconds at which a job ran, one for each run. */
  List<Long> runs(int job) {
    return jobs.get(job).runs;
  }

  /** Runs after one second and before another. */
  void live(ZoneId zone, long after, long before) {
    ZoneRules rules = zone.getRules();
    long minute = Math.floorDiv(after, 60L);
    long virtual = clock(rules, minute);
    for (minute++; minute * 60 < before; minute++) {
      long now = clock(rules, minute);
      long ahead = now - virtual;
      if (ahead == 1 || ahead > 180 || ahead <= -180) {
        virtual = now;
        find(now, minute, true, true);
      } else if (ahead > 0) {
        find(now, minute, true, false);
        while (virtual < now) {
          find(++virtual, minute, false, true);
        }
      } else {
        find(now, minute, true, false);
      }
    }
  }

  private static long clock(ZoneRules rules, long minute) {
    return minute + rules.getOffset(Instant.ofEpochSecond(minute * 60)).getTotalSeconds() / 60;
  }

  private void find(long localMinute, long minute, boolean wild, boolean fixed) {
    for (Job job : jobs) {
      if ((job.wild ? wild : fixed) && job.matches(localMinute)) {
        job.runs.add(minute * 60);
      }
    }
  }
}
