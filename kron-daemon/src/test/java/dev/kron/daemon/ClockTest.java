package dev.kron.daemon;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kron.daemon.api.Caller;
import dev.kron.daemon.loop.Answer;
import dev.kron.daemon.loop.Request;
import dev.kron.job.HistoryEntry;
import dev.kron.job.Outcome;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What clocks do to a daemon with real jobs, each outcome spelled out. */
final class ClockTest {
  private static final String HOURLY = "0 * * * * name=hourly command=/bin/true";
  private static final String PATIENT =
      "0 * * * * @policy(deadline=2m) name=hourly command=/bin/true";

  @TempDir Path directory;

  private static List<String> outcomes(TestDaemon daemon, String name) {
    return daemon.history(name).stream().map(ClockTest::outcome).toList();
  }

  private static String outcome(HistoryEntry entry) {
    return Instant.ofEpochSecond(entry.nominal()) + " " + entry.outcome().text();
  }

  @Test
  void aMinuteForwardOverTheDueTimeMissesItAndOneWithinTheDeadlineRunsIt() throws Exception {
    try (var daemon = new TestDaemon(directory, "2026-05-04T11:59:30Z")) {
      daemon.write(HOURLY, "0 * * * * @policy(deadline=2m) name=patient command=/bin/true").start();
      daemon.setClock("2026-05-04T12:00:30Z");
      daemon.awaitEntries("hourly", 1);
      daemon.awaitEntries("patient", 1);
      assertEquals(List.of("2026-05-04T12:00:00Z missed"), outcomes(daemon, "hourly"));
      assertEquals(List.of("2026-05-04T12:00:00Z executed"), outcomes(daemon, "patient"));
      assertTrue(daemon.log().contains("event=clock_jumped"));
    }
  }

  @Test
  void aMinuteBackRunsNothingAgain() throws Exception {
    try (var daemon = new TestDaemon(directory, "2026-05-04T11:59:59Z")) {
      daemon.write(HOURLY).start().pass(Duration.ofSeconds(2));
      daemon.awaitEntries("hourly", 1);
      daemon.setClock("2026-05-04T11:59:30Z").pass(Duration.ofSeconds(60));
      daemon.passUntil("2026-05-04T13:00:00Z");
      daemon.awaitEntries("hourly", 2);
      assertEquals(
          List.of("2026-05-04T12:00:00Z executed", "2026-05-04T13:00:00Z executed"),
          outcomes(daemon, "hourly"));
    }
  }

  @Test
  void aDayForwardLooksAtTheLatestPeriodOnly() throws Exception {
    try (var daemon = new TestDaemon(directory, "2026-05-04T11:59:30Z")) {
      daemon.write(PATIENT).start();
      daemon.setClock("2026-05-05T12:01:00Z");
      daemon.awaitEntries("hourly", 1);
      daemon.passUntil("2026-05-05T13:00:00Z");
      daemon.awaitEntries("hourly", 2);
      assertEquals(
          List.of("2026-05-05T12:00:00Z executed", "2026-05-05T13:00:00Z executed"),
          outcomes(daemon, "hourly"));
    }
  }

  @Test
  void aDayBackHoldsWhatWasHandledAndGoesOnAfterIt() throws Exception {
    try (var daemon = new TestDaemon(directory, "2026-05-04T11:59:59Z")) {
      daemon.write("0 12 * * * name=noon command=/bin/true").start().pass(Duration.ofSeconds(2));
      daemon.awaitEntries("noon", 1);
      daemon.setClock("2026-05-03T12:00:01Z");
      daemon.setClock("2026-05-04T11:59:59Z").pass(Duration.ofSeconds(5));
      daemon.setClock("2026-05-05T11:59:59Z").pass(Duration.ofSeconds(2));
      daemon.awaitEntries("noon", 2);
      assertEquals(
          List.of("2026-05-04T12:00:00Z executed", "2026-05-05T12:00:00Z executed"),
          outcomes(daemon, "noon"));
    }
  }

