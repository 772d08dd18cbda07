package dev.kron.scheduler.testkit;

import static dev.kron.scheduler.testkit.Tasks.FAILS;
import static dev.kron.scheduler.testkit.Tasks.instants;
import static dev.kron.scheduler.testkit.Tasks.kitAt;
import static dev.kron.scheduler.testkit.Tasks.names;
import static dev.kron.scheduler.testkit.Tasks.task;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kron.scheduler.SchedulerEvent.Cause;
import dev.kron.scheduler.SchedulerEvent.TaskRunFailed;
import dev.kron.scheduler.SchedulerEvent.TaskRunStarted;
import dev.kron.scheduler.TaskState;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** The states of a task, its timestamps, and the events between them. */
class TaskLifecycleTest {
  private final SchedulerTestKit kit = kitAt("2026-03-01T10:00:30Z");

  private TaskState state(String name) {
    return kit.state(name).orElseThrow();
  }

  @Test
  void runsAtTheStartOfEachMatchingMinute() {
    kit.initialize(List.of(task("a", "1,3 * * * *")));
    kit.clearEvents();
    kit.advance(Duration.ofMinutes(5));
    assertEquals(instants("2026-03-01T10:01:00Z", "2026-03-01T10:03:00Z"), kit.starts("a"));
    assertEquals(
        List.of("TaskRunStarted a", "TaskRunCompleted a", "TaskRunStarted a", "TaskRunCompleted a"),
        names(kit));
  }

  @Test
  void recordsAttemptAndSuccess() {
    kit.lasts("a", Duration.ofSeconds(20));
    kit.initialize(List.of(task("a", "1 * * * *")));
    kit.advanceTo(Instant.parse("2026-03-01T10:01:10Z"));
    assertEquals(Instant.parse("2026-03-01T10:01:00Z"), state("a").lastAttemptAt());
    assertNull(state("a").lastSuccessAt());
    assertTrue(state("a").runningUnder() != null);
    kit.advance(Duration.ofMinutes(1));
    assertEquals(Instant.parse("2026-03-01T10:01:20Z"), state("a").lastSuccessAt());
    assertNull(state("a").runningUnder());
    assertNull(state("a").pendingRetryUntil());
  }

  @Test
  void recordsFailureAndWaitsForTheRetryDelay() {
    kit.initialize(List.of(task("a", "1 10 * * *", FAILS, Duration.ofMinutes(7))));
    kit.advanceTo(Instant.parse("2026-03-01T10:05:00Z"));
    assertEquals(Instant.parse("2026-03-01T10:01:00Z"), state("a").lastFailureAt());
    assertEquals(Instant.parse("2026-03-01T10:08:00Z"), state("a").pendingRetryUntil());
    var failed = (TaskRunFailed) kit.events().getLast();
    assertEquals("as planned", failed.cause().getMessage());
    assertEquals(Instant.parse("2026-03-01T10:08:00Z"), failed.retryAt());
  }

  @Test
  void retriesUntilItSucceeds() {
    var attempts = new AtomicInteger();
    kit.initialize(
        List.of(
            task(
                "a",
                "1 10 * * *",
                () -> {
                  if (attempts.incrementAndGet() < 3) {
                    throw new IOException("not yet");
                  }
                },
                Duration.ofSeconds(90))));
    kit.clearEvents();
    kit.advance(Duration.ofHours(5));
    assertEquals(
        instants("2026-03-01T10:01:00Z", "2026-03-01T10:02:30Z", "2026-03-01T10:04:00Z"),
        kit.starts("a"));
    assertEquals(
        List.of(
            "TaskRunStarted a",
            "TaskRunFailed a",
            "TaskRetryStarted a",
            "TaskRunFailed a",
            "TaskRetryStarted a",
            "TaskRunCompleted a"),
        names(kit));
    assertNull(state("a").pendingRetryUntil());
  }

