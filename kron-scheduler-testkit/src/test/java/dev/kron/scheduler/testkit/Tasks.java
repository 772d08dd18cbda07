package dev.kron.scheduler.testkit;

import dev.kron.scheduler.Callback;
import dev.kron.scheduler.Registration;
import dev.kron.scheduler.SchedulerEvent;
import dev.kron.scheduler.SchedulerEvent.TaskEvent;
import java.time.Duration;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.util.List;

/** Words that the tests share. */
final class Tasks {
  static final Callback NOTHING = () -> {};
  static final Callback FAILS =
      () -> {
        throw new IllegalStateException("as planned");
      };

  private Tasks() {}

  static SchedulerTestKit kitAt(String dateTimeZone) {
    return SchedulerTestKit.startingAt(ZonedDateTime.parse(dateTimeZone));
  }

  static Registration task(String name, String cron) {
    return task(name, cron, NOTHING);
  }

  static Registration task(String name, String cron, Callback callback) {
    return new Registration(name, cron, callback, Duration.ofMinutes(5));
  }

  static Registration task(String name, String cron, Callback callback, Duration retryDelay) {
    return new Registration(name, cron, callback, retryDelay);
  }

  static List<Instant> instants(String... texts) {
    return List.of(texts).stream().map(Instant::parse).toList();
  }

  /** The names of what happened, with the task where there is one. */
  static List<String> names(SchedulerTestKit kit) {
    return kit.events().stream().map(Tasks::name).toList();
  }

  static String name(SchedulerEvent event) {
    String type = event.getClass().getSimpleName();
    return event instanceof TaskEvent task ? type + " " + task.taskName() : type;
  }
}
