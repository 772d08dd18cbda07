package dev.kron.daemon;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A command that is told of a failure and does not end is ended, with all that it started. */
final class AlertLimitTest {
  private static final Duration SHORT = Duration.ofMillis(300);

  @TempDir Path directory;

  private TestDaemon daemon(String alert) throws IOException {
    return new TestDaemon(directory, "2026-05-04T02:59:58Z")
        .write(
            "0 3 * * * name=job command=/bin/false onfailure=\"/bin/sh -c '%s'\"".formatted(alert));
  }

  private static void fail(TestDaemon daemon) throws Exception {
    daemon.start().pass(Duration.ofSeconds(3));
    daemon.awaitEntries("job", 1);
  }

  /** Its line may come after it has begun. */
  private static void awaitBegun(TestDaemon daemon, String mark) {
    daemon.await(
        "the alert",
        () -> Marked.count(mark) > 0 && daemon.log().contains("event=onfailure_started"));
  }

  private static void awaitEnd(TestDaemon daemon, String mark) {
    daemon.await("the end of the alert", () -> Marked.count(mark) == 0);
    // The run that failed stays; nothing is owed, and the alert's own directory is gone.
    daemon.await("nothing to be left of it", () -> names(daemon).size() == 1);
  }

  private static List<String> names(TestDaemon daemon) throws IOException {
    try (var files = Files.list(daemon.statePath().resolve("runs"))) {
      return files.map(file -> String.valueOf(file.getFileName())).toList();
    }
  }

  @Test
  void isToldToEndAndKilledWhereThatDoesNotHelp() throws Exception {
    String mark = Marked.unique();
    String sleeper = "sh -c \\\"sleep 1000\\\" " + mark;
    String script = "trap : TERM; setsid " + sleeper + " & " + sleeper + "; exec sleep 1000";
    try (var daemon = daemon(script).onFailureLimit(SHORT)) {
      fail(daemon);
      daemon.await("its limit", () -> daemon.log().contains("event=onfailure_timed_out"));
      awaitEnd(daemon, mark);
      assertEquals(
          1, daemon.log().lines().filter(it -> it.contains("onfailure_timed_out")).count());
      daemon.await("a word about it", () -> daemon.log().contains("event=onfailure_failed"));
    }
  }

  @Test
  void isEndedByTheNextDaemonAsWell() throws Exception {
    String mark = Marked.unique();
    try (var daemon = daemon("exec sh -c \\\"sleep 1000\\\" " + mark)) {
      fail(daemon);
      awaitBegun(daemon, mark);
      daemon.stop();
      assertEquals(2, names(daemon).stream().filter(it -> it.length() == 26).count());
      daemon.onFailureLimit(SHORT).start();
      awaitEnd(daemon, mark);
      assertEquals(1, daemon.log().lines().filter(it -> it.contains("onfailure_started")).count());
    }
  }

  /** A daemon that did not find it would raise it again, and would not end the first. */
  @Test
  void isFoundAndNotRaisedAgainWhereItsRecordIsMissing() throws Exception {
    String mark = Marked.unique();
    try (var daemon = daemon("exec sh -c \\\"sleep 1000\\\" " + mark)) {
      fail(daemon);
      awaitBegun(daemon, mark);
      daemon.stop();
      for (String name : names(daemon)) {
        Path run = daemon.statePath().resolve("runs").resolve(name);
        if (Files.exists(run.resolve("stdin"))) {
          Files.delete(run.resolve("record"));
        }
      }
      daemon.onFailureLimit(SHORT).start();
      awaitEnd(daemon, mark);
      assertEquals(1, daemon.log().lines().filter(it -> it.contains("onfailure_started")).count());
    }
  }

  @Test
  void isLeftAloneWhereItEndsInTime() throws Exception {
    Path done = directory.resolve("done");
    try (var daemon = daemon("sleep 0.4; : >" + done).onFailureLimit(Duration.ofMinutes(1))) {
      fail(daemon);
      daemon.await("its end", () -> Files.exists(done) && names(daemon).size() == 1);
      assertFalse(daemon.log().contains("onfailure_timed_out"), daemon.log());
    }
  }
}
