package dev.kron.job;

import static dev.kron.job.JobEvent.PeriodDue.SEEN;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kron.cron.CronCalendar;
import dev.kron.job.JobEvent.Released;
import dev.kron.job.Periods.Next;
import dev.kron.schedule.Decision;
import dev.kron.schedule.Schedule;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** Which period comes next, and whether it was seen. */
class PeriodsTest {
  private static final String IDENTITY = "/etc/krond.d/a:backup";
  private static final Schedule MINUTELY = Schedule.parse("* * * * *");
  private static final Schedule AT_SIX = Schedule.parse("0 6 * * *");

  private static long second(String instant) {
    return Instant.parse(instant).getEpochSecond();
  }

  private static long millis(String instant) {
    return Instant.parse(instant).toEpochMilli();
  }

  /** A job whose due times count from a moment on; nothing is handled. */
  private static JobState since(Schedule schedule, String instant) {
    return JobState.unseen(IDENTITY).withSchedule(schedule.fingerprint(), second(instant));
  }

  private static JobState quarantined(Schedule schedule, String instant) {
    JobEvent lost = new JobEvent.PastDropped(schedule.fingerprint(), second(instant), true);
    return JobMachine.step(JobState.unseen(IDENTITY), RunRules.DEFAULT, lost).state();
  }

  private static JobState handled(JobState state, long nominal) {
    return state.toBuilder()
        .lastHandled(nominal)
        .lastOutcome(Outcome.EXECUTED)
        .lastChosen(nominal)
        .retry(null)
        .links(Links.NONE)
        .build();
  }

  @Test
  void aManualJobHasNoPeriods() {
    Schedule manual = Schedule.parse("@manual");
    JobState state = since(manual, "2026-03-01T00:00:00Z");
    assertNull(Periods.next(manual, state, millis("2026-03-02T00:00:00Z")));
    assertNull(Periods.next(manual, quarantined(manual, "2026-03-01T00:00:00Z"), 0));
    assertEquals(
        CronCalendar.NONE, Periods.heldUntil(manual, state, millis("2026-03-02T00:00:00Z")));
  }

  @Test
  void anIntervalFollowsRealTime() {
    Schedule every = Schedule.parse("@every(90m) @tz(Europe/Paris)");
    JobState state = since(every, "2026-03-28T23:00:00Z");
    Next next = Periods.next(every, state, millis("2026-03-29T00:45:00Z"));
    assertNotNull(next);
    assertEquals(second("2026-03-29T00:00:00Z"), next.nominal());
    assertEquals(45 * 60, next.lateSeconds());
  }

  /** A job that has been there for years and has handled everything up to a period. */
  private static JobState handled(Schedule schedule, String nominal) {
    return handled(since(schedule, "2001-01-01T00:00:00Z"), second(nominal));
  }

  private static Next next(Schedule schedule, JobState state, String thereSince) {
    Next next = Periods.next(schedule, state, millis(thereSince));
    assertNotNull(next);
    return next;
  }

  /** Without a window: due, chosen and nominal second are one. */
  private static void assertNext(
      String nominal, long late, Schedule schedule, JobState state, String thereSince) {
    long second = second(nominal);
    assertEquals(new Next(second, second, second, late), next(schedule, state, thereSince));
  }

  private static JobState afterNext(Schedule schedule, JobState state, String thereSince) {
    return handled(state, next(schedule, state, thereSince).nominal());
  }

  @Nested
  class FirstSeen {
    @Test
    void aJobSeenForTheFirstTimeHasNoPast() {
      JobState state = since(AT_SIX, "2026-05-10T08:00:00Z");
      assertNext("2026-05-11T06:00:00Z", SEEN, AT_SIX, state, "2026-05-10T08:00:00Z");
    }

    @Test
    void norHasItOneWhenTheDaemonWasRestartedSince() {
      JobState state = since(AT_SIX, "2026-05-10T08:00:00Z");
      assertNext("2026-05-11T06:00:00Z", SEEN, AT_SIX, state, "2026-05-10T09:00:00Z");
    }

