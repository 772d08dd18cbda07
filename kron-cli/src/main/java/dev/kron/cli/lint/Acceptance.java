package dev.kron.cli.lint;

import dev.kron.cli.output.Times;
import dev.kron.cron.CronCalendar;
import dev.kron.schedule.AcceptanceOdds;
import dev.kron.schedule.Schedule;
import java.math.BigDecimal;
import java.math.MathContext;
import java.util.List;

/** Periods for which constraints leave nothing, or so little that 64 draws may miss it. */
final class Acceptance {
  /** Enough periods to see the days of a month differ, on a job that runs every day. */
  private static final int LOOK_AHEAD = 62;

  /** Where only the time of day counts, a few periods are like all. */
  private static final int LOOK_AHEAD_WITHOUT_DAYS = 8;

  /** More often than once in a million periods is worth a word. */
  private static final double TOLERATED = 1e-6;

  private final long now;

  Acceptance(long now) {
    this.now = now;
  }

  void check(Schedule schedule, List<String> found) {
    if (schedule.constraints().isEmpty()) {
      return;
    }
    int most = looksAtDays(schedule) ? LOOK_AHEAD : LOOK_AHEAD_WITHOUT_DAYS;
    int periods = 0;
    int impossible = 0;
    long firstImpossible = 0;
    double worst = 0;
    long worstPeriod = 0;
    AcceptanceOdds worstOdds = null;
    long nominal = schedule.next(now);
    while (nominal != CronCalendar.NONE && periods < most) {
      periods++;
      AcceptanceOdds odds = AcceptanceOdds.of(schedule, nominal);
      double miss = odds.missProbability();
      if (odds.allowedSeconds() == 0) {
        if (impossible++ == 0) {
          firstImpossible = nominal;
        }
      } else if (miss > worst) {
        worst = miss;
        worstPeriod = nominal;
        worstOdds = odds;
      }
      nominal = schedule.next(nominal);
    }
    if (impossible > 0) {
      found.add(
          "no second of the window is allowed in "
              + impossible
              + " of the next "
              + periods
              + " periods, first in that of "
              + Times.utc(firstImpossible)
              + ": they will be unschedulable by "
              + schedule.constraints());
    }
    if (worstOdds != null && worst > TOLERATED) {
      found.add(
          "only "
              + number(worstOdds.allowedShare() * 100)
              + " % of the window of "
              + Times.utc(worstPeriod)
              + " is allowed by "
              + schedule.constraints()
              + ": 64 draws miss it with probability "
              + number(worst)
              + ", and the period is then unschedulable; @choose(exact) never misses");
    }
  }

  private static boolean looksAtDays(Schedule schedule) {
    String text = schedule.constraints().toString();
    return text.contains("dow=")
        || text.contains("dom=")
        || text.contains("months=")
        || text.contains("date");
  }

  /** Two significant digits, the same in every locale. */
  private static String number(double value) {
    return new BigDecimal(value).round(new MathContext(2)).stripTrailingZeros().toPlainString();
  }
}
