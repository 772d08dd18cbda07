package dev.kron.daemon;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kron.daemon.loop.Answer;
import dev.kron.daemon.loop.Request;
import dev.kron.job.HistoryEntry;
import dev.kron.job.JobState;
import dev.kron.job.Outcome;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What an operator sees of jobs, with real processes. */
final class JobsTest {
  private static final String BEFORE_NOON = "2026-05-04T11:59:58Z";

  @TempDir Path directory;

  private TestDaemon daemon() throws Exception {
    return new TestDaemon(directory, BEFORE_NOON);
  }

  private Path file(String name) {
    return directory.resolve(name);
  }

  /** Waits for {@code file} to appear: a command that runs until the test lets it go. */
  private String until(Path file) {
    return "while [ ! -e " + file + " ]; do sleep 0.02; done";
  }

  @Test
  void aCommandGetsWordsDirectoryUmaskAndEnvironment() throws Exception {
    try (var daemon = daemon()) {
      daemon
          .write(
              "0 * * * * @win(after,2s) name=facts cwd=%s umask=0027 env=MODE=prod shell=true command=\"env > %s; pwd > %s; umask > %s; : > %s\""
                  .formatted(directory, file("env"), file("cwd"), file("umask"), file("created")))
          .start()
          .pass(Duration.ofSeconds(6));
      HistoryEntry entry = daemon.awaitEntries("facts", 1);
      assertEquals(0, entry.exitCode());
      Map<String, String> variables = TestProcesses.variables(file("env"));
      assertEquals("prod", variables.get("MODE"));
      assertEquals(daemon.identity("facts"), variables.get("KRON_IDENTITY"));
      assertEquals("facts", variables.get("KRON_JOB"));
      assertEquals(entry.runId(), variables.get("KRON_RUN_ID"));
      assertEquals("2026-05-04T12:00:00Z", variables.get("KRON_PERIOD"));
      assertEquals(Instant.ofEpochSecond(entry.chosen()).toString(), variables.get("KRON_CHOSEN"));
      assertEquals("2026-05-04T12:00:00Z", variables.get("KRON_WINDOW_START"));
      assertEquals("2026-05-04T12:00:02Z", variables.get("KRON_WINDOW_END"));
      assertNull(variables.get("NOTIFY_SOCKET"));
      assertEquals(directory.toString(), Files.readString(file("cwd")).strip());
      assertEquals("0027", Files.readString(file("umask")).strip());
      assertEquals(
          "rw-r-----",
          PosixFilePermissions.toString(Files.getPosixFilePermissions(file("created"))));
    }
  }

  @Test
  void outputIsCapturedAndAppearsOnTheDaemonsOwnLineByLine() throws Exception {
    try (var daemon = daemon()) {
      daemon
          .write(
              "0 * * * * name=talks shell=true command=\"echo one; echo two; echo bad >&2; printf"
                  + " half\"")
          .start()
          .pass(Duration.ofSeconds(3));
      HistoryEntry entry = daemon.awaitEntries("talks", 1);
      daemon.await("its lines", () -> daemon.out.toString(StandardCharsets.UTF_8).contains("half"));
      String mark = "[talks " + entry.runId() + "] ";
      assertEquals(
          mark + "one\n" + mark + "two\n" + mark + "half\n",
          daemon.out.toString(StandardCharsets.UTF_8));
      daemon.await("its other line", () -> daemon.log().contains("\n" + mark + "bad\n"));
      Path run = daemon.statePath().resolve("runs").resolve(String.valueOf(entry.runId()));
      assertEquals("one\ntwo\nhalf", Files.readString(run.resolve("stdout")));
      assertEquals("bad\n", Files.readString(run.resolve("stderr")));
    }
  }

  @Test
  void aJobCannotWriteALineOfTheDaemons() throws Exception {
    try (var daemon = daemon()) {
      String forged = "level=info component=daemon event=stopped";
      Path script =
          Files.writeString(
              file("forger"),
              "printf 'a\\r%s\\033[2J\\n%s' '%s' '%s' >&2\n".formatted("%s", "%s", forged, forged));
      daemon
          .write("0 * * * * name=forger command=\"/bin/sh " + script + "\"")
          .start()
          .pass(Duration.ofSeconds(3));
      HistoryEntry entry = daemon.awaitEntries("forger", 1);
      String mark = "[forger " + entry.runId() + "] ";
      daemon.await("all it said", () -> daemon.log().contains(mark + forged + "\n"));
      List<String> ofJob =
          daemon.log().lines().filter(line -> line.contains("event=stopped")).toList();
      assertEquals(List.of(mark + "a\\x0d" + forged + "\\x1b[2J", mark + forged), ofJob);
      assertTrue(
          daemon
              .log()
              .lines()
              .allMatch(line -> line.startsWith("[forger") || line.startsWith("2026-")));
    }
  }

