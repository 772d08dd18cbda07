package dev.kron.bench;

import dev.kron.scheduler.DeclarativeScheduler;
import dev.kron.scheduler.FileTaskStore;
import dev.kron.scheduler.Registration;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.stream.Stream;
import org.quartz.CronScheduleBuilder;
import org.quartz.Job;
import org.quartz.JobBuilder;
import org.quartz.JobExecutionContext;
import org.quartz.SchedulerException;
import org.quartz.TriggerBuilder;
import org.quartz.impl.StdSchedulerFactory;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;
import org.springframework.scheduling.support.CronTrigger;

/** A scheduler library that is given tasks, as its own documentation says to. */
interface SchedulerContestant {
  /** Registers tasks at their local times of day and begins to run them. */
  void register(List<TimeOfDay> times) throws Exception;

  /**
   * When a task is due, every day.
   *
   * @param second ignored by a scheduler of whole minutes
   */
  record TimeOfDay(int hour, int minute, int second) {}

  static SchedulerContestant of(String name, Clock clock, Runnable callback) throws IOException {
    return switch (name) {
      case "kron" -> new Kron(clock, callback);
      case "spring" -> new Spring(callback);
      case "quartz" -> Quartz.calling(callback);
      default -> throw new IllegalArgumentException(name);
    };
  }

  /** With the file store, on the disk that holds the temporary directory. */
  final class Kron implements SchedulerContestant {
    private final Runnable callback;
    private final DeclarativeScheduler scheduler;

    Kron(Clock clock, Runnable callback) throws IOException {
      this.callback = callback;
      Path directory = Files.createTempDirectory("kron-bench");
      Runtime.getRuntime().addShutdownHook(new Thread(() -> delete(directory)));
      scheduler =
          DeclarativeScheduler.builder(FileTaskStore.at(directory.resolve("tasks.json")))
              .clock(clock)
              .build();
    }

    private static void delete(Path directory) {
      try (Stream<Path> files = Files.list(directory)) {
        for (Path file : files.toList()) {
          Files.delete(file);
        }
        Files.delete(directory);
      } catch (IOException left) {
        System.err.println(directory + " stays: " + left);
      }
    }

    @Override
    public void register(List<TimeOfDay> times) {
      List<Registration> registrations = new ArrayList<>(times.size());
      for (TimeOfDay time : times) {
        registrations.add(
            new Registration(
                "task-" + registrations.size(),
                time.minute() + " " + time.hour() + " * * *",
                callback::run,
                Duration.ofMinutes(5)));
      }
      scheduler.initialize(registrations);
    }
  }

  /** A pool of ten threads, which is what Quartz has too. */
  final class Spring implements SchedulerContestant {
    private final Runnable callback;
    private final ThreadPoolTaskScheduler scheduler = new ThreadPoolTaskScheduler();

    Spring(Runnable callback) {
      this.callback = callback;
      scheduler.setPoolSize(10);
      scheduler.initialize();
    }

    @Override
    public void register(List<TimeOfDay> times) {
      for (TimeOfDay time : times) {
        String cron = time.second() + " " + time.minute() + " " + time.hour() + " * * *";
        if (scheduler.schedule(callback, new CronTrigger(cron, ZoneId.systemDefault())) == null) {
          throw new IllegalStateException(cron + " has no future");
        }
      }
    }
  }

  /** RAMJobStore and the thread pool of its default configuration. */
  final class Quartz implements SchedulerContestant {
    private static volatile Runnable callback = () -> {};

    private Quartz() {}

    static Quartz calling(Runnable chosen) {
      callback = chosen;
      return new Quartz();
    }

    /** Quartz makes its jobs itself. */
    public static final class CallbackJob implements Job {
      @Override
      public void execute(JobExecutionContext context) {
        callback.run();
      }
    }

    @Override
    public void register(List<TimeOfDay> times) throws SchedulerException {
      Properties properties = new Properties();
      properties.setProperty("org.quartz.scheduler.instanceName", "bench");
      properties.setProperty("org.quartz.threadPool.threadCount", "10");
      properties.setProperty("org.quartz.scheduler.skipUpdateCheck", "true");
      org.quartz.Scheduler scheduler = new StdSchedulerFactory(properties).getScheduler();
      scheduler.start();
      int index = 0;
      for (TimeOfDay time : times) {
        String name = "task-" + index++;
        String cron = time.second() + " " + time.minute() + " " + time.hour() + " * * ?";
        scheduler.scheduleJob(
            JobBuilder.newJob(CallbackJob.class).withIdentity(name).build(),
            TriggerBuilder.newTrigger()
                .withIdentity(name)
                .withSchedule(CronScheduleBuilder.cronSchedule(cron))
                .build());
      }
    }
  }
}