    @Test
    void aPeriodThatFellDueAfterItWasSeenAndBeforeTheRestartIsLate() {
      JobState state = since(AT_SIX, "2026-05-10T05:00:00Z");
      assertNext("2026-05-10T06:00:00Z", 5400, AT_SIX, state, "2026-05-10T07:30:00Z");
    }

    @Test
    void aDueTimeAtThatVerySecondCounts() {
      JobState state = since(AT_SIX, "2026-05-10T06:00:00Z");
      assertNext("2026-05-10T06:00:00Z", SEEN, AT_SIX, state, "2026-05-10T06:00:00Z");
    }

    @Test
    void aWindowThatIsOpenCountsIfItsChosenSecondIsStillToCome() {
      Schedule schedule = Schedule.parse("0 6 * * * @win(after,4h)");
      long nominal = second("2026-05-10T06:00:00Z");
      long chosen = schedule.decide(IDENTITY, nominal).chosenEpochSecond();
      String before = Instant.ofEpochSecond(chosen - 1).toString();
      assertTrue(chosen - 1 > nominal, "the window has opened");
      assertEquals(
          new Next(nominal, chosen, chosen, SEEN), next(schedule, since(schedule, before), before));
      String past = Instant.ofEpochSecond(chosen + 1).toString();
      assertEquals(
          second("2026-05-11T06:00:00Z"), next(schedule, since(schedule, past), past).nominal());
    }
  }

  @Nested
  class Quarantined {
    @Test
    void onlyPeriodsWhoseWindowStartsLaterCount() {
      Schedule schedule = Schedule.parse("0 6 * * * @win(after,4h)");
      JobState during = quarantined(schedule, "2026-05-10T06:00:01Z");
      assertEquals(
          second("2026-05-11T06:00:00Z"), next(schedule, during, "2026-05-10T06:00:01Z").nominal());
      JobState before = quarantined(schedule, "2026-05-10T05:59:59Z");
      assertEquals(
          second("2026-05-10T06:00:00Z"), next(schedule, before, "2026-05-10T05:59:59Z").nominal());
    }

    @Test
    void aWindowThatStartsAtThatVerySecondMayHaveBegunItsPeriod() {
      JobState state = quarantined(AT_SIX, "2026-05-10T06:00:00Z");
      assertNext("2026-05-11T06:00:00Z", SEEN, AT_SIX, state, "2026-05-10T06:00:00Z");
    }

    @Test
    void aWindowBeforeItsNominalTimeIsOpenBeforeIt() {
      Schedule schedule = Schedule.parse("0 6 * * * @win(before,4h)");
      JobState state = quarantined(schedule, "2026-05-10T02:00:01Z");
      assertEquals(
          second("2026-05-11T06:00:00Z"), next(schedule, state, "2026-05-10T02:00:01Z").nominal());
    }

    @Test
    void afterALaterDowntimeTheRuleForDowntimeApplies() {
      JobState state = quarantined(AT_SIX, "2026-05-10T08:00:00Z");
      assertNext("2026-05-12T06:00:00Z", 60, AT_SIX, state, "2026-05-12T06:01:00Z");
    }
  }

  @Nested
  class ChangedSchedule {
    @Test
    void anEditAt8NeverStartsARunFor6() {
      Schedule before = Schedule.parse("0 12 * * *");
      JobState state =
          handled(before, "2026-05-09T12:00:00Z")
              .withSchedule(AT_SIX.fingerprint(), second("2026-05-10T08:00:00Z"));
      assertNext("2026-05-11T06:00:00Z", SEEN, AT_SIX, state, "2026-05-01T00:00:00Z");
      assertNext("2026-05-11T06:00:00Z", SEEN, AT_SIX, state, "2026-05-10T09:00:00Z");
    }