  @Test
  void outputIsAppendedToAFileNamedAfterTheStart() throws Exception {
    try (var daemon = daemon()) {
      Files.writeString(file("log-20260504-1200-filed"), "before\n");
      daemon
          .write(
              "0 * * * * name=filed shell=true command=\"echo after\" stdout=file:%s/log-%%Y%%m%%d-%%H%%M-%%n stderr=discard"
                  .formatted(directory))
          .start()
          .pass(Duration.ofSeconds(3));
      daemon.awaitEntries("filed", 1);
      assertEquals("before\nafter\n", Files.readString(file("log-20260504-1200-filed")));
    }
  }

  @Test
  void aSecondPeriodIsSkippedWhileTheFirstRunGoesOn() throws Exception {
    try (var daemon = daemon()) {
      daemon
          .write("* * * * * name=slow shell=true command=\"" + until(file("go")) + "; exit 2\"")
          .start()
          .pass(Duration.ofSeconds(3));
      daemon.await("it runs", () -> daemon.log().contains("event=run_started"));
      daemon.passUntil("2026-05-04T12:01:01Z");
      HistoryEntry skipped = daemon.awaitEntries("slow", 1);
      assertEquals(Outcome.SKIPPED, skipped.outcome());
      Files.createFile(file("go"));
      HistoryEntry ended = daemon.awaitEntries("slow", 2);
      assertEquals(2, ended.exitCode());
      JobState state = daemon.job("slow");
      assertEquals(Outcome.SKIPPED, state.lastOutcome(), "the older run adds to history only");
      assertEquals(skipped.nominal(), state.lastHandled());
    }
  }

  @Test
  void aReplacementStartsWhenTheOldRunHasEndedAndNotBefore() throws Exception {
    try (var daemon = daemon()) {
      daemon
          .write(
              "* * * * * @policy(concurrency=replace) name=newest shell=true command=\"echo start $KRON_PERIOD >> %s; trap 'echo end $KRON_PERIOD >> %s; exit 1' TERM; %s\""
                  .formatted(file("log"), file("log"), until(file("go"))))
          .start()
          .pass(Duration.ofSeconds(3));
      daemon.await("the first", () -> lines("log").size() == 1);
      daemon.passUntil("2026-05-04T12:01:01Z");
      daemon.await("the second", () -> lines("log").size() == 3);
      assertEquals(
          List.of(
              "start 2026-05-04T12:00:00Z",
              "end 2026-05-04T12:00:00Z",
              "start 2026-05-04T12:01:00Z"),
          lines("log"));
      HistoryEntry replaced = daemon.awaitEntries("newest", 1);
      assertEquals("replaced", replaced.reason());
      Files.createFile(file("go"));
      assertEquals(0, daemon.awaitEntries("newest", 2).exitCode());
    }
  }

  private List<String> lines(String name) throws Exception {
    return Files.exists(file(name)) ? Files.readAllLines(file(name)) : List.of();
  }

  @Test
  void severalRunsGoOnAtOnceWhereThatIsAllowed() throws Exception {
    try (var daemon = daemon()) {
      daemon
          .write(
              "* * * * * @policy(concurrency=allow) name=many shell=true command=\""
                  + until(file("go"))
                  + "\"")
          .start()
          .passUntil("2026-05-04T12:02:01Z");
      daemon.await("three at once", () -> daemon.job("many").active().size() == 3);
      Files.createFile(file("go"));
      daemon.awaitEntries("many", 3);
      assertEquals(List.of(), daemon.job("many").active());
    }
  }

