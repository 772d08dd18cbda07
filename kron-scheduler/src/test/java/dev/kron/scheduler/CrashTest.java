package dev.kron.scheduler;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A real process, killed for real, again and again: what it said was durable is there, what it was
 * running runs once more, and nobody else gets at its state while it lives.
 */
@Timeout(240)
class CrashTest {
  private static final long SEED = Long.getLong("kron.seed", 20_261_115L);
  private static final int CRASHES = Integer.getInteger("kron.crashes", 5);

  private final SplittableRandom random = new SplittableRandom(SEED);
  private final Map<String, Instant> lastSuccess = new HashMap<>();
  private final Map<String, Instant> lastFailure = new HashMap<>();
  private final Map<String, Instant> lastStart = new HashMap<>();

  @Test
  void survivesSigkillAtRandomMoments(@TempDir Path directory) throws Exception {
    Path file = directory.resolve("tasks.json");
    Instant clock = Instant.parse("2026-03-01T10:00:30Z");
    Set<String> interrupted = Set.of();
    for (int crash = 0; crash < CRASHES; crash++) {
      List<String[]> events = runAndKill(file, clock, 1 + random.nextInt(400));
      checkOrphans(events, interrupted);
      for (String[] event : events) {
        take(event);
        Instant at = Instant.parse(event[2]);
        clock = at.isAfter(clock) ? at : clock;
      }
      Map<String, TaskState> states = load(file);
      checkHistory(states);
      interrupted = new TreeSet<>();
      for (TaskState state : states.values()) {
        if (state.runningUnder() != null) {
          interrupted.add(state.name());
        }
      }
      clock = clock.plusSeconds(1);
    }
    assertFalse(lastSuccess.isEmpty() || lastFailure.isEmpty(), "nothing happened");
  }

  /** What a process printed until it was killed, some time after so many lines. */
  private List<String[]> runAndKill(Path file, Instant clock, int lines) throws Exception {
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-cp",
                System.getProperty("java.class.path"),
                CrashProgram.class.getName(),
                file.toString(),
                clock.toString())
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    List<String[]> events = new ArrayList<>();
    try (BufferedReader output = process.inputReader()) {
      boolean checkedLock = false;
      for (String line = output.readLine(); line != null; line = output.readLine()) {
        events.add(line.split(" "));
        if (!checkedLock && line.startsWith("SchedulerInitializationCompleted")) {
          checkedLock = true;
          checkLocked(file, process.pid());
        }
        if (events.size() == lines + 20) {
          // The handle's, because the process's own would close the output as well.
          process.toHandle().destroyForcibly();
        }
      }
    } finally {
      process.destroyForcibly().waitFor();
    }
    // A line may have been cut off by the kill; what it says was durable all the same.
    events.removeIf(event -> event.length != 4 || !event[2].endsWith("Z"));
    return events;
  }

  private static void checkLocked(Path file, long pid) {
    var refused =
        assertThrows(TaskStoreException.class, () -> FileTaskStore.at(file).open().close());
    String message = String.valueOf(refused.getMessage());
    assertTrue(message.contains("(process " + pid + ")"), message);
  }

  private void take(String[] event) {
    Instant at = Instant.parse(event[2]);
    switch (event[0]) {
      case "TaskRunStarted", "TaskRetryStarted" -> lastStart.put(event[1], at);
      case "TaskRunCompleted" -> lastSuccess.put(event[1], at);
      case "TaskRunFailed" -> lastFailure.put(event[1], at);
      default -> {}
    }
  }

  private static Map<String, TaskState> load(Path file) throws IOException {
    try (var session = FileTaskStore.at(file).open()) {
      return States.byName(session.load());
    }
  }

  /** Whatever was told is remembered; what is remembered beyond it had not been told yet. */
  private void checkHistory(Map<String, TaskState> states) {
    lastStart.forEach((name, at) -> checkNotBefore(name, at, states.get(name), 0));
    lastSuccess.forEach((name, at) -> checkNotBefore(name, at, states.get(name), 1));
    lastFailure.forEach((name, at) -> checkNotBefore(name, at, states.get(name), 2));
  }

  private static void checkNotBefore(
      String name, Instant told, @Nullable TaskState state, int which) {
    assertTrue(state != null, () -> name + " was forgotten");
    Instant remembered =
        switch (which) {
          case 0 -> state.lastAttemptAt();
          case 1 -> state.lastSuccessAt();
          default -> state.lastFailureAt();
        };
    assertTrue(
        remembered != null && !remembered.isBefore(told),
        () -> name + ": told " + told + ", remembered " + state + ", seed " + SEED);
  }

  /** Everything that was cut off starts once as an orphan, and nothing else does. */
  private static void checkOrphans(List<String[]> events, Set<String> interrupted) {
    List<String> orphans = new ArrayList<>();
    for (String[] event : events) {
      if (event[3].equals("ORPHANED")) {
        orphans.add(event[1]);
      }
    }
    orphans.sort(null);
    assertEquals(List.copyOf(interrupted), orphans, "seed " + SEED);
  }

  @Test
  void aStoppedProcessLeavesNothingToRecover(@TempDir Path directory) throws IOException {
    Path file = directory.resolve("tasks.json");
    var scheduler = DeclarativeScheduler.create(FileTaskStore.at(file));
    scheduler.initialize(
        List.of(new Registration("a", "0 0 1 1 *", () -> {}, Duration.ofMinutes(1))));
    scheduler.stop();
    assertEquals(Set.of("a"), load(file).keySet());
  }
}
