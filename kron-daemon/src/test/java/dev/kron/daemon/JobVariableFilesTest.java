package dev.kron.daemon;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kron.job.HistoryEntry;
import dev.kron.job.Outcome;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Variables and input of a job that come from files, with real processes. */
final class JobVariableFilesTest {
  private static final String SECRET = "hunter2-";

  @TempDir Path directory;

  private TestDaemon daemon() throws Exception {
    return new TestDaemon(directory, "2026-05-04T11:59:58Z");
  }

  private Path file(String name) {
    return directory.resolve(name);
  }

  private Path profile(TestDaemon daemon, String text) throws IOException {
    Path place = Files.createDirectories(daemon.config().resolve("credentials"));
    Path file = Files.writeString(place.resolve("shop.env"), text);
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
    return file;
  }

  @Test
  void theProfileComesAfterTheEntryAndTheEnvfileBeforeIt() throws Exception {
    try (var daemon = daemon()) {
      Files.writeString(file("app.env"), "A=envfile\nB=envfile\nC=envfile\nHOME=/envfile\n");
      profile(daemon, "B=profile\nD=profile\n");
      daemon
          .write(
              "0 * * * * name=job shell=true command=\"env >%s\" envfile=%s env=B=entry env=C=entry profile=shop"
                  .formatted(file("env"), file("app.env")))
          .start()
          .pass(Duration.ofSeconds(3));
      assertEquals(0, daemon.awaitEntries("job", 1).exitCode());
      Map<String, String> variables = TestProcesses.variables(file("env"));
      assertEquals("envfile", variables.get("A"));
      assertEquals("profile", variables.get("B"));
      assertEquals("entry", variables.get("C"));
      assertEquals("profile", variables.get("D"));
      assertEquals("/envfile", variables.get("HOME"));
      assertEquals("job", variables.get("KRON_JOB"));
    }
  }

  @Test
  void noValueOfAFileIsWrittenDownOrTold() throws Exception {
    try (var daemon = daemon().withApi()) {
      Files.writeString(file("app.env"), "PLAIN_NAME=" + SECRET + "1\nOTHER=" + SECRET + "2\n");
      profile(daemon, "HARMLESS=" + SECRET + "3\n");
      daemon
          .write(
              "0 * * * * name=job command=/bin/true envfile=%s env=OTHER=seen profile=shop"
                  .formatted(file("app.env")))
          .start()
          .pass(Duration.ofSeconds(3));
      HistoryEntry entry = daemon.awaitEntries("job", 1);
      String run = daemon.caller().get("/v1/runs/" + entry.runId()).body();
      String job = daemon.caller().get("/v1/jobs/job").body();
      for (String told : new String[] {run, job}) {
        assertTrue(told.contains("PLAIN_NAME=********"), told);
        assertTrue(told.contains("HARMLESS=********"), told);
        assertTrue(told.contains("OTHER=seen"), told);
      }
      assertFalse((run + job + daemon.log()).contains(SECRET));
      daemon.stop();
      try (var files = Files.walk(daemon.statePath())) {
        for (Path file : files.filter(Files::isRegularFile).toList()) {
          assertFalse(
              Files.readString(file, StandardCharsets.ISO_8859_1).contains(SECRET), file::toString);
        }
      }
    }
  }

  @Test
  void aFileThatCannotBeUsedFailsTheStartAndIsReadAnewByTheNext() throws Exception {
    try (var daemon = daemon()) {
      daemon
          .write(
              "0 * * * * name=job shell=true command=\"[ $MODE = prod ]\" envfile=%s retries=2 retrydelay=10s"
                  .formatted(file("app.env")))
          .start()
          .pass(Duration.ofSeconds(3));
      HistoryEntry failed = daemon.awaitEntries("job", 1);
      assertEquals("env", failed.stage());
      assertEquals(
          file("app.env") + ":1:1: the envfile does not exist", String.valueOf(failed.reason()));
      Files.writeString(file("app.env"), "MODE=prod\nhunter2 without a name\n");
      daemon.pass(Duration.ofSeconds(14));
      HistoryEntry again = daemon.awaitEntries("job", 2);
      assertEquals("env", again.stage());
      assertEquals(
          file("app.env") + ":2:1: expected KEY=value, and there is no \"=\" on this line",
          String.valueOf(again.reason()));
      Files.writeString(file("app.env"), "MODE=prod\n");
      daemon.pass(Duration.ofSeconds(28));
      HistoryEntry last = daemon.awaitEntries("job", 3);
      assertEquals(Outcome.EXECUTED, last.outcome());
      assertEquals(0, last.exitCode());
      assertFalse(daemon.log().contains("hunter2"));
    }
  }

  @Test
  void aProfileThatOthersCanReadIsNotUsed() throws Exception {
    try (var daemon = daemon()) {
      Path profile = profile(daemon, "KEY=hunter2\n");
      Files.setPosixFilePermissions(profile, PosixFilePermissions.fromString("rw-r--r--"));
      daemon
          .write("0 * * * * name=job command=/bin/true profile=shop")
          .start()
          .pass(Duration.ofSeconds(3));
      HistoryEntry failed = daemon.awaitEntries("job", 1);
      assertEquals("env", failed.stage());
      assertTrue(String.valueOf(failed.reason()).contains("others can read its secrets"));
    }
  }

  @Test
  void inputComesFromAFileAndItsNameMayHoldTheDay() throws Exception {
    try (var daemon = daemon()) {
      Files.writeString(file("job-2026-05-04"), "today's\n");
      daemon.write(
          "0 * * * * @tz(UTC) name=job shell=true command=\"cat >%s\" stdin=file:%s"
              .formatted(file("read"), file("%n-%Y-%m-%d")),
          "0 * * * * name=gone command=/bin/cat stdin=file:" + file("missing"),
          "0 * * * * name=pipe command=/bin/cat stdin=file:" + file("pipe"));
      assertEquals(0, new ProcessBuilder("mkfifo", file("pipe").toString()).start().waitFor());
      daemon.start().pass(Duration.ofSeconds(3));
      assertEquals(0, daemon.awaitEntries("job", 1).exitCode());
      assertEquals("today's\n", Files.readString(file("read")));
      HistoryEntry gone = daemon.awaitEntries("gone", 1);
      assertEquals("stdin", gone.stage());
      assertEquals(file("missing") + ": No such file or directory", String.valueOf(gone.reason()));
      HistoryEntry pipe = daemon.awaitEntries("pipe", 1);
      assertEquals("stdin", pipe.stage());
      assertEquals(file("pipe") + ": is not a regular file", String.valueOf(pipe.reason()));
    }
  }
}