  @Test
  void aRunThatCannotStartIsRecordedWithItsStageAndNotTriedAgain() throws Exception {
    try (var daemon = daemon()) {
      Files.writeString(file("plain"), "no program");
      daemon
          .write(
              "0 * * * * name=missing command=/nowhere/at/all",
              "0 * * * * name=plain command=" + file("plain"),
              "0 * * * * name=nowhere cwd=/nowhere/at/all command=/bin/true",
              "0 * * * * name=nobody user=no-such-user-here command=/bin/true")
          .start()
          .pass(Duration.ofSeconds(3));
      assertEquals("exec", daemon.awaitEntries("missing", 1).stage());
      assertEquals("exec", daemon.awaitEntries("plain", 1).stage());
      assertEquals("cwd", daemon.awaitEntries("nowhere", 1).stage());
      assertEquals("user", daemon.awaitEntries("nobody", 1).stage());
      for (String name : List.of("missing", "plain", "nowhere", "nobody")) {
        HistoryEntry entry = daemon.history(name).getFirst();
        assertEquals(Outcome.EXECUTED, entry.outcome());
        assertNull(entry.exitCode());
        assertNotNull(entry.reason());
      }
      daemon.pass(Duration.ofSeconds(30));
      assertEquals(1, daemon.history("missing").size());
    }
  }

  @Test
  void anExitStatusOf127IsNoFailureToStart() throws Exception {
    try (var daemon = daemon()) {
      daemon
          .write("0 * * * * name=says shell=true command=\"exit 127\"")
          .start()
          .pass(Duration.ofSeconds(3));
      HistoryEntry entry = daemon.awaitEntries("says", 1);
      assertEquals(127, entry.exitCode());
      assertNull(entry.stage());
    }
  }

  @Test
  void aFailureIsToldOnceWithTheEndOfItsOutput() throws Exception {
    try (var daemon = daemon()) {
      daemon
          .onFailure("/bin/sh", "-c", "cat > " + file("tail") + "; env > " + file("alert"))
          .write(
              "0 * * * * name=fails shell=true command=\"echo last words; exit 9\"",
              "0 * * * * name=fine command=/bin/true")
          .start()
          .pass(Duration.ofSeconds(3));
      HistoryEntry entry = daemon.awaitEntries("fails", 1);
      daemon.await(
          "the alert",
          () ->
              Files.exists(file("alert"))
                  && TestProcesses.variables(file("alert")).containsKey("KRON_EXIT"));
      Map<String, String> variables = TestProcesses.variables(file("alert"));
      assertEquals("last words\n", Files.readString(file("tail")));
      assertEquals("executed", variables.get("KRON_OUTCOME"));
      assertEquals("9", variables.get("KRON_EXIT"));
      assertEquals(entry.runId(), variables.get("KRON_RUN_ID"));
      assertEquals("2026-05-04T12:00:00Z", variables.get("KRON_PERIOD"));
      assertEquals(daemon.identity("fails"), variables.get("KRON_IDENTITY"));
    }
  }

  @Test
  void aManualRunIsRecordedAndNeverCountsAsAPeriod() throws Exception {
    try (var daemon = daemon()) {
      daemon.write("0 * * * * name=asked command=/bin/true").start();
      Answer reply = daemon.ask(new Request.Trigger(daemon.identity("asked")));
      String runId = assertInstanceOf(Answer.Done.class, reply).runId();
      HistoryEntry entry = daemon.awaitEntries("asked", 1);
      assertEquals(runId, entry.runId());
      assertEquals(dev.kron.cron.CronCalendar.NONE, entry.nominal());
      assertEquals(dev.kron.cron.CronCalendar.NONE, daemon.job("asked").lastHandled());
      daemon.pass(Duration.ofSeconds(3));
      assertEquals(
          Instant.parse("2026-05-04T12:00:00Z").getEpochSecond(),
          daemon.awaitEntries("asked", 2).nominal());
    }
  }

  @Test
  void aManualRunIsRefusedWhileAnotherGoesOn() throws Exception {
    try (var daemon = daemon()) {
      daemon
          .write("0 * * * * name=busy shell=true command=\"" + until(file("go")) + "\"")
          .start()
          .pass(Duration.ofSeconds(3));
      daemon.await("it runs", () -> daemon.log().contains("event=run_started"));
      Answer reply = daemon.ask(new Request.Trigger(daemon.identity("busy")));
      assertTrue(
          assertInstanceOf(Answer.Refused.class, reply).reason().contains("still active"),
          reply.toString());
      Files.createFile(file("go"));
    }
  }

