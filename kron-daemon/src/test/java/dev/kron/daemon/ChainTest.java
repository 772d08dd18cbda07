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

  private TestDaemon daemon() throws Exception {
    return new TestDaemon(directory, "2026-05-04T11:59:58Z");
  }

  private Path file(String name) {
    return directory.resolve(name);
  }

  @Test
  void aSuccessStartsWhatFollowsWithItsOutputAndItsId() throws Exception {
    try (var daemon = daemon()) {
      daemon
          .write(
              "0 * * * * name=dump shell=true command=\"echo the dump\" then=\"load notice\"",
              "@manual name=load shell=true stdin=cause command=\"env >%s; cat >%s\""
                  .formatted(file("env"), file("loaded")),
              "@manual name=notice command=/bin/true then=last",
              "@manual name=last command=/bin/true")
          .start()
          .pass(Duration.ofSeconds(3));
      HistoryEntry dump = daemon.awaitEntries("dump", 1);
      HistoryEntry load = daemon.awaitEntries("load", 1);
      HistoryEntry notice = daemon.awaitEntries("notice", 1);
      HistoryEntry last = daemon.awaitEntries("last", 1);
      assertEquals(dump.runId(), load.cause());
      assertEquals(dump.runId(), notice.cause());
      assertEquals(notice.runId(), last.cause());
      assertNotEquals(load.runId(), notice.runId());
      assertEquals("the dump\n", Files.readString(file("loaded")));
      Map<String, String> variables = TestProcesses.variables(file("env"));
      assertEquals(dump.runId(), variables.get("KRON_CAUSE"));
      assertEquals("", variables.get("KRON_PERIOD"));
      daemon.await("no debt", () -> daemon.job("dump").links().owed().isEmpty());
      assertNull(daemon.job("load").lastOutcome(), "it has no period");
    }
  }

  @Test
  void whyTellsChainsBothWays() throws Exception {
    try (var daemon = daemon().withApi()) {
      daemon
          .write(
              "0 * * * * name=dump command=/bin/true then=load",
              "@manual name=load command=/bin/true")
          .start()
          .pass(Duration.ofSeconds(3));
      HistoryEntry dump = daemon.awaitEntries("dump", 1);
      HistoryEntry load = daemon.awaitEntries("load", 1);
      String first = daemon.caller().get("/v1/jobs/dump/why").body();
      assertTrue(first.contains("each success of it starts load"), first);
      String second = daemon.caller().get("/v1/jobs/load/why").body();
      assertTrue(second.contains("it follows each success of dump"), second);
      assertTrue(
          second.contains("run " + load.runId() + " was caused by run " + dump.runId()), second);
      assertTrue(
          second.contains(
              "it has no times of its own: it runs when it is asked for; the last time it ran at"),
          second);
      daemon.ask(new Request.Trigger(daemon.identity("dump")));
      daemon.awaitEntries("dump", 2);
      String third = daemon.caller().get("/v1/jobs/dump/why").body();
      assertTrue(third.contains("the last run was by hand: it ran at"), third);
    }
  }

  @Test
  void anInputOfNoCauseIsEmpty() throws Exception {
    try (var daemon = daemon()) {
      daemon
          .write(
              "@manual name=dump shell=true command=\"echo the dump\" then=load",
              "@manual name=load shell=true stdin=cause command=\"cat >%s\""
                  .formatted(file("loaded")))
          .start();
      daemon.ask(new Request.Trigger(daemon.identity("load")));
      assertTrue(daemon.awaitEntries("load", 1).success());
      assertEquals("", Files.readString(file("loaded")));
    }
  }

  @Test
  void aFailureStartsNothingAndARunByHandDoes() throws Exception {
    try (var daemon = daemon()) {
      daemon
          .write(
              "0 * * * * name=first shell=true command=\"test -e %s\" then=second"
                  .formatted(file("good")),
              "@manual name=second command=/bin/true")
          .start()
          .pass(Duration.ofSeconds(3));
      assertEquals(1, daemon.awaitEntries("first", 1).exitCode());
      Files.createFile(file("good"));
      daemon.ask(new Request.Trigger(daemon.identity("first")));
      HistoryEntry manual = daemon.awaitEntries("first", 2);
      assertEquals(manual.runId(), daemon.awaitEntries("second", 1).cause());
      assertEquals(1, daemon.history("second").size());
    }
  }

  @Test
  void whatSucceededWhileNoDaemonWasThereIsFollowedOnceOneIs() throws Exception {
    try (var daemon = daemon()) {
      daemon
          .write(
              "0 * * * * name=first shell=true command=\"while [ ! -e %s ]; do sleep 0.02; done; : >%s\" then=second"
                  .formatted(file("go"), file("done")),
              "@manual name=second command=/bin/true")
          .start()
          .pass(Duration.ofSeconds(3));
      daemon.await(
          "its start", () -> daemon.job("first").active().stream().anyMatch(run -> run.pid() > 0));
      daemon.stop();
      Files.createFile(file("go"));
      daemon.await("its end", () -> Files.exists(file("done")));
      daemon.start();
      HistoryEntry first = daemon.awaitEntries("first", 1);
      assertEquals(first.runId(), daemon.awaitEntries("second", 1).cause());
      daemon.stop();
      daemon.start().pass(Duration.ofSeconds(3));
      assertEquals(1, daemon.history("second").size());
    }
  }

  @Test
  void aSuspendedJobSkipsItsLinkAndOutputThatIsGoneFailsTheStart() throws Exception {
    try (var daemon = daemon()) {
      daemon
          .write(
              "0 * * * * name=first shell=true command=\"rm -f %s/runs/$KRON_RUN_ID/stdout\" then=\"second third\""
                  .formatted(daemon.statePath()),
              "@manual @policy(suspend=true) name=second command=/bin/true",
              "@manual name=third command=/bin/cat stdin=cause")
          .start()
          .pass(Duration.ofSeconds(3));
      HistoryEntry skipped = daemon.awaitEntries("second", 1);
      assertEquals(Outcome.SKIPPED, skipped.outcome());
      assertEquals("the job is suspended", skipped.reason());
      HistoryEntry failed = daemon.awaitEntries("third", 1);
      assertEquals("stdin", failed.stage());
      assertTrue(failed.failed());
      assertEquals(List.of(), daemon.job("first").active());
    }
  }

  @Test
  void aLinkWhoseRunBeganIsOnRecordAsThatThoughItsJobsStateIsMissing() throws Exception {
    try (var daemon = daemon()) {
      String second = "name=second shell=true command=\"echo ran >>%s\"".formatted(file("ran"));
      daemon
          .write("0 * * * * name=first command=/bin/true then=second", "@manual " + second)
          .start()
          .pass(Duration.ofSeconds(3));
      HistoryEntry first = daemon.awaitEntries("first", 1);
      HistoryEntry followed = daemon.awaitEntries("second", 1);
      daemon.await("no debt", () -> daemon.job("first").links().owed().isEmpty());
      daemon.stop();
      var owed =
          new Links.Owed(
              daemon.identity("second"),
              Objects.requireNonNull(first.runId()),
              first.completedAt());
      try (StateDirectory state = daemon.openState()) {
        JobState before = state.jobs().find(daemon.identity("first")).orElseThrow();
        JobState owing = before.toBuilder().links(new Links(List.of(owed), List.of())).build();
        state.jobs().commit(List.of(new StateChange(owing, List.of()))); // as if killed before
      }
      Files.delete(daemon.stateFile("second"));
      daemon.write(
          "0 * * * * name=first command=/bin/true then=second",
          "@manual @policy(suspend=true) " + second);
      daemon.start();
      HistoryEntry found = daemon.awaitEntries("second", 1);
      assertEquals(followed.runId(), found.runId());
      assertEquals(Outcome.EXECUTED, found.outcome());
      assertEquals(0, found.exitCode());
      daemon.await("no debt", () -> daemon.job("first").links().owed().isEmpty());
      assertEquals(1, daemon.history("second").size());
      assertEquals(List.of("ran"), Files.readAllLines(file("ran")));
    }
  }
}
