package dev.kron.scheduler.testkit;

import static dev.kron.scheduler.testkit.Tasks.FAILS;
import static dev.kron.scheduler.testkit.Tasks.NOTHING;
import static dev.kron.scheduler.testkit.Tasks.instants;
import static dev.kron.scheduler.testkit.Tasks.kitAt;
import static dev.kron.scheduler.testkit.Tasks.names;
import static dev.kron.scheduler.testkit.Tasks.task;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kron.scheduler.SchedulerEvent.Cause;
import dev.kron.scheduler.SchedulerEvent.SchedulerInitializationCompleted;
import dev.kron.scheduler.SchedulerEvent.TaskRunStarted;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.function.ToIntFunction;
import org.junit.jupiter.api.Test;

/** What a new instance makes of what an earlier one left. */
class PersistenceTest {
  private final SchedulerTestKit kit = kitAt("2026-03-01T10:00:30Z");

  private int lastCount(ToIntFunction<SchedulerInitializationCompleted> count) {
    return kit.events().stream()
        .filter(event -> event instanceof SchedulerInitializationCompleted)
        .map(event -> count.applyAsInt((SchedulerInitializationCompleted) event))
        .toList()
        .getLast();
  }

  @Test
  void preservesATaskWithTheSameConfiguration() {
    kit.initialize(List.of(task("a", "0 * * * *")));
    kit.crash();
    kit.initialize(List.of(task("a", "0 * * * *")));
    assertEquals(1, lastCount(SchedulerInitializationCompleted::preservedTasks));
    assertEquals(1, kit.starts("a").size());
  }

  @Test
  void overridesTheExpressionAndKeepsTheHistory() {
    kit.initialize(List.of(task("a", "0 * * * *")));
    var before = kit.state("a").orElseThrow();
    kit.crash();
    kit.initialize(List.of(task("a", "30 * * * *")));
    assertEquals(1, lastCount(SchedulerInitializationCompleted::overriddenTasks));
    var after = kit.state("a").orElseThrow();
    assertEquals("30 * * * *", after.cronExpression());
    assertEquals(before.lastAttemptAt(), after.lastAttemptAt());
    assertEquals(before.lastSuccessAt(), after.lastSuccessAt());
  }

  @Test
  void aChangedRetryDelayIsAnOverrideToo() {
    kit.initialize(List.of(task("a", "0 * * * *", FAILS, Duration.ofMinutes(10))));
    kit.crash();
    kit.initialize(List.of(task("a", "0 * * * *", FAILS, Duration.ofMinutes(20))));
    assertEquals(1, lastCount(SchedulerInitializationCompleted::overriddenTasks));
    assertEquals(
        Instant.parse("2026-03-01T10:10:30Z"), kit.state("a").orElseThrow().pendingRetryUntil());
  }

  @Test
  void anExpressionWrittenDifferentlyIsAnOverrideEvenIfItMeansTheSame() {
    kit.initialize(List.of(task("a", "0 * * * *")));
    kit.crash();
    kit.initialize(List.of(task("a", "0  * * * *")));
    assertEquals(1, lastCount(SchedulerInitializationCompleted::overriddenTasks));
  }

  @Test
  void aMatchOfTheNewExpressionSinceTheLastAttemptCountsAsMissed() {
    kit.initialize(List.of(task("a", "0 * * * *")));
    kit.stop();
    kit.advance(Duration.ofMinutes(30));
    kit.initialize(List.of(task("a", "15 * * * *")));
    assertEquals(instants("2026-03-01T10:00:30Z", "2026-03-01T10:30:30Z"), kit.starts("a"));
  }

  @Test
  void aRetrySurvivesARestart() {
    kit.initialize(List.of(task("a", "0 10 * * *", FAILS, Duration.ofMinutes(10))));
    kit.crash();
    kit.advance(Duration.ofMinutes(5));
    kit.initialize(List.of(task("a", "0 10 * * *", NOTHING, Duration.ofMinutes(10))));
    kit.advance(Duration.ofMinutes(10));
    assertEquals(instants("2026-03-01T10:00:30Z", "2026-03-01T10:10:30Z"), kit.starts("a"));
    assertEquals("TaskRetryStarted a", names(kit).get(names(kit).size() - 2));
  }

  @Test
  void restartsAnOrphanAtOnce() {
    kit.lasts("a", Duration.ofMinutes(10));
    kit.initialize(List.of(task("a", "0 10 * * *")));
    kit.advance(Duration.ofMinutes(1));
    kit.crash();
    kit.advance(Duration.ofMinutes(1));
    kit.initialize(List.of(task("a", "0 12 * * *")));
    assertEquals(1, lastCount(SchedulerInitializationCompleted::orphanedTasks));
    assertEquals(instants("2026-03-01T10:00:30Z", "2026-03-01T10:02:30Z"), kit.starts("a"));
    var restarted = (TaskRunStarted) kit.events().getLast();
    assertEquals(Cause.ORPHANED, restarted.cause());
    assertEquals("0 12 * * *", kit.state("a").orElseThrow().cronExpression());
    kit.advance(Duration.ofHours(1));
    assertEquals(2, kit.starts("a").size());
  }

  @Test
  void recordsUnderWhichInstanceATaskRuns() {
    kit.lasts("a", Duration.ofMinutes(10));
    kit.initialize(List.of(task("a", "0 10 * * *")));
    var first = kit.state("a").orElseThrow().runningUnder();
    kit.crash();
    kit.initialize(List.of(task("a", "0 10 * * *")));
    var second = kit.state("a").orElseThrow().runningUnder();
    assertTrue(first != null && second != null && !first.equals(second));
  }

  @Test
  void anOrphanThatIsNoLongerRegisteredIsForgotten() {
    kit.lasts("a", Duration.ofMinutes(10));
    kit.initialize(List.of(task("a", "0 10 * * *")));
    kit.crash();
    kit.initialize(List.of());
    assertTrue(kit.state("a").isEmpty());
  }

  @Test
  void aTaskThatComesBackIsNew() {
    kit.initialize(List.of(task("a", "0 * * * *")));
    kit.stop();
    kit.initialize(List.of());
    kit.stop();
    kit.advance(Duration.ofMinutes(90));
    kit.initialize(List.of(task("a", "0 * * * *")));
    assertEquals(1, kit.starts("a").size());
    assertEquals(1, lastCount(SchedulerInitializationCompleted::newTasks));
  }

  @Test
  void theSameListInTheNextProcessChangesNothing() {
    var tasks = List.of(task("a", "0 * * * *"), task("b", "15 * * * *"));
    kit.initialize(tasks);
    var before = List.of(kit.state("a"), kit.state("b"));
    kit.stop();
    kit.initialize(tasks);
    kit.stop();
    kit.initialize(tasks);
    assertEquals(before, List.of(kit.state("a"), kit.state("b")));
    kit.advance(Duration.ofMinutes(20));
    assertEquals(1, kit.starts("b").size());
  }

  @Test
  void decidesTheSameFromTheSameStateAndTime() {
    var tasks = List.of(task("a", "0 * * * *"), task("b", "1-30 * * * *"), task("c", "9 9 * * 1"));
    var other = kitAt("2026-03-01T10:00:30Z");
    for (var each : List.of(kit, other)) {
      each.initialize(tasks);
      each.advance(Duration.ofMinutes(40));
      each.crash();
      each.advance(Duration.ofHours(30));
      each.initialize(tasks);
      each.advance(Duration.ofHours(3));
    }
    assertEquals(kit.events(), other.events());
  }
}
