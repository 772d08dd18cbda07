package dev.kron.daemon;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.kron.daemon.FailingDisk.Trouble;
import dev.kron.daemon.loop.Answer;
import dev.kron.daemon.loop.Request;
import dev.kron.job.HistoryEntry;
import dev.kron.job.Outcome;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Writes that fail: nothing doubled, nothing started without a durable intent, recovery by itself.
 */
final class DiskTroubleTest {
  private static final long SEED = Long.getLong("kron.seed", 20261115L);

  @TempDir Path directory;
  private final FailingDisk disk = new FailingDisk(SEED);

  private TestDaemon daemon() throws IOException {
    return new TestDaemon(directory, "2026-05-04T11:59:58Z").on(disk);
  }

  private void recover(TestDaemon daemon) {
    disk.end();
    daemon.await(
        "writing works again",
        () -> {
          daemon.pass(Duration.ofSeconds(1));
          return daemon.log().contains("event=persistence_restored");
        });
  }

  @ParameterizedTest
  @EnumSource(
      value = Trouble.class,
      names = {"FULL", "SYNC_FAILS", "DIRECTORY_SYNC_FAILS", "READ_ONLY"})
  void nothingStartsWithoutADurableIntent(Trouble trouble) throws Exception {
    HistoryEntry entry = periodThatFallsDueDuring(trouble, "");
    assertEquals(Outcome.MISSED, entry.outcome(), "late, and the deadline is 0s");
    assertFalse(Files.exists(evidence()), "it never began");
  }

  @ParameterizedTest
  @EnumSource(
      value = Trouble.class,
      names = {"FULL", "SYNC_FAILS", "DIRECTORY_SYNC_FAILS", "READ_ONLY"})
  void whatIsLateWithinItsDeadlineRunsOnceWhenWritingWorksAgain(Trouble trouble) throws Exception {
    HistoryEntry entry = periodThatFallsDueDuring(trouble, "@policy(deadline=10m) ");
    assertEquals(0, entry.exitCode());
    assertEquals(List.of("2026-05-04T12:00:00Z"), Files.readAllLines(evidence()));
  }

  private Path evidence() {
    return directory.resolve("evidence");
  }

  private HistoryEntry periodThatFallsDueDuring(Trouble trouble, String policy) throws Exception {
    try (var daemon = daemon()) {
      daemon
          .write(
              "0 * * * * "
                  + policy
                  + "name=due shell=true command=\"echo $KRON_PERIOD >> "
                  + evidence()
                  + "\"")
          .start();
      disk.begin(trouble);
      daemon.passUntil("2026-05-04T12:00:30Z");
      daemon.await("it says so", () -> daemon.log().contains("nothing new is started"));
      assertFalse(Files.exists(evidence()), "nothing may start");
      recover(daemon);
      return daemon.awaitEntries("due", 1);
    }
  }

  @Test
  void whatEndsWhileNothingCanBeWrittenIsOnRecordAfterwards() throws Exception {
    try (var daemon = daemon()) {
      Path go = directory.resolve("go");
      daemon
          .write(
              "0 * * * * name=ends shell=true command=\"while [ ! -e "
                  + go
                  + " ]; do sleep 0.02; done; exit 11\"")
          .start()
          .pass(Duration.ofSeconds(3));
      daemon.await("it runs", () -> daemon.log().contains("event=run_started"));
      disk.begin(Trouble.FULL);
      Files.createFile(go);
      daemon.await("it says so", () -> daemon.log().contains("event=persistence_failed"));
      recover(daemon);
      assertEquals(11, daemon.awaitEntries("ends", 1).exitCode());
    }
  }

  @Test
  void anOperatorIsToldThatStateCannotBeWritten() throws Exception {
    try (var daemon = daemon()) {
      daemon.write("0 * * * * name=asked command=/bin/true").start();
      disk.begin(Trouble.FULL);
      String identity = daemon.identity("asked");
      assertInstanceOf(Answer.Refused.class, daemon.ask(new Request.Trigger(identity)));
      assertInstanceOf(Answer.Refused.class, daemon.ask(new Request.Suspend(identity)));
      recover(daemon);
      assertInstanceOf(Answer.Done.class, daemon.ask(new Request.Suspend(identity)));
    }
  }

  @Test
  void aStopWhileNothingCanBeWrittenSaysSoByItsExitCode() throws Exception {
    try (var daemon = daemon()) {
      daemon.write("0 * * * * name=any command=/bin/true").start();
      disk.begin(Trouble.FULL);
      daemon.passUntil("2026-05-04T12:00:02Z");
      daemon.await("it says so", () -> daemon.log().contains("event=persistence_failed"));
      assertEquals(Daemon.NOT_WRITTEN, daemon.stop());
    }
  }

