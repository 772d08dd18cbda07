package dev.kron.cli.lint;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kron.config.Account;
import dev.kron.config.ConfigFiles;
import dev.kron.config.Diagnostic;
import dev.kron.config.KrontabParser;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SurprisesTest {
  private static final String SHIFTED = "; with @dst(shift) they come right after the change";
  private static final String FIRST_ONLY =
      "; with @dst(skip) or @dst(shift) only the first of two runs";

  /** A Sunday, 2026-03-01. */
  private static final long NOW = Instant.parse("2026-03-01T12:00:00Z").getEpochSecond();

  @TempDir Path directory;

  private static Surprises surprises() {
    return new Surprises(
        NOW, "/usr/bin:/bin", ConfigFiles.Settings.of(Account.current()), new Accounts());
  }

  private static List<Diagnostic> diagnostics(String line) {
    byte[] content = (line + "\n").getBytes(StandardCharsets.UTF_8);
    Surprises surprises = surprises();
    return new KrontabParser(KrontabParser.Settings.DEFAULT, surprises)
        .parse(Path.of("/x.krontab"), content)
        .diagnostics();
  }

  private static List<String> of(String line) {
    return diagnostics(line).stream()
        .map(diagnostic -> diagnostic.message().replaceFirst("^job x: ", ""))
        .toList();
  }

  private static List<String> ofSchedule(String schedule) {
    return of(schedule + " name=x command=/bin/sh");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "0 0 * * *",
        "0 0 * * * @win(after,24h)",
        "*/5 * * * * @win(after,5m)",
        "30 2 * * *",
        "30 12 * * * @tz(Europe/Paris)",
        // Goes on at even distances while the clocks change.
        "0 * * * * @tz(Europe/Paris)",
        "*/7 * * * * @tz(America/New_York)",
        "*/30 * * * * @tz(Australia/Lord_Howe)",
        "0 8 * * 1-5 @win(after,9h) @avoid(between=12:00-12:59)",
        "0 0 1 * * @win(after,672h)",
        "30 2 * * * @tz(Asia/Tokyo)",
      })
  void findsNothingWhereThereIsNothing(String schedule) {
    assertEquals(List.of(), ofSchedule(schedule));
  }

  @Test
  void namesTheDatesOnWhichTheClocksSkipOrDoubleARun() {
    assertEquals(
        List.of(
            "clocks go forward in Europe/Paris: skipped are the runs of 2026-03-29 02:30,"
                + " 2027-03-28 02:30"
                + SHIFTED,
            "clocks go back in Europe/Paris: run twice are those of 2026-10-25 02:30,"
                + " 2027-10-31 02:30"
                + FIRST_ONLY),
        ofSchedule("30 2 * * * @tz(Europe/Paris)"));
  }

  @Test
  void seesHalfHourShifts() {
    assertEquals(
        List.of(
            "clocks go forward in Australia/Lord_Howe: skipped are the runs of 2026-10-04 02:00,"
                + " 2027-10-03 02:00"
                + SHIFTED,
            "clocks go back in Australia/Lord_Howe: run twice are those of 2026-04-05 01:45,"
                + " 2027-04-04 01:45"
                + FIRST_ONLY),
        ofSchedule("0,45 * * * * @tz(Australia/Lord_Howe)"));
  }

  @Test
  void saysNothingOfWhatARuleTakesCareOf() {
    assertEquals(List.of(), ofSchedule("30 2 * * * @tz(Europe/Paris) @dst(shift)"));
    assertEquals(List.of(), ofSchedule("30 2 * * * @tz(Europe/Paris) @dst(cron)"));
    assertEquals(1, ofSchedule("30 2 * * * @tz(Europe/Paris) @dst(skip)").size());
    assertEquals(
        List.of(),
        ofSchedule("0 18 * * * @win(after,1h) @only(between=18:58-18:59) @choose(exact)"));
    assertEquals(List.of(), ofSchedule("@every(90m) @tz(Europe/Paris)"));
    assertEquals(List.of(), ofSchedule("@manual"));
  }

  @Test
  void leavesOutRunsThatAreNotOnTheDayOfTheChange() {
    assertEquals(List.of(), ofSchedule("30 2 * * 1 @tz(Europe/Paris)"));
  }

  @Test
  void seesThatAnEveryOtherHourJobLosesARun() {
    assertEquals(
        "clocks go forward in Europe/Paris: skipped are the runs of 2026-03-29 02:00,"
            + " 2027-03-28 02:00"
            + SHIFTED,
        ofSchedule("0 */2 * * * @tz(Europe/Paris)").getFirst());
  }

  @Test
  void namesAllRunsOfAChangeOrHowManyMore() {
    assertEquals(
        "clocks go forward in Europe/Paris: skipped are the runs of 2026-03-29 02:00, 02:20, 02:40,"
            + " 2027-03-28 02:00, 02:20, 02:40"
            + SHIFTED,
        ofSchedule("*/20 2 * * * @tz(Europe/Paris)").getFirst());
    assertTrue(
        ofSchedule("*/2 2 * * * @tz(Europe/Paris)").getFirst().contains("02:22 and 48 more; "),
        ofSchedule("*/2 2 * * * @tz(Europe/Paris)").toString());
  }

  @Test
  void warnsOfStepsBeyondTheirField() {
    assertEquals(
        List.of(
            "*/90 in the minute field means minute 0 alone: a step does not reach into the next"
                + " hour"),
        ofSchedule("*/90 * * * *"));
    assertEquals(
        List.of(
            "*/40 in the day of month field means day of month 1 alone: a step does not reach into"
                + " the next month"),
        ofSchedule("0 */12 */40 * *"));
  }

  @Test
  void warnsOfDatesLongPast() {
    assertEquals(
        List.of(
            "the last of its dates, 2025-12-26, is long past:"
                + " @avoid(dates=2025-12-24..2025-12-26)"),
        ofSchedule("0 9 * * * @avoid(dates=2025-12-24..2025-12-26)"));
    assertEquals(List.of(), ofSchedule("0 9 * * * @avoid(date=2026-02-24)"));
  }

  @Test
  void warnsOfUnknownAccounts() {
    assertEquals(
        List.of("there is no user no-such-one on this machine"),
        of("0 0 * * * name=x user=no-such-one command=/bin/sh"));
    assertEquals(
        List.of("there is no group no-such-one on this machine"),
        of("0 0 * * * name=x group=no-such-one command=/bin/sh"));
    assertEquals(List.of(), of("0 0 * * * name=x user=root command=/bin/sh"));
  }

  @Test
  void warnsOfANameThatMakesADirectory() {
    byte[] line =
        "0 0 * * * name=a/b command=/bin/sh stdout=file:/tmp/%n.log\n"
            .getBytes(StandardCharsets.UTF_8);
    Surprises surprises = surprises();
    assertEquals(
        "job a/b: stdout=file: the name has a slash, so %n makes /tmp/a/b.log, in a directory that"
            + " must be there already",
        new KrontabParser(KrontabParser.Settings.DEFAULT, surprises)
            .parse(Path.of("/x.krontab"), line)
            .diagnostics()
            .getFirst()
            .message());
  }

  @Test
  void warnsOfAMailProgramThatIsNotThere() {
    String line = "0 0 * * * name=x command=\"echo hi | /no/such/mail -s hi ops\" shell=true";
    assertEquals(List.of("command: /no/such/mail does not exist"), of(line));
    assertEquals(
        List.of("onfailure: /no/such/sendmail does not exist"),
        of(
            "0 0 * * * name=x command=/bin/sh onfailure=\"/bin/sh -c '/no/such/sendmail"
                + " ops'\""));
    assertEquals(List.of(), of("0 0 * * * name=x command=\"cat /var/mail/me\" shell=true"));
  }

  @Test
  void writesHalfAsFiftyPercent() {
    assertTrue(
        ofSchedule("0 18 * * * @win(after,1m) @only(between=18:00-18:00) @avoid(hours=3)").stream()
            .noneMatch(text -> text.contains("E+")));
  }

  @Test
  void measuresHowFarAWindowReachesIntoTheNextPeriod() {
    assertEquals(
        List.of(
            "the window of 2026-03-01T12:10:00Z reaches 5m into that of the next period,"
                + " 2026-03-01T12:20:00Z: a period that draws an earlier second than the one"
                + " before it waits for it"),
        ofSchedule("*/10 * * * * @win(after,15m)"));
  }

  @Test
  void findsTheClosestPeriodsOfAnUnevenSchedule() {
    assertTrue(
        ofSchedule("0 9 * * 1-5 @win(after,30h)")
            .getFirst()
            .startsWith("the window of 2026-03-02T09:00:00Z reaches 6h into that"));
    assertTrue(
        ofSchedule("0 0 1-31/10 * * @win(around,48h)")
            .getFirst()
            .startsWith("the window of 2026-03-31T00:00:00Z reaches 1d into that"));
  }

  @Test
  void countsPeriodsForWhichNothingIsAllowed() {
    assertEquals(
        List.of(
            "no second of the window is allowed in 53 of the next 62 periods, first in that of"
                + " 2026-03-03T09:00:00Z: they will be unschedulable by @only(dow=MON)"),
        ofSchedule("0 9 * * * @win(after,1h) @only(dow=MON)"));
  }

  @Test
  void tellsHowOftenSixtyFourDrawsMiss() {
    assertEquals(
        List.of(
            "only 3.3 % of the window of 2026-03-01T18:00:00Z is allowed by"
                + " @only(between=18:58-18:59): 64 draws miss it with probability 0.11, and the"
                + " period is then unschedulable; @choose(exact) never misses"),
        ofSchedule("0 18 * * * @win(after,1h) @only(between=18:58-18:59)"));
  }

  @Test
  void countsAPeriodWithoutAWindowAsOneCandidate() {
    assertTrue(
        ofSchedule("0 18 * * * @only(hours=19)")
            .getFirst()
            .startsWith("no second of the window is allowed in 8 of the next 8 periods"));
  }

  @Test
  void warnsOfATimeoutLongerThanThePeriodOnlyUnderForbid() {
    String line = "*/5 * * * * %s name=x command=/bin/sh timeout=10m";
    assertEquals(
        List.of(
            "a run may last 10m (timeout), but after 2026-03-01T12:05:00Z the next period comes"
                + " 5m later: under concurrency=forbid it is skipped while the run lasts"),
        of(line.replace("%s ", "")));
    assertEquals(List.of(), of(line.replace("%s", "@policy(concurrency=allow)")));
    assertEquals(List.of(), of(line.replace("%s ", "").replace("10m", "5m")));
  }

  @Test
  void looksForCommands() throws IOException {
    Path plain = Files.writeString(directory.resolve("plain"), "");
    assertEquals(
        List.of("command " + plain + " is not executable"),
        of("0 0 * * * name=x command=" + plain));
    assertEquals(
        List.of("command " + directory + " is a directory"),
        of("0 0 * * * name=x command=" + directory));
    assertEquals(
        List.of("command /no/such does not exist"),
        of("0 0 * * * name=x command=\"/no/such --option\""));
    assertEquals(
        List.of("command no-such-program is not found on the PATH of this shell"),
        of("0 0 * * * name=x command=no-such-program"));
    assertEquals(List.of(), of("0 0 * * * name=x command=sh"));
    assertEquals(List.of(), of("0 0 * * * name=x command=\"no-such | wc\" shell=true"));
    assertEquals(
        List.of("onfailure /no/such does not exist"),
        of("0 0 * * * name=x command=/bin/sh onfailure=/no/such"));
  }

  @Test
  void pointsAtTheFieldThatItSpeaksOf() {
    String line =
        "  */5 * * * * @win(after,10m) name=x timeout=1h cwd=/no/such command=/no/such"
            + " stdout=file:/no/such/out";
    List<String> pointedAt =
        diagnostics(line).stream()
            .map(diagnostic -> line.substring(diagnostic.column() - 1).split("[ =]", 2)[0])
            .toList();
    assertEquals(List.of("*/5", "timeout", "cwd", "command", "stdout"), pointedAt);
  }

  @Test
  void looksForARelativeCommandWhereItWouldRun() throws IOException {
    Path script = Files.writeString(directory.resolve("script"), "");
    Files.setPosixFilePermissions(script, PosixFilePermissions.fromString("rwx------"));
    assertEquals(List.of(), of("0 0 * * * name=x command=./script cwd=" + directory));
    assertEquals(List.of(), of("0 0 * * * name=x command=./anywhere"));
    assertEquals(
        List.of("command " + directory + "/./other does not exist"),
        of("0 0 * * * name=x command=./other cwd=" + directory));
  }

  @Test
  void looksForDirectories() throws IOException {
    Path file = Files.writeString(directory.resolve("file"), "");
    assertEquals(
        List.of("cwd directory /no/such does not exist"),
        of("0 0 * * * name=x command=/bin/sh cwd=/no/such"));
    assertEquals(
        List.of(
            "stdout=file: directory /no/such does not exist",
            "stderr=file: directory " + file + " is a file"),
        of(
            "0 0 * * * name=x command=/bin/sh stdout=file:/no/such/out stderr=file:"
                + file
                + "/err"));
    assertEquals(
        List.of(), of("0 0 * * * name=x command=/bin/sh stdout=file:" + directory + "/%Y/%m/out"));
    assertEquals(List.of(), of("0 0 * * * name=x command=/bin/sh stdout=file:/out"));
  }

  @Test
  void filesOfVariablesThatCannotBeUsed() throws IOException {
    Path envfile = Files.writeString(directory.resolve("app.env"), "MODE=prod\nno secret\n");
    assertEquals(
        List.of(
            "it cannot start: "
                + envfile
                + ":2:1: expected KEY=value, and there is no \"=\" on this line"),
        of("0 0 * * * name=x command=/bin/sh envfile=" + envfile));
    Files.writeString(envfile, "MODE=prod\n");
    assertEquals(List.of(), of("0 0 * * * name=x command=/bin/sh envfile=" + envfile));
    assertEquals(
        List.of(
            "it cannot start: /credentials/nobody.env:1:1: the credential profile does not exist"),
        of("0 0 * * * name=x command=/bin/sh profile=nobody"));
  }

  @Test
  void warnsOfAttemptsThatTheNextPeriodForestalls() {
    String end =
        ": after 2026-03-01T12:05:00Z the next period comes 5m later, which ends the waiting";
    assertEquals(
        List.of("no attempt is ever made again" + end),
        of("*/5 * * * * name=x command=/bin/sh retries=3 retrydelay=10m"));
    assertEquals(
        List.of("at most 3 of 5 retries can be made" + end),
        of("*/5 * * * * name=x command=/bin/sh retries=5 retrydelay=30s"));
    assertEquals(List.of(), of("0 0 * * * name=x command=/bin/sh retries=20"));
    assertEquals(List.of(), of("@manual name=x command=/bin/sh retries=20"));
    assertEquals(
        "1:46", // at the field
        diagnostics("*/5 * * * * name=x command=/bin/sh retries=3 retrydelay=10m").stream()
            .map(it -> it.line() + ":" + it.column())
            .findFirst()
            .orElse(""));
  }
}
