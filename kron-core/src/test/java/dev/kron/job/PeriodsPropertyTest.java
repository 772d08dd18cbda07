package dev.kron.job;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.kron.cron.CronCalendar;
import dev.kron.job.Periods.Next;
import dev.kron.schedule.Decision;
import dev.kron.schedule.Schedule;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The next period against all periods, one by one; repeat a failure with the seed it prints. */
class PeriodsPropertyTest {
  private static final long SEED = Long.getLong("kron.seed", 20_260_510);
  private static final long DAY = 86_400;
  private static final List<String> CRONS =
      List.of(
          "*/7 * * * *",
          "0 * * * *",
          "30 */2 * * *",
          "0 6 * * *",
          "30 2 * * * @tz(Europe/Paris)",
          "15,45 1-3 * * * @tz(Australia/Lord_Howe)",
          "30 1,2 * * 0 @tz(America/New_York)");
  private static final List<String> WINDOWS =
      List.of(
          "",
          " @win(after,10m)",
          " @win(after,5h)",
          " @win(before,90m)",
          " @win(around,7h) @dist(normal)",
          " @win(after,26h) @dist(skewLate,shape=3)",
          " @win(around,2h) @only(between=02:00-02:10)");

  /** Nights on which one of the zones changes, and an ordinary one. */
  private static final List<String> DAYS =
      List.of("2026-03-29", "2026-10-25", "2026-04-05", "2026-10-04", "2026-11-01", "2026-06-15");

  private final RandomGenerator random = new SplittableRandom(SEED);

  @Test
  void agreesWithGoingThroughAllPeriods() {
    for (int i = 0; i < 400; i++) {
      Schedule schedule = Schedule.parse(pick(CRONS) + pick(WINDOWS));
      long middle = Instant.parse(pick(DAYS) + "T02:00:00Z").getEpochSecond();
      String identity = "/etc/krond.d/a:job-" + random.nextInt(1000);
      List<Period> periods = periods(schedule, identity, middle - 6 * DAY, middle + 12 * DAY);
      for (int j = 0; j < 50; j++) {
        check(schedule, state(schedule, identity, periods, middle), periods, moment(middle));
      }
    }
  }

  private record Period(Decision decision, long due) {
    long nominal() {
      return decision.nominalEpochSecond();
    }
  }

  /** All periods, and the latest own time so far: that is when each is due. */
  private static List<Period> periods(Schedule schedule, String identity, long from, long to) {
    List<Period> periods = new ArrayList<>();
    long due = Long.MIN_VALUE;
    for (long nominal = schedule.next(from); nominal < to; nominal = schedule.next(nominal)) {
      Decision decision = schedule.decide(identity, nominal);
      due = Math.max(due, decision.ownDueEpochSecond());
      periods.add(new Period(decision, due));
    }
    return periods;
  }

  private void check(Schedule schedule, JobState state, List<Period> periods, long there) {
    assertEquals(
        model(state, periods, there),
        Periods.next(schedule, state, there),
        () ->
            schedule
                + " "
                + state
                + " there since "
                + Instant.ofEpochMilli(there)
                + ", -Dkron.seed="
                + SEED);
  }

  private static @Nullable Next model(JobState state, List<Period> periods, long there) {
    Period unseen = null;
    Period seen = null;
    for (Period period : periods) {
      boolean counts =
          period.due >= state.since()
              && period.nominal() > state.handled()
              && (!state.pastLost() || period.decision.windowStartEpochSecond() > state.since());
      if (counts && period.due * 1000 < there) {
        unseen = period;
      } else if (counts && seen == null) {
        seen = period;
      }
    }
    if (unseen != null) {
      return next(unseen, Math.floorDiv(there - unseen.due * 1000, 1000L));
    }
    return seen == null ? null : next(seen, JobEvent.PeriodDue.SEEN);
  }

  private static Next next(Period period, long late) {
    Decision decision = period.decision;
    return new Next(
        period.nominal(),
        decision.unschedulable() ? CronCalendar.NONE : decision.chosenEpochSecond(),
        period.due,
        late);
  }

  private JobState state(Schedule schedule, String identity, List<Period> periods, long middle) {
    long since = middle + random.nextLong(-2 * DAY, 2 * DAY);
    Period some = periods.get(random.nextInt(periods.size() / 4, periods.size() / 2));
    long handled =
        switch (random.nextInt(4)) {
          case 0 -> CronCalendar.NONE;
          case 1 -> some.nominal() + random.nextLong(-4000, 4000); // of a former schedule
          default -> some.nominal();
        };
    if (random.nextInt(3) == 0) {
      since = some.due + random.nextLong(-1, 2);
    }
    return JobState.builder(identity)
        .lastHandled(handled)
        .lastOutcome(handled == CronCalendar.NONE ? null : Outcome.EXECUTED)
        .lastChosen(handled)
        .fingerprint(schedule.fingerprint())
        .since(since)
        .pastLost(random.nextInt(3) == 0)
        .build();
  }

  private long moment(long middle) {
    long second = middle + random.nextLong(-2 * DAY, 3 * DAY);
    return switch (random.nextInt(3)) {
      case 0 -> second * 1000 + random.nextLong(1000);
      case 1 -> Math.floorDiv(second, 60L) * 60_000;
      default -> Math.floorDiv(second, 60L) * 60_000 + random.nextLong(-1, 2);
    };
  }

  private <T> T pick(List<T> from) {
    return from.get(random.nextInt(from.size()));
  }
}
