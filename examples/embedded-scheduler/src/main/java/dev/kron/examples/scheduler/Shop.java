package dev.kron.examples.scheduler;

import dev.kron.scheduler.DeclarativeScheduler;
import dev.kron.scheduler.FileTaskStore;
import dev.kron.scheduler.SchedulerEvent;
import dev.kron.scheduler.SchedulerEvent.TaskRunFailed;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;

/** The program: give it a directory to work in; end it with the Enter key. */
public final class Shop {
  private Shop() {}

  public static void main(String[] arguments) throws IOException {
    Path directory = Path.of(arguments.length > 0 ? arguments[0] : "shop");
    Clock clock = Clock.systemUTC();
    Chores chores = new Chores(directory, subject -> System.out.println("mail: " + subject), clock);
    try (DeclarativeScheduler scheduler =
        DeclarativeScheduler.builder(FileTaskStore.at(directory.resolve("tasks.json")))
            .clock(clock)
            .listener(Shop::alert)
            .build()) {
      scheduler.initialize(chores.registrations());
      System.out.println("the shop is open; press Enter to close it");
      System.in.read();
    }
    System.out.println("the shop is closed");
  }

  /** Failures must not be silent. */
  private static void alert(SchedulerEvent event) {
    if (event instanceof TaskRunFailed failed) {
      System.out.println(
          failed.taskName() + " failed, next try " + failed.retryAt() + ": " + failed.cause());
    }
  }
}