  @Test
  void suspensionIsDurableAndRecordsNothing() throws Exception {
    try (var daemon = daemon()) {
      daemon.write("* * * * * name=quiet command=/bin/true").start();
      daemon.ask(new Request.Suspend(daemon.identity("quiet")));
      daemon.stop();
      daemon.start().passUntil("2026-05-04T12:05:10Z");
      assertEquals(List.of(), daemon.history("quiet"));
      daemon.ask(new Request.Resume(daemon.identity("quiet")));
      HistoryEntry entry = daemon.awaitEntries("quiet", 1);
      assertEquals(Outcome.MISSED, entry.outcome(), "the rule for downtime: the latest, late");
      assertEquals(Instant.parse("2026-05-04T12:05:00Z").getEpochSecond(), entry.nominal());
      daemon.passUntil("2026-05-04T12:06:01Z");
      assertEquals(Outcome.EXECUTED, daemon.awaitEntries("quiet", 2).outcome());
    }
  }

  @Test
  void aReloadTakesOverWhatChangedAndAnEditNeverRunsThePast() throws Exception {
    try (var daemon = daemon()) {
      daemon
          .write(
              "0 18 * * * name=edited command=/bin/true", "0 18 * * * name=gone command=/bin/true")
          .start()
          .pass(Duration.ofSeconds(3));
      daemon.write(
          "0 6 * * * @policy(deadline=24h) name=edited command=/bin/true",
          "* * * * * name=added command=/bin/true");
      Answer reply = daemon.ask(new Request.Reload());
      assertEquals(
          "1 added, 1 changed, 1 removed", assertInstanceOf(Answer.Plan.class, reply).text());
      daemon.passUntil("2026-05-04T12:01:01Z");
      daemon.awaitEntries("added", 1);
      assertEquals(List.of(), daemon.history("edited"), "an edit at noon runs nothing for 06:00");
    }
  }

  @Test
  void aReloadWithABadFileChangesNothing() throws Exception {
    try (var daemon = daemon()) {
      daemon.write("* * * * * name=kept command=/bin/true").start();
      daemon.write(
          "* * * * * name=kept command=/bin/false", "61 * * * * name=bad command=/bin/true");
      Answer reply = daemon.ask(new Request.Reload());
      assertInstanceOf(Answer.Refused.class, reply);
      daemon.pass(Duration.ofSeconds(3));
      assertEquals(0, daemon.awaitEntries("kept", 1).exitCode());
    }
  }

  @Test
  void aRunGoesOnWithoutTheDaemonAndItsTrueExitCodeIsOnRecordAfterwards() throws Exception {
    try (var daemon = daemon()) {
      daemon
          .write(
              "0 * * * * name=outlives shell=true command=\"echo begun; "
                  + until(file("go"))
                  + "; echo done; exit 42\"")
          .start()
          .pass(Duration.ofSeconds(3));
      daemon.await("it runs", () -> daemon.log().contains("event=run_started"));
      assertEquals(0, daemon.stop());
      Files.createFile(file("go"));
      Path runs = daemon.statePath().resolve("runs");
      daemon.await("its end", () -> ended(runs));
      daemon.start();
      HistoryEntry entry = daemon.awaitEntries("outlives", 1);
      assertEquals(42, entry.exitCode());
      assertEquals(
          "begun\ndone\n",
          Files.readString(runs.resolve(String.valueOf(entry.runId())).resolve("stdout")));
    }
  }

  private static boolean ended(Path runs) throws Exception {
    try (var all = Files.list(runs)) {
      for (Path run : all.toList()) {
        if (Files.readString(run.resolve("record")).contains("exit 42\n")) {
          return true;
        }
      }
    }
    return false;
  }

  @Test
  void aRemovedJobKeepsItsRunAndItsRecord() throws Exception {
    try (var daemon = daemon()) {
      daemon
          .write("0 * * * * name=removed shell=true command=\"" + until(file("go")) + "; exit 6\"")
          .start()
          .pass(Duration.ofSeconds(3));
      daemon.await("it runs", () -> daemon.log().contains("event=run_started"));
      daemon.write("# nothing");
      daemon.ask(new Request.Reload());
      Files.createFile(file("go"));
      assertEquals(6, daemon.awaitEntries("removed", 1).exitCode());
    }
  }

  @Test
  void endingTheDaemonWithItsJobsRecordsEachEnd() throws Exception {
    try (var daemon = daemon()) {
      daemon
          .write("0 * * * * name=ended command=\"sleep 600\"")
          .start()
          .pass(Duration.ofSeconds(3));
      daemon.await("it runs", () -> daemon.log().contains("event=run_started"));
      assertEquals(0, daemon.stop(Request.Stop.END_JOBS));
      HistoryEntry entry = daemon.history("ended").getFirst();
      assertEquals("stopped", entry.reason());
      assertEquals(143, entry.exitCode());
    }
  }
}
