package dev.kron.daemon;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kron.daemon.loop.Request;
import dev.kron.job.HistoryEntry;
import dev.kron.job.JobState;
import dev.kron.job.Links;
import dev.kron.job.Outcome;
import dev.kron.store.StateChange;
import dev.kron.store.StateDirectory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Jobs that follow others, with real processes. */
final class ChainTest {
  @TempDir Path directory;

  private TestDaemon krontabs() throws Exception {
    return new TestDaemon(directory, "2026-05-04T11:59:58Z");
  }

  private Path file(String name) {
    return directory.resolve(name);
  }

  @Test
  void aSuccessStartsWhatFollowsWithItsOutputAndItsId() throws Exception {
    try (var krontabs = krontabs()) {
      krontabs
          .write(
              "0 * * * * name=dump shell=true command=\"echo the dump\" then=\"load notice\"",
              "@manual name=load shell=true stdin=cause command=\"env >%s; cat >%s\""
                  .formatted(file("env"), file("loaded")),
              "@manual name=notice command=/bin/true then=last",
              "@manual name=last command=/bin/true")
          .start()
          .pass(Duration.ofSeconds(3));
      HistoryEntry dump = krontabs.awaitEntries("dump", 1);
      HistoryEntry load = krontabs.awaitEntries("load", 1);
      HistoryEntry notice = krontabs.awaitEntries("notice", 1);
      HistoryEntry last = krontabs.awaitEntries("last", 1);
      assertEquals(dump.runId(), load.cause());
      assertEquals(dump.runId(), notice.cause());
      assertEquals(notice.runId(), last.cause());
      assertNotEquals(load.runId(), notice.runId());
      assertEquals("the dump\n", Files.readString(file("loaded")));
      Map<String, String> variables = TestProcesses.variables(file("env"));
      assertEquals(dump.runId(), variables.get("KRON_CAUSE"));
      assertEquals("", variables.get("KRON_PERIOD"));
      krontabs.await("no debt", () -> krontabs.job("dump").links().owed().isEmpty());
      assertNull(krontabs.job("load").lastOutcome(), "it has no period");
    }
  }

  @Test
  void whyTellsChainsBothWays() throws Exception {
    try (var krontabs = krontabs().withApi()) {
      krontabs
          .write(
              "0 * * * * name=dump command=/bin/true then=load",
              "@manual name=load command=/bin/true")
          .start()
          .pass(Duration.ofSeconds(3));
      HistoryEntry dump = krontabs.awaitEntries("dump", 1);
      HistoryEntry load = krontabs.awaitEntries("load", 1);
      String first = krontabs.caller().get("/v1/jobs/dump/why").body();
      assertTrue(first.contains("each success of it starts load"), first);
      String second = krontabs.caller().get("/v1/jobs/load/why").body();
      assertTrue(second.contains("it follows each success of dump"), second);
      assertTrue(
          second.contains("run " + load.runId() + " was caused by run " + dump.runId()), second);
    }
  }

  @Test
  void anInputOfNoCauseIsEmpty() throws Exception {
    try (var krontabs = krontabs()) {
      krontabs
          .write(
              "@manual name=dump shell=true command=\"echo the dump\" then=load",
              "@manual name=load shell=true stdin=cause command=\"cat >%s\""
                  .formatted(file("loaded")))
          .start();
      krontabs.ask(new Request.Trigger(krontabs.identity("load")));
      assertTrue(krontabs.awaitEntries("load", 1).success());
      assertEquals("", Files.readString(file("loaded")));
    }
  }

  @Test
  void aFailureStartsNothingAndARunByHandDoes() throws Exception {
    try (var krontabs = krontabs()) {
      krontabs
          .write(
              "0 * * * * name=first shell=true command=\"test -e %s\" then=second"
                  .formatted(file("good")),
              "@manual name=second command=/bin/true")
          .start()
          .pass(Duration.ofSeconds(3));
      assertEquals(1, krontabs.awaitEntries("first", 1).exitCode());
      Files.createFile(file("good"));
      krontabs.ask(new Request.Trigger(krontabs.identity("first")));
      HistoryEntry manual = krontabs.awaitEntries("first", 2);
      assertEquals(manual.runId(), krontabs.awaitEntries("second", 1).cause());
      assertEquals(1, krontabs.history("second").size());
    }
  }