  @Test
  void aDaemonComesUpOnAFullDiskAndGoesOnByItself() throws Exception {
    try (var daemon = daemon()) {
      Path go = directory.resolve("go");
      daemon
          .write(
              "0 12 * * * name=goes-on shell=true command=\"while [ ! -e %s ]; do sleep 0.02; done; exit 8\""
                  .formatted(go),
              "0,2 12 * * * @policy(deadline=20h) name=late shell=true command=\"echo $KRON_PERIOD >> %s\""
                  .formatted(evidence()))
          .start()
          .passUntil("2026-05-04T12:00:01Z");
      daemon.awaitEntries("late", 1);
      daemon.await("it runs", () -> daemon.log().split("event=run_started", -1).length > 2);
      daemon.stop();
      daemon.clocks.pass(Duration.ofMinutes(2));
      disk.begin(Trouble.FULL);
      daemon.start();
      daemon.await("it says so", () -> daemon.log().contains("event=persistence_failed"));
      Files.createFile(go);
      assertEquals(List.of("2026-05-04T12:00:00Z"), Files.readAllLines(evidence()));
      recover(daemon);
      assertEquals(8, daemon.awaitEntries("goes-on", 1).exitCode());
      daemon.awaitEntries("late", 2);
      assertEquals(
          List.of("2026-05-04T12:00:00Z", "2026-05-04T12:02:00Z"),
          Files.readAllLines(evidence()),
          "the latest, once");
    }
  }

  @Test
  void newJobsDoNotKeepADaemonFromComingUpOnAFullDisk() throws Exception {
    try (var daemon = daemon()) {
      Path go = directory.resolve("go");
      String runs =
          "0 12 * * * name=runs shell=true command=\"while [ ! -e %s ]; do sleep 0.02; done; exit 8\""
              .formatted(go);
      daemon.write(runs).start().passUntil("2026-05-04T12:00:01Z");
      daemon.await("it runs", () -> daemon.log().contains("event=run_started"));
      daemon.stop();
      String fresh =
          "* * * * * name=fresh shell=true command=\"echo $KRON_PERIOD >> %s\""
              .formatted(evidence());
      daemon.write(runs.replace("0 12", "1 13"), fresh);
      disk.begin(Trouble.FULL);
      daemon.start();
      daemon.await("it says so", () -> daemon.log().contains("event=persistence_failed"));
      assertTrue(daemon.log().contains("event=arrivals_wait jobs=2"), daemon.log());
      Files.createFile(go);
      daemon.passUntil("2026-05-04T12:01:30Z");
      assertFalse(Files.exists(evidence()), "nothing is started that could not be noted");
      recover(daemon);
      assertEquals(8, daemon.awaitEntries("runs", 1).exitCode());
      daemon.await("they are there", () -> daemon.log().contains("event=reloaded"));
      daemon.passUntil("2026-05-04T12:02:01Z");
      daemon.awaitEntries("fresh", 1);
      assertEquals(List.of("2026-05-04T12:02:00Z"), Files.readAllLines(evidence()));
    }
  }

  /** Hours of jobs on a disk that fails now and then; the jobs' own evidence decides. */
  @Test
  void aDiskThatFailsAtRandomDoublesNothingAndLosesNothing() throws Exception {
    var random = new SplittableRandom(SEED);
    try (var daemon = daemon()) {
      Path evidence = Files.createFile(evidence());
      String job = " shell=true command=\"echo $KRON_JOB $KRON_PERIOD $KRON_RUN_ID >> " + evidence;
      daemon
          .write(
              "* * * * * @policy(deadline=1h) name=zero" + job + "\"",
              "* * * * * @win(after,40s) @policy(deadline=1h) name=seven" + job + "; exit 7\"",
              "*/2 * * * * @policy(deadline=1h,concurrency=allow) name=allow" + job + "\"")
          .start();
      for (int i = 0; i < 60; i++) {
        int before = Files.readAllLines(evidence).size();
        if (random.nextInt(3) != 0) {
          disk.begin(Trouble.AT_RANDOM);
        }
        daemon.pass(Duration.ofSeconds(20 + random.nextInt(40)));
        disk.end();
        settle(daemon);
        daemon.await(
            "a run after the trouble",
            () -> {
              daemon.pass(Duration.ofSeconds(1));
              return Files.readAllLines(evidence).size() > before;
            });
      }
      settle(daemon);
      check(daemon, evidence);
      assertTrue(daemon.log().contains("event=persistence_failed"), "the disk did fail");
    }
  }

