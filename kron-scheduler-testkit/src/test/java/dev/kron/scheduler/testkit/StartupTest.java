package dev.kron.scheduler.testkit;

import static dev.kron.scheduler.testkit.Tasks.instants;
import static dev.kron.scheduler.testkit.Tasks.kitAt;
import static dev.kron.scheduler.testkit.Tasks.task;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What runs when a scheduler starts. */
class StartupTest {
  @Test
  void runsANewTaskAtOnceIfThePresentMinuteMatches() {
    var kit = kitAt("2026-03-01T10:15:42Z");
    kit.initialize(List.of(task("a", "15 10 * * *"), task("b", "16 10 * * *")));
    assertEquals(instants("2026-03-01T10:15:42Z"), kit.starts("a"));
    assertEquals(List.of(), kit.starts("b"));
  }

  @Test
  void schedulesANewTaskForItsNextOccurrence() {
    var kit = kitAt("2026-03-01T10:15:42Z");
    kit.initialize(List.of(task("a", "15 * * * *")));
    kit.advance(Duration.ofHours(2));
    assertEquals(
        instants("2026-03-01T10:15:42Z", "2026-03-01T11:15:00Z", "2026-03-01T12:15:00Z"),
        kit.starts("a"));
  }

  @Test
  void doesNotMakeUpForATaskThatNeverRan() {
    var kit = kitAt("2026-03-01T10:15:42Z");
    kit.initialize(List.of(task("a", "30 * * * *")));
    kit.crash();
    kit.advance(Duration.ofHours(1));
    kit.initialize(List.of(task("a", "30 * * * *")));
    assertEquals(List.of(), kit.starts("a"));
    kit.advance(Duration.ofMinutes(30));
    assertEquals(instants("2026-03-01T11:30:00Z"), kit.starts("a"));
  }

  @Test
  void runsATaskOnceHoweverManyOccurrencesItMissed() {
    var kit = kitAt("2026-03-01T10:00:00Z");
    var tasks = List.of(task("a", "0,15,30,45 * * * *"));
    kit.initialize(tasks);
    kit.stop();
    kit.advance(Duration.ofMinutes(65));
    kit.initialize(tasks);
    kit.advance(Duration.ofMinutes(5));
    assertEquals(instants("2026-03-01T10:00:00Z", "2026-03-01T11:05:00Z"), kit.starts("a"));
  }
}
