package dev.kron.daemon;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kron.daemon.loop.Answer;
import dev.kron.daemon.loop.Request;
import dev.kron.job.HistoryEntry;
import dev.kron.job.JobState;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Jobs that fail and are tried again, with real processes. */
final class RetryTest {
  private static final String BEFORE_NOON = "2026-05-04T11:59:58Z";

  @TempDir Path directory;

  private TestDaemon krontabs() throws Exception {
    return new TestDaemon(directory, BEFORE_NOON)
        .onFailure("/bin/sh", "-c", "echo $KRON_JOB $KRON_ATTEMPT $KRON_EXIT >>" + alerts());
  }

  private Path alerts() {
    return directory.resolve("alerts");
  }

  private List<String> told() throws IOException {
    return Files.exists(alerts()) ? Files.readAllLines(alerts()) : List.of();
  }

  private static final String FAILS =
      "0 * * * * name=fails command=\"/bin/sh -c 'exit 7'\" retries=2 retrydelay=20s";

  private static void awaitWaiting(TestDaemon krontabs, int attempt) {
    krontabs.await(
        "the wait for attempt " + attempt,
        () -> {
          var retry = krontabs.job("fails").retry();
          return retry != null && retry.attempt() == attempt;
        });
  }

  private static TestDaemon failed(TestDaemon krontabs) throws Exception {
    krontabs.write(FAILS).start().pass(Duration.ofSeconds(3));
    awaitWaiting(krontabs, 2);
    return krontabs;
  }

  @Test
  void aJobThatFailsIsTriedAgainUntilItSucceedsAndNobodyIsTold() throws Exception {
    try (var krontabs = krontabs()) {
      Path tries = directory.resolve("tries");
      krontabs
          .write(
              "0 * * * * name=flaky retries=3 retrydelay=10s shell=true command=\"echo"
                  + " $KRON_ATTEMPT $KRON_PERIOD >>%s; [ $KRON_ATTEMPT = 3 ]\"".formatted(tries))
          .start()
          .pass(Duration.ofSeconds(3));
      krontabs.awaitEntries("flaky", 1);
      krontabs.pass(Duration.ofSeconds(14));
      krontabs.awaitEntries("flaky", 2);
      krontabs.pass(Duration.ofSeconds(27));
      HistoryEntry last = krontabs.awaitEntries("flaky", 3);
      String noon = " 2026-05-04T12:00:00Z";
      assertEquals(List.of("1" + noon, "2" + noon, "3" + noon), Files.readAllLines(tries));
      assertTrue(last.success());
      assertEquals(3, last.attempt());
      List<HistoryEntry> history = krontabs.history("flaky");
      assertEquals(3, history.stream().map(HistoryEntry::runId).distinct().count());
      assertTrue(history.stream().allMatch(entry -> entry.nominal() == last.nominal()));
      krontabs.await("rest", () -> krontabs.job("flaky").retry() == null);
      assertEquals(List.of(), told());
    }
  }

  @Test
  void theLastAttemptTellsOnce() throws Exception {
    try (var krontabs = krontabs()) {
      failed(krontabs).pass(Duration.ofSeconds(27));
      awaitWaiting(krontabs, 3);
      assertEquals(List.of(), told());
      krontabs.pass(Duration.ofSeconds(52));
      krontabs.awaitEntries("fails", 3);
      krontabs.await("the alert", () -> told().equals(List.of("fails 3 7")));
      krontabs.pass(Duration.ofMinutes(3));
      assertEquals(3, krontabs.history("fails").size());
    }
  }

  @Test
  void aWaitOutlivesTheDaemonAndTheAttemptBeginsAfterItIsBack() throws Exception {
    try (var krontabs = krontabs()) {
      failed(krontabs).stop();
      krontabs.clocks.pass(Duration.ofMinutes(10));
      krontabs.start();
      awaitWaiting(krontabs, 2);
      krontabs.pass(Duration.ofSeconds(6));
      HistoryEntry second = krontabs.awaitEntries("fails", 2);
      assertEquals(2, second.attempt());
      assertTrue(
          second.startedAt() >= Instant.parse("2026-05-04T12:10:00Z").toEpochMilli(),
          second::toString);
    }
  }

  @Test
  void anAttemptThatIsLaterThanTheLongestDelayIsGivenUpAndTold() throws Exception {
    try (var krontabs = krontabs()) {
      krontabs
          .write(FAILS.replace("0 * * * *", "0 12 * * *") + " retrymax=5m")
          .start()
          .pass(Duration.ofSeconds(3));
      awaitWaiting(krontabs, 2);
      krontabs.stop();
      krontabs.clocks.pass(Duration.ofMinutes(6));
      krontabs.start().pass(Duration.ofSeconds(6));
      krontabs.await("the alert", () -> told().equals(List.of("fails 1 7")));
      assertNull(krontabs.job("fails").retry());
      assertEquals(1, krontabs.history("fails").size());
    }
  }

