package dev.kron.daemon.api;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kron.daemon.TestDaemon;
import dev.kron.daemon.loop.Answer;
import dev.kron.daemon.loop.Request;
import dev.kron.job.ActiveRun;
import dev.kron.json.Json;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the API tells from the record: what failed lately, and why something did not run. */
class ControlRecordTest {
  @TempDir Path directory;

  private static String get(TestDaemon daemon, String path) throws Exception {
    Caller.Response response = daemon.caller().get(path);
    assertEquals(200, response.status(), response.body());
    return response.body();
  }

  /** The file is there before the loop knows it: what is told follows. */
  private static String get(TestDaemon daemon, String path, String awaited) {
    var body = new AtomicReference<>("");
    daemon.await(
        path + " to tell " + awaited,
        () -> {
          body.set(get(daemon, path));
          return body.get().contains(awaited);
        });
    return body.get();
  }

  @Test
  void remembersWhatFailedUnderAnEarlierDaemon() throws Exception {
    try (var daemon = new TestDaemon(directory, "2026-03-01T00:00:30Z").withApi()) {
      daemon.write("* * * * * name=bad command=/bin/false").start();
      daemon.passUntil("2026-03-01T00:01:10Z");
      daemon.awaitEntries("bad", 1);
      daemon.stop();
      daemon.start();
      assertEquals(1, Caller.json(get(daemon, "/v1/status")).number("failedLastDay"));
      Json runs = Caller.json(get(daemon, "/v1/runs"));
      assertEquals(1, runs.list("runs").getFirst().number("exitCode"));
    }
  }

  /** Of the first period that was asked for. */
  private static String verdict(String why) {
    return Caller.json(why).list("periods").getFirst().text("verdict");
  }

  /** Its last period is handled, and says nothing of those before it was there. */
  @Test
  void doesNotCallForgottenWhatWasBeforeTheJob() throws Exception {
    try (var krontabs = new TestDaemon(directory, "2026-03-01T00:00:30Z").withApi()) {
      krontabs.write("* * * * * name=a command=/bin/true").start();
      krontabs.passUntil("2026-03-01T00:01:10Z");
      krontabs.awaitEntries("a", 1);
      String why = get(krontabs, "/v1/jobs/a/why?from=2026-02-28T23:50:00Z");
      assertEquals("uncounted", verdict(why));
      assertTrue(why.contains("is known since 2026-03-01 00:00:30+00:00"), why);
    }
  }

  @Test
  void aJobOfTheBootHasThePeriodsOfItsBootsAndNoOthers() throws Exception {
    try (var daemon = new TestDaemon(directory, "2026-03-01T00:00:30Z").withApi()) {
      daemon.write("@boot name=a command=/bin/true").start();
      daemon.awaitEntries("a", 1);
      String why = "/v1/jobs/a/why";
      assertEquals("executed", verdict(get(daemon, why, "it ran at")));
      daemon.passUntil("2026-03-01T02:00:00Z");
      assertEquals(1, periods(daemon, why + "?from=2026-03-01T01:00:00Z"));
      assertEquals(0, periods(daemon, why + "?from=2026-02-01T00:00:00Z"));
      String range = why + "?from=%s&to=%s";
      String before = "2026-02-28T23:00:00Z";
      assertEquals(1, periods(daemon, range.formatted(before, "2026-03-01T01:00:00Z")));
      assertEquals(0, periods(daemon, range.formatted(before, "2026-02-28T23:30:00Z")));
    }
  }

  @Test
  void showsOfAnOutputAsMuchAsIsAskedFor() throws Exception {
    try (var daemon = new TestDaemon(directory, "2026-03-01T00:00:30Z").withApi()) {
      daemon
          .write("* * * * * name=a shell=true command=\"echo one; echo two; echo three\"")
          .start()
          .passUntil("2026-03-01T00:01:10Z");
      String run = daemon.awaitEntries("a", 1).runId();
      String logs = "/v1/runs/" + run + "/logs/stdout";
      assertEquals("one\ntwo\nthree\n", get(daemon, logs));
      assertEquals("two\nthree\n", get(daemon, logs + "?tail=10"));
      assertEquals("one\ntwo\nthree\n", get(daemon, logs + "?tail=80"));
      assertEquals("one\ntwo\nthree\n", get(daemon, logs + "?offset=0"));
      assertEquals("", get(daemon, logs + "?tail=0"));
      assertEquals("two\nthree\n", get(daemon, logs + "?offset=4"));
      assertEquals("", get(daemon, logs + "?offset=14"));
      assertEquals(400, daemon.caller().get(logs + "?tail=-1").status());
      assertEquals(400, daemon.caller().get(logs + "?offset=-1").status());
    }
  }

