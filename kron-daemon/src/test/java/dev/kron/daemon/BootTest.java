package dev.kron.daemon;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.kron.daemon.loop.Request;
import dev.kron.job.HistoryEntry;
import dev.kron.json.Json;
import dev.kron.process.Exits;
import dev.kron.process.LinuxProcesses;
import dev.kron.process.Processes;
import dev.kron.schedule.Schedule;
import dev.kron.store.Disk;
import dev.kron.store.DiskException;
import dev.kron.store.DiskOverlay;
import dev.kron.store.FileStatus;
import dev.kron.store.LinuxDisk;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Jobs that run once whenever the machine was started, with real processes. */
final class BootTest {
  private static final String NOON = "2026-05-04T12:00:00Z";
  private static final String WINDOW = "@boot @win(after,10m) @policy(deadline=1s)";

  @TempDir Path directory;

  private String boot = "one.1";

  private TestDaemon daemon() throws Exception {
    return new TestDaemon(directory, NOON).with(this::processes);
  }

  /** The machine's processes, in whatever boot the test says. */
  private Processes processes(Exits exits) {
    Processes real = LinuxProcesses.open(exits);
    String named = boot;
    return (Processes)
        Proxy.newProxyInstance(
            Processes.class.getClassLoader(),
            new Class<?>[] {Processes.class},
            (proxy, method, arguments) -> {
              try {
                return method.getName().equals("boot") ? named : method.invoke(real, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  private String job(String name) {
    return "@boot name=%s shell=true command=\"echo $KRON_PERIOD $KRON_ATTEMPT >>%s\""
        .formatted(name, evidence(name));
  }

  private Path evidence(String name) {
    return directory.resolve(name);
  }

  private List<String> runs(String name) throws IOException {
    return Files.exists(evidence(name)) ? Files.readAllLines(evidence(name)) : List.of();
  }

  /** A run by hand has ended: whatever was due before it has begun by then. */
  private void nothingElseRuns(TestDaemon daemon, String name, List<String> runs) throws Exception {
    int entries = daemon.history("marker").size();
    daemon.pass(Duration.ofSeconds(3));
    var trigger = new Request.Trigger(daemon.identity("marker"));
    // Refused for as long as the daemon has not noticed that its disk works again.
    daemon.await(
        "a run by hand to be taken",
        () -> daemon.pass(Duration.ofSeconds(1)).ask(trigger).isDone());
    daemon.awaitEntries("marker", entries + 1);
    assertEquals(runs, runs(name));
  }

  private static final String MARKER = "@manual name=marker command=/bin/true";

  @Test
  void runsOncePerBootAndAJobThatIsAddedLaterWaitsForTheNext() throws Exception {
    try (var daemon = daemon()) {
      daemon.write(job("first"), MARKER).start();
      HistoryEntry entry = daemon.awaitEntries("first", 1);
      assertEquals("boot:one.1", entry.bootPeriod());
      assertEquals(daemon.clocks.now().getEpochSecond(), entry.nominal());
      assertEquals(List.of("boot:one.1 1"), runs("first"));
      Json state = daemon.stateOf("first");
      assertEquals("boot:one.1", state.text("LastHandledPeriodID"));
      assertEquals("1.2", state.text("Version"));

      daemon.write(job("first"), job("second"), MARKER);
      daemon.ask(new Request.Reload());
      nothingElseRuns(daemon, "second", List.of());
      daemon.stop();
      daemon.start();
      nothingElseRuns(daemon, "second", List.of());
      nothingElseRuns(daemon, "first", List.of("boot:one.1 1"));
      daemon.stop();

      boot = "one.2"; // the same kernel: a container was started again
      daemon.clocks.set("1970-01-01T00:00:05Z");
      daemon.start();
      daemon.awaitEntries("first", 2);
      daemon.awaitEntries("second", 1);
      assertEquals(List.of("boot:one.1 1", "boot:one.2 1"), runs("first"));
      assertEquals(List.of("boot:one.2 1"), runs("second"));
    }
  }

  @Test
  void aWindowIsWaitedForByTheClockThatNobodySetsAlsoThroughARestart() throws Exception {
    try (var daemon = daemon()) {
      String name = dueAfterAMinute(daemon);
      daemon.write(job(name).replace("@boot", WINDOW), MARKER).start().pass(Duration.ofSeconds(2));
      nothingElseRuns(daemon, name, List.of());
      daemon.stop();
      daemon.clocks.set("2025-01-01T00:00:00Z");
      daemon.start().pass(Duration.ofMinutes(11));
      assertEquals("boot:one.1", daemon.awaitEntries(name, 1).bootPeriod());
      assertEquals(List.of("boot:one.1 1"), runs(name));
    }
  }

  /** The second follows from the identity, which holds the test's directory: any of the window. */
  private static String dueAfterAMinute(TestDaemon daemon) {
    long noon = Instant.parse(NOON).getEpochSecond();
    Schedule schedule = Schedule.parse(WINDOW);
    return IntStream.range(0, 1000)
        .mapToObj(i -> "late" + i)
        .filter(
            name ->
                schedule.decideBoot(daemon.identity(name), "boot:one.1", noon).chosenEpochSecond()
                    > noon + 60)
        .findFirst()
        .orElseThrow();
  }

  @Test
  void aJobThatLostItsStateWaitsForTheNextBoot() throws Exception {
    try (var daemon = daemon()) {
      daemon.write(job("first"), MARKER).start();
      daemon.awaitEntries("first", 1);
      daemon.stop();
      Files.writeString(daemon.stateFile("first"), "{ not json");
      daemon.start();
      nothingElseRuns(daemon, "first", List.of("boot:one.1 1"));
      daemon.stop();
      boot = "two.1";
      daemon.start();
      daemon.awaitEntries("first", 1);
      assertEquals(List.of("boot:one.1 1", "boot:two.1 1"), runs("first"));
    }
  }

  /** It cannot have run in this boot, in which it was there from the beginning. */
  @Test
  void aJobThatLostItsStateEarlierRunsInThisBootThoughTheDiskIsFullAtTheStart() throws Exception {
    var disk = new FailingDisk(1);
    try (var daemon = daemon().on(disk)) {
      daemon.write("0 3 * * * name=first command=/bin/true", MARKER).start();
      daemon.ask(new Request.Trigger(daemon.identity("first")));
      daemon.awaitEntries("first", 1);
      daemon.stop();
      Files.writeString(daemon.stateFile("first"), "{ not json");
      daemon.start();
      daemon.stop();

      boot = "two.1";
      daemon.write(job("first"), MARKER);
      disk.begin(FailingDisk.Trouble.FULL);
      daemon.start();
      disk.end();
      daemon.await(
          "it to run", () -> !daemon.pass(Duration.ofSeconds(1)).history("first").isEmpty());
      assertEquals(List.of("boot:two.1 1"), runs("first"));
      nothingElseRuns(daemon, "first", List.of("boot:two.1 1"));
      daemon.stop();
      daemon.start();
      nothingElseRuns(daemon, "first", List.of("boot:two.1 1"));
    }
  }

  /** Neither what is there by now nor what was lost meanwhile is new to the boot. */
  @Test
  void aNoteThatCannotBeReadAtAStartIsNotWrittenAnew() throws Exception {
    var disk = new UnreadableBootDisk();
    try (var daemon = daemon().on(disk)) {
      daemon.write(job("first"), MARKER).start();
      daemon.awaitEntries("first", 1);
      daemon.stop();
      Path note = daemon.statePath().resolve("boot");
      String noted = Files.readString(note);

      daemon.write(job("first"), job("second"), MARKER);
      disk.unreadable = true;
      daemon.start();
      daemon.await(
          "the note to be looked for again", () -> daemon.log().contains("persistence_failed"));
      disk.unreadable = false;
      nothingElseRuns(daemon, "second", List.of());
      assertEquals(noted, Files.readString(note));
      assertEquals(List.of("boot:one.1 1"), runs("first"));
    }
  }

  /** The real disk, on which the note of a boot cannot always be read. */
  private static final class UnreadableBootDisk implements DiskOverlay {
    private final Disk disk = new LinuxDisk();
    private volatile boolean unreadable;

    @Override
    public Disk disk() {
      return disk;
    }

    @Override
    public @Nullable FileStatus status(Path path) throws DiskException {
      fail("look at", path);
      return disk.status(path);
    }

    @Override
    public int read(Path file, long offset, byte[] buffer) throws DiskException {
      fail("read", file);
      return disk.read(file, offset, buffer);
    }

    private void fail(String operation, Path file) throws DiskException {
      if (unreadable && file.endsWith("boot")) {
        throw new DiskException(operation, file, DiskException.Reason.INPUT_OUTPUT);
      }
    }
  }

  @Test
  void aFailureIsTriedAgainInTheSamePeriod() throws Exception {
    try (var daemon = daemon()) {
      String flaky =
          "@boot name=flaky retries=2 retrydelay=10s shell=true command=\"echo $KRON_PERIOD"
              + " $KRON_ATTEMPT >>%s; [ $KRON_ATTEMPT = 2 ]\"".formatted(evidence("flaky"));
      daemon.write(flaky).start();
      daemon.awaitEntries("flaky", 1);
      daemon.await("the wait", () -> daemon.job("flaky").retry() != null);
      daemon.stop();
      daemon.start().pass(Duration.ofSeconds(15));
      daemon.awaitEntries("flaky", 2);
      assertEquals(List.of("boot:one.1 1", "boot:one.1 2"), runs("flaky"));
    }
  }
}
