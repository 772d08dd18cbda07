package dev.kron.scheduler;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kron.cron.CronCalendar;
import dev.kron.cron.CronExpression;
import java.time.Duration;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Timers, next to a set that is searched. */
class TimerHeapTest {
  private static Task task(int minute, int hour) {
    String expression = minute + " " + hour + " * * *";
    return new Task(
        new Registration(expression, expression, () -> {}, Duration.ZERO),
        TaskTimetable.of(new CronCalendar(CronExpression.posix(expression), ZoneOffset.UTC)),
        null,
        0);
  }

  @Test
  void theEarliestComesFirstWhateverIsAddedAndTakenOut() {
    var random = new SplittableRandom(11);
    List<Task> tasks = new ArrayList<>();
    for (int i = 0; i < 200; i++) {
      tasks.add(task(random.nextInt(60), random.nextInt(24)));
    }
    var heap = new TimerHeap();
    Set<Task> inside = new HashSet<>();
    for (int step = 0; step < 20_000; step++) {
      Task task = tasks.get(random.nextInt(tasks.size()));
      switch (random.nextInt(5)) {
        case 0, 1 -> {
          heap.add(task);
          inside.add(task);
        }
        case 2, 3 -> {
          heap.remove(task);
          inside.remove(task);
        }
        default -> {
          long earliest = inside.stream().mapToLong(Task::wakeMillis).min().orElse(Long.MAX_VALUE);
          assertEquals(earliest, heap.earliestMillis());
          Task polled = heap.poll(earliest);
          assertEquals(!inside.isEmpty(), polled != null);
          if (polled != null) {
            assertEquals(earliest, polled.wakeMillis());
            assertTrue(inside.remove(polled));
          }
        }
      }
    }
    heap.clear(0);
    inside.clear();
    heap.add(tasks.getFirst());
    assertEquals(tasks.getFirst(), heap.poll(Long.MAX_VALUE));
    assertEquals(Long.MAX_VALUE, heap.earliestMillis());
  }
}