  @Test
  void showsOfAServicesLogAsMuchAsIsAskedFor() throws Exception {
    try (var daemon = new TestDaemon(directory, "2026-03-01T00:00:30Z").withApi()) {
      daemon.service(
          "web", "[service]", "exec = \"/bin/sh -c 'echo one; echo two; exec sleep 1000'\"");
      daemon.start();
      String logs = "/v1/services/web/logs";
      assertEquals("one\ntwo\n", get(daemon, logs, "two\n"));
      assertEquals("one\ntwo\n", get(daemon, logs + "?offset=0"));
      assertEquals("two\n", get(daemon, logs + "?offset=4"));
      assertEquals("two\n", get(daemon, logs + "?tail=4"));
      assertEquals("one\ntwo\n", get(daemon, logs + "?tail=80"));
      assertEquals("", get(daemon, logs + "?tail=0"));
    }
  }

  private static int periods(TestDaemon daemon, String path) throws Exception {
    return Caller.json(get(daemon, path)).list("periods").size();
  }

  @Test
  void tellsThatTheDaemonWasDown() throws Exception {
    try (var daemon = new TestDaemon(directory, "2026-03-01T00:00:30Z").withApi()) {
      daemon.write("*/10 * * * * name=a command=/bin/true").start();
      daemon.passUntil("2026-03-01T00:05:00Z");
      daemon.stop();
      daemon.clocks.pass(Duration.ofMinutes(20));
      daemon.start();
      daemon.awaitEntry("a", "a missed period", entry -> entry.runId() == null);
      String why = get(daemon, "/v1/jobs/a/why?from=2026-03-01T00:20:00Z", "missed");
      assertEquals("missed", verdict(why));
      assertTrue(
          why.contains(
              "the daemon was down from 2026-03-01 00:05:00+00:00 to 2026-03-01 00:25:00+00:00"),
          why);
      String older = get(daemon, "/v1/jobs/a/why?from=2026-03-01T00:10:00Z");
      assertEquals("passed-over", verdict(older));
      assertTrue(older.contains("only the last one counts"), older);
    }
  }

  @Test
  void tellsHowItEndedAndWhichConstraintLeftNoSecond() throws Exception {
    try (var daemon = new TestDaemon(directory, "2026-03-01T02:59:30Z").withApi()) {
      daemon
          .write(
              "0 3 * * * name=bad shell=true command=\"exit 3\"",
              "0 3 * * * @avoid(hours=3) @win(after,1m) name=never command=/bin/true")
          .start();
      daemon.passUntil("2026-03-01T03:02:00Z");
      daemon.awaitEntries("bad", 1);
      daemon.awaitEntries("never", 1);
      String ran = get(daemon, "/v1/jobs/bad/why?from=2026-03-01T03:00:00Z", "it ran at");
      String sentence =
          "it ran at 2026-03-01 03:0\\S+ as run [0-9a-z]{26} until \\d{4}-\\S+ \\S+, exit code 3";
      assertTrue(Pattern.compile(sentence).matcher(ran).find(), ran);
      String never = get(daemon, "/v1/jobs/never/why?from=2026-03-01T03:00:00Z", "it was");
      assertTrue(never.contains("it was unschedulable: "), never);
      assertTrue(never.contains("@avoid(hours=3)"), never);
      String coming = get(daemon, "/v1/jobs/bad/why?from=2026-03-02T03:00:00Z");
      assertTrue(
          coming.contains("it is not due yet: it will start at 2026-03-02 03:00:00"), coming);
    }
  }

  @Test
  void tellsWhichRunWasStillActive() throws Exception {
    try (var daemon = new TestDaemon(directory, "2026-03-01T00:00:30Z").withApi()) {
      daemon.write("* * * * * name=slow command=\"/bin/sleep 1000\"").start();
      daemon.passUntil("2026-03-01T00:01:00Z");
      daemon.await(
          "a run",
          () ->
              daemon.job("slow").active().stream()
                  .anyMatch(active -> active.phase() == ActiveRun.Phase.STARTED));
      String run = daemon.job("slow").active().getFirst().runId();
      daemon.passUntil("2026-03-01T00:02:00Z");
      daemon.awaitEntries("slow", 1);
      String why = get(daemon, "/v1/jobs/slow/why?from=2026-03-01T00:02:00Z", "skipped");
      assertTrue(why.contains("it was skipped: run " + run + " is still active since"), why);
      String running = get(daemon, "/v1/jobs/slow/why?from=2026-03-01T00:01:00Z");
      assertTrue(running.contains("it runs"), running);
    }
  }

