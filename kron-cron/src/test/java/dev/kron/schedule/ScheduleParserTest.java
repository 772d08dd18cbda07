package dev.kron.schedule;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class ScheduleParserTest {
  @Test
  void fillsInEveryDefault() {
    Schedule schedule = Schedule.parse("0 0 * * *");
    assertEquals("UTC", schedule.zone().getId());
    assertSame(Window.NONE, schedule.window());
    assertSame(Distribution.UNIFORM, schedule.distribution());
    assertSame(Seed.STABLE, schedule.seed());
    assertSame(Policy.DEFAULT, schedule.policy());
    assertSame(Constraints.NONE, schedule.constraints());
    assertEquals("0 0 * * *", schedule.canonical());
  }

  @Test
  void readsEveryModifierInAnyOrder() {
    Schedule schedule =
        Schedule.parse(
            "\t0 10 * * 1-5  @avoid(dow=SAT)\t@policy(suspend=true,deadline=90s,concurrency=allow)"
                + " @seed(weekly,salt=x) @dist(normal,sigma=5m,mu=end) @win(center,1.5h)"
                + " @only(hours=9-17) @tz(Europe/Paris) @only(hours=20) @avoid(date=2026-12-24)  ");
    assertEquals("Europe/Paris", schedule.zone().getId());
    assertEquals(new Window(Window.Mode.AROUND, 5_400_000_000_000L), schedule.window());
    assertEquals(
        new Distribution.Normal(Distribution.Normal.Mean.END, 300_000_000_000L),
        schedule.distribution());
    assertEquals(new Seed(Seed.Strategy.WEEKLY, "x"), schedule.seed());
    assertEquals(new Policy(Policy.Concurrency.ALLOW, 90_000_000_000L, true), schedule.policy());
    assertEquals(90, schedule.policy().deadlineSeconds());
    assertEquals(
        "0 10 * * 1-5 @tz(Europe/Paris) @win(around,1h30m0s) @dist(normal,mu=end,sigma=5m0s)"
            + " @seed(weekly,salt=x) @only(hours=9-17,20) @avoid(dow=SAT;date=2026-12-24)"
            + " @policy(concurrency=allow,deadline=1m30s,suspend=true)",
        schedule.canonical());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "@win(after,1h)             | @win(after,1h0m0s)",
        "@win(after,0)              | ``",
        "@win(before,0s)            | @win(before,0s)",
        "@win(around,8784h)         | @win(around,8784h0m0s)",
        "@win(after,+1m)            | @win(after,1m0s)",
        "@dist(uniform)             | ``",
        "@dist(skewEarly,shape=2)   | @dist(skewEarly)",
        "@dist(skewLate,shape=1e-3) | @dist(skewLate,shape=0.001)",
        "@dist(skewLate,shape=.5)   | @dist(skewLate,shape=0.5)",
        "@dist(exponential,dir=late,lambda=3) | @dist(exponential,lambda=3.0,dir=late)",
        "@dist(exponential,lambda=1,dir=early) | @dist(exponential)",
        "@dist(normal)              | @dist(normal)",
        "@dist(normal,mu=mid)       | @dist(normal,mu=mid)",
        "@seed(stable)              | ``",
        "@seed(stable,salt=\"\")    | ``",
        "@seed(daily)               | @seed(daily)",
        "@seed(stable,salt=a=b;c\\) | @seed(stable,salt=a=b;c\\)",
        "@seed(stable,salt=\"plain\") | @seed(stable,salt=plain)",
        "@seed(stable,salt=\"a b\") | @seed(stable,salt=\"a b\")",
        "@seed(stable,salt=\"),(\") | @seed(stable,salt=\"),(\")",
        "@seed(daily,salt=\"\\\"\\\\\") | @seed(daily,salt=\"\\\"\\\\\")",
        "@policy(deadline=0s)       | ``",
        "@policy(suspend=false)     | ``",
        "@policy(concurrency=replace) | @policy(concurrency=replace,deadline=0s,suspend=false)",
        "@tz(UTC)                   | ``",
        "@tz(Etc/UTC)               | @tz(Etc/UTC)",
        "@only(dow=0;dow=7;dow=sun) | @only(dow=SUN)",
        "@only(dow=5-7)             | @only(dow=SUN,FRI-SAT)",
        "@only(dow=0-7)             | @only(dow=SUN-SAT)",
        "@only(months=jan,3-MAY)    | @only(months=JAN,MAR-MAY)",
        "@only(dom=31,1-2,3)        | @only(dom=1-3,31)",
        "@only(hours=09-17,05)      | @only(hours=5,9-17)",
        "@avoid(between=12:00-12:59;between=13:00-13:29;between=00:00-00:00)"
            + "| @avoid(between=00:00-00:00;between=12:00-13:29)",
        "@avoid(dates=2026-01-02..2026-01-03;date=2026-01-01;date=2027-02-28)"
            + "| @avoid(dates=2026-01-01..2026-01-03;date=2027-02-28)"
      })
  void understands(String modifier, String canonical) {
    String expected = "0 0 * * *" + (canonical.isEmpty() ? "" : " " + canonical);
    assertEquals(expected, Schedule.parse("0 0 * * * " + modifier).canonical());
    assertEquals(expected, Schedule.parse(expected).canonical());
  }

  /** What is wrong with the modifiers, the offset counted from the first one, and the message. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "@tzz(UTC)             | 0 | unknown modifier \"@tzz\" (did you mean \"@tz\"?); known are"
            + " @tz,",
        "@window(after,1h)     | 0 | unknown modifier \"@window\"",
        "@                     | 0 | unknown modifier \"@\"; known are",
        "@(x)                  | 0 | unknown modifier \"@\"; known are",
        "@win                  | 0 | \"@win\" has no value; write it in parentheses, as in"
            + " @win(after,2h)",
        "@win()                | 0 | \"@win()\" is empty",
        "@tz()                 | 0 | \"@tz()\" is empty",
        "@dist()               | 0 | \"@dist()\" is empty",
        "@seed()               | 0 | \"@seed()\" is empty",
        "@policy()             | 0 | \"@policy()\" is empty",
        "@only()               | 0 | \"@only()\" is empty",
        "@avoid()              | 0 | \"@avoid()\" is empty",
        "@win(after,1h         | 0 | \"@win(after,1h\" is never closed; end it with )",
        "@win(after,1h name=x  | 0 | \"@win(after,1h\" is never closed; end it with )",
        "@win(after, 1h)       | 11 | white space inside the parentheses of \"@win(after, 1h)\"",
        "@only(hours=1; dow=1) | 14 | white space inside the parentheses",
        "@win(after,1h)x       | 14 | \"x\" follows the closing parenthesis of \"@win(after,1h)\"",
        "@win(after,1h)@tz(UTC) | 14 | \"@tz(UTC)\" follows the closing parenthesis",
        "@win(after,1h) @win(after,2h) | 15 | \"@win(after,2h)\" is a second @win",
        "@tz(UTC) @tz(UTC)     | 9 | is a second @tz; it may stand only once",
        "@seed(daily) @seed(daily) | 13 | is a second @seed",
        "@dist(normal) @dist(normal) | 14 | is a second @dist",
        "@policy(suspend=true) @policy(deadline=1s) | 22 | is a second @policy",
        "@tz(Mars/Olympus)     | 4 | unknown time zone \"Mars/Olympus\"; expected an IANA name",
        "@tz(europe/paris)     | 4 | did you mean \"Europe/Paris\"?",
        "@tz(Paris)            | 4 | did you mean \"Europe/Paris\"?",
        "@tz(Amerika/New_York) | 4 | did you mean \"America/New_York\"?",
        "@tz(+02:00)           | 4 | unknown time zone \"+02:00\"",
        "@tz(UTC+2)            | 4 | unknown time zone \"UTC+2\"",
        "@tz(Z)                | 4 | unknown time zone \"Z\"",
        "@win(After,1h)        | 5 | unknown window mode \"After\" (did you mean \"after\"?);"
            + " expected after, before, around or center",
        "@win(,1h)             | 5 | window mode missing; expected after",
        "@win(after)           | 5 | @win takes a mode and a duration, as in @win(after,2h)",
        "@win(after,)          | 11 | a duration is missing here",
        "@win(after,1)         | 12 | \"1\" lacks a unit",
        "@win(after,1x)        | 12 | unknown unit \"x\" in \"1x\"",
        "@win(after,-1h)       | 11 | a window cannot be negative, but \"-1h\" is",
        "@win(after,8784h1ns)  | 11 | a window of \"8784h1ns\" is too long; the longest is 8784h"
            + " (366 days)",
        "@win(after,1h,2h)     | 14 | \"2h\" is too much; @win takes a mode and a duration",
        "@dist(Normal)         | 6 | unknown distribution \"Normal\" (did you mean \"normal\"?);"
            + " expected uniform,",
        "@dist(uniform,x=1)    | 14 | unknown key \"x\" in @dist; this one takes no parameters",
        "@dist(uniform,)       | 14 | an argument is missing in @dist",
        "@dist(normal,5m)      | 13 | \"5m\" is no key=value pair in @dist; expected mu=… or"
            + " sigma=…",
        "@dist(normal,sigm=5m) | 13 | unknown key \"sigm\" in @dist (did you mean \"sigma\"?);"
            + " expected mu=… or sigma=…",
        "@dist(normal,sigma=0s) | 19 | sigma must be above 0, but \"sigma=0s\" is not",
        "@dist(normal,sigma=-1s) | 19 | sigma cannot be negative, but \"-1s\" is",
        "@dist(normal,sigma=5) | 20 | \"5\" lacks a unit",
        "@dist(normal,mu=middle) | 16 | \"mu=middle\" is not known; mu is nominal, start, mid or"
            + " end",
        "@dist(normal,mu=mode) | 16 | \"mu=mode\" is not known",
        "@dist(normal,mu=mid,mu=mid) | 20 | \"mu=mid\" gives mu a second time",
        "@dist(skewEarly,shape=0) | 22 | shape must be a number above 0, such as 2.5, but"
            + " \"shape=0\" is not above it",
        "@dist(skewEarly,shape=-1) | 22 | \"shape=-1\" is not above it",
        "@dist(skewEarly,shape=NaN) | 22 | \"shape=NaN\" is no decimal number",
        "@dist(skewEarly,shape=Infinity) | 22 | \"shape=Infinity\" is no decimal number",
        "@dist(skewEarly,shape=inf) | 22 | is no decimal number",
        "@dist(skewEarly,shape=1e999) | 22 | is too large for a double",
        "@dist(skewEarly,shape=1e-999) | 22 | is too small for a double",
        "@dist(skewLate,shape=) | 21 | \"shape=\" is no decimal number",
        "@dist(skewLate,shape=2d) | 21 | \"shape=2d\" is no decimal number",
        "@dist(skewLate,shape=0x1p3) | 21 | is no decimal number",
        "@dist(skewLate,lambda=2) | 15 | unknown key \"lambda\" in @dist; expected shape=…",
        "@dist(exponential,dir=up) | 22 | \"dir=up\" is not known; dir is early or late",
        "@dist(exponential,shape=2) | 18 | unknown key \"shape\" in @dist; expected lambda=… or"
            + " dir=…",
        "@seed(hourly)         | 6 | unknown seed strategy \"hourly\"; expected stable, daily or"
            + " weekly",
        "@seed(salt=x)         | 6 | unknown seed strategy \"salt=x\"",
        "@seed(daily,pepper=x) | 12 | unknown key \"pepper\" in @seed; expected salt=…",
        "@seed(daily,salt=a,salt=b) | 19 | \"salt=b\" gives salt a second time",
        "@seed(daily,salt=a(b) | 18 | \"(\" cannot stand in an unquoted salt; write salt=\"…\"",
        "@seed(daily,salt=a\"b) | 18 | cannot stand in an unquoted salt",
        "@seed(daily,salt=\"a\\n"
            + "b\") | 19 | unknown escape \"\\n"
            + "\" in a quoted salt; only \\\" and \\\\ are known",
        "@seed(daily,salt=\"a\"b) | 20 | \"b\" follows the closing quote",
        "@seed(daily,salt=\"a) @tz(UTC) | 17 | the quote that begins here is never closed",
        "@policy(concurrency=none) | 20 | \"concurrency=none\" is not known; concurrency is allow,"
            + " forbid or replace",
        "@policy(concurrency=forbidd) | 20 | did you mean \"concurrency=forbid\"?",
        "@policy(suspend=yes)  | 16 | \"suspend=yes\" is not known; suspend is true or false",
        "@policy(deadline=-5m) | 17 | a deadline cannot be negative, but \"-5m\" is",
        "@policy(deadline=5)   | 18 | \"5\" lacks a unit",
        "@policy(retries=5)    | 8 | unknown key \"retries\" in @policy; expected concurrency=…,"
            + " deadline=… or suspend=…",
        "@policy(suspend=true,suspend=true) | 21 | gives suspend a second time",
        "@only(hour=1)         | 6 | unknown clause \"hour=1\" (did you mean \"hours\"?); known are"
            + " hours,",
        "@only(hours)          | 6 | \"hours\" is no clause; expected one such as hours=9-17",
        "@only(hours=1;)       | 14 | a clause is missing here",
        "@only(hours=)         | 12 | a value is missing in \"hours=\"; hours takes 0-23",
        "@only(hours=24)       | 12 | \"24\" is not allowed in \"hours=24\"; hours takes 0-23,"
            + " lists and ranges of them",
        "@only(hours=1,,2)     | 14 | a value is missing in \"hours=1,,2\"",
        "@only(hours=*/2)      | 12 | \"*/2\" is not allowed",
        "@only(hours=22-6)     | 12 | \"22-6\" runs backwards; write it as two clauses:"
            + " hours=22-23;hours=0-6",
        "@only(hours=23-0)     | 12 | write it as two clauses: hours=23;hours=0",
        "@avoid(dow=8)         | 11 | dow takes 0-7 (0 and 7 are Sunday) or SUN-SAT",
        "@avoid(dow=MOON)      | 11 | \"MOON\" is not allowed",
        "@avoid(dow=FRI-SUN)   | 11 | \"FRI-SUN\" runs backwards; write it as two clauses:"
            + " dow=FRI-SAT;dow=SUN",
        "@avoid(dow=7-2)       | 11 | write it as two clauses: dow=SUN-SAT;dow=SUN-TUE",
        "@only(dom=0)          | 10 | dom takes 1-31",
        "@only(dom=32)         | 10 | dom takes 1-31",
        "@only(months=13)      | 13 | months takes 1-12 or JAN-DEC",
        "@only(months=NOV-FEB) | 13 | write it as two clauses: months=NOV-DEC;months=JAN-FEB",
        "@only(between=22:00-06:00) | 14 | \"between=22:00-06:00\" runs past midnight; write it as"
            + " two clauses: between=22:00-23:59;between=00:00-06:00",
        "@only(between=9:00-10:00) | 14 | write between=hh:mm-hh:mm with times from 00:00 to 23:59",
        "@only(between=09:00-24:00) | 14 | write between=hh:mm-hh:mm",
        "@only(between=09:60-10:00) | 14 | write between=hh:mm-hh:mm",
        "@only(between=09:00)  | 14 | write between=hh:mm-hh:mm",
        "@only(between=09:00-10:00,11:00-12:00) | 14 | one range a clause",
        "@only(date=2026-2-3)  | 11 | \"2026-2-3\" is no day, in \"date=2026-2-3\"; write"
            + " yyyy-mm-dd",
        "@only(date=2026-02-29) | 11 | \"2026-02-29\" is a day that no calendar has",
        "@only(date=2026-13-01) | 11 | is a day that no calendar has",
        "@only(dates=2026-01-01) | 12 | is no range of days; write dates=2026-12-24..2026-12-31, or"
            + " date= for one day",
        "@only(dates=2026-01-02..2026-01-01) | 12 | ends before it begins; write the earlier day"
            + " first: dates=2026-01-01..2026-01-02",
        "@only(dates=2026-01-02..x) | 24 | \"x\" is no day"
      })
  void saysWhatIsWrongAndWhere(String modifiers, int offset, String message) {
    String fields = "0 0 * * * ";
    Schedule.Prefix prefix = Schedule.parsePrefix(fields + modifiers);
    assertNull(prefix.schedule());
    Problem problem = prefix.problems().getFirst();
    assertTrue(problem.message().contains(message), problem.message());
    assertEquals(fields.length() + offset, problem.offset(), problem.message());
  }

  @Test
  void reportsEverythingAtOnceInTheOrderOfTheText() {
    var e =
        assertThrows(
            ScheduleSyntaxException.class,
            () ->
                Schedule.parse("61 0 * * * @win(aftr,3) x @dist(norml) @tz(Pariss) @only(dow=9)"));
    assertEquals(
        List.of(0, 16, 22, 24, 32, 43, 61), e.problems().stream().map(Problem::offset).toList());
    assertEquals(e.problems().getFirst().message(), e.getMessage());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "``                  | 0 | the cron fields are missing",
        "`   `               | 3 | the cron fields are missing",
        "@win(after,1h)      | 0 | the cron fields are missing",
        "0 0 * *             | 0 | \"0 0 * *\" has 4 cron fields",
        "5                   | 0 | \"5\" has 1 cron field;",
        "0 0 * * @tz(UTC)    | 0 | \"0 0 * *\" has 4 cron fields",
        "@daily              | 0 | macros such as \"@daily\" are not known; write 0 0 * * *",
        "@hourly @tz(UTC)    | 0 | macros such as \"@hourly\" are not known; write 0 * * * *",
        "@reboot             | 0 | macros such as \"@reboot\" are not known; write @boot",
        "0 24 * * *          | 2 | hour",
        "0 0 30 2 *          | 4 | never comes",
        "0 0 * * * *         | 10 | \"*\" follows the five cron fields"
      })
  void saysWhatIsWrongWithTheFields(String text, int offset, String message) {
    var e = assertThrows(ScheduleSyntaxException.class, () -> Schedule.parse(text));
    Problem problem = e.problems().getFirst();
    assertTrue(problem.message().contains(message), problem.message());
    assertEquals(offset, problem.offset(), problem.message());
    assertEquals(1, e.problems().size());
  }

  @Test
  void reportsEveryBadField() {
    Schedule.Prefix prefix = Schedule.parsePrefix("61  0,24 x */0\t8 @tz(UTC) name=x");
    assertEquals(
        List.of(0, 6, 9, 11, 15), prefix.problems().stream().map(Problem::offset).toList());
    assertEquals(26, prefix.end());
  }

  @Test
  void leavesTheRestOfALineToOthers() {
    String line = "0 0 * * *  @win(after,1h)\t@tz(UTC)  name=x command=\"@dist(oops\" @tz(no)";
    Schedule.Prefix prefix = Schedule.parsePrefix(line);
    assertNotNull(prefix.schedule());
    assertEquals(line.indexOf("name="), prefix.end());
    assertEquals(9, Schedule.parsePrefix("0 0 * * *").end());
  }

  @Test
  void findsTheRestOfALineBehindDamage() {
    for (String damaged :
        List.of(
            "0 0 * * @win(after,1h) ",
            "0 0 * * ",
            "@daily ",
            "0 0 * * * @win(after, 1h) ",
            "0 0 * * * @win(after,1h ",
            "0 0 * * * @only(hours=1; dow=1) @x ",
            "0 0 * * * @seed(daily,salt=\"a) @nonsense ")) {
      Schedule.Prefix prefix = Schedule.parsePrefix(damaged + "name=x command=/bin/true");
      assertNull(prefix.schedule(), damaged);
      assertEquals(damaged.length(), prefix.end(), damaged);
    }
  }

  @Test
  void readsItsOwnCanonicalText() {
    long seed = Seeds.of(41);
    for (int i = 0; i < 3_000; i++) {
      String text = RandomSchedule.of(new SplittableRandom(seed + i)).text();
      Schedule schedule = Schedule.parse(text);
      Schedule again = Schedule.parse(schedule.canonical());
      assertEquals(schedule, again, "-Dkron.seed=" + (seed + i));
      assertEquals(schedule.hashCode(), again.hashCode());
      assertEquals(schedule.canonical(), again.toString());
      assertEquals(schedule.fingerprint(), again.fingerprint());
    }
  }

  @Test
  void survivesAnyText() {
    long seed = Seeds.of(43);
    String pieces = "@()\"\\,;=-./:* \t0123456789aftrhousdowindmx\u0000\u00e9\ud83d\n";
    for (int i = 0; i < 20_000; i++) {
      SplittableRandom random = new SplittableRandom(seed + i);
      StringBuilder text =
          new StringBuilder(
              random.nextBoolean() ? RandomSchedule.of(random).text() : "0 0 * * * @only(");
      for (int edits = random.nextInt(1, 8); edits > 0; edits--) {
        int at = random.nextInt(text.length() + 1);
        if (random.nextBoolean() && at < text.length()) {
          text.deleteCharAt(at);
        } else {
          text.insert(at, pieces.charAt(random.nextInt(pieces.length())));
        }
      }
      checkTotal(text.toString(), "-Dkron.seed=" + (seed + i) + " " + text);
    }
  }

  private static void checkTotal(String text, String where) {
    Schedule.Prefix prefix = Schedule.parsePrefix(text);
    assertTrue(prefix.end() >= 0 && prefix.end() <= text.length(), where);
    assertEquals(prefix.schedule() == null, !prefix.problems().isEmpty(), where);
    int last = 0;
    for (Problem problem : prefix.problems()) {
      assertTrue(problem.offset() >= last && problem.offset() <= text.length(), where);
      assertTrue(!problem.message().isEmpty() && problem.message().indexOf('\n') < 0, where);
      last = problem.offset();
    }
    try {
      Schedule.parse(text);
    } catch (ScheduleSyntaxException e) {
      assertTrue(!e.problems().isEmpty(), where);
    }
  }
}
