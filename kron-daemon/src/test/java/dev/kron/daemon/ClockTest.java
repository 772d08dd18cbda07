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

  private static List<String> outcomes(TestDaemon krontabs, String name) {
    return krontabs.history(name).stream().map(ClockTest::outcome).toList();
  }

  private static String outcome(HistoryEntry entry) {
    return Instant.ofEpochSecond(entry.nominal()) + " " + entry.outcome().text();
  }

  @Test
  void aMinuteForwardOverTheDueTimeMissesItAndOneWithinTheDeadlineRunsIt() throws Exception {
    try (var krontabs = new TestDaemon(directory, "2026-05-04T11:59:30Z")) {
      krontabs
          .write(HOURLY, "0 * * * * @policy(deadline=2m) name=patient command=/bin/true")
          .start();
      krontabs.setClock("2026-05-04T12:00:30Z");
      krontabs.awaitEntries("hourly", 1);
      krontabs.awaitEntries("patient", 1);
      assertEquals(List.of("2026-05-04T12:00:00Z missed"), outcomes(krontabs, "hourly"));
      assertEquals(List.of("2026-05-04T12:00:00Z executed"), outcomes(krontabs, "patient"));
      assertTrue(krontabs.log().contains("event=clock_jumped"));
    }
  }

  @Test
  void aMinuteBackRunsNothingAgain() throws Exception {
    try (var krontabs = new TestDaemon(directory, "2026-05-04T11:59:59Z")) {
      krontabs.write(HOURLY).start().pass(Duration.ofSeconds(2));
      krontabs.awaitEntries("hourly", 1);
      krontabs.setClock("2026-05-04T11:59:30Z").pass(Duration.ofSeconds(60));
      krontabs.passUntil("2026-05-04T13:00:00Z");
      krontabs.awaitEntries("hourly", 2);
      assertEquals(
          List.of("2026-05-04T12:00:00Z executed", "2026-05-04T13:00:00Z executed"),
          outcomes(krontabs, "hourly"));
    }
  }

  @Test
  void aDayForwardLooksAtTheLatestPeriodOnly() throws Exception {
    try (var krontabs = new TestDaemon(directory, "2026-05-04T11:59:30Z")) {
      krontabs.write(PATIENT).start();
      krontabs.setClock("2026-05-05T12:01:00Z");
      krontabs.awaitEntries("hourly", 1);
      krontabs.passUntil("2026-05-05T13:00:00Z");
      krontabs.awaitEntries("hourly", 2);
      assertEquals(
          List.of("2026-05-05T12:00:00Z executed", "2026-05-05T13:00:00Z executed"),
          outcomes(krontabs, "hourly"));
    }
  }

  @Test
  void aDayBackHoldsWhatWasHandledAndGoesOnAfterIt() throws Exception {
    try (var krontabs = new TestDaemon(directory, "2026-05-04T11:59:59Z")) {
      krontabs.write("0 12 * * * name=noon command=/bin/true").start().pass(Duration.ofSeconds(2));
      krontabs.awaitEntries("noon", 1);
      krontabs.setClock("2026-05-03T12:00:01Z");
      krontabs.setClock("2026-05-04T11:59:59Z").pass(Duration.ofSeconds(5));
      krontabs.setClock("2026-05-05T11:59:59Z").pass(Duration.ofSeconds(2));
      krontabs.awaitEntries("noon", 2);
      assertEquals(
          List.of("2026-05-04T12:00:00Z executed", "2026-05-05T12:00:00Z executed"),
          outcomes(krontabs, "noon"));
    }
  }

  @Test
  void elevenYearsForwardAndBackHoldTheJobUntilItIsReleasedAndNothingRunsTwice() throws Exception {
    try (var krontabs = new TestDaemon(directory, "2026-05-04T11:59:59Z")) {
      krontabs.write(HOURLY).start().pass(Duration.ofSeconds(2));
      krontabs.awaitEntries("hourly", 1);
      krontabs.setClock("2037-05-04T11:59:59Z").pass(Duration.ofSeconds(2));
      krontabs.awaitEntry(
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
      assertEquals(outcomes, outcomes(krontabs, "hourly"), "the latest that was passed, and on");
      krontabs.setClock("2026-05-04T12:59:58Z").pass(Duration.ofSeconds(4));
      assertEquals(outcomes, outcomes(krontabs, "hourly"), "handled is handled for ever");
      assertHeld(krontabs, "2037-05-04T12:00:00Z", "2037-05-04T13:00:00Z");

      Answer reply = krontabs.ask(new Request.Forget(krontabs.identity("hourly")));
      assertTrue(reply instanceof Answer.Done, reply.toString());
      krontabs.passUntil("2026-05-04T14:00:00Z");
      krontabs.awaitEntry("hourly", "14:00", e -> outcome(e).startsWith("2026-05-04T14:00"));
      krontabs.stop();
      krontabs.start();
      // What began in 2037 stays handled: it is not run again when that day really comes.
      krontabs.setClock("2037-05-04T11:59:58Z").passUntil("2037-05-04T13:00:00Z");
      krontabs.awaitEntry("hourly", "13:00", e -> outcome(e).startsWith("2037-05-04T13:00"));
      assertEquals(
          List.of(
              "2026-05-04T12:00:00Z",
              "2037-05-04T12:00:00Z",
              "2026-05-04T14:00:00Z",
              "2037-05-04T13:00:00Z"),
          krontabs.history("hourly").stream()
              .filter(entry -> entry.runId() != null)
              .map(entry -> Instant.ofEpochSecond(entry.nominal()).toString())
              .toList());
    }
  }

  private static void assertHeld(TestDaemon krontabs, String period, String until) {
    String told =
        "event=held identity=%s period=%s until=%s release=\"kron forget hourly --periods-after now\""
            .formatted(krontabs.identity("hourly"), period, until);
    // The history is on disk a moment before the loop hears of it, and looks at the job again.
    krontabs.await("it says that it is held", () -> krontabs.log().contains(told));
    assertEquals(
        1, krontabs.log().lines().filter(line -> line.contains(told)).count(), krontabs.log());
  }

  @Test
  void elevenYearsBackRunsNothingAgainAndSaysUntilWhen() throws Exception {
    try (var krontabs = new TestDaemon(directory, "2026-05-04T11:59:59Z").withApi()) {
      krontabs.write(HOURLY).start().pass(Duration.ofSeconds(2));
      krontabs.awaitEntries("hourly", 1);
      krontabs.setClock("2015-05-04T11:59:58Z").passUntil("2015-05-04T13:00:05Z");
      assertEquals(List.of("2026-05-04T12:00:00Z executed"), outcomes(krontabs, "hourly"));
      assertHeld(krontabs, "2026-05-04T12:00:00Z", "2026-05-04T13:00:00Z");
      Caller caller = krontabs.caller();
      String status = caller.get("/v1/status").body();
      assertTrue(status.contains("1 job is held by a clock that was once ahead"), status);
      assertEquals("2026-05-04T13:00:00Z", caller.get("/v1/jobs/hourly").tree().text("heldUntil"));
      String why = caller.get("/v1/jobs/hourly/why?from=2015-05-04T13:00:00Z").body();
      assertTrue(why.contains("held until 2026-05-04 13:00:00"), why);
      String metrics = caller.get("/metrics").body();
      assertTrue(metrics.contains("kron_jobs_held 1.0"), metrics);
      krontabs.setClock("2026-05-04T12:59:59Z").pass(Duration.ofSeconds(2));
      krontabs.awaitEntries("hourly", 2);
      assertEquals(
          List.of("2026-05-04T12:00:00Z executed", "2026-05-04T13:00:00Z executed"),
          outcomes(krontabs, "hourly"));
    }
  }

  @Test
  void aClockThatIsSetIsNoticedThoughNothingElseHappens() throws Exception {
    try (var krontabs = new TestDaemon(directory, "2026-05-04T11:59:30Z")) {
      krontabs.write("0 * * * * @policy(deadline=2m) name=hourly command=/bin/true").start();
      krontabs.clocks.set("2026-05-04T12:01:00Z"); // and nobody asks the loop anything
      krontabs.awaitEntries("hourly", 1);
      assertEquals(List.of("2026-05-04T12:00:00Z executed"), outcomes(krontabs, "hourly"));
      assertTrue(krontabs.log().contains("event=clock_jumped"));
    }
  }

  @Test
  void aJobHeldBySkippedPeriodsAloneIsReleased() throws Exception {
    try (var krontabs = new TestDaemon(directory, "2026-05-04T11:59:59Z")) {
      krontabs.write(HOURLY).start();
      krontabs.setClock("2037-05-04T11:30:00Z");
      krontabs.awaitEntry("hourly", "missed", entry -> entry.outcome() == Outcome.MISSED);
      krontabs.setClock("2026-05-04T12:59:58Z").pass(Duration.ofSeconds(4));
      assertEquals(List.of("2037-05-04T11:00:00Z missed"), outcomes(krontabs, "hourly"));

      Answer reply = krontabs.ask(new Request.Forget(krontabs.identity("hourly")));
      assertTrue(reply instanceof Answer.Done, reply.toString());
      krontabs.passUntil("2026-05-04T14:00:00Z");
      HistoryEntry run =
          krontabs.awaitEntry("hourly", "runs again", e -> e.outcome() == Outcome.EXECUTED);
      assertEquals("2026-05-04T14:00:00Z executed", outcome(run));
      assertTrue(krontabs.log().contains("event=periods_released"));
    }
  }

  @Test
  void aJumpDoesNotTriggerATimeout() throws Exception {
    try (var krontabs = new TestDaemon(directory, "2026-05-04T11:59:59Z")) {
      Path go = directory.resolve("go");
      krontabs
          .write(
              "0 * * * * name=waits timeout=10m shell=true command=\"while [ ! -e "
                  + go
                  + " ]; do sleep 0.05; done; exit 4\"")
          .start()
          .pass(Duration.ofSeconds(2));
      krontabs.await("it runs", () -> krontabs.log().contains("event=run_started"));
      krontabs.setClock("2026-05-04T15:30:00Z").pass(Duration.ofMinutes(1));
      krontabs.setClock("2037-05-04T15:30:00Z").pass(Duration.ofMinutes(1));
      java.nio.file.Files.createFile(go);
      HistoryEntry entry = krontabs.awaitEntry("waits", "ends", e -> e.runId() != null);
      assertEquals(4, entry.exitCode());
      assertNull(entry.reason());
    }
  }

  @Test
  void aTimeoutIsMeasuredByTheClockThatNobodySets() throws Exception {
    try (var krontabs = new TestDaemon(directory, "2026-05-04T11:59:59Z")) {
      krontabs
          .write("0 * * * * name=endless timeout=10m command=\"sleep 600\"")
          .start()
          .pass(Duration.ofSeconds(2));
      krontabs.await("it runs", () -> krontabs.log().contains("event=run_started"));
      // Less than the grace more: on a slow machine TERM must have its time before KILL.
      krontabs
          .setClock("2026-05-04T11:00:00Z")
          .pass(Duration.ofMinutes(10).plus(Duration.ofSeconds(3)));
      HistoryEntry entry = krontabs.awaitEntries("endless", 1);
      assertEquals("timed out", entry.reason());
      assertEquals(143, entry.exitCode());
    }
  }

  @Test
  void theNightThatSkipsAnHourSkipsItsRunsInParis() throws Exception {
    try (var krontabs = new TestDaemon(directory, "2026-03-28T23:59:58Z")) {
      krontabs
          .write("30 1,2,3 * * * @tz(Europe/Paris) name=night command=/bin/true")
          .start()
          .passUntil("2026-03-29T00:31:00Z");
      krontabs.awaitEntries("night", 1);
      krontabs.passUntil("2026-03-29T02:00:00Z");
      krontabs.awaitEntries("night", 2);
      assertEquals(
          List.of("2026-03-29T00:30:00Z executed", "2026-03-29T01:30:00Z executed"),
          outcomes(krontabs, "night"));
    }
  }

  @Test
  void theNightThatRepeatsAnHourRunsTwiceInNewYork() throws Exception {
    try (var krontabs = new TestDaemon(directory, "2026-11-01T05:00:00Z")) {
      krontabs
          .write("30 1 * * * @tz(America/New_York) name=night command=/bin/true")
          .start()
          .passUntil("2026-11-01T05:31:00Z");
      krontabs.awaitEntries("night", 1);
      krontabs.passUntil("2026-11-01T07:00:00Z");
      krontabs.awaitEntries("night", 2);
      assertEquals(
          List.of("2026-11-01T05:30:00Z executed", "2026-11-01T06:30:00Z executed"),
          outcomes(krontabs, "night"));
    }
  }

  @Test
  void halfAnHourIsRepeatedOnLordHowe() throws Exception {
    // On 2026-04-05 at 02:00 (+11) clocks go back to 01:30 (+10:30).
    try (var krontabs = new TestDaemon(directory, "2026-04-04T14:30:00Z")) {
      krontabs
          .write("45 1 * * * @tz(Australia/Lord_Howe) name=night command=/bin/true")
          .start()
          .passUntil("2026-04-04T14:46:00Z");
      krontabs.awaitEntries("night", 1);
      krontabs.passUntil("2026-04-04T15:30:00Z");
      krontabs.awaitEntries("night", 2);
      assertEquals(
          List.of("2026-04-04T14:45:00Z executed", "2026-04-04T15:15:00Z executed"),
          outcomes(krontabs, "night"));
    }
  }

  @Test
  void whatFallsDueWhileTheDaemonIsDownIsLateToTheSecond() throws Exception {
    try (var krontabs = new TestDaemon(directory, "2026-05-04T11:59:00Z")) {
      krontabs
          .write(
              "0 * * * * @policy(deadline=89s) name=strict command=/bin/true",
              "0 * * * * @policy(deadline=90s) name=exact command=/bin/true")
          .start();
      krontabs.stop();
      krontabs.clocks.pass(Duration.ofSeconds(150));
      krontabs.start();
      krontabs.awaitEntries("strict", 1);
      krontabs.awaitEntries("exact", 1);
      assertEquals(List.of("2026-05-04T12:00:00Z missed"), outcomes(krontabs, "strict"));
      assertEquals(List.of("2026-05-04T12:00:00Z executed"), outcomes(krontabs, "exact"));
    }
  }
}
