package dev.kron.daemon.api;

import dev.kron.cron.CronCalendar;
import dev.kron.schedule.DueTimes;
import dev.kron.schedule.Schedule;
import java.util.ArrayList;
import java.util.List;

/**
 * The periods that somebody asks about.
 *
 * @param from the first second of the question; {@code NONE}: the last period
 * @param to the last second; {@code NONE}: the period that {@code from} belongs to
 */
record AskedPeriods(long from, long to) {
  static final int MOST = 2000;

  static AskedPeriods of(Exchange exchange) {
    long from = exchange.time("from");
    long to = exchange.time("to");
    if (from == CronCalendar.NONE && to != CronCalendar.NONE) {
      throw new ApiProblem(400, "to needs a from");
    }
    if (to != CronCalendar.NONE && to < from) {
      throw new ApiProblem(400, "to lies before from");
    }
    return new AskedPeriods(from, to);
  }

  /** Their nominal times by the calendar, the first ones where there are many. */
  List<Long> by(Schedule schedule, DueTimes dueTimes, long now) {
    var periods = new ArrayList<Long>();
    if (to == CronCalendar.NONE) {
      long at = from == CronCalendar.NONE ? now : from;
      // The period whose window has it, or the last one before.
      DueTimes.Due due = dueTimes.latestAtOrBefore(at);
      long nominal = due == null ? CronCalendar.NONE : due.decision().nominalEpochSecond();
      long latest = schedule.previous(at);
      if (latest != CronCalendar.NONE && from != CronCalendar.NONE) {
        nominal = Math.max(nominal, latest);
      }
      if (nominal != CronCalendar.NONE) {
        periods.add(nominal);
      }
      return periods;
    }
    for (long nominal = schedule.next(from - 1);
        nominal != CronCalendar.NONE && nominal <= to && periods.size() < MOST;
        nominal = schedule.next(nominal)) {
      periods.add(nominal);
    }
    return periods;
  }

  /** What to say where there is none. */
  String none(Schedule schedule, long now) {
    long at = from == CronCalendar.NONE ? now : from;
    long before = schedule.previous(at);
    long after = schedule.next(to == CronCalendar.NONE ? at : to);
    return "it is not due then: the period before is "
        + (before == CronCalendar.NONE ? "none" : Hindrances.local(before, schedule.zone()))
        + ", the one after "
        + (after == CronCalendar.NONE ? "none" : Hindrances.local(after, schedule.zone()));
  }
}