    @Test
    void anEditThatMeansTheSameKeepsThePast() {
      Schedule same = Schedule.parse("0  6 * * * @win(after,0s) @policy(deadline=3h)");
      JobState state =
          handled(AT_SIX, "2026-05-09T06:00:00Z")
              .withSchedule(same.fingerprint(), second("2026-05-10T08:00:00Z"));
      assertNext("2026-05-10T06:00:00Z", 7200, same, state, "2026-05-10T08:00:00Z");
    }

    @Test
    void aChangeAppliesFromTheFirstPeriodThatIsNotHandled() {
      JobState state =
          handled(AT_SIX, "2026-05-10T06:00:00Z")
              .withSchedule(MINUTELY.fingerprint(), second("2026-05-10T05:58:00Z"));
      assertNext("2026-05-10T06:01:00Z", SEEN, MINUTELY, state, "2026-05-10T05:00:00Z");
    }
  }

  @Nested
  class Downtime {
    private final JobState state = handled(MINUTELY, "2026-05-10T00:00:00Z");

    @Test
    void onlyTheLatestOfThePeriodsThatNobodySawIsLookedAt() {
      assertNext("2026-05-10T03:00:00Z", 30, MINUTELY, state, "2026-05-10T03:00:30.500Z");
      JobState then = afterNext(MINUTELY, state, "2026-05-10T03:00:30.500Z");
      assertNext("2026-05-10T03:01:00Z", SEEN, MINUTELY, then, "2026-05-10T03:00:30.500Z");
    }

    @Test
    void latenessIsCutDownToWholeSeconds() {
      assertNext("2026-05-10T03:00:00Z", 0, MINUTELY, state, "2026-05-10T03:00:00.001Z");
      assertNext("2026-05-10T03:00:00Z", 0, MINUTELY, state, "2026-05-10T03:00:00.999Z");
      assertNext("2026-05-10T03:00:00Z", 1, MINUTELY, state, "2026-05-10T03:00:01Z");
    }

    @Test
    void whoIsThereWhenTheSecondBeginsHasSeenIt() {
      JobState before = handled(MINUTELY, "2026-05-10T02:59:00Z");
      assertNext("2026-05-10T03:00:00Z", SEEN, MINUTELY, before, "2026-05-10T03:00:00Z");
    }

    @Test
    void thePeriodsThatAreSeenComeOneAfterAnother() {
      JobState now = state;
      for (int minute = 1; minute < 60; minute++) {
        Next next = next(MINUTELY, now, "2026-05-10T00:00:30Z");
        assertEquals(second("2026-05-10T00:00:00Z") + minute * 60L, next.nominal());
        assertEquals(SEEN, next.lateSeconds());
        now = handled(now, next.nominal());
      }
    }

    @Test
    void aPeriodInAnActiveRunIsNotTheNext() {
      ActiveRun run =
          ActiveRun.builder("r")
              .nominal(second("2026-05-10T03:00:00Z"))
              .chosen(second("2026-05-10T03:00:00Z"))
              .due(second("2026-05-10T03:00:00Z"))
              .bootId("boot")
              .build();
      JobState active = Given.with(state, run);
      assertNext("2026-05-10T03:01:00Z", SEEN, MINUTELY, active, "2026-05-10T03:00:30Z");
    }

    @Test
    void latenessIsCountedFromTheDueTimeOfAnOverlappingWindow() {
      Overlap overlap = Overlap.find();
      JobState before = handled(since(overlap.schedule, "2001-01-01T00:00:00Z"), overlap.before());
      long back = overlap.due + 10;
      assertEquals(
          new Next(overlap.later.nominalEpochSecond(), overlap.laterChosen(), overlap.due, 10),
          Periods.next(overlap.schedule, before, back * 1000));
    }
  }

  @Nested
  class DueTimes {
    @Test
    void aLaterPeriodThatDrewAnEarlierSecondWaitsForItsPredecessor() {
      Overlap overlap = Overlap.find();
      JobState before = handled(since(overlap.schedule, "2001-01-01T00:00:00Z"), overlap.before());
      long there = (overlap.laterChosen() - 1) * 1000;
      Next first = Periods.next(overlap.schedule, before, there);
      assertNotNull(first);
      assertEquals(overlap.earlier.nominalEpochSecond(), first.nominal());
      assertEquals(overlap.due, first.due());
      Next second = Periods.next(overlap.schedule, handled(before, first.nominal()), there);
      assertEquals(
          new Next(overlap.later.nominalEpochSecond(), overlap.laterChosen(), overlap.due, SEEN),
          second);
    }

