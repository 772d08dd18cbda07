package dev.kron.daemon;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kron.daemon.loop.Answer;
import dev.kron.daemon.loop.Request;
import dev.kron.job.ActiveRun;
import dev.kron.job.HistoryEntry;
import dev.kron.job.Outcome;
import dev.kron.json.Json;
import dev.kron.store.Disk;
import dev.kron.store.LinuxDisk;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a new daemon makes of what it finds: state files, runs, and files that were edited. */
final class RecoveryTest {
  @TempDir Path directory;

  private TestDaemon krontabs() throws IOException {
    return new TestDaemon(directory, "2026-05-04T11:59:58Z");
  }

  private Path file(String name) {
    return directory.resolve(name);
  }

  private String until(String name) {
    return "while [ ! -e " + file(name) + " ]; do sleep 0.02; done";
  }

  private static List<String> outcomes(TestDaemon krontabs, String name) {
    return krontabs.history(name).stream()
        .map(entry -> Instant.ofEpochSecond(entry.nominal()) + " " + entry.outcome().text())
        .toList();
  }

  /** Everything that a run of the job left, by which its command could be told to have begun. */
  private List<String> lines(String name) throws IOException {
    return Files.exists(file(name)) ? Files.readAllLines(file(name)) : List.of();
  }

  @Test
  void allRunsOfAJobAreFoundAgainAndTheFileShowsTheLastOneFirst() throws Exception {
    try (var krontabs = krontabs()) {
      krontabs
          .write(
              "* * * * * @policy(concurrency=allow) name=many shell=true command=\""
                  + until("go")
                  + "; exit 4\"")
          .start()
          .passUntil("2026-05-04T12:02:01Z");
      krontabs.await(
          "three at once",
          () ->
              krontabs.job("many").active().stream()
                      .filter(run -> run.phase() == ActiveRun.Phase.STARTED)
                      .count()
                  == 3);
      Json state = krontabs.stateOf("many");
      assertEquals("2026-05-04T12:02:00Z", state.get("ActiveExecution").text("PeriodID"));
      assertEquals(
          List.of("2026-05-04T12:00:00Z", "2026-05-04T12:01:00Z"),
          state.list("OtherActive").stream().map(run -> run.text("PeriodID")).toList());
      krontabs.stop();
      krontabs.start();
      Files.createFile(file("go"));
      krontabs.awaitEntries("many", 3);
      for (HistoryEntry entry : krontabs.history("many")) {
        assertEquals(4, entry.exitCode());
      }
      assertEquals(
          Instant.parse("2026-05-04T12:02:00Z").getEpochSecond(),
          krontabs.job("many").lastHandled());
    }
  }

