package dev.kron.scheduler.testkit;

import static dev.kron.scheduler.testkit.Tasks.kitAt;
import static dev.kron.scheduler.testkit.Tasks.names;
import static dev.kron.scheduler.testkit.Tasks.task;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.kron.scheduler.SchedulerAlreadyActiveException;
import dev.kron.scheduler.SchedulerEvent.SchedulerInitializationCompleted;
import dev.kron.scheduler.SchedulerEvent.SchedulerInitializationFailed;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The states of a scheduler and of its polling, and the events between them. */
class SchedulerLifecycleTest {
  private final SchedulerTestKit kit = kitAt("2026-03-01T10:00:30Z");

  @Test
  void tellsEveryTransitionFromInitializationToStop() {
    kit.initialize(List.of(task("a", "5 * * * *")));
    kit.stop();
    assertEquals(
        List.of(
            "SchedulerInitializationStarted",
            "PollingStarted",
            "SchedulerInitializationCompleted",
            "SchedulerStopRequested",
            "PollingStopRequested",
            "PollingStopped",
            "SchedulerStopped"),
        names(kit));
  }

  @Test
  void doesNotPollWithoutTasks() {
    kit.initialize(List.of());
    kit.stop();
    assertEquals(
        List.of(
            "SchedulerInitializationStarted",
            "SchedulerInitializationCompleted",
            "SchedulerStopRequested",
            "SchedulerStopped"),
        names(kit));
  }

  @Test
  void isUninitializedAgainAfterAFailedInitialization() {
    assertThrows(RuntimeException.class, () -> kit.initialize(List.of(task("a", "61 * * * *"))));
    assertEquals(
        List.of("SchedulerInitializationStarted", "SchedulerInitializationFailed"), names(kit));
    var failed = (SchedulerInitializationFailed) kit.events().get(1);
    assertEquals("CronExpressionInvalidException", failed.cause().getClass().getSimpleName());

    kit.initialize(List.of(task("a", "0 * * * *")));
    assertEquals("TaskRunCompleted a", names(kit).getLast());
  }

  @Test
  void refusesASecondInitializationWhileRunning() {
    kit.initialize(List.of(task("a", "5 * * * *")));
    kit.clearEvents();
    var refused =
        assertThrows(
            SchedulerAlreadyActiveException.class,
            () -> kit.initialize(List.of(task("a", "5 * * * *"))));
    assertEquals("running", refused.currentState());
    assertEquals(List.of(), names(kit));
    kit.advance(Duration.ofMinutes(5));
    assertEquals(1, kit.starts("a").size());
  }

  @Test
  void canBeInitializedAgainAfterAStop() {
    kit.initialize(List.of(task("a", "5 * * * *")));
    kit.stop();
    kit.initialize(List.of(task("a", "5 * * * *")));
    kit.advance(Duration.ofMinutes(5));
    assertEquals(1, kit.starts("a").size());
  }

  @Test
  void waitsForRunningTasksBeforeItHasStopped() {
    kit.lasts("a", Duration.ofMinutes(3));
    kit.initialize(List.of(task("a", "0 * * * *"), task("b", "1 * * * *")));
    kit.clearEvents();
    kit.stop();
    assertEquals(
        List.of(
            "SchedulerStopRequested",
            "PollingStopRequested",
            "TaskRunCompleted a",
            "PollingStopped",
            "SchedulerStopped"),
        names(kit));
    assertEquals(0, kit.inFlight());
    assertEquals("2026-03-01T10:03:30Z", kit.clock().instant().toString());
  }

  @Test
  void startsNothingAfterAStop() {
    kit.initialize(List.of(task("a", "* * * * *")));
    kit.stop();
    kit.clearEvents();
    kit.advance(Duration.ofHours(1));
    assertEquals(List.of(), names(kit));
  }

  @Test
  void ignoresAStopOfWhatIsNotActive() {
    kit.stop();
    kit.initialize(List.of());
    kit.stop();
    kit.clearEvents();
    kit.stop();
    assertEquals(List.of(), names(kit));
  }

  @Test
  void saysWhatItFound() {
    kit.initialize(List.of(task("kept", "5 * * * *"), task("gone", "5 * * * *")));
    kit.stop();
    kit.clearEvents();
    kit.initialize(List.of(task("kept", "5 * * * *"), task("new", "5 * * * *")));
    var completed = (SchedulerInitializationCompleted) kit.events().get(2);
    assertEquals(
        List.of(1, 1, 0, 0, 1),
        List.of(
            completed.newTasks(),
            completed.preservedTasks(),
            completed.overriddenTasks(),
            completed.orphanedTasks(),
            completed.forgottenTasks()));
  }
}
