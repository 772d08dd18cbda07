package dev.kron.schedule;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kron.cron.CronCalendar;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

final class DueTimesTest {
  private static final long FROM = Instant.parse("2026-03-20T00:00:00Z").getEpochSecond();
  private static final List<String> SCHEDULES =
      List.of(
          "*/10 * * * *",
          "*/10 * * * * @win(after,9m)",
          "*/10 * * * * @win(after,3h)",
          "*/10 * * * * @win(before,2h) @dist(skewEarly,shape=5)",
          "*/10 * * * * @win(around,150m) @dist(exponential,lambda=9)",
          "0 * * * * @win(after,5h) @only(between=12:00-12:01)",
          "0 */3 * * * @win(after,30h) @seed(daily) @avoid(dow=SUN) @tz(Europe/Paris)",
          "17 2 * * * @win(around,100h) @tz(America/New_York)");

  @Test
  void agreesWithTheDefinition() {
    SplittableRandom random = new SplittableRandom(Seeds.of(7));
    for (String text : SCHEDULES) {
      Schedule schedule = Schedule.parse(text);
      List<DueTimes.Due> all = byDefinition(schedule);
      DueTimes dueTimes = DueTimes.of(schedule, "job");
      for (int i = 0; i < 60; i++) {
        long moment = FROM + 15 * 86_400 + random.nextLong(2 * 86_400);
        checkAfter(dueTimes, all, moment, text);
        checkLatest(dueTimes, all, moment, text);
      }
      for (DueTimes.Due due : all.subList(all.size() / 2, all.size() / 2 + 10)) {
        assertSame(due, dueTimes.of(due.decision().nominalEpochSecond()), text);
      }
    }
  }

  /** Every period of a month with the latest own time so far. */
  private static List<DueTimes.Due> byDefinition(Schedule schedule) {
    List<DueTimes.Due> all = new ArrayList<>();
    long latest = Long.MIN_VALUE;
    long nominal = schedule.next(FROM);
    while (nominal < FROM + 30 * 86_400) {
      Decision decision = schedule.decide("job", nominal);
      Instant chosen = decision.chosenTime();
      latest = Math.max(latest, (chosen == null ? decision.windowEnd() : chosen).getEpochSecond());
      all.add(new DueTimes.Due(decision, latest));
      nominal = schedule.next(nominal);
    }
    return all;
  }

  private static void checkAfter(
      DueTimes dueTimes, List<DueTimes.Due> all, long moment, String text) {
    Iterator<DueTimes.Due> actual = dueTimes.after(moment);
    all.stream()
        .filter(due -> due.dueEpochSecond() > moment)
        .limit(30)
        .forEach(due -> assertSame(due, actual.next(), text + " after " + moment));
  }

  private static void checkLatest(
      DueTimes dueTimes, List<DueTimes.Due> all, long moment, String text) {
    DueTimes.@Nullable Due last = null;
    for (DueTimes.Due due : all) {
      last = due.dueEpochSecond() <= moment ? due : last;
    }
    assertNotNull(last);
    DueTimes.Due actual = dueTimes.latestAtOrBefore(moment);
    assertNotNull(actual);
    assertSame(last, actual, text + " at " + moment);
  }

  private static void assertSame(DueTimes.Due expected, DueTimes.Due actual, String where) {
    assertEquals(expected.decision().periodId(), actual.decision().periodId(), where);
    assertEquals(expected.dueEpochSecond(), actual.dueEpochSecond(), where);
  }

  @Test
  void aPeriodThatDrewAnEarlierSecondWaitsForThoseBeforeIt() {
    Schedule schedule = Schedule.parse("* * * * * @win(after,1h)");
    Iterator<DueTimes.Due> dues = DueTimes.of(schedule, "job").after(FROM);
    long last = FROM;
    int waiting = 0;
    for (int i = 0; i < 500; i++) {
      DueTimes.Due due = dues.next();
      assertTrue(due.dueEpochSecond() >= last);
      last = due.dueEpochSecond();
      waiting += due.dueEpochSecond() > due.decision().ownDueEpochSecond() ? 1 : 0;
    }
    assertTrue(waiting > 250, "windows overlap sixty times over, but only " + waiting + " wait");
  }

  @Test
  void anUnschedulablePeriodIsDueAtItsWindowsEnd() {
    Schedule schedule = Schedule.parse("0 0 * * * @win(after,1h) @only(hours=5)");
    DueTimes.Due due = DueTimes.of(schedule, "job").firstAfter(FROM);
    assertNotNull(due);
    assertTrue(due.decision().unschedulable());
    assertEquals(due.decision().windowEndEpochSecond(), due.dueEpochSecond());
  }

  @Test
  void aYearLongWindowOfMinutelyPeriodsIsNoScan() {
    Schedule schedule = Schedule.parse("* * * * * @win(after,8784h)");
    DueTimes dueTimes = DueTimes.of(schedule, "job");
    for (int i = 0; i < 20; i++) {
      DueTimes.Due latest = dueTimes.latestAtOrBefore(FROM + i * 86_400L);
      DueTimes.Due first = dueTimes.firstAfter(FROM + i * 86_400L);
      assertNotNull(latest);
      assertNotNull(first);
      assertTrue(latest.dueEpochSecond() <= FROM + i * 86_400L);
      assertTrue(first.dueEpochSecond() > FROM + i * 86_400L);
      assertEquals(
          first.decision().nominalEpochSecond(),
          schedule.next(latest.decision().nominalEpochSecond()));
    }
  }

  @Test
  void endsWithTheCalendar() {
    Schedule schedule = Schedule.parse("0 0 * * * @win(after,1h)");
    long end = Instant.parse("9999-12-31T12:00:00Z").getEpochSecond();
    DueTimes dueTimes = DueTimes.of(schedule, "job");
    assertNull(dueTimes.firstAfter(end));
    assertTrue(!dueTimes.after(end).hasNext());
    DueTimes.Due last = dueTimes.latestAtOrBefore(end);
    assertNotNull(last);
    assertEquals("9999-12-31T00:00:00Z", last.decision().periodId());
    assertNull(
        dueTimes.latestAtOrBefore(Instant.parse("0001-01-01T00:00:00Z").getEpochSecond() - 1));
    assertEquals(CronCalendar.NONE, schedule.next(end));
  }
}