    @Test
    void anUnschedulablePeriodIsDueAtTheEndOfItsWindow() {
      Schedule schedule = Schedule.parse("0 6 * * * @win(after,1h) @only(hours=12)");
      JobState state = handled(schedule, "2026-05-09T06:00:00Z");
      assertEquals(
          new Next(
              second("2026-05-10T06:00:00Z"),
              CronCalendar.NONE,
              second("2026-05-10T07:00:00Z"),
              SEEN),
          next(schedule, state, "2026-05-10T06:30:00Z"));
      assertEquals(
          new Next(
              second("2026-05-10T06:00:00Z"),
              CronCalendar.NONE,
              second("2026-05-10T07:00:00Z"),
              60),
          next(schedule, state, "2026-05-10T07:01:00Z"));
    }

    @Test
    void aScheduleThatIsOverHasNoNextPeriod() {
      Schedule schedule = Schedule.parse("* * * * *");
      JobState state = handled(schedule, "9999-12-31T23:59:00Z");
      assertNull(Periods.next(schedule, state, millis("9999-12-31T23:59:30Z")));
    }
  }

  /** Two periods in a row of which the later one drew the earlier second. */
  private record Overlap(Schedule schedule, Decision earlier, Decision later, long due) {
    static Overlap find() {
      Schedule schedule = Schedule.parse("0 * * * * @win(after,3h)");
      long longest = Long.MIN_VALUE;
      Decision earlier = schedule.decide(IDENTITY, second("2026-05-10T00:00:00Z"));
      while (true) {
        Decision later = schedule.decide(IDENTITY, schedule.next(earlier.nominalEpochSecond()));
        if (earlier.chosenEpochSecond() > longest
            && later.chosenEpochSecond() < earlier.chosenEpochSecond()) {
          return new Overlap(schedule, earlier, later, earlier.chosenEpochSecond());
        }
        longest = Math.max(longest, earlier.chosenEpochSecond());
        earlier = later;
      }
    }

    long before() {
      return schedule.previous(earlier.nominalEpochSecond() - 1);
    }

    long laterChosen() {
      return later.chosenEpochSecond();
    }
  }

  /** Nights on which local time jumps, with the daemon there and away. */
  @Nested
  class Nights {
    private void skips(String text, String handled, String next) {
      Schedule schedule = Schedule.parse(text);
      JobState state = handled(schedule, handled);
      assertNext(next, SEEN, schedule, state, handled);
    }

    private void twice(String text, String handled, String first, String second) {
      Schedule schedule = Schedule.parse(text);
      JobState state = handled(schedule, handled);
      assertNext(first, SEEN, schedule, state, handled);
      JobState once = afterNext(schedule, state, handled);
      assertNext(second, SEEN, schedule, once, handled);
      String morning = Instant.parse(second).plusSeconds(90).toString();
      assertNext(second, 90, schedule, state, morning);
    }

    @Test
    void parisSkipsTheMinuteThatDoesNotExist() {
      skips("30 2 * * * @tz(Europe/Paris)", "2026-03-28T01:30:00Z", "2026-03-30T00:30:00Z");
    }

    @Test
    void parisRunsTheMinuteThatExistsTwiceTwiceAndAfterAnAbsenceOnce() {
      twice(
          "30 2 * * * @tz(Europe/Paris)",
          "2026-10-24T00:30:00Z",
          "2026-10-25T00:30:00Z",
          "2026-10-25T01:30:00Z");
    }

    @Test
    void newYorkSkipsTheMinuteThatDoesNotExist() {
      skips("30 2 * * * @tz(America/New_York)", "2026-03-07T07:30:00Z", "2026-03-09T06:30:00Z");
    }

