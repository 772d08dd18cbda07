package dev.kron.scheduler.testkit;

import static dev.kron.scheduler.testkit.Tasks.FAILS;
import static dev.kron.scheduler.testkit.Tasks.instants;
import static dev.kron.scheduler.testkit.Tasks.kitAt;
import static dev.kron.scheduler.testkit.Tasks.names;
import static dev.kron.scheduler.testkit.Tasks.task;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kron.scheduler.SchedulerEvent;
import dev.kron.scheduler.SchedulerEvent.TaskRunStarted;
import dev.kron.scheduler.SchedulerNotActiveException;
import dev.kron.scheduler.SchedulerReentrancyException;
import dev.kron.scheduler.StopReport;
import dev.kron.scheduler.TaskNotFoundException;
import dev.kron.scheduler.TaskView;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Looking at tasks, running, pausing and resuming one, and a stop that does not wait for ever. */
class ControlTest {
  private final SchedulerTestKit kit = kitAt("2026-03-01T10:00:30Z");

  private TaskView view(String name) {
    return kit.scheduler().tasks().stream()
        .filter(task -> task.name().equals(name))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void showsWhatIsKnownOfEveryTask() {
    assertEquals(List.of(), kit.scheduler().tasks());
    kit.lasts("long", Duration.ofMinutes(90));
    kit.initialize(
        List.of(
            task("long", "0 * * * *"),
            task("fails", "0 * * * *", FAILS),
            task("idle", "5 * * * *")));
    kit.advance(Duration.ofSeconds(30));
    var zone = kit.clock().getZone();
    var now = Instant.parse("2026-03-01T10:00:30Z");
    assertEquals(
        List.of(
            new TaskView(
                "long",
                "0 * * * *",
                zone,
                Instant.parse("2026-03-01T11:00:00Z"),
                now,
                null,
                null,
                now,
                null,
                null,
                1),
            new TaskView(
                "fails",
                "0 * * * *",
                zone,
                Instant.parse("2026-03-01T11:00:00Z"),
                now,
                null,
                now,
                null,
                now.plus(Duration.ofMinutes(5)),
                null,
                1),
            new TaskView(
                "idle",
                "5 * * * *",
                zone,
                Instant.parse("2026-03-01T10:05:00Z"),
                null,
                null,
                null,
                null,
                null,
                null,
                0)),
        kit.scheduler().tasks());
    kit.advance(Duration.ofMinutes(90));
    assertEquals(Instant.parse("2026-03-01T11:30:30Z"), view("long").lastSuccessAt());
    kit.stop();
    assertEquals(List.of(), kit.scheduler().tasks());
  }

  @Test
  void runsATaskNow() {
    kit.initialize(List.of(task("a", "0 3 * * *")));
    assertTrue(kit.scheduler().runNow("a"));
    kit.advance(Duration.ofMinutes(1));
    assertEquals(instants("2026-03-01T10:00:30Z"), kit.starts("a"));
    var started =
        (TaskRunStarted)
            kit.events().stream()
                .filter(TaskRunStarted.class::isInstance)
                .findFirst()
                .orElseThrow();
    assertEquals(SchedulerEvent.Cause.REQUESTED, started.cause());
    assertNull(started.due());
    assertNull(started.run().scheduledAt());
    kit.advanceTo(Instant.parse("2026-03-02T03:00:00Z"));
    assertEquals(2, kit.starts("a").size(), "its own time comes all the same");
  }

  @Test
  void doesNotRunATaskBesideItself() {
    kit.lasts("a", Duration.ofMinutes(10));
    kit.initialize(List.of(task("a", "0 3 * * *")));
    assertTrue(kit.scheduler().runNow("a"));
    assertFalse(kit.scheduler().runNow("a"));
    kit.advance(Duration.ofHours(1));
    assertEquals(1, kit.starts("a").size());
  }

  @Test
  void aRunThatWasAskedForIsTriedAgainLikeAnyOther() {
    kit.initialize(List.of(task("a", "0 3 * * *", FAILS)));
    kit.scheduler().runNow("a");
    kit.advance(Duration.ofMinutes(6));
    assertEquals(instants("2026-03-01T10:00:30Z", "2026-03-01T10:05:30Z"), kit.starts("a"));
  }

  @Test
  void runNowTakesThePlaceOfARetry() {
    kit.initialize(List.of(task("a", "0 * * * *", FAILS)));
    kit.scheduler().runNow("a");
    assertTrue(names(kit).contains("TaskRetryPreempted a"), names(kit).toString());
  }

  @Test
  void whatIsNotRegisteredOrNotRunningIsAnError() {
    assertThrows(SchedulerNotActiveException.class, () -> kit.scheduler().runNow("a"));
    kit.initialize(List.of(task("a", "0 3 * * *")));
    assertEquals(
        "b",
        assertThrows(TaskNotFoundException.class, () -> kit.scheduler().pause("b")).taskName());
    kit.stop();
    assertThrows(SchedulerNotActiveException.class, () -> kit.scheduler().resume("a"));
  }

  @Test
  void aPausedTaskDoesNotStartAndRunsOnceWhenItIsResumed() {
    kit.initialize(List.of(task("a", "0 * * * *"), task("b", "0 * * * *")));
    kit.clearEvents();
    assertTrue(kit.scheduler().pause("a"));
    assertFalse(kit.scheduler().pause("a"));
    assertEquals(Instant.parse("2026-03-01T10:00:30Z"), view("a").pausedSince());
    assertNull(view("a").next());
    kit.advance(Duration.ofHours(5));
    assertEquals(List.of(), kit.starts("a"));
    assertEquals(5, kit.starts("b").size());
    assertTrue(kit.scheduler().resume("a"));
    assertFalse(kit.scheduler().resume("a"));
    kit.advance(Duration.ofMinutes(1));
    assertEquals(instants("2026-03-01T15:00:30Z"), kit.starts("a"));
    assertEquals(
        List.of("TaskPaused a", "TaskResumed a", "TaskRunStarted a", "TaskRunCompleted a"),
        names(kit).stream().filter(name -> name.matches("Task.* a")).toList());
  }

  @Test
  void aPauseOutlivesTheProcess() {
    var tasks = List.of(task("a", "0 * * * *"));
    kit.initialize(tasks);
    kit.scheduler().pause("a");
    kit.crash();
    kit.initialize(List.of(task("a", "30 * * * *", FAILS)));
    kit.advance(Duration.ofHours(2));
    assertEquals(1, kit.starts("a").size(), "also with another expression");
    kit.stop();
    kit.initialize(tasks);
    kit.advance(Duration.ofHours(2));
    assertEquals(1, kit.starts("a").size());
    kit.scheduler().resume("a");
    kit.crash();
    kit.initialize(tasks);
    kit.advance(Duration.ofHours(1));
    assertEquals(3, kit.starts("a").size(), "what it missed, and the hour that came");
  }

  @Test
  void aPausedOrphanWaits() {
    kit.lasts("a", Duration.ofHours(1));
    var tasks = List.of(task("a", "0 * * * *"));
    kit.initialize(tasks);
    kit.scheduler().pause("a");
    kit.crash();
    kit.initialize(tasks);
    kit.advance(Duration.ofHours(3));
    assertEquals(1, kit.starts("a").size());
    kit.scheduler().resume("a");
    kit.advance(Duration.ofMinutes(1));
    assertEquals(2, kit.starts("a").size());
    assertEquals(2, view("a").attempt(), "the attempt that was cut off counts");
  }

  @Test
  void aPausedTaskMayBeRunNowAndStaysPaused() {
    kit.initialize(List.of(task("a", "30 * * * *")));
    kit.scheduler().pause("a");
    kit.scheduler().runNow("a");
    kit.advance(Duration.ofHours(3));
    assertEquals(1, kit.starts("a").size());
  }

  @Test
  void aPauseDoesNotOutliveItsTask() {
    kit.initialize(List.of(task("a", "0 * * * *")));
    kit.scheduler().pause("a");
    kit.stop();
    kit.initialize(List.of());
    kit.stop();
    kit.initialize(List.of(task("a", "0 * * * *")));
    kit.advance(Duration.ofHours(1));
    assertEquals(3, kit.starts("a").size(), "one that comes back is new");
  }

  @Test
  void aPauseHoldsBackARetry() {
    kit.initialize(List.of(task("a", "0 10 * * *", FAILS)));
    kit.scheduler().pause("a");
    kit.advance(Duration.ofHours(1));
    assertEquals(1, kit.starts("a").size());
    kit.scheduler().resume("a");
    kit.advance(Duration.ofSeconds(1));
    assertEquals(2, kit.starts("a").size());
  }

  @Test
  void aClockThatGoesBackDoesNotWakeAPausedTask() {
    kit.initialize(List.of(task("a", "* * * * *")));
    kit.scheduler().pause("a");
    kit.setClock(Instant.parse("2026-02-01T10:00:30Z"));
    kit.advance(Duration.ofHours(1));
    assertEquals(1, kit.starts("a").size());
    kit.scheduler().resume("a");
    kit.advance(Duration.ofMinutes(2));
    assertEquals(4, kit.starts("a").size());
  }

  @Test
  void aStopWithALimitInterruptsWhatIsLeftAndSaysSo() {
    kit.lasts("short", Duration.ofSeconds(5));
    kit.lasts("long", Duration.ofHours(5));
    kit.initialize(List.of(task("short", "* * * * *"), task("long", "* * * * *")));
    StopReport report = kit.scheduler().stop(Duration.ofSeconds(10));
    assertEquals(new StopReport(List.of("long"), List.of()), report);
    assertFalse(report.clean());
    assertEquals(Instant.parse("2026-03-01T10:00:40Z"), kit.clock().instant());
    assertEquals(0, kit.inFlight());
    assertEquals(
        Instant.parse("2026-03-01T10:05:40Z"),
        kit.state("long").orElseThrow().pendingRetryUntil(),
        "it was interrupted, and is tried again");
    assertTrue(kit.scheduler().stop(Duration.ofSeconds(10)).clean());
  }

  @Test
  void callbacksMayDirectTheirSchedulerAndListenersMayNot() {
    List<Throwable> refused = new ArrayList<>();
    List<SchedulerTestKit> made = new ArrayList<>();
    var own =
        SchedulerTestKit.startingAt(
            ZonedDateTime.of(2026, 3, 1, 10, 0, 30, 0, ZoneOffset.UTC),
            builder ->
                builder.listener(
                    event -> {
                      if (event instanceof TaskRunStarted) {
                        refused.add(
                            assertThrows(
                                SchedulerReentrancyException.class,
                                () -> made.getFirst().scheduler().pause("a")));
                      }
                    }));
    made.add(own);
    own.initialize(
        List.of(task("a", "0 * * * *", () -> own.scheduler().pause("b")), task("b", "30 * * * *")));
    own.advance(Duration.ofHours(1));
    assertEquals(List.of(), own.starts("b"));
    assertFalse(refused.isEmpty());
  }
}
