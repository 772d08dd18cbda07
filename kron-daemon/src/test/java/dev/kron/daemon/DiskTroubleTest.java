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

  private TestDaemon krontabs() throws IOException {
    return new TestDaemon(directory, "2026-05-04T11:59:58Z").on(disk);
  }

  private void recover(TestDaemon krontabs) {
    disk.end();
    krontabs.await(
        "writing works again",
        () -> {
          krontabs.pass(Duration.ofSeconds(1));
          return krontabs.log().contains("event=persistence_restored");
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
    try (var krontabs = krontabs()) {
      krontabs
          .write(
              "0 * * * * "
                  + policy
                  + "name=due shell=true command=\"echo $KRON_PERIOD >> "
                  + evidence()
                  + "\"")
          .start();
      disk.begin(trouble);
      krontabs.passUntil("2026-05-04T12:00:30Z");
      krontabs.await("it says so", () -> krontabs.log().contains("nothing new is started"));
      assertFalse(Files.exists(evidence()), "nothing may start");
      recover(krontabs);
      return krontabs.awaitEntries("due", 1);
    }
  }

  @Test
  void whatEndsWhileNothingCanBeWrittenIsOnRecordAfterwards() throws Exception {
    try (var krontabs = krontabs()) {
      Path go = directory.resolve("go");
      krontabs
          .write(
              "0 * * * * name=ends shell=true command=\"while [ ! -e "
                  + go
                  + " ]; do sleep 0.02; done; exit 11\"")
          .start()
          .pass(Duration.ofSeconds(3));
      krontabs.await("it runs", () -> krontabs.log().contains("event=run_started"));
      disk.begin(Trouble.FULL);
      Files.createFile(go);
      krontabs.await("it says so", () -> krontabs.log().contains("event=persistence_failed"));
      recover(krontabs);
      assertEquals(11, krontabs.awaitEntries("ends", 1).exitCode());
    }
  }

  @Test
  void anOperatorIsToldThatStateCannotBeWritten() throws Exception {
    try (var krontabs = krontabs()) {
      krontabs.write("0 * * * * name=asked command=/bin/true").start();
      disk.begin(Trouble.FULL);
      String identity = krontabs.identity("asked");
      assertInstanceOf(Answer.Refused.class, krontabs.ask(new Request.Trigger(identity)));
      assertInstanceOf(Answer.Refused.class, krontabs.ask(new Request.Suspend(identity)));
      recover(krontabs);
      assertInstanceOf(Answer.Done.class, krontabs.ask(new Request.Suspend(identity)));
    }
  }

  @Test
  void aStopWhileNothingCanBeWrittenSaysSoByItsExitCode() throws Exception {
    try (var krontabs = krontabs()) {
      krontabs.write("0 * * * * name=any command=/bin/true").start();
      disk.begin(Trouble.FULL);
      krontabs.passUntil("2026-05-04T12:00:02Z");
      krontabs.await("it says so", () -> krontabs.log().contains("event=persistence_failed"));
      assertEquals(Daemon.NOT_WRITTEN, krontabs.stop());
    }
  }

  @Test
  void aDaemonComesUpOnAFullDiskAndGoesOnByItself() throws Exception {
    try (var krontabs = krontabs()) {
      Path go = directory.resolve("go");
      krontabs
          .write(
              "0 12 * * * name=goes-on shell=true command=\"while [ ! -e %s ]; do sleep 0.02; done; exit 8\""
                  .formatted(go),
              "0,2 12 * * * @policy(deadline=20h) name=late shell=true command=\"echo $KRON_PERIOD >> %s\""
                  .formatted(evidence()))
          .start()
          .passUntil("2026-05-04T12:00:01Z");
      krontabs.awaitEntries("late", 1);
      krontabs.await("it runs", () -> krontabs.log().split("event=run_started", -1).length > 2);
      krontabs.stop();
      krontabs.clocks.pass(Duration.ofMinutes(2));
      disk.begin(Trouble.FULL);
      krontabs.start();
      krontabs.await("it says so", () -> krontabs.log().contains("event=persistence_failed"));
      Files.createFile(go);
      assertEquals(List.of("2026-05-04T12:00:00Z"), Files.readAllLines(evidence()));
      recover(krontabs);
      assertEquals(8, krontabs.awaitEntries("goes-on", 1).exitCode());
      krontabs.awaitEntries("late", 2);
      assertEquals(
          List.of("2026-05-04T12:00:00Z", "2026-05-04T12:02:00Z"),
          Files.readAllLines(evidence()),
          "the latest, once");
    }
  }

  @Test
  void newJobsDoNotKeepADaemonFromComingUpOnAFullDisk() throws Exception {
    try (var krontabs = krontabs()) {
      Path go = directory.resolve("go");
      String runs =
          "0 12 * * * name=runs shell=true command=\"while [ ! -e %s ]; do sleep 0.02; done; exit 8\""
              .formatted(go);
      krontabs.write(runs).start().passUntil("2026-05-04T12:00:01Z");
      krontabs.await("it runs", () -> krontabs.log().contains("event=run_started"));
      krontabs.stop();
      String fresh =
          "* * * * * name=fresh shell=true command=\"echo $KRON_PERIOD >> %s\""
              .formatted(evidence());
      krontabs.write(runs.replace("0 12", "1 13"), fresh);
      disk.begin(Trouble.FULL);
      krontabs.start();
      krontabs.await("it says so", () -> krontabs.log().contains("event=persistence_failed"));
      assertTrue(krontabs.log().contains("event=arrivals_wait jobs=2"), krontabs.log());
      Files.createFile(go);
      krontabs.passUntil("2026-05-04T12:01:30Z");
      assertFalse(Files.exists(evidence()), "nothing is started that could not be noted");
      recover(krontabs);
      assertEquals(8, krontabs.awaitEntries("runs", 1).exitCode());
      krontabs.await("they are there", () -> krontabs.log().contains("event=reloaded"));
      krontabs.passUntil("2026-05-04T12:02:01Z");
      krontabs.awaitEntries("fresh", 1);
      assertEquals(List.of("2026-05-04T12:02:00Z"), Files.readAllLines(evidence()));
    }
  }

  /** Hours of jobs on a disk that fails now and then; the jobs' own evidence decides. */
  @Test
  void aDiskThatFailsAtRandomDoublesNothingAndLosesNothing() throws Exception {
    var random = new SplittableRandom(SEED);
    try (var krontabs = krontabs()) {
      Path evidence = Files.createFile(evidence());
      String job = " shell=true command=\"echo $KRON_JOB $KRON_PERIOD $KRON_RUN_ID >> " + evidence;
      krontabs
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
        krontabs.pass(Duration.ofSeconds(20 + random.nextInt(40)));
        disk.end();
        settle(krontabs);
        krontabs.await(
            "a run after the trouble",
            () -> {
              krontabs.pass(Duration.ofSeconds(1));
              return Files.readAllLines(evidence).size() > before;
            });
      }
      settle(krontabs);
      check(krontabs, evidence);
      assertTrue(krontabs.log().contains("event=persistence_failed"), "the disk did fail");
    }
  }

  /** Lets time pass until writing works and what ran has ended. */
  private static void settle(TestDaemon krontabs) {
    krontabs.await(
        "everything settled",
        () -> {
          krontabs.pass(Duration.ofSeconds(1));
          String log = krontabs.log();
          return count(log, "event=persistence_failed") == count(log, "event=persistence_restored")
              && List.of("zero", "seven", "allow").stream()
                  .allMatch(name -> krontabs.job(name).active().isEmpty());
        });
  }

  private static int count(String text, String part) {
    return text.split(part, -1).length - 1;
  }

  private static void check(TestDaemon krontabs, Path evidence) throws IOException {
    Set<String> periods = new HashSet<>();
    Map<String, String> jobOfRun = new HashMap<>();
    for (String line : Files.readAllLines(evidence)) {
      String[] words = line.split(" ");
      assertTrue(periods.add(words[0] + " " + words[1]), "seed " + SEED + ": twice: " + line);
      jobOfRun.put(words[2], words[0]);
    }
    Map<String, HistoryEntry> recorded = new HashMap<>();
    for (String name : List.of("zero", "seven", "allow")) {
      for (HistoryEntry entry : krontabs.history(name)) {
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
      try (var krontabs = new TestDaemon(small, "2026-05-04T11:59:58Z")) {
        Path evidence = directory.resolve("evidence");
        krontabs
            .write(
                "* * * * * @policy(deadline=1h) name=tick shell=true command=\"echo $KRON_PERIOD >>"
                    + " "
                    + evidence
                    + "\"")
            .start()
            .pass(Duration.ofSeconds(3));
        krontabs.awaitEntries("tick", 1);
        Path filler = fill(small);
        krontabs.passUntil("2026-05-04T12:01:01Z");
        krontabs.await("it says so", () -> krontabs.log().contains("event=persistence_failed"));
        assertEquals(List.of("2026-05-04T12:00:00Z"), Files.readAllLines(evidence));
        Files.delete(filler);
        // Room that came back for its intent alone leaves a claim that nobody can finish: it is
        // told.
        krontabs.await(
            "the late run",
            () -> {
              krontabs.pass(Duration.ofSeconds(1));
              return Files.readAllLines(evidence).contains("2026-05-04T12:01:00Z")
                  || krontabs.log().contains("reason=\"its claim was never finished");
            });
        krontabs.await("its end", () -> krontabs.job("tick").active().isEmpty());
        krontabs.passUntil("2026-05-04T12:02:00Z");
        krontabs.await(
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
