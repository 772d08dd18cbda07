package dev.kron.scheduler;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.kron.cron.CronCalendar;
import dev.kron.cron.CronExpression;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import org.junit.jupiter.api.Test;

/** One task, and what is remembered of it. */
class TaskTest {
  private static final long NOW = Instant.parse("2026-03-01T10:00:30Z").toEpochMilli();

  /** A number below zero would be below every limit of retries. */
  @Test
  void theNumberOfAttemptsNeverTurnsNegative() {
    var orphan =
        new TaskState(
            "a",
            "0 10 * * *",
            Duration.ZERO,
            Instant.ofEpochMilli(NOW),
            null,
            null,
            null,
            "somebody else",
            Integer.MAX_VALUE,
            null,
            null);
    var task =
        new Task(
            Registration.builder().name("a").cronExpression("0 10 * * *").retryLimit(3).build(),
            TaskTimetable.of(new CronCalendar(CronExpression.posix("0 10 * * *"), ZoneOffset.UTC)),
            orphan,
            NOW);
    task.start(Task.Reason.AGAIN, NOW, "me");
    assertEquals(Integer.MAX_VALUE, task.attempts());
    task.fail(NOW);
    assertEquals(Task.NEVER, task.retryMillis());
  }
}