    @Test
    void newYorkRunsTheMinuteThatExistsTwiceTwiceAndAfterAnAbsenceOnce() {
      twice(
          "30 1 * * * @tz(America/New_York)",
          "2026-10-31T05:30:00Z",
          "2026-11-01T05:30:00Z",
          "2026-11-01T06:30:00Z");
    }

    @Test
    void lordHoweSkipsTheMinuteOfItsHalfHour() {
      skips("15 2 * * * @tz(Australia/Lord_Howe)", "2026-10-02T15:45:00Z", "2026-10-04T15:15:00Z");
    }

    @Test
    void lordHoweRunsTheMinuteThatExistsTwiceTwiceAndAfterAnAbsenceOnce() {
      twice(
          "45 1 * * * @tz(Australia/Lord_Howe)",
          "2026-04-03T14:45:00Z",
          "2026-04-04T14:45:00Z",
          "2026-04-04T15:15:00Z");
    }

    @Test
    void anHourlyJobRunsEveryHourOfEveryNight() {
      for (String zone : List.of("Europe/Paris", "America/New_York")) {
        for (String noon : List.of("2026-03-07", "2026-03-28", "2026-10-24", "2026-10-31")) {
          Schedule schedule = Schedule.parse("0 * * * * @tz(" + zone + ")");
          JobState state = handled(schedule, noon + "T12:00:00Z");
          for (int hour = 1; hour <= 24; hour++) {
            Next next = next(schedule, state, noon + "T12:00:30Z");
            assertEquals(second(noon + "T12:00:00Z") + hour * 3600L, next.nominal(), zone);
            state = handled(state, next.nominal());
          }
        }
      }
    }
  }

  /** The clock is set at 12:00:10; the daemon has handled the period of 12:00. */
  @Nested
  class ClockJumps {
    private final JobState state = handled(MINUTELY, "2026-05-10T12:00:00Z");

    private void forward(String set, String evaluated, String then) {
      assertNext(evaluated, 10, MINUTELY, state, set);
      assertNext(then, SEEN, MINUTELY, afterNext(MINUTELY, state, set), set);
      assertEquals(CronCalendar.NONE, Periods.heldUntil(MINUTELY, state, millis(set)));
    }

    private void back(String set) {
      assertNext("2026-05-10T12:01:00Z", SEEN, MINUTELY, state, set);
      assertEquals(second("2026-05-10T12:01:00Z"), Periods.heldUntil(MINUTELY, state, millis(set)));
    }

    @Test
    void forwardByAMinuteTheMinuteThatWasPassedIsTenSecondsLate() {
      forward("2026-05-10T12:01:10Z", "2026-05-10T12:01:00Z", "2026-05-10T12:02:00Z");
    }

    @Test
    void forwardByADayOnlyTheLatestMinuteIsLookedAt() {
      forward("2026-05-11T12:00:10Z", "2026-05-11T12:00:00Z", "2026-05-11T12:01:00Z");
    }

    @Test
    void forwardByElevenYearsOnlyTheLatestMinuteIsLookedAt() {
      forward("2037-05-10T12:00:10Z", "2037-05-10T12:00:00Z", "2037-05-10T12:01:00Z");
    }

    @Test
    void backByAMinuteNothingRunsAgain() {
      back("2026-05-10T11:59:10Z");
    }

    @Test
    void backByADayTheJobIsHeldUntilTheClockIsWhereItWas() {
      back("2026-05-09T12:00:10Z");
    }

    @Test
    void backByElevenYearsTheJobIsHeldAndCanBeReleased() {
      String set = "2015-05-10T12:00:10Z";
      back(set);
      Released release =
          new Released(
              second("2015-05-10T12:00:00Z"),
              Outcome.EXECUTED,
              second("2015-05-10T12:00:00Z"),
              second(set),
              millis(set));
      JobState released = JobMachine.step(state, RunRules.DEFAULT, release).state();
      assertNext("2015-05-10T12:01:00Z", SEEN, MINUTELY, released, set);
      assertEquals(CronCalendar.NONE, Periods.heldUntil(MINUTELY, released, millis(set)));
    }

