package dev.kron.cli.lint;

import dev.kron.cli.output.Times;
import dev.kron.cron.ClockChangeRule;
import dev.kron.cron.CronCalendar;
import dev.kron.schedule.Schedule;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.zone.ZoneOffsetTransition;
import java.time.zone.ZoneRules;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Runs that a change of the clocks skips or doubles.
 *
 * <p>Local time is laid out as if it were UTC, where nothing is skipped. A run at local minute m
 * within the skipped stretch is lost, unless m plus the length of the change matches too: then a
 * run takes place at that very instant, and an hourly job goes on being hourly. Likewise the second
 * of two equal local minutes is a run too many only if nothing was due at that instant anyway.
 */
final class ClockChanges {
  private static final int ALL_HOURS = (1 << 24) - 1;

  /** Of the runs that one sentence is about. */
  private static final int MOST_NAMED = 12;

  private static final long TWO_YEARS_SECONDS = 2L * 366 * 86_400;

  private final long now;
  private final Map<ZoneId, Changes> changes = new HashMap<>();

  ClockChanges(long now) {
    this.now = now;
  }

  /** Whether a change may fall on a run; to be seen without computing one. */
  boolean mayConcern(Schedule schedule, CronShape shape) {
    return schedule.cron() != null && of(schedule.zone()).mayConcern(shape);
  }

  private Changes of(ZoneId zone) {
    Changes known = changes.get(zone);
    if (known == null) {
      known = changes(zone);
      changes.put(zone, known);
    }
    return known;
  }

  void check(Schedule schedule, CronShape shape, List<String> found) {
    if (!mayConcern(schedule, shape) || !(schedule.times() instanceof CronCalendar calendar)) {
      return;
    }
    CronCalendar local = new CronCalendar(calendar.expression(), ZoneOffset.UTC);
    List<Long> skipped = new ArrayList<>(0);
    List<Long> doubled = new ArrayList<>(0);
    for (ZoneOffsetTransition transition : of(schedule.zone()).transitions()) {
      surprising(local, transition, transition.isGap() ? skipped : doubled);
    }
    String zone = schedule.zone().getId();
    ClockChangeRule rule = calendar.rule();
    if (!skipped.isEmpty() && (rule == ClockChangeRule.BOTH || rule == ClockChangeRule.SKIP)) {
      found.add(
          "clocks go forward in "
              + zone
              + ": skipped are the runs of "
              + join(skipped)
              + "; with @dst(shift) they come right after the change");
    }
    if (!doubled.isEmpty() && rule == ClockChangeRule.BOTH) {
      found.add(
          "clocks go back in "
              + zone
              + ": run twice are those of "
              + join(doubled)
              + "; with @dst(skip) or @dst(shift) only the first of two runs");
    }
  }

  /** Adds the local minutes, as if in UTC, whose runs are lost or doubled. */
  private static void surprising(
      CronCalendar local, ZoneOffsetTransition transition, List<Long> found) {
    long length = Math.abs(transition.getDuration().toSeconds());
    long from = firstMinute(transition);
    long minute = local.next(from - 1);
    while (minute != CronCalendar.NONE && minute < from + length) {
      if (!local.matches(minute + length)) {
        found.add(minute);
      }
      minute = local.next(minute);
    }
  }

  /** The first local minute that is skipped or doubled, as if in UTC. */
  private static long firstMinute(ZoneOffsetTransition transition) {
    long before = transition.toEpochSecond() + transition.getOffsetBefore().getTotalSeconds();
    return transition.isGap() ? before : before - Math.abs(transition.getDuration().toSeconds());
  }

  private Changes changes(ZoneId zone) {
    ZoneRules rules = zone.getRules();
    List<ZoneOffsetTransition> list = new ArrayList<>(4);
    ZoneOffsetTransition next = rules.nextTransition(Instant.ofEpochSecond(now));
    while (next != null && next.toEpochSecond() <= now + TWO_YEARS_SECONDS) {
      list.add(next);
      next = rules.nextTransition(next.getInstant());
    }
    return Changes.of(list);
  }

  /**
   * The changes of one zone in the time that is looked at.
   *
   * @param hours a bit for each hour of the day of which a minute is skipped or doubled
   * @param evenForHourly every change is by an hour and not at the end of a day, so that a job of
   *     every hour goes on at even distances
   */
  private record Changes(List<ZoneOffsetTransition> transitions, int hours, boolean evenForHourly) {

    static Changes of(List<ZoneOffsetTransition> transitions) {
      int hours = 0;
      boolean even = true;
      for (ZoneOffsetTransition transition : transitions) {
        long length = Math.abs(transition.getDuration().toSeconds());
        long from = firstMinute(transition);
        for (long minute = from; minute < from + length && hours != ALL_HOURS; minute += 60) {
          hours |= 1 << (int) (Math.floorMod(minute, 86_400L) / 3600);
        }
        long hour = Math.floorMod(from, 86_400L) / 3600;
        even &= length == 3600 && hour >= 1 && hour <= 21;
      }
      return new Changes(transitions, hours, even);
    }

    boolean mayConcern(CronShape shape) {
      return switch (shape.hour()) {
        case CronShape.EVERY -> !evenForHourly;
        case -1 -> hours != 0;
        default -> ((hours >> shape.hour()) & 1) != 0;
      };
    }
  }

  private static String join(List<Long> minutes) {
    StringBuilder text = new StringBuilder();
    String day = "";
    for (long minute : minutes.subList(0, Math.min(MOST_NAMED, minutes.size()))) {
      String date = Times.date(minute, ZoneOffset.UTC);
      text.append(text.isEmpty() ? "" : ", ").append(date.equals(day) ? "" : date + " ");
      text.append(Times.minute(minute, ZoneOffset.UTC));
      day = date;
    }
    int more = minutes.size() - MOST_NAMED;
    return more <= 0 ? text.toString() : text + " and " + more + " more";
  }
}