  @Test
  void elevenYearsForwardAndBackHoldTheJobUntilItIsReleasedAndNothingRunsTwice() throws Exception {
    try (var daemon = new TestDaemon(directory, "2026-05-04T11:59:59Z")) {
      daemon.write(HOURLY).start().pass(Duration.ofSeconds(2));
      daemon.awaitEntries("hourly", 1);
      daemon.setClock("2037-05-04T11:59:59Z").pass(Duration.ofSeconds(2));
      daemon.awaitEntry(
          "hourly",
          "a run in 2037",
          entry ->
              entry.outcome() == Outcome.EXECUTED
                  && entry.nominal() > Instant.parse("2037-01-01T00:00:00Z").getEpochSecond());
      List<String> outcomes =
          List.of(
              "2026-05-04T12:00:00Z executed",
              "2037-05-04T11:00:00Z missed",
              "2037-05-04T12:00:00Z executed");
      assertEquals(outcomes, outcomes(daemon, "hourly"), "the latest that was passed, and on");
      daemon.setClock("2026-05-04T12:59:58Z").pass(Duration.ofSeconds(4));
      assertEquals(outcomes, outcomes(daemon, "hourly"), "handled is handled for ever");
      assertHeld(daemon, "2037-05-04T12:00:00Z", "2037-05-04T13:00:00Z");

      Answer reply = daemon.ask(new Request.Forget(daemon.identity("hourly")));
      assertTrue(reply instanceof Answer.Done, reply.toString());
      daemon.passUntil("2026-05-04T14:00:00Z");
      daemon.awaitEntry("hourly", "14:00", e -> outcome(e).startsWith("2026-05-04T14:00"));
      daemon.stop();
      daemon.start();
      // What began in 2037 stays handled: it is not run again when that day really comes.
      daemon.setClock("2037-05-04T11:59:58Z").passUntil("2037-05-04T13:00:00Z");
      daemon.awaitEntry("hourly", "13:00", e -> outcome(e).startsWith("2037-05-04T13:00"));
      assertEquals(
          List.of(
              "2026-05-04T12:00:00Z",
              "2037-05-04T12:00:00Z",
              "2026-05-04T14:00:00Z",
              "2037-05-04T13:00:00Z"),
          daemon.history("hourly").stream()
              .filter(entry -> entry.runId() != null)
              .map(entry -> Instant.ofEpochSecond(entry.nominal()).toString())
              .toList());
    }
  }

  private static void assertHeld(TestDaemon daemon, String period, String until) {
    String told =
        "event=held identity=%s period=%s until=%s release=\"kron forget hourly --periods-after now\""
            .formatted(daemon.identity("hourly"), period, until);
    // The history is on disk a moment before the loop hears of it, and looks at the job again.
    daemon.await("it says that it is held", () -> daemon.log().contains(told));
    assertEquals(1, daemon.log().lines().filter(line -> line.contains(told)).count(), daemon.log());
  }

  @Test
  void elevenYearsBackRunsNothingAgainAndSaysUntilWhen() throws Exception {
    try (var daemon = new TestDaemon(directory, "2026-05-04T11:59:59Z").withApi()) {
      daemon.write(HOURLY).start().pass(Duration.ofSeconds(2));
      daemon.awaitEntries("hourly", 1);
      daemon.setClock("2015-05-04T11:59:58Z").passUntil("2015-05-04T13:00:05Z");
      assertEquals(List.of("2026-05-04T12:00:00Z executed"), outcomes(daemon, "hourly"));
      assertHeld(daemon, "2026-05-04T12:00:00Z", "2026-05-04T13:00:00Z");
      Caller caller = daemon.caller();
      String status = caller.get("/v1/status").body();
      assertTrue(status.contains("1 job is held by a clock that was once ahead"), status);
      assertEquals("2026-05-04T13:00:00Z", caller.get("/v1/jobs/hourly").tree().text("heldUntil"));
      String why = caller.get("/v1/jobs/hourly/why?from=2015-05-04T13:00:00Z").body();
      assertTrue(why.contains("held until 2026-05-04 13:00:00"), why);
      String metrics = caller.get("/metrics").body();
      assertTrue(metrics.contains("kron_jobs_held 1.0"), metrics);
      daemon.setClock("2026-05-04T12:59:59Z").pass(Duration.ofSeconds(2));
      daemon.awaitEntries("hourly", 2);
      assertEquals(
          List.of("2026-05-04T12:00:00Z executed", "2026-05-04T13:00:00Z executed"),
          outcomes(daemon, "hourly"));
    }
  }

  @Test
  void aClockThatIsSetIsNoticedThoughNothingElseHappens() throws Exception {
    try (var daemon = new TestDaemon(directory, "2026-05-04T11:59:30Z")) {
      daemon.write("0 * * * * @policy(deadline=2m) name=hourly command=/bin/true").start();
      daemon.clocks.set("2026-05-04T12:01:00Z"); // and nobody asks the loop anything
      daemon.awaitEntries("hourly", 1);
      assertEquals(List.of("2026-05-04T12:00:00Z executed"), outcomes(daemon, "hourly"));
      assertTrue(daemon.log().contains("event=clock_jumped"));
    }
  }

  @Test
  void aJobHeldBySkippedPeriodsAloneIsReleased() throws Exception {
    try (var daemon = new TestDaemon(directory, "2026-05-04T11:59:59Z")) {
      daemon.write(HOURLY).start();
      daemon.setClock("2037-05-04T11:30:00Z");
      daemon.awaitEntry("hourly", "missed", entry -> entry.outcome() == Outcome.MISSED);
      daemon.setClock("2026-05-04T12:59:58Z").pass(Duration.ofSeconds(4));
      assertEquals(List.of("2037-05-04T11:00:00Z missed"), outcomes(daemon, "hourly"));

      Answer reply = daemon.ask(new Request.Forget(daemon.identity("hourly")));
      assertTrue(reply instanceof Answer.Done, reply.toString());
      daemon.passUntil("2026-05-04T14:00:00Z");
      HistoryEntry run =
          daemon.awaitEntry("hourly", "runs again", e -> e.outcome() == Outcome.EXECUTED);
      assertEquals("2026-05-04T14:00:00Z executed", outcome(run));
      assertTrue(daemon.log().contains("event=periods_released"));
    }
  }