    @Test
    void whatBeganAheadIsPassedOverWhenItsTimeComes() {
      String set = "2015-05-10T12:00:10Z";
      long noon = second("2026-05-10T12:00:00Z");
      Released release =
          new Released(
              CronCalendar.NONE,
              null,
              CronCalendar.NONE,
              second(set),
              millis(set),
              List.of(noon, noon + 60));
      JobState released = JobMachine.step(state, RunRules.DEFAULT, release).state();
      assertNext("2015-05-10T12:01:00Z", SEEN, MINUTELY, released, set);
      assertNext("2026-05-10T11:59:00Z", 30, MINUTELY, released, "2026-05-10T11:59:30Z");
      JobState before = handled(released, second("2026-05-10T11:59:00Z"));
      assertNext("2026-05-10T12:02:00Z", SEEN, MINUTELY, before, "2026-05-10T11:59:30Z");
      assertNext("2026-05-10T12:02:00Z", SEEN, MINUTELY, before, "2026-05-10T12:01:30Z");
    }

    @Test
    void aReleaseDoesNotBringBackWhatFellDueWhileTheJobWasHeld() {
      long now = millis("2015-05-10T15:00:10Z");
      Released release = new Released(CronCalendar.NONE, null, CronCalendar.NONE, now / 1000, now);
      JobState released = JobMachine.step(state, RunRules.DEFAULT, release).state();
      assertNext("2015-05-10T15:01:00Z", SEEN, MINUTELY, released, "2015-05-10T12:00:10Z");
    }

    @Test
    void workDoesNotGrowWithTheDistanceOfTheJump() {
      // 5.8 million minutes each: looking at them one by one, this would take hours.
      assertTimeoutPreemptively(
          Duration.ofMinutes(1),
          () -> {
            for (int i = 0; i < 20_000; i++) {
              assertNotNull(Periods.next(MINUTELY, state, millis("2015-05-10T12:00:10Z") + i));
              assertNotNull(Periods.next(MINUTELY, state, millis("2037-05-10T12:00:10Z") + i));
              Periods.heldUntil(MINUTELY, state, millis("2015-05-10T12:00:10Z") + i);
            }
          });
    }
  }

  @Nested
  class Held {
    @Test
    void aPeriodHandledWithinItsWindowHoldsNothing() {
      Schedule schedule = Schedule.parse("0 12 * * * @win(before,2h)");
      JobState state = handled(schedule, "2026-05-10T12:00:00Z");
      assertEquals(
          CronCalendar.NONE, Periods.heldUntil(schedule, state, millis("2026-05-10T10:00:00Z")));
      long next = next(schedule, state, "2026-05-10T09:59:59Z").due();
      assertEquals(next, Periods.heldUntil(schedule, state, millis("2026-05-10T09:59:59.999Z")));
    }

    @Test
    void aJobThatHasHandledNothingIsNotHeld() {
      JobState state = since(AT_SIX, "2026-05-10T08:00:00Z");
      assertEquals(
          CronCalendar.NONE, Periods.heldUntil(AT_SIX, state, millis("2026-05-10T08:00:00Z")));
    }

    @Test
    void aMomentThatWasRoundedUpToTheNextSecondHoldsNothing() {
      JobState state = since(AT_SIX, "2026-05-10T08:00:01Z");
      assertEquals(
          CronCalendar.NONE, Periods.heldUntil(AT_SIX, state, millis("2026-05-10T08:00:00.001Z")));
    }

    @Test
    void aJobFirstSeenByAClockFarAheadIsHeld() {
      JobState state = since(AT_SIX, "2037-05-10T08:00:00Z");
      assertEquals(
          second("2037-05-11T06:00:00Z"),
          Periods.heldUntil(AT_SIX, state, millis("2026-05-10T08:00:00Z")));
    }
  }
}