  @Test
  void followsOutputUntilTheRunHasEnded() throws Exception {
    try (var daemon = new TestDaemon(directory, "2026-03-01T00:00:30Z").withApi()) {
      Path go = directory.resolve("go");
      daemon
          .write(
              "0 0 1 1 * name=talk shell=true command=\"echo one; until test -e %s; do sleep 0.05; done; echo two\""
                  .formatted(go))
          .start();
      var done = (Answer.Done) daemon.ask(new Request.Trigger(daemon.identity("talk")));
      String logs = "/v1/runs/" + Objects.requireNonNull(done.runId()) + "/logs/stdout";
      try (var channel = daemon.caller().open()) {
        var in = daemon.caller().follow(channel, logs + "?follow=true", "Connection: close");
        assertEquals("one", Caller.line(in));
        Files.createFile(go);
        assertTrue(new String(in.readAllBytes(), StandardCharsets.UTF_8).contains("two\n"));
      }
      assertEquals("one\ntwo\n", get(daemon, logs));
      assertEquals("two\n", get(daemon, logs + "?tail=4"));
      assertEquals("e\ntwo\n", get(daemon, logs + "?offset=2"));
    }
  }

  /** As a sweep leaves it a while after the end: one file, with the note and the output in it. */
  @Test
  void tellsTheOutputOfARunWhoseFilesWereJoined() throws Exception {
    try (var daemon = new TestDaemon(directory, "2026-03-01T00:00:30Z").withApi()) {
      daemon.write("* * * * * name=old shell=true command=\"echo one; echo two\"").start();
      daemon.passUntil("2026-03-01T00:01:10Z");
      daemon.awaitEntries("old", 1);
      String runs = get(daemon, "/v1/runs", "\"completedAt\":\"20");
      Json entry = Caller.json(runs).list("runs").getFirst();
      String path = "/v1/runs/" + entry.text("runId");
      String before = get(daemon, path);
      Path run = daemon.statePath().resolve("runs").resolve(entry.text("runId"));
      byte[] note = Files.readAllBytes(run.resolve("note"));
      String header = "kept 1772323261000 note " + note.length + " stdout 8\n";
      Path record = run.resolve("record");
      Files.writeString(record, header, StandardOpenOption.APPEND);
      Files.write(record, note, StandardOpenOption.APPEND);
      Files.writeString(record, "one\ntwo\n", StandardOpenOption.APPEND);
      Files.delete(run.resolve("note"));
      Files.delete(run.resolve("stdout"));
      assertEquals(before, get(daemon, path));
      assertEquals("one\ntwo\n", get(daemon, path + "/logs/stdout"));
      assertEquals("two\n", get(daemon, path + "/logs/stdout?tail=4"));
      assertEquals("e\ntwo\n", get(daemon, path + "/logs/stdout?offset=2"));
      assertEquals("", get(daemon, path + "/logs/stdout?offset=80"));
      assertEquals("", get(daemon, path + "/logs/stderr"));
      String times = get(daemon, path + "/logs/stdout?times=true");
      Instant by = Instant.parse(times.lines().toList().getLast().split(" ")[2]);
      assertEquals(Instant.parse(entry.text("completedAt")), by, times);
    }
  }

  @Test
  void followingEndsAlsoWhereARunHasMadeItsOutputShorterOrLonger() throws Exception {
    try (var daemon = new TestDaemon(directory, "2026-03-01T00:00:30Z").withApi()) {
      Path go = directory.resolve("go");
      daemon
          .write(
              "0 0 1 1 * name=shorter shell=true command=\"echo one; until test -e %s; do sleep 0.05; done; truncate -s 0 /dev/stdout\""
                  .formatted(go),
              "0 0 1 1 * name=longer shell=true command=\"echo one; truncate -s 90M /dev/stdout;"
                  + " echo two\"")
          .start();
      var done = (Answer.Done) daemon.ask(new Request.Trigger(daemon.identity("shorter")));
      String logs = "/v1/runs/" + Objects.requireNonNull(done.runId()) + "/logs/stdout";
      try (var channel = daemon.caller().open()) {
        var in = daemon.caller().follow(channel, logs + "?follow=true", "Connection: close");
        assertEquals("one", Caller.line(in));
        Files.createFile(go);
        assertTimeoutPreemptively(Duration.ofSeconds(30), in::readAllBytes);
      }
      done = (Answer.Done) daemon.ask(new Request.Trigger(daemon.identity("longer")));
      daemon.awaitEntries("longer", 1);
      String longer = "/v1/runs/" + Objects.requireNonNull(done.runId()) + "/logs/stdout";
      String said = assertTimeoutPreemptively(Duration.ofSeconds(30), () -> get(daemon, longer));
      assertTrue(said.length() < 1 << 20, said.length() + " bytes that nobody wrote");
      assertEquals(List.of("one", "two"), said.replace("\0", "").lines().toList());
    }
  }
}