  @Test
  void aJumpDoesNotTriggerATimeout() throws Exception {
    try (var daemon = new TestDaemon(directory, "2026-05-04T11:59:59Z")) {
      Path go = directory.resolve("go");
      daemon
          .write(
              "0 * * * * name=waits timeout=10m shell=true command=\"while [ ! -e "
                  + go
                  + " ]; do sleep 0.05; done; exit 4\"")
          .start()
          .pass(Duration.ofSeconds(2));
      daemon.await("it runs", () -> daemon.log().contains("event=run_started"));
      daemon.setClock("2026-05-04T15:30:00Z").pass(Duration.ofMinutes(1));
      daemon.setClock("2037-05-04T15:30:00Z").pass(Duration.ofMinutes(1));
      java.nio.file.Files.createFile(go);
      HistoryEntry entry = daemon.awaitEntry("waits", "ends", e -> e.runId() != null);
      assertEquals(4, entry.exitCode());
      assertNull(entry.reason());
    }
  }

  @Test
  void aTimeoutIsMeasuredByTheClockThatNobodySets() throws Exception {
    try (var daemon = new TestDaemon(directory, "2026-05-04T11:59:59Z")) {
      daemon
          .write("0 * * * * name=endless timeout=10m command=\"sleep 600\"")
          .start()
          .pass(Duration.ofSeconds(2));
      daemon.await("it runs", () -> daemon.log().contains("event=run_started"));
      // Less than the grace more: on a slow machine TERM must have its time before KILL.
      daemon
          .setClock("2026-05-04T11:00:00Z")
          .pass(Duration.ofMinutes(10).plus(Duration.ofSeconds(3)));
      HistoryEntry entry = daemon.awaitEntries("endless", 1);
      assertEquals("timed out", entry.reason());
      assertEquals(143, entry.exitCode());
    }
  }

  @Test
  void theNightThatSkipsAnHourSkipsItsRunsInParis() throws Exception {
    try (var daemon = new TestDaemon(directory, "2026-03-28T23:59:58Z")) {
      daemon
          .write("30 1,2,3 * * * @tz(Europe/Paris) name=night command=/bin/true")
          .start()
          .passUntil("2026-03-29T00:31:00Z");
      daemon.awaitEntries("night", 1);
      daemon.passUntil("2026-03-29T02:00:00Z");
      daemon.awaitEntries("night", 2);
      assertEquals(
          List.of("2026-03-29T00:30:00Z executed", "2026-03-29T01:30:00Z executed"),
          outcomes(daemon, "night"));
    }
  }

  @Test
  void theNightThatRepeatsAnHourRunsTwiceInNewYork() throws Exception {
    try (var daemon = new TestDaemon(directory, "2026-11-01T05:00:00Z")) {
      daemon
          .write("30 1 * * * @tz(America/New_York) name=night command=/bin/true")
          .start()
          .passUntil("2026-11-01T05:31:00Z");
      daemon.awaitEntries("night", 1);
      daemon.passUntil("2026-11-01T07:00:00Z");
      daemon.awaitEntries("night", 2);
      assertEquals(
          List.of("2026-11-01T05:30:00Z executed", "2026-11-01T06:30:00Z executed"),
          outcomes(daemon, "night"));
    }
  }

  @Test
  void halfAnHourIsRepeatedOnLordHowe() throws Exception {
    // On 2026-04-05 at 02:00 (+11) clocks go back to 01:30 (+10:30).
    try (var daemon = new TestDaemon(directory, "2026-04-04T14:30:00Z")) {
      daemon
          .write("45 1 * * * @tz(Australia/Lord_Howe) name=night command=/bin/true")
          .start()
          .passUntil("2026-04-04T14:46:00Z");
      daemon.awaitEntries("night", 1);
      daemon.passUntil("2026-04-04T15:30:00Z");
      daemon.awaitEntries("night", 2);
      assertEquals(
          List.of("2026-04-04T14:45:00Z executed", "2026-04-04T15:15:00Z executed"),
          outcomes(daemon, "night"));
    }
  }

  @Test
  void whatFallsDueWhileTheDaemonIsDownIsLateToTheSecond() throws Exception {
    try (var daemon = new TestDaemon(directory, "2026-05-04T11:59:00Z")) {
      daemon
          .write(
              "0 * * * * @policy(deadline=89s) name=strict command=/bin/true",
              "0 * * * * @policy(deadline=90s) name=exact command=/bin/true")
          .start();
      daemon.stop();
      daemon.clocks.pass(Duration.ofSeconds(150));
      daemon.start();
      daemon.awaitEntries("strict", 1);
      daemon.awaitEntries("exact", 1);
      assertEquals(List.of("2026-05-04T12:00:00Z missed"), outcomes(daemon, "strict"));
      assertEquals(List.of("2026-05-04T12:00:00Z executed"), outcomes(daemon, "exact"));
    }
  }
}
