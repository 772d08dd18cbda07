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

  private TestDaemon daemon() throws IOException {
    return new TestDaemon(directory, "2026-05-04T11:59:58Z");
  }

  private Path file(String name) {
    return directory.resolve(name);
  }

  private String until(String name) {
    return "while [ ! -e " + file(name) + " ]; do sleep 0.02; done";
  }

  private static List<String> outcomes(TestDaemon daemon, String name) {
    return daemon.history(name).stream()
        .map(entry -> Instant.ofEpochSecond(entry.nominal()) + " " + entry.outcome().text())
        .toList();
  }

  /** Everything that a run of the job left, by which its command could be told to have begun. */
  private List<String> lines(String name) throws IOException {
    return Files.exists(file(name)) ? Files.readAllLines(file(name)) : List.of();
  }

  @Test
  void allRunsOfAJobAreFoundAgainAndTheFileShowsTheLastOneFirst() throws Exception {
    try (var daemon = daemon()) {
      daemon
          .write(
              "* * * * * @policy(concurrency=allow) name=many shell=true command=\""
                  + until("go")
                  + "; exit 4\"")
          .start()
          .passUntil("2026-05-04T12:02:01Z");
      daemon.await(
          "three at once",
          () ->
              daemon.job("many").active().stream()
                      .filter(run -> run.phase() == ActiveRun.Phase.STARTED)
                      .count()
                  == 3);
      Json state = daemon.stateOf("many");
      assertEquals("2026-05-04T12:02:00Z", state.get("ActiveExecution").text("PeriodID"));
      assertEquals(
          List.of("2026-05-04T12:00:00Z", "2026-05-04T12:01:00Z"),
          state.list("OtherActive").stream().map(run -> run.text("PeriodID")).toList());
      daemon.stop();
      daemon.start();
      Files.createFile(file("go"));
      daemon.awaitEntries("many", 3);
      for (HistoryEntry entry : daemon.history("many")) {
        assertEquals(4, entry.exitCode());
      }
      assertEquals(
          Instant.parse("2026-05-04T12:02:00Z").getEpochSecond(), daemon.job("many").lastHandled());
    }
  }

  @Test
  void aBrokenStateFileIsMovedAsideAndTheRunThatGoesOnIsFoundAndNothingRunsTwice()
      throws Exception {
    try (var daemon = daemon()) {
      daemon
          .write(
              "0 * * * * @win(after,10m) @policy(deadline=1h,concurrency=allow) name=lost"
                  + " shell=true command=\"echo $KRON_PERIOD >> "
                  + file("ran")
                  + "; "
                  + until("go")
                  + "; exit 5\"")
          .start()
          .passUntil("2026-05-04T12:10:01Z");
      daemon.await("it runs", () -> lines("ran").size() == 1);
      daemon.stop();
      Path file = daemon.stateFile("lost");
      Files.writeString(file, "{\"Version\":\"1\",");
      daemon.start();
      Path aside = file.resolveSibling(file.getFileName() + ".corrupt." + "20260504T121001Z");
      assertEquals("{\"Version\":\"1\",", Files.readString(aside));
      assertTrue(daemon.log().contains("event=quarantined"), daemon.log());
      Files.createFile(file("go"));
      assertEquals(5, daemon.awaitEntries("lost", 1).exitCode());
      daemon.pass(Duration.ofMinutes(5));
      assertEquals(List.of("2026-05-04T12:00:00Z"), lines("ran"), "its deadline would allow it");
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aRunWhoseKeeperWasKilledEndsUnknownWhenItsProcessesAreGone(boolean daemonThere)
      throws Exception {
    try (var daemon = daemon()) {
      daemon
          .write("* * * * * name=job shell=true command=\"" + until("go") + "\"")
          .start()
          .passUntil("2026-05-04T12:00:00Z");
      daemon.await("its keeper", () -> daemon.log().contains("event=run_started"));
      int keeper = daemon.job("job").active().getFirst().pid();
      if (!daemonThere) {
        daemon.stop();
      }
      assertTrue(ProcessHandle.of(keeper).orElseThrow().destroyForcibly());
      daemon.await("the keeper's end", () -> !TestProcesses.lives(keeper));
      if (!daemonThere) {
        daemon.start();
      }
      daemon.passUntil("2026-05-04T12:01:01Z");
      assertEquals(Outcome.SKIPPED, daemon.awaitEntries("job", 1).outcome(), "it goes on");
      Files.createFile(file("go"));
      HistoryEntry entry = daemon.awaitEntries("job", 2);
      assertEquals(Outcome.EXECUTED, entry.outcome());
      assertNull(entry.exitCode(), "it was 0, but nobody can know");
      String reason = Objects.requireNonNull(entry.reason());
      assertTrue(reason.contains("ended without writing an exit status"), reason);
    }
  }

  @Test
  void anIntentOfAnotherBootIsExecutedWithAnUnknownExitCodeAndNeverStarted() throws Exception {
    try (var daemon = daemon()) {
      intended(daemon, "\"BootID\":\"another-boot\"");
      HistoryEntry entry = daemon.awaitEntries("job", 1);
      assertEquals(Outcome.EXECUTED, entry.outcome());
      assertNull(entry.exitCode());
      assertEquals("the machine was restarted before anything was known of it", entry.reason());
      daemon.passUntil("2026-05-04T12:01:01Z");
      daemon.awaitEntries("job", 2);
      assertEquals(List.of("2026-05-04T12:01:00Z"), lines("ran"));
    }
  }

  @Test
  void anIntentOfThisBootThatProvablyNeverBeganIsStartedOnceWithinItsDeadline() throws Exception {
    try (var daemon = daemon()) {
      intended(daemon, null);
      assertEquals(0, daemon.awaitEntries("job", 1).exitCode());
      assertEquals(List.of("2026-05-04T12:00:00Z"), lines("ran"));
      assertEquals(1, daemon.history("job").size());
    }
  }

  /**
   * A daemon that finds the intent of 12:00 at 12:00:30, and of the run no more than its directory.
   */
  private void intended(TestDaemon daemon, @org.jspecify.annotations.Nullable String boot)
      throws Exception {
    daemon
        .write(
            "* * * * * @policy(deadline=1m) name=job shell=true command=\"echo $KRON_PERIOD >> "
                + file("ran")
                + "\"")
        .start();
    daemon.stop();
    daemon.clocks.pass(Duration.ofSeconds(32));
    Files.createDirectory(daemon.statePath().resolve("runs/01hzzzzzzz0000000000000001"));
    String bootId = Files.readString(Path.of("/proc/sys/kernel/random/boot_id")).strip();
    String own = "\"BootID\":\"" + bootId + "\"";
    write(
        daemon.stateFile("job"),
        """
        {"Version":"1","Identity":"%s","LastHandledPeriodID":"","LastOutcome":"",
        "LastChosenTime":"","LastNominalTime":"",
        "ActiveExecution":{"PeriodID":"2026-05-04T12:00:00Z","PID":0,
        "StartedAt":"2026-05-04T12:00:00Z","ChosenTime":"2026-05-04T12:00:00Z",
        "RunID":"01hzzzzzzz0000000000000001",%s,"StartTicks":0,"Phase":"intended"},
        "History":[]}
        """
            .formatted(daemon.identity("job"), boot == null ? own : boot));
    daemon.start();
  }

  private static void write(Path file, String text) throws IOException {
    Files.writeString(file, text);
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
  }

  /** The members of the state format and no others, as another implementation would write them. */
  @Test
  void aRunOfWhichOnlyAProcessIdIsKnownEndedSomehowAndItsJobGoesOn() throws Exception {
    try (var daemon = daemon()) {
      daemon
          .write(
              "* * * * * @policy(deadline=1h) name=job shell=true command=\"echo $KRON_PERIOD >> "
                  + file("ran")
                  + "\"")
          .start();
      daemon.stop();
      daemon.clocks.pass(Duration.ofSeconds(32));
      write(
          daemon.stateFile("job"),
          """
          {"Version":"1","Identity":"%s","LastHandledPeriodID":"2026-05-04T11:59:00Z",
          "LastOutcome":"executed","LastChosenTime":"2026-05-04T11:59:00Z",
          "LastNominalTime":"2026-05-04T11:59:00Z",
          "ActiveExecution":{"PeriodID":"2026-05-04T12:00:00Z","PID":%d,
          "StartedAt":"2026-05-04T12:00:00Z","ChosenTime":"2026-05-04T12:00:00Z"},
          "History":[]}
          """
              .formatted(daemon.identity("job"), ProcessHandle.current().pid()));
      daemon.start();
      HistoryEntry entry = daemon.awaitEntries("job", 1);
      assertEquals(Outcome.EXECUTED, entry.outcome());
      assertNull(entry.exitCode(), "a process that has its number proves nothing");
      assertEquals(
          Instant.parse("2026-05-04T12:00:00Z").getEpochSecond(), daemon.job("job").lastHandled());
      daemon.passUntil("2026-05-04T12:01:01Z");
      daemon.awaitEntries("job", 2);
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
    try (var daemon =
        new TestDaemon(Files.createDirectory(file(name)), "2026-05-04T11:59:58Z").on(counting)) {
      daemon
          .write(
              IntStream.range(0, jobs)
                  .mapToObj(i -> "0 0 1 1 * name=job" + i + " command=/bin/true")
                  .toArray(String[]::new))
          .start();
      assertTrue(daemon.log().contains("event=ready jobs=" + jobs), daemon.log());
      int counted = syncs.get();
      assertTrue(
          Files.readString(daemon.statePath().resolve("arrivals")).lines().count() >= jobs,
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
    try (var daemon = daemon()) {
      daemon.write("0 18 * * * name=edited command=/bin/true").start();
      daemon.stop();
      daemon.write("0 12 * * * @policy(deadline=24h) name=edited command=/bin/true");
      daemon.clocks.pass(Duration.ofHours(1));
      daemon.start().pass(Duration.ofSeconds(5));
      assertEquals(List.of(), daemon.history("edited"), "noticed at 12:59:58");
      daemon.stop();
      daemon.clocks.pass(Duration.ofHours(24));
      daemon.start();
      daemon.awaitEntries("edited", 1);
      assertEquals(List.of("2026-05-05T12:00:00Z executed"), outcomes(daemon, "edited"));
    }
  }

  @Test
  void aJobThatComesBackIsTreatedAsAfterDowntime() throws Exception {
    String strict = "0 * * * * @policy(deadline=10s) name=strict command=/bin/true";
    String patient = "0 * * * * @policy(deadline=10m) name=patient command=/bin/true";
    try (var daemon = daemon()) {
      daemon.write(strict, patient).start();
      daemon.write("# nothing");
      daemon.ask(new Request.Reload());
      daemon.passUntil("2026-05-04T14:00:30Z");
      daemon.write(strict, patient);
      daemon.ask(new Request.Reload());
      daemon.awaitEntries("strict", 1);
      daemon.awaitEntries("patient", 1);
      assertEquals(List.of("2026-05-04T14:00:00Z missed"), outcomes(daemon, "strict"));
      assertEquals(List.of("2026-05-04T14:00:00Z executed"), outcomes(daemon, "patient"));
    }
  }

  @Test
  void aJobThatComesBackWithoutTheStateItHadRunsOnlyWindowsThatOpenLater() throws Exception {
    String job =
        "0 * * * * @win(after,10m) @policy(deadline=1h) name=back shell=true command=\"echo"
            + " $KRON_PERIOD >> "
            + file("ran")
            + "\"";
    try (var daemon = daemon()) {
      daemon.write(job).start().passUntil("2026-05-04T12:10:01Z");
      daemon.awaitEntries("back", 1);
      daemon.stop();
      Files.writeString(daemon.stateFile("back"), "rotten");
      daemon.write("# nothing");
      daemon.clocks.set("2026-05-04T12:00:00Z"); // its window opens again
      daemon.start();
      daemon.write(job);
      daemon.ask(new Request.Reload());
      daemon.passUntil("2026-05-04T13:10:01Z");
      daemon.awaitEntries("back", 1);
      assertEquals(List.of("2026-05-04T12:00:00Z", "2026-05-04T13:00:00Z"), lines("ran"));
    }
  }

  @Test
  void aJobThatItsFileNoLongerSuspendsIsTreatedAsAfterDowntime() throws Exception {
    String job = "0 * * * * @policy(deadline=10m%s) name=job command=/bin/true";
    try (var daemon = daemon()) {
      daemon.write(job.formatted(",suspend=true")).start().passUntil("2026-05-04T14:00:30Z");
      assertEquals(List.of(), daemon.history("job"), "a suspended job records nothing");
      daemon.write(job.formatted(""));
      daemon.ask(new Request.Reload());
      daemon.awaitEntries("job", 1);
      assertEquals(List.of("2026-05-04T14:00:00Z executed"), outcomes(daemon, "job"));
    }
  }

  @Test
  void outputIsKeptAsLongAsItsHistoryEntry() throws Exception {
    try (var daemon = daemon().keeping(2, 1L << 30)) {
      daemon.write("@manual name=talks command=\"echo hello\"").start();
      String first = trigger(daemon, 1);
      String second = trigger(daemon, 2);
      assertTrue(Files.exists(output(daemon, first)));
      String third = trigger(daemon, 2);
      daemon.await("the first to go", () -> Files.notExists(output(daemon, first)));
      assertEquals("hello\n", Files.readString(output(daemon, second)));
      assertEquals("hello\n", Files.readString(output(daemon, third)));
    }
  }

  @Test
  void outputOfAllRunsIsBoundedTheOldestEndedGoFirst() throws Exception {
    try (var daemon = daemon().keeping(100, 300_000)) {
      daemon
          .write(
              "0 0 1 1 * name=talks shell=true command=\"head -c 100000 /dev/zero\"",
              "0 0 1 1 * name=goes-on shell=true command=\"head -c 100000 /dev/zero; "
                  + until("go")
                  + "\"")
          .start();
      var asked = (Answer.Done) daemon.ask(new Request.Trigger(daemon.identity("goes-on")));
      String oldest = Objects.requireNonNull(asked.runId());
      Path writing = output(daemon, oldest);
      daemon.await("it writes", () -> Files.exists(writing) && Files.size(writing) == 100_000);
      String first = trigger(daemon, 1);
      String second = trigger(daemon, 2);
      daemon.keepHouse();
      assertFalse(Files.exists(output(daemon, first)), "the oldest that has ended");
      assertEquals(100_000, Files.size(output(daemon, second)));
      assertEquals(100_000, Files.size(output(daemon, oldest)), "it goes on");
      Files.createFile(file("go"));
    }
  }

  @Test
  void outputIsDroppedSoonAfterItPassesTheLimit() throws Exception {
    try (var daemon = daemon().keeping(100, 250_000)) {
      daemon.write("0 0 1 1 * name=talks shell=true command=\"head -c 100000 /dev/zero\"").start();
      String first = trigger(daemon, 1);
      trigger(daemon, 2);
      String third = trigger(daemon, 3);
      daemon.await("the first to go", () -> Files.notExists(output(daemon, first)));
      assertEquals(100_000, Files.size(output(daemon, third)));
    }
  }

  private static Path output(TestDaemon daemon, String runId) {
    return daemon.statePath().resolve("runs").resolve(runId).resolve("stdout");
  }

  /** Runs the job now, until its end is on record. */
  private static String trigger(TestDaemon daemon, int entries) throws Exception {
    var done = (Answer.Done) daemon.ask(new Request.Trigger(daemon.identity("talks")));
    String runId = Objects.requireNonNull(done.runId());
    daemon.awaitEntry("talks", "its end", entry -> runId.equals(entry.runId()));
    assertEquals(entries, daemon.history("talks").size());
    return runId;
  }
}