  @Test
  void aBrokenStateFileIsMovedAsideAndTheRunThatGoesOnIsFoundAndNothingRunsTwice()
      throws Exception {
    try (var krontabs = krontabs()) {
      krontabs
          .write(
              "0 * * * * @win(after,10m) @policy(deadline=1h,concurrency=allow) name=lost"
                  + " shell=true command=\"echo $KRON_PERIOD >> "
                  + file("ran")
                  + "; "
                  + until("go")
                  + "; exit 5\"")
          .start()
          .passUntil("2026-05-04T12:10:01Z");
      krontabs.await("it runs", () -> lines("ran").size() == 1);
      krontabs.stop();
      Path file = krontabs.stateFile("lost");
      Files.writeString(file, "{\"Version\":\"1\",");
      krontabs.start();
      Path aside = file.resolveSibling(file.getFileName() + ".corrupt." + "20260504T121001Z");
      assertEquals("{\"Version\":\"1\",", Files.readString(aside));
      assertTrue(krontabs.log().contains("event=quarantined"), krontabs.log());
      Files.createFile(file("go"));
      assertEquals(5, krontabs.awaitEntries("lost", 1).exitCode());
      krontabs.pass(Duration.ofMinutes(5));
      assertEquals(List.of("2026-05-04T12:00:00Z"), lines("ran"), "its deadline would allow it");
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aRunWhoseKeeperWasKilledEndsUnknownWhenItsProcessesAreGone(boolean daemonThere)
      throws Exception {
    try (var krontabs = krontabs()) {
      krontabs
          .write("* * * * * name=job shell=true command=\"" + until("go") + "\"")
          .start()
          .passUntil("2026-05-04T12:00:00Z");
      krontabs.await("its keeper", () -> krontabs.log().contains("event=run_started"));
      int keeper = krontabs.job("job").active().getFirst().pid();
      if (!daemonThere) {
        krontabs.stop();
      }
      assertTrue(ProcessHandle.of(keeper).orElseThrow().destroyForcibly());
      krontabs.await("the keeper's end", () -> !TestProcesses.lives(keeper));
      if (!daemonThere) {
        krontabs.start();
      }
      krontabs.passUntil("2026-05-04T12:01:01Z");
      assertEquals(Outcome.SKIPPED, krontabs.awaitEntries("job", 1).outcome(), "it goes on");
      Files.createFile(file("go"));
      HistoryEntry entry = krontabs.awaitEntries("job", 2);
      assertEquals(Outcome.EXECUTED, entry.outcome());
      assertNull(entry.exitCode(), "it was 0, but nobody can know");
      String reason = Objects.requireNonNull(entry.reason());
      assertTrue(reason.contains("ended without writing an exit status"), reason);
    }
  }

  @Test
  void anIntentOfAnotherBootIsExecutedWithAnUnknownExitCodeAndNeverStarted() throws Exception {
    try (var krontabs = krontabs()) {
      intended(krontabs, "\"BootID\":\"another-boot\"");
      HistoryEntry entry = krontabs.awaitEntries("job", 1);
      assertEquals(Outcome.EXECUTED, entry.outcome());
      assertNull(entry.exitCode());
      assertEquals("the machine was restarted before anything was known of it", entry.reason());
      krontabs.passUntil("2026-05-04T12:01:01Z");
      krontabs.awaitEntries("job", 2);
      assertEquals(List.of("2026-05-04T12:01:00Z"), lines("ran"));
    }
  }

  @Test
  void anIntentOfThisBootThatProvablyNeverBeganIsStartedOnceWithinItsDeadline() throws Exception {
    try (var krontabs = krontabs()) {
      intended(krontabs, null);
      assertEquals(0, krontabs.awaitEntries("job", 1).exitCode());
      assertEquals(List.of("2026-05-04T12:00:00Z"), lines("ran"));
      assertEquals(1, krontabs.history("job").size());
    }
  }

  /**
   * A daemon that finds the intent of 12:00 at 12:00:30, and of the run no more than its directory.
   */
  private void intended(TestDaemon krontabs, @org.jspecify.annotations.Nullable String boot)
      throws Exception {
    krontabs
        .write(
            "* * * * * @policy(deadline=1m) name=job shell=true command=\"echo $KRON_PERIOD >> "
                + file("ran")
                + "\"")
        .start();
    krontabs.stop();
    krontabs.clocks.pass(Duration.ofSeconds(32));
    Files.createDirectory(krontabs.statePath().resolve("runs/01hzzzzzzz0000000000000001"));
    String bootId = Files.readString(Path.of("/proc/sys/kernel/random/boot_id")).strip();
    String own = "\"BootID\":\"" + bootId + "\"";
    write(
        krontabs.stateFile("job"),
        """
        {"Version":"1","Identity":"%s","LastHandledPeriodID":"","LastOutcome":"",
        "LastChosenTime":"","LastNominalTime":"",
        "ActiveExecution":{"PeriodID":"2026-05-04T12:00:00Z","PID":0,
        "StartedAt":"2026-05-04T12:00:00Z","ChosenTime":"2026-05-04T12:00:00Z",
        "RunID":"01hzzzzzzz0000000000000001",%s,"StartTicks":0,"Phase":"intended"},
        "History":[]}
        """
            .formatted(krontabs.identity("job"), boot == null ? own : boot));
    krontabs.start();
  }

  private static void write(Path file, String text) throws IOException {
    Files.writeString(file, text);
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
  }

  /** The members of the state format and no others, as another implementation would write them. */
  @Test
  void aRunOfWhichOnlyAProcessIdIsKnownEndedSomehowAndItsJobGoesOn() throws Exception {
    try (var krontabs = krontabs()) {
      krontabs
          .write(
              "* * * * * @policy(deadline=1h) name=job shell=true command=\"echo $KRON_PERIOD >> "
                  + file("ran")
                  + "\"")
          .start();
      krontabs.stop();
      krontabs.clocks.pass(Duration.ofSeconds(32));
      write(
          krontabs.stateFile("job"),
          """
          {"Version":"1","Identity":"%s","LastHandledPeriodID":"2026-05-04T11:59:00Z",
          "LastOutcome":"executed","LastChosenTime":"2026-05-04T11:59:00Z",
          "LastNominalTime":"2026-05-04T11:59:00Z",
          "ActiveExecution":{"PeriodID":"2026-05-04T12:00:00Z","PID":%d,
          "StartedAt":"2026-05-04T12:00:00Z","ChosenTime":"2026-05-04T12:00:00Z"},
          "History":[]}
          """
              .formatted(krontabs.identity("job"), ProcessHandle.current().pid()));
      krontabs.start();
      HistoryEntry entry = krontabs.awaitEntries("job", 1);
      assertEquals(Outcome.EXECUTED, entry.outcome());
      assertNull(entry.exitCode(), "a process that has its number proves nothing");
      assertEquals(
          Instant.parse("2026-05-04T12:00:00Z").getEpochSecond(),
          krontabs.job("job").lastHandled());
      krontabs.passUntil("2026-05-04T12:01:01Z");
      krontabs.awaitEntries("job", 2);
      assertEquals(List.of("2026-05-04T12:01:00Z"), lines("ran"), "12:00 is never started again");
    }
  }

  @Test
  void aHundredTimesAsManyNewJobsAreNoMoreSyncs() throws Exception {
    int few = syncsOfAStartWith(5, "few");
    int many = syncsOfAStartWith(500, "many");
    assertEquals(few, many);
  }

  private int syncsOfAStartWith(int jobs, String name) throws Exception {
    var syncs = new AtomicInteger();
    Disk real = new LinuxDisk();
    Disk counting = counting(Disk.class, real, syncs);
    try (var krontabs =
        new TestDaemon(Files.createDirectory(file(name)), "2026-05-04T11:59:58Z").on(counting)) {
      krontabs
          .write(
              IntStream.range(0, jobs)
                  .mapToObj(i -> "0 0 1 1 * name=job" + i + " command=/bin/true")
                  .toArray(String[]::new))
          .start();
      assertTrue(krontabs.log().contains("event=ready jobs=" + jobs), krontabs.log());
      int counted = syncs.get();
      assertTrue(
          Files.readString(krontabs.statePath().resolve("arrivals")).lines().count() >= jobs,
          "the moment they were first seen is on disk");
      return counted;
    }
  }

  /**
   * A disk, or a file that it opened, whose syncs are counted; those of the ledger are not, since
   * it writes by the second on a thread of its own.
   */
  private static <T> T counting(Class<T> type, T real, AtomicInteger syncs) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, arguments) -> {
              if (method.getName().equals("sync")
                  && !Thread.currentThread().getName().equals("ledger")) {
                syncs.incrementAndGet();
              }
              try {
                Object result = method.invoke(real, arguments);
                return result instanceof Disk.Output output
                    ? counting(Disk.Output.class, output, syncs)
                    : result;
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            }));
  }

  @Test
  void anEditWhileNoDaemonWasThereNeverRunsThePast() throws Exception {
    try (var krontabs = krontabs()) {
      krontabs.write("0 18 * * * name=edited command=/bin/true").start();
      krontabs.stop();
      krontabs.write("0 12 * * * @policy(deadline=24h) name=edited command=/bin/true");
      krontabs.clocks.pass(Duration.ofHours(1));
      krontabs.start().pass(Duration.ofSeconds(5));
      assertEquals(List.of(), krontabs.history("edited"), "noticed at 12:59:58");
      krontabs.stop();
      krontabs.clocks.pass(Duration.ofHours(24));
      krontabs.start();
      krontabs.awaitEntries("edited", 1);
      assertEquals(List.of("2026-05-05T12:00:00Z executed"), outcomes(krontabs, "edited"));
    }
  }

  @Test
  void aJobThatComesBackIsTreatedAsAfterDowntime() throws Exception {
    String strict = "0 * * * * @policy(deadline=10s) name=strict command=/bin/true";
    String patient = "0 * * * * @policy(deadline=10m) name=patient command=/bin/true";
    try (var krontabs = krontabs()) {
      krontabs.write(strict, patient).start();
      krontabs.write("# nothing");
      krontabs.ask(new Request.Reload());
      krontabs.passUntil("2026-05-04T14:00:30Z");
      krontabs.write(strict, patient);
      krontabs.ask(new Request.Reload());
      krontabs.awaitEntries("strict", 1);
      krontabs.awaitEntries("patient", 1);
      assertEquals(List.of("2026-05-04T14:00:00Z missed"), outcomes(krontabs, "strict"));
      assertEquals(List.of("2026-05-04T14:00:00Z executed"), outcomes(krontabs, "patient"));
    }
  }

  @Test
  void aJobThatComesBackWithoutTheStateItHadRunsOnlyWindowsThatOpenLater() throws Exception {
    String job =
        "0 * * * * @win(after,10m) @policy(deadline=1h) name=back shell=true command=\"echo"
            + " $KRON_PERIOD >> "
            + file("ran")
            + "\"";
    try (var krontabs = krontabs()) {
      krontabs.write(job).start().passUntil("2026-05-04T12:10:01Z");
      krontabs.awaitEntries("back", 1);
      krontabs.stop();
      Files.writeString(krontabs.stateFile("back"), "rotten");
      krontabs.write("# nothing");
      krontabs.clocks.set("2026-05-04T12:00:00Z"); // its window opens again
      krontabs.start();
      krontabs.write(job);
      krontabs.ask(new Request.Reload());
      krontabs.passUntil("2026-05-04T13:10:01Z");
      krontabs.awaitEntries("back", 1);
      assertEquals(List.of("2026-05-04T12:00:00Z", "2026-05-04T13:00:00Z"), lines("ran"));
    }
  }

  @Test
  void aJobThatItsFileNoLongerSuspendsIsTreatedAsAfterDowntime() throws Exception {
    String job = "0 * * * * @policy(deadline=10m%s) name=job command=/bin/true";
    try (var krontabs = krontabs()) {
      krontabs.write(job.formatted(",suspend=true")).start().passUntil("2026-05-04T14:00:30Z");
      assertEquals(List.of(), krontabs.history("job"), "a suspended job records nothing");
      krontabs.write(job.formatted(""));
      krontabs.ask(new Request.Reload());
      krontabs.awaitEntries("job", 1);
      assertEquals(List.of("2026-05-04T14:00:00Z executed"), outcomes(krontabs, "job"));
    }
  }

  @Test
  void outputIsKeptAsLongAsItsHistoryEntry() throws Exception {
    try (var krontabs = krontabs().keeping(2, 1L << 30)) {
      krontabs.write("@manual name=talks command=\"echo hello\"").start();
      String first = trigger(krontabs, 1);
      String second = trigger(krontabs, 2);
      assertTrue(Files.exists(output(krontabs, first)));
      String third = trigger(krontabs, 2);
      krontabs.await("the first to go", () -> Files.notExists(output(krontabs, first)));
      assertEquals("hello\n", Files.readString(output(krontabs, second)));
      assertEquals("hello\n", Files.readString(output(krontabs, third)));
    }
  }

  @Test
  void outputOfAllRunsIsBoundedTheOldestEndedGoFirst() throws Exception {
    try (var krontabs = krontabs().keeping(100, 300_000)) {
      krontabs
          .write(
              "0 0 1 1 * name=talks shell=true command=\"head -c 100000 /dev/zero\"",
              "0 0 1 1 * name=goes-on shell=true command=\"head -c 100000 /dev/zero; "
                  + until("go")
                  + "\"")
          .start();
      var asked = (Answer.Done) krontabs.ask(new Request.Trigger(krontabs.identity("goes-on")));
      String oldest = Objects.requireNonNull(asked.runId());
      Path writing = output(krontabs, oldest);
      krontabs.await("it writes", () -> Files.exists(writing) && Files.size(writing) == 100_000);
      String first = trigger(krontabs, 1);
      String second = trigger(krontabs, 2);
      krontabs.keepHouse();
      assertFalse(Files.exists(output(krontabs, first)), "the oldest that has ended");
      assertEquals(100_000, Files.size(output(krontabs, second)));
      assertEquals(100_000, Files.size(output(krontabs, oldest)), "it goes on");
      Files.createFile(file("go"));
    }
  }

  @Test
  void outputIsDroppedSoonAfterItPassesTheLimit() throws Exception {
    try (var krontabs = krontabs().keeping(100, 250_000)) {
      krontabs
          .write("0 0 1 1 * name=talks shell=true command=\"head -c 100000 /dev/zero\"")
          .start();
      String first = trigger(krontabs, 1);
      trigger(krontabs, 2);
      String third = trigger(krontabs, 3);
      krontabs.await("the first to go", () -> Files.notExists(output(krontabs, first)));
      assertEquals(100_000, Files.size(output(krontabs, third)));
    }
  }

  private static Path output(TestDaemon krontabs, String runId) {
    return krontabs.statePath().resolve("runs").resolve(runId).resolve("stdout");
  }

  /** Runs the job now, until its end is on record. */
  private static String trigger(TestDaemon krontabs, int entries) throws Exception {
    var done = (Answer.Done) krontabs.ask(new Request.Trigger(krontabs.identity("talks")));
    String runId = Objects.requireNonNull(done.runId());
    krontabs.awaitEntry("talks", "its end", entry -> runId.equals(entry.runId()));
    assertEquals(entries, krontabs.history("talks").size());
    return runId;
  }
}