  /** Lets time pass until writing works and what ran has ended. */
  private static void settle(TestDaemon daemon) {
    daemon.await(
        "everything settled",
        () -> {
          daemon.pass(Duration.ofSeconds(1));
          String log = daemon.log();
          return count(log, "event=persistence_failed") == count(log, "event=persistence_restored")
              && List.of("zero", "seven", "allow").stream()
                  .allMatch(name -> daemon.job(name).active().isEmpty());
        });
  }

  private static int count(String text, String part) {
    return text.split(part, -1).length - 1;
  }

  private static void check(TestDaemon daemon, Path evidence) throws IOException {
    Set<String> periods = new HashSet<>();
    Map<String, String> jobOfRun = new HashMap<>();
    for (String line : Files.readAllLines(evidence)) {
      String[] words = line.split(" ");
      assertTrue(periods.add(words[0] + " " + words[1]), "seed " + SEED + ": twice: " + line);
      jobOfRun.put(words[2], words[0]);
    }
    Map<String, HistoryEntry> recorded = new HashMap<>();
    for (String name : List.of("zero", "seven", "allow")) {
      for (HistoryEntry entry : daemon.history(name)) {
        if (entry.runId() != null && entry.outcome() == Outcome.EXECUTED && entry.stage() == null) {
          recorded.put(entry.runId(), entry);
          assertEquals(
              name.equals("seven") ? 7 : 0,
              entry.exitCode(),
              "seed " + SEED + ": " + Instant.ofEpochSecond(entry.nominal()));
        }
      }
    }
    assertTrue(jobOfRun.size() >= 60, "and jobs did run: " + jobOfRun.size());
    assertEquals(jobOfRun.keySet(), recorded.keySet(), "seed " + SEED);
  }

  @Test
  void aFileSystemThatIsReallyFullIsSurvived() throws Exception {
    Path small = Files.createDirectory(directory.resolve("small"));
    assumeTrue(mount("-t", "tmpfs", "-o", "size=256k,mode=0700", "tmpfs", small.toString()));
    try {
      try (var daemon = new TestDaemon(small, "2026-05-04T11:59:58Z")) {
        Path evidence = directory.resolve("evidence");
        daemon
            .write(
                "* * * * * @policy(deadline=1h) name=tick shell=true command=\"echo $KRON_PERIOD >>"
                    + " "
                    + evidence
                    + "\"")
            .start()
            .pass(Duration.ofSeconds(3));
        daemon.awaitEntries("tick", 1);
        Path filler = fill(small);
        daemon.passUntil("2026-05-04T12:01:01Z");
        daemon.await("it says so", () -> daemon.log().contains("event=persistence_failed"));
        assertEquals(List.of("2026-05-04T12:00:00Z"), Files.readAllLines(evidence));
        Files.delete(filler);
        // Room that came back for its intent alone leaves a claim that nobody can finish: it is
        // told.
        daemon.await(
            "the late run",
            () -> {
              daemon.pass(Duration.ofSeconds(1));
              return Files.readAllLines(evidence).contains("2026-05-04T12:01:00Z")
                  || daemon.log().contains("reason=\"its claim was never finished");
            });
        daemon.await("its end", () -> daemon.job("tick").active().isEmpty());
        daemon.passUntil("2026-05-04T12:02:00Z");
        daemon.await(
            "the next one", () -> Files.readAllLines(evidence).contains("2026-05-04T12:02:00Z"));
        List<String> lines = Files.readAllLines(evidence);
        assertEquals(new HashSet<>(lines).size(), lines.size(), "no period twice");
      }
    } finally {
      new ProcessBuilder("umount", "-l", small.toString()).start().waitFor(10, TimeUnit.SECONDS);
    }
  }

  private static boolean mount(String... arguments) throws Exception {
    var command = new java.util.ArrayList<>(List.of("mount"));
    command.addAll(List.of(arguments));
    try {
      Process mount = new ProcessBuilder(command).redirectErrorStream(true).start();
      return mount.waitFor(10, TimeUnit.SECONDS) && mount.exitValue() == 0;
    } catch (IOException e) {
      return false;
    }
  }

  private static Path fill(Path small) throws IOException {
    Path filler = small.resolve("filler");
    try (var out = Files.newOutputStream(filler)) {
      while (true) {
        out.write(new byte[512]);
      }
    } catch (IOException full) {
      return filler;
    }
  }
}