  @Test
  void whatSucceededWhileNoDaemonWasThereIsFollowedOnceOneIs() throws Exception {
    try (var krontabs = krontabs()) {
      krontabs
          .write(
              "0 * * * * name=first shell=true command=\"while [ ! -e %s ]; do sleep 0.02; done; : >%s\" then=second"
                  .formatted(file("go"), file("done")),
              "@manual name=second command=/bin/true")
          .start()
          .pass(Duration.ofSeconds(3));
      krontabs.await(
          "its start",
          () -> krontabs.job("first").active().stream().anyMatch(run -> run.pid() > 0));
      krontabs.stop();
      Files.createFile(file("go"));
      krontabs.await("its end", () -> Files.exists(file("done")));
      krontabs.start();
      HistoryEntry first = krontabs.awaitEntries("first", 1);
      assertEquals(first.runId(), krontabs.awaitEntries("second", 1).cause());
      krontabs.stop();
      krontabs.start().pass(Duration.ofSeconds(3));
      assertEquals(1, krontabs.history("second").size());
    }
  }

  @Test
  void aSuspendedJobSkipsItsLinkAndOutputThatIsGoneFailsTheStart() throws Exception {
    try (var krontabs = krontabs()) {
      krontabs
          .write(
              "0 * * * * name=first shell=true command=\"rm -f %s/runs/$KRON_RUN_ID/stdout\" then=\"second third\""
                  .formatted(krontabs.statePath()),
              "@manual @policy(suspend=true) name=second command=/bin/true",
              "@manual name=third command=/bin/cat stdin=cause")
          .start()
          .pass(Duration.ofSeconds(3));
      HistoryEntry skipped = krontabs.awaitEntries("second", 1);
      assertEquals(Outcome.SKIPPED, skipped.outcome());
      assertEquals("the job is suspended", skipped.reason());
      HistoryEntry failed = krontabs.awaitEntries("third", 1);
      assertEquals("stdin", failed.stage());
      assertTrue(failed.failed());
      assertEquals(List.of(), krontabs.job("first").active());
    }
  }

  @Test
  void aLinkWhoseRunBeganIsOnRecordAsThatThoughItsJobsStateIsMissing() throws Exception {
    try (var krontabs = krontabs()) {
      String second = "name=second shell=true command=\"echo ran >>%s\"".formatted(file("ran"));
      krontabs
          .write("0 * * * * name=first command=/bin/true then=second", "@manual " + second)
          .start()
          .pass(Duration.ofSeconds(3));
      HistoryEntry first = krontabs.awaitEntries("first", 1);
      HistoryEntry followed = krontabs.awaitEntries("second", 1);
      krontabs.await("no debt", () -> krontabs.job("first").links().owed().isEmpty());
      krontabs.stop();
      var owed =
          new Links.Owed(
              krontabs.identity("second"),
              Objects.requireNonNull(first.runId()),
              first.completedAt());
      try (StateDirectory state = krontabs.openState()) {
        JobState before = state.jobs().find(krontabs.identity("first")).orElseThrow();
        JobState owing = before.toBuilder().links(new Links(List.of(owed), List.of())).build();
        state.jobs().commit(List.of(new StateChange(owing, List.of()))); // as if killed before
      }
      Files.delete(krontabs.stateFile("second"));
      krontabs.write(
          "0 * * * * name=first command=/bin/true then=second",
          "@manual @policy(suspend=true) " + second);
      krontabs.start();
      HistoryEntry found = krontabs.awaitEntries("second", 1);
      assertEquals(followed.runId(), found.runId());
      assertEquals(Outcome.EXECUTED, found.outcome());
      assertEquals(0, found.exitCode());
      krontabs.await("no debt", () -> krontabs.job("first").links().owed().isEmpty());
      assertEquals(1, krontabs.history("second").size());
      assertEquals(List.of("ran"), Files.readAllLines(file("ran")));
    }
  }
}