  @Test
  void retriesAtOnceWithADelayOfZero() {
    var attempts = new AtomicInteger();
    kit.initialize(
        List.of(
            task(
                "a",
                "1 10 * * *",
                () -> {
                  if (attempts.incrementAndGet() < 4) {
                    throw new IOException("not yet");
                  }
                },
                Duration.ZERO)));
    kit.advance(Duration.ofHours(5));
    assertEquals(4, kit.starts("a").size());
    assertEquals(1, List.copyOf(new java.util.HashSet<>(kit.starts("a"))).size());
  }

  @Test
  void anOccurrencePreemptsARetry() {
    kit.initialize(List.of(task("a", "1,4 10 * * *", FAILS, Duration.ofMinutes(5))));
    kit.clearEvents();
    kit.advanceTo(Instant.parse("2026-03-01T10:08:00Z"));
    assertEquals(
        List.of(
            "TaskRunStarted a",
            "TaskRunFailed a",
            "TaskRetryPreempted a",
            "TaskRunStarted a",
            "TaskRunFailed a"),
        names(kit));
    assertEquals(instants("2026-03-01T10:01:00Z", "2026-03-01T10:04:00Z"), kit.starts("a"));
    assertEquals(Instant.parse("2026-03-01T10:09:00Z"), state("a").pendingRetryUntil());
  }

  @Test
  void anOccurrencePreemptsARetryThatIsDueInTheSameMoment() {
    kit.initialize(List.of(task("a", "1,4 10 * * *", FAILS, Duration.ofMinutes(3))));
    kit.clearEvents();
    kit.advanceTo(Instant.parse("2026-03-01T10:05:00Z"));
    assertEquals("TaskRetryPreempted a", names(kit).get(2));
    assertEquals(2, kit.starts("a").size());
  }

  @Test
  void runsEachTaskSeriallyAndAMissedOccurrenceOnceWhenTheRunEnds() {
    kit.lasts("a", Duration.ofMinutes(3).plusSeconds(20));
    kit.initialize(List.of(task("a", "1-3 10 * * *")));
    kit.advance(Duration.ofHours(1));
    assertEquals(instants("2026-03-01T10:01:00Z", "2026-03-01T10:04:20Z"), kit.starts("a"));
    var second =
        (TaskRunStarted)
            kit.events().stream()
                .filter(event -> event instanceof TaskRunStarted)
                .toList()
                .getLast();
    assertEquals(Cause.MISSED, second.cause());
    assertEquals(Instant.parse("2026-03-01T10:03:00Z"), second.due());
  }

  @Test
  void runsSeveralTasksAtTheSameTime() {
    kit.lasts("a", Duration.ofMinutes(2));
    kit.lasts("b", Duration.ofMinutes(2));
    kit.initialize(List.of(task("a", "1 * * * *"), task("b", "1 * * * *")));
    kit.advanceTo(Instant.parse("2026-03-01T10:02:00Z"));
    assertEquals(2, kit.inFlight());
  }

  @Test
  void aFailureDoesNotTouchOtherTasks() {
    kit.initialize(List.of(task("bad", "* * * * *", FAILS), task("good", "* * * * *")));
    kit.advance(Duration.ofMinutes(10));
    assertEquals(11, kit.starts("good").size());
  }

  @Test
  void takesAnErrorForAFailureToo() {
    kit.initialize(
        List.of(
            task(
                "a",
                "0 10 * * *",
                () -> {
                  throw new StackOverflowError();
                })));
    assertEquals("TaskRunFailed a", names(kit).getLast());
  }

  @Test
  void doesNotRunTwiceInOneMinute() {
    kit.initialize(List.of(task("a", "0 * * * *")));
    kit.stop();
    kit.advance(Duration.ofSeconds(10));
    kit.initialize(List.of(task("a", "0 * * * *")));
    kit.advance(Duration.ofSeconds(10));
    assertEquals(1, kit.starts("a").size());
  }

  @Test
  void aTaskThatNeverRestsIsReportedByTheKit() {
    assertThrows(
        IllegalStateException.class,
        () -> kit.initialize(List.of(task("a", "0 10 * * *", FAILS, Duration.ZERO))));
  }
}