  @Test
  void aStopOfTheJobEndsTheWait() throws Exception {
    try (var krontabs = krontabs()) {
      failed(krontabs);
      String identity = krontabs.identity("fails");
      assertInstanceOf(
          Answer.Done.class, krontabs.ask(new Request.EndRuns(identity, null, "ada", null)));
      krontabs.await("the alert", () -> told().equals(List.of("fails 1 7")));
      assertNull(krontabs.job("fails").retry());
      assertInstanceOf(
          Answer.Refused.class, krontabs.ask(new Request.EndRuns(identity, null, "ada", null)));
    }
  }

  @Test
  void aSuspensionEndsTheWait() throws Exception {
    try (var krontabs = krontabs()) {
      failed(krontabs).ask(new Request.Suspend(krontabs.identity("fails")));
      krontabs.await("the alert", () -> told().equals(List.of("fails 1 7")));
      assertNull(krontabs.job("fails").retry());
    }
  }

  @Test
  void aSuspensionInTheFileEndsTheWait() throws Exception {
    try (var krontabs = krontabs()) {
      failed(krontabs)
          .write(FAILS.replace(" name=", " @policy(suspend=true) name="))
          .ask(new Request.Reload());
      krontabs.await("the alert", () -> told().equals(List.of("fails 1 7")));
      assertNull(krontabs.job("fails").retry());
    }
  }

  @Test
  void aRemovedJobIsNotTriedAgain() throws Exception {
    try (var krontabs = krontabs()) {
      failed(krontabs).write("0 * * * * name=other command=/bin/true").ask(new Request.Reload());
      krontabs.await("the alert", () -> told().equals(List.of("fails 1 7")));
      krontabs.await("its state", () -> krontabs.job("fails").retry() == null);
    }
  }

  @Test
  void aJobThatWasRemovedWhileNoDaemonWasThereIsNotTriedAgain() throws Exception {
    try (var krontabs = krontabs()) {
      failed(krontabs).stop();
      krontabs.write("0 * * * * name=other command=/bin/true").start();
      krontabs.await("the alert", () -> told().equals(List.of("fails 1 7")));
      krontabs.await("its state", () -> krontabs.job("fails").retry() == null);
    }
  }

  @Test
  void aScheduleThatWasChangedWhileNoDaemonWasThereEndsTheWait() throws Exception {
    try (var krontabs = krontabs()) {
      failed(krontabs).stop();
      krontabs.write(FAILS.replace("0 * * * *", "30 * * * *")).start();
      krontabs.await("the alert", () -> told().equals(List.of("fails 1 7")));
      assertNull(krontabs.job("fails").retry());
      krontabs.pass(Duration.ofMinutes(1));
      assertEquals(1, krontabs.history("fails").size());
    }
  }

  @Test
  void anAttemptUsesTheFileInForceAtItsStart() throws Exception {
    try (var krontabs = krontabs()) {
      failed(krontabs).write(FAILS.replace("exit 7", "exit 0")).ask(new Request.Reload());
      krontabs.pass(Duration.ofSeconds(27));
      HistoryEntry second = krontabs.awaitEntries("fails", 2);
      assertTrue(second.success());
      assertEquals(List.of(), told());
    }
  }

  @Test
  void theNextPeriodEndsTheWaitAndBeginsItsOwn() throws Exception {
    try (var krontabs = krontabs()) {
      krontabs
          .write(FAILS.replace("0 * * * *", "* * * * *").replace("20s", "5m"))
          .start()
          .pass(Duration.ofSeconds(3));
      awaitWaiting(krontabs, 2);
      krontabs.passUntil("2026-05-04T12:01:01Z");
      HistoryEntry next = krontabs.awaitEntries("fails", 2);
      assertEquals(1, next.attempt());
      krontabs.await("the alert", () -> told().equals(List.of("fails 1 7")));
      JobState state = krontabs.job("fails");
      assertTrue(state.retry() != null && state.retry().failed().equals(next));
    }
  }

  @Test
  void anExitCodeThatIsListedIsASuccess() throws Exception {
    try (var krontabs = krontabs()) {
      krontabs
          .write(
              "0 * * * * name=listed command=\"/bin/sh -c 'exit 3'\" okexit=\"0,3\"",
              "0 * * * * name=not command=\"/bin/sh -c 'exit 4'\" okexit=\"0,3\"")
          .start()
          .pass(Duration.ofSeconds(3));
      assertTrue(krontabs.awaitEntries("listed", 1).success());
      HistoryEntry not = krontabs.awaitEntries("not", 1);
      assertNotEquals(0, not.exitCode());
      krontabs.await("the alert", () -> told().equals(List.of("not 1 4")));
    }
  }
}
