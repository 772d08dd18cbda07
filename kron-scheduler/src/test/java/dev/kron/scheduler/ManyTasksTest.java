package dev.kron.scheduler;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kron.cron.CronCalendar;
import dev.kron.cron.CronExpression;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Many tasks; how fast exactly is kron-bench's business. */
@Timeout(120)
class ManyTasksTest {
  @Test
  void startsTenThousandTasksOfOneMinuteInSeconds(@TempDir Path directory) throws Exception {
    int count = 10_000;
    var started = new CountDownLatch(count);
    List<Registration> registrations = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      registrations.add(
          new Registration("task " + i, "* * * * *", started::countDown, Duration.ofMinutes(5)));
    }
    Path file = directory.resolve("tasks.json");
    try (var scheduler = DeclarativeScheduler.create(FileTaskStore.at(file))) {
      scheduler.initialize(registrations);
      assertTrue(started.await(60, TimeUnit.SECONDS), () -> started.getCount() + " not started");
    }
    try (var session = FileTaskStore.at(file).open()) {
      List<TaskState> states = session.load();
      assertEquals(count, states.size());
      assertTrue(states.stream().allMatch(state -> state.lastSuccessAt() != null));
    }
  }

  @Test
  void lateStartsAreLogged() {
    Instant start = Instant.parse("2026-03-01T10:00:30Z");
    var late =
        new Task(
            new Registration("a", "1 * * * *", () -> {}, Duration.ZERO),
            TaskTimetable.of(new CronCalendar(CronExpression.posix("1 * * * *"), ZoneOffset.UTC)),
            null,
            start.toEpochMilli());
    var table =
        new TaskTable(
            List.of(late),
            start.toEpochMilli(),
            "me",
            new TaskRun.Surroundings(
                "",
                List.of(),
                new Inside(),
                new ThreadDriver(new SafeClock(Clock.systemUTC()), "", null),
                run -> {}));
    assertEquals(0, table.startDue(start.plusSeconds(29).toEpochMilli(), 10));
    assertEquals(1, table.startDue(start.plusSeconds(200).toEpochMilli(), 10));
  }
}
