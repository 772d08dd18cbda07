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

  private TestDaemon daemon() throws Exception {
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

  private static void awaitWaiting(TestDaemon daemon, int attempt) {
    daemon.await(
        "the wait for attempt " + attempt,
        () -> {
          var retry = daemon.job("fails").retry();
          return retry != null && retry.attempt() == attempt;
        });
  }

  private static TestDaemon failed(TestDaemon daemon) throws Exception {
    daemon.write(FAILS).start().pass(Duration.ofSeconds(3));
    awaitWaiting(daemon, 2);
    return daemon;
  }

  @Test
  void aJobThatFailsIsTriedAgainUntilItSucceedsAndNobodyIsTold() throws Exception {
    try (var daemon = daemon()) {
      Path tries = directory.resolve("tries");
      daemon
          .write(
              "0 * * * * name=flaky retries=3 retrydelay=10s shell=true command=\"echo"
                  + " $KRON_ATTEMPT $KRON_PERIOD >>%s; [ $KRON_ATTEMPT = 3 ]\"".formatted(tries))
          .start()
          .pass(Duration.ofSeconds(3));
      daemon.awaitEntries("flaky", 1);
      daemon.pass(Duration.ofSeconds(14));
      daemon.awaitEntries("flaky", 2);
      daemon.pass(Duration.ofSeconds(27));
      HistoryEntry last = daemon.awaitEntries("flaky", 3);
      String noon = " 2026-05-04T12:00:00Z";
      assertEquals(List.of("1" + noon, "2" + noon, "3" + noon), Files.readAllLines(tries));
      assertTrue(last.success());
      assertEquals(3, last.attempt());
      List<HistoryEntry> history = daemon.history("flaky");
      assertEquals(3, history.stream().map(HistoryEntry::runId).distinct().count());
      assertTrue(history.stream().allMatch(entry -> entry.nominal() == last.nominal()));
      daemon.await("rest", () -> daemon.job("flaky").retry() == null);
      assertEquals(List.of(), told());
    }
  }

  @Test
  void theLastAttemptTellsOnce() throws Exception {
    try (var daemon = daemon()) {
      failed(daemon).pass(Duration.ofSeconds(27));
      awaitWaiting(daemon, 3);
      assertEquals(List.of(), told());
      daemon.pass(Duration.ofSeconds(52));
      daemon.awaitEntries("fails", 3);
      daemon.await("the alert", () -> told().equals(List.of("fails 3 7")));
      daemon.pass(Duration.ofMinutes(3));
      assertEquals(3, daemon.history("fails").size());
    }
  }

  @Test
  void aWaitOutlivesTheDaemonAndTheAttemptBeginsAfterItIsBack() throws Exception {
    try (var daemon = daemon()) {
      failed(daemon).stop();
      daemon.clocks.pass(Duration.ofMinutes(10));
      daemon.start();
      awaitWaiting(daemon, 2);
      daemon.pass(Duration.ofSeconds(6));
      HistoryEntry second = daemon.awaitEntries("fails", 2);
      assertEquals(2, second.attempt());
      assertTrue(
          second.startedAt() >= Instant.parse("2026-05-04T12:10:00Z").toEpochMilli(),
          second::toString);
    }
  }

  @Test
  void anAttemptThatIsLaterThanTheLongestDelayIsGivenUpAndTold() throws Exception {
    try (var daemon = daemon()) {
      daemon
          .write(FAILS.replace("0 * * * *", "0 12 * * *") + " retrymax=5m")
          .start()
          .pass(Duration.ofSeconds(3));
      awaitWaiting(daemon, 2);
      daemon.stop();
      daemon.clocks.pass(Duration.ofMinutes(6));
      daemon.start().pass(Duration.ofSeconds(6));
      daemon.await("the alert", () -> told().equals(List.of("fails 1 7")));
      assertNull(daemon.job("fails").retry());
      assertEquals(1, daemon.history("fails").size());
    }
  }

  @Test
  void aStopOfTheJobEndsTheWait() throws Exception {
    try (var daemon = daemon()) {
      failed(daemon);
      String identity = daemon.identity("fails");
      assertInstanceOf(
          Answer.Done.class, daemon.ask(new Request.EndRuns(identity, null, "ada", null)));
      daemon.await("the alert", () -> told().equals(List.of("fails 1 7")));
      assertNull(daemon.job("fails").retry());
      assertInstanceOf(
          Answer.Refused.class, daemon.ask(new Request.EndRuns(identity, null, "ada", null)));
    }
  }

  @Test
  void aSuspensionEndsTheWait() throws Exception {
    try (var daemon = daemon()) {
      failed(daemon).ask(new Request.Suspend(daemon.identity("fails")));
      daemon.await("the alert", () -> told().equals(List.of("fails 1 7")));
      assertNull(daemon.job("fails").retry());
    }
  }

  @Test
  void aSuspensionInTheFileEndsTheWait() throws Exception {
    try (var daemon = daemon()) {
      failed(daemon)
          .write(FAILS.replace(" name=", " @policy(suspend=true) name="))
          .ask(new Request.Reload());
      daemon.await("the alert", () -> told().equals(List.of("fails 1 7")));
      assertNull(daemon.job("fails").retry());
    }
  }

  @Test
  void aRemovedJobIsNotTriedAgain() throws Exception {
    try (var daemon = daemon()) {
      failed(daemon).write("0 * * * * name=other command=/bin/true").ask(new Request.Reload());
      daemon.await("the alert", () -> told().equals(List.of("fails 1 7")));
      daemon.await("its state", () -> daemon.job("fails").retry() == null);
    }
  }

  @Test
  void aJobThatWasRemovedWhileNoDaemonWasThereIsNotTriedAgain() throws Exception {
    try (var daemon = daemon()) {
      failed(daemon).stop();
      daemon.write("0 * * * * name=other command=/bin/true").start();
      daemon.await("the alert", () -> told().equals(List.of("fails 1 7")));
      daemon.await("its state", () -> daemon.job("fails").retry() == null);
    }
  }

  @Test
  void aScheduleThatWasChangedWhileNoDaemonWasThereEndsTheWait() throws Exception {
    try (var daemon = daemon()) {
      failed(daemon).stop();
      daemon.write(FAILS.replace("0 * * * *", "30 * * * *")).start();
      daemon.await("the alert", () -> told().equals(List.of("fails 1 7")));
      assertNull(daemon.job("fails").retry());
      daemon.pass(Duration.ofMinutes(1));
      assertEquals(1, daemon.history("fails").size());
    }
  }

  @Test
  void anAttemptUsesTheFileInForceAtItsStart() throws Exception {
    try (var daemon = daemon()) {
      failed(daemon).write(FAILS.replace("exit 7", "exit 0")).ask(new Request.Reload());
      daemon.pass(Duration.ofSeconds(27));
      HistoryEntry second = daemon.awaitEntries("fails", 2);
      assertTrue(second.success());
      assertEquals(List.of(), told());
    }
  }

  @Test
  void theNextPeriodEndsTheWaitAndBeginsItsOwn() throws Exception {
    try (var daemon = daemon()) {
      daemon
          .write(FAILS.replace("0 * * * *", "* * * * *").replace("20s", "5m"))
          .start()
          .pass(Duration.ofSeconds(3));
      awaitWaiting(daemon, 2);
      daemon.passUntil("2026-05-04T12:01:01Z");
      HistoryEntry next = daemon.awaitEntries("fails", 2);
      assertEquals(1, next.attempt());
      daemon.await("the alert", () -> told().equals(List.of("fails 1 7")));
      JobState state = daemon.job("fails");
      assertTrue(state.retry() != null && state.retry().failed().equals(next));
    }
  }

  @Test
  void anExitCodeThatIsListedIsASuccess() throws Exception {
    try (var daemon = daemon()) {
      daemon
          .write(
              "0 * * * * name=listed command=\"/bin/sh -c 'exit 3'\" okexit=\"0,3\"",
              "0 * * * * name=not command=\"/bin/sh -c 'exit 4'\" okexit=\"0,3\"")
          .start()
          .pass(Duration.ofSeconds(3));
      assertTrue(daemon.awaitEntries("listed", 1).success());
      HistoryEntry not = daemon.awaitEntries("not", 1);
      assertNotEquals(0, not.exitCode());
      daemon.await("the alert", () -> told().equals(List.of("not 1 4")));
    }
  }
}
