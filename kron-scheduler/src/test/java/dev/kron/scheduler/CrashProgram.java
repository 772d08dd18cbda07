package dev.kron.scheduler;

import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/**
 * A program that is killed: tasks that succeed, tasks that fail and are tried again at once, by a
 * clock that is a minute faster every second. It prints every event, after it is durable.
 */
final class CrashProgram {
  private CrashProgram() {}

  public static void main(String[] arguments) {
    List<Registration> registrations = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      registrations.add(
          new Registration(
              "works" + i,
              "* * * * *",
              () -> LockSupport.parkNanos(3_000_000),
              Duration.ofMinutes(1)));
      registrations.add(
          new Registration(
              "fails" + i,
              "* * * * *",
              () -> {
                LockSupport.parkNanos(1_000_000);
                throw new IllegalStateException("as planned");
              },
              Duration.ZERO));
    }
    DeclarativeScheduler scheduler =
        DeclarativeScheduler.builder(FileTaskStore.at(Path.of(arguments[0])))
            .clock(new FastClock(Instant.parse(arguments[1])))
            .zone(ZoneOffset.UTC)
            .listener(CrashProgram::print)
            .build();
    scheduler.initialize(registrations);
  }

  private static void print(SchedulerEvent event) {
    String type = event.getClass().getSimpleName();
    String name = event instanceof SchedulerEvent.TaskEvent task ? task.taskName() : "-";
    String cause =
        event instanceof SchedulerEvent.TaskRunStarted started ? started.cause().name() : "-";
    System.out.println(String.join(" ", type, name, event.at().toString(), cause));
  }

  /** Sixty times as fast as the real one, and never behind where an earlier process left it. */
  private static final class FastClock extends Clock {
    private final Instant start;
    private final long startNanos = System.nanoTime();

    FastClock(Instant start) {
      this.start = start;
    }

    @Override
    public Instant instant() {
      return start.plusNanos((System.nanoTime() - startNanos) * 60);
    }

    @Override
    public ZoneId getZone() {
      return ZoneOffset.UTC;
    }

    @Override
    public Clock withZone(ZoneId zone) {
      return this;
    }
  }
}
