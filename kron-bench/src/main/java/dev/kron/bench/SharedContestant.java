package dev.kron.bench;

import com.github.kagkarlsson.scheduler.Scheduler;
import com.github.kagkarlsson.scheduler.task.TaskInstance;
import com.github.kagkarlsson.scheduler.task.helper.OneTimeTask;
import com.github.kagkarlsson.scheduler.task.helper.Tasks;
import com.zaxxer.hikari.HikariDataSource;
import dev.kron.scheduler.Callback;
import dev.kron.scheduler.DeclarativeScheduler;
import dev.kron.scheduler.Registration;
import dev.kron.scheduler.postgres.PostgresTaskStore;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Date;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.jobrunr.configuration.JobRunr;
import org.jobrunr.jobs.lambdas.JobRequest;
import org.jobrunr.jobs.lambdas.JobRequestHandler;
import org.jobrunr.scheduling.JobRequestScheduler;
import org.jobrunr.server.BackgroundJobServer;
import org.jobrunr.server.BackgroundJobServerConfiguration;
import org.jobrunr.storage.sql.postgres.PostgresStorageProvider;
import org.jspecify.annotations.Nullable;
import org.quartz.Job;
import org.quartz.JobBuilder;
import org.quartz.JobDetail;
import org.quartz.JobExecutionContext;
import org.quartz.Trigger;
import org.quartz.TriggerBuilder;
import org.quartz.impl.StdSchedulerFactory;

/** A scheduler library whose tasks are in PostgreSQL, set up as its own documentation says to. */
interface SharedContestant {
  /** As many as {@code KRON_BENCH_THREADS} says: which number is best depends on the machine. */
  int THREADS = Integer.parseInt(System.getenv().getOrDefault("KRON_BENCH_THREADS", "20"));

  /** What was chosen where its documentation offers a choice. */
  String settings();

  /** Begins to work on many tasks that are due at once; the callback is told of each start. */
  void burst(int tasks, Runnable callback) throws Exception;

  /** Has as many as before become due at once, in some seconds, for the same callback. */
  default void again() throws Exception {
    throw new UnsupportedOperationException("too slow to be measured twice");
  }

  /** Begins to work on tasks at their times; the callback is told by how much each was late. */
  void atTimes(List<Instant> dues, Consumer<Duration> callback) throws Exception;

  /** The number of tasks of which the database does not say yet that they ended well. */
  String unfinished();

  static SharedContestant of(String name, HikariDataSource source) {
    return switch (name) {
      case "kron" -> new Kron(source);
      case "db-scheduler" -> new DbScheduler(source);
      case "jobrunr" -> new JobRunrServer(source);
      case "quartz" -> new Quartz(source);
      default -> throw new IllegalArgumentException(name);
    };
  }

  private static void execute(HikariDataSource source, String sql) throws SQLException {
    try (Connection connection = source.getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  /** Its tasks are cron expressions; a window spreads those of a minute over its seconds. */
  final class Kron implements SharedContestant {
    private final HikariDataSource source;
    private final AheadClock clock = new AheadClock();
    private Instant minute = Instant.EPOCH;

    /** Shows a time to come. */
    private static final class AheadClock extends Clock {
      private volatile Duration ahead = Duration.ZERO;

      /** In some seconds it shows a moment. */
      void shows(Instant moment, long inSeconds) {
        ahead = Duration.between(Instant.now().plusSeconds(inSeconds), moment);
      }

      @Override
      public ZoneId getZone() {
        return ZoneOffset.UTC;
      }

      @Override
      public Clock withZone(ZoneId zone) {
        return this;
      }

      @Override
      public Instant instant() {
        return Instant.now().plus(ahead);
      }
    }

    Kron(HikariDataSource source) {
      this.source = source;
    }

    @Override
    public String settings() {
      return "lease 30 s (as it comes); virtual threads; nothing to choose about polling";
    }

    /** All in one minute, which begins soon by a clock of its own. */
    @Override
    public void burst(int tasks, Runnable callback) {
      minute = Instant.now().truncatedTo(ChronoUnit.MINUTES).plusSeconds(60);
      clock.shows(minute, 4 + tasks / 10_000);
      initialize(tasks, "* * * * *", clock, Duration.ZERO, callback::run);
    }

    @Override
    public void again() {
      minute = minute.plusSeconds(60);
      clock.shows(minute, 3);
    }

    /** As many in a minute to come as there are times, each at the second computed for it. */
    @Override
    public void atTimes(List<Instant> dues, Consumer<Duration> callback) {
      Map<String, Instant> chosen = new ConcurrentHashMap<>();
      int minute = Instant.now().plusSeconds(70).atOffset(ZoneOffset.UTC).getMinute();
      initialize(
              dues.size(),
              minute + " * * * *",
              Clock.systemUTC(),
              Duration.ofSeconds(55),
              Callback.of(
                  run -> {
                    Instant now = Instant.now();
                    Instant due = chosen.remove(run.taskName());
                    if (due != null) {
                      callback.accept(Duration.between(due, now));
                    }
                  }))
          .tasks()
          .forEach(task -> chosen.put(task.name(), Objects.requireNonNull(task.next())));
    }

    private DeclarativeScheduler initialize(
        int tasks, String cron, Clock clock, Duration window, Callback callback) {
      List<Registration> registrations = new ArrayList<>(tasks);
      for (int i = 0; i < tasks; i++) {
        registrations.add(
            Registration.builder()
                .name("task-" + i)
                .cronExpression(cron)
                .callback(callback)
                .window(window)
                .build());
      }
      DeclarativeScheduler scheduler =
          DeclarativeScheduler.builder(PostgresTaskStore.on(source))
              .name("bench")
              .zone(ZoneOffset.UTC)
              .clock(clock)
              .build();
      scheduler.initialize(registrations);
      return scheduler;
    }

    @Override
    public String unfinished() {
      return "SELECT count(*) FROM kron.scheduler_task WHERE running_under IS NOT NULL"
          + " OR last_success_at IS NULL OR last_success_at < '"
          + minute
          + "'";
    }
  }

  /** One-time tasks, in the mode that its documentation calls the one for high throughput. */
  final class DbScheduler implements SharedContestant {
    private final HikariDataSource source;
    private OneTimeTask<Void> task = Tasks.oneTime("none").execute((instance, context) -> {});
    private @Nullable Scheduler scheduler;
    private int tasks;

    DbScheduler(HikariDataSource source) {
      this.source = source;
    }

    @Override
    public String settings() {
      return THREADS + " threads, pollUsingLockAndFetch(1.0, 4.0), pollingInterval 100 ms";
    }

    @Override
    public void burst(int count, Runnable callback) throws Exception {
      tasks = count;
      atTimes(Collections.nCopies(count, Instant.now()), late -> callback.run());
    }

    /** Due when all are in the table. */
    @Override
    public void again() {
      Instant due = Instant.now().plusSeconds(3 + tasks / 5000);
      schedule(Collections.nCopies(tasks, due), "again-");
      if (Instant.now().isAfter(due)) {
        throw new IllegalStateException("scheduling took too long for this trial");
      }
    }

    @Override
    public void atTimes(List<Instant> dues, Consumer<Duration> callback) throws Exception {
      execute(
          source,
          """
          CREATE TABLE scheduled_tasks (
            task_name text NOT NULL, task_instance text NOT NULL, task_data bytea,
            execution_time timestamptz NOT NULL, picked boolean NOT NULL, picked_by text,
            last_success timestamptz, last_failure timestamptz, consecutive_failures int,
            last_heartbeat timestamptz, version bigint NOT NULL, priority smallint,
            PRIMARY KEY (task_name, task_instance));
          CREATE INDEX execution_time_idx ON scheduled_tasks (execution_time);
          CREATE INDEX last_heartbeat_idx ON scheduled_tasks (last_heartbeat)
          """);
      task =
          Tasks.oneTime("bench")
              .execute(
                  (instance, context) ->
                      callback.accept(
                          Duration.between(context.getExecution().executionTime, Instant.now())));
      scheduler =
          Scheduler.create(source, task)
              .threads(THREADS)
              .pollUsingLockAndFetch(1.0, 4.0)
              .pollingInterval(Duration.ofMillis(100))
              .build();
      schedule(dues, "task-");
      scheduler.start();
    }

    private void schedule(List<Instant> dues, String name) {
      Map<Instant, List<TaskInstance<?>>> byDue = new HashMap<>();
      for (int i = 0; i < dues.size(); i++) {
        byDue.computeIfAbsent(dues.get(i), due -> new ArrayList<>()).add(task.instance(name + i));
      }
      Scheduler all = Objects.requireNonNull(scheduler);
      byDue.forEach((due, instances) -> all.scheduleBatch(instances, due));
    }

    @Override
    public String unfinished() {
      return "SELECT count(*) FROM scheduled_tasks";
    }
  }

  /** Background jobs; those of a burst are in the queue when its server starts. */
  final class JobRunrServer implements SharedContestant {
    private static volatile Consumer<Duration> told = late -> {};

    private final HikariDataSource source;

    JobRunrServer(HikariDataSource source) {
      this.source = source;
    }

    /** What is asked for, with the time it is due. */
    public record Work(long dueMillis) implements JobRequest {
      @Override
      public Class<WorkHandler> getJobRequestHandler() {
        return WorkHandler.class;
      }
    }

    /** Its handler, which the server makes itself. */
    public static final class WorkHandler implements JobRequestHandler<Work> {
      @Override
      public void run(Work work) {
        told.accept(Duration.between(Instant.ofEpochMilli(work.dueMillis()), Instant.now()));
      }
    }

    @Override
    public String settings() {
      return THREADS + " workers, poll interval 5 s (the shortest it allows)";
    }

    @Override
    public void burst(int tasks, Runnable callback) {
      told = late -> callback.run();
      long now = System.currentTimeMillis();
      run(jobs -> jobs.enqueue(IntStream.range(0, tasks).mapToObj(i -> new Work(now))));
    }

    @Override
    public void atTimes(List<Instant> dues, Consumer<Duration> callback) {
      told = callback;
      run(jobs -> dues.forEach(due -> jobs.schedule(due, new Work(due.toEpochMilli()))));
    }

    private void run(Consumer<JobRequestScheduler> asking) {
      var configuration =
          JobRunr.configure()
              .useStorageProvider(new PostgresStorageProvider(source))
              .useBackgroundJobServer(
                  BackgroundJobServerConfiguration.usingStandardBackgroundJobServerConfiguration()
                      .andPollIntervalInSeconds(5)
                      .andWorkerCount(THREADS),
                  false)
              .initialize();
      asking.accept(configuration.getJobRequestScheduler());
      BackgroundJobServer server = JobRunr.getBackgroundJobServer();
      server.start();
    }

    @Override
    public String unfinished() {
      return "SELECT count(*) FROM jobrunr_jobs WHERE state <> 'SUCCEEDED'";
    }
  }

  /** JobStoreTX, clustered, with one trigger for each task. */
  final class Quartz implements SharedContestant {
    private static volatile Consumer<Duration> told = late -> {};

    private final HikariDataSource source;

    Quartz(HikariDataSource source) {
      this.source = source;
    }

    /** Quartz makes its jobs itself. */
    public static final class TriggeredWork implements Job {
      @Override
      public void execute(JobExecutionContext context) {
        told.accept(Duration.between(context.getScheduledFireTime().toInstant(), Instant.now()));
      }
    }

    @Override
    public String settings() {
      return THREADS
          + " threads, JobStoreTX, clustered, batchTriggerAcquisitionMaxCount "
          + THREADS
          + ", acquireTriggersWithinLock";
    }

    @Override
    public void burst(int tasks, Runnable callback) throws Exception {
      told = late -> callback.run();
      Instant now = Instant.now();
      run(IntStream.range(0, tasks).mapToObj(i -> now).toList());
    }

    @Override
    public void atTimes(List<Instant> dues, Consumer<Duration> callback) throws Exception {
      told = callback;
      run(dues);
    }

    private void run(List<Instant> dues) throws Exception {
      try (InputStream ddl =
          Objects.requireNonNull(
              Job.class.getResourceAsStream("/org/quartz/impl/jdbcjobstore/tables_postgres.sql"))) {
        execute(source, new String(ddl.readAllBytes(), StandardCharsets.UTF_8));
      }
      Properties properties = new Properties();
      String store = "org.quartz.jobStore.";
      properties.setProperty("org.quartz.scheduler.instanceName", "bench");
      properties.setProperty("org.quartz.scheduler.instanceId", "AUTO");
      properties.setProperty("org.quartz.threadPool.threadCount", Integer.toString(THREADS));
      properties.setProperty(
          "org.quartz.scheduler.batchTriggerAcquisitionMaxCount", Integer.toString(THREADS));
      properties.setProperty(store + "class", "org.quartz.impl.jdbcjobstore.JobStoreTX");
      properties.setProperty(
          store + "driverDelegateClass", "org.quartz.impl.jdbcjobstore.PostgreSQLDelegate");
      properties.setProperty(store + "isClustered", "true");
      properties.setProperty(store + "acquireTriggersWithinLock", "true");
      properties.setProperty(store + "misfireThreshold", "3600000");
      properties.setProperty(store + "dataSource", "bench");
      String pool = "org.quartz.dataSource.bench.";
      properties.setProperty(pool + "provider", "hikaricp");
      properties.setProperty(pool + "driver", "org.postgresql.Driver");
      properties.setProperty(pool + "URL", source.getJdbcUrl());
      properties.setProperty(pool + "user", source.getUsername());
      properties.setProperty(pool + "maxConnections", Integer.toString(THREADS + 3));
      org.quartz.Scheduler scheduler = new StdSchedulerFactory(properties).getScheduler();
      Map<JobDetail, Set<? extends Trigger>> work = new HashMap<>();
      for (int i = 0; i < dues.size(); i++) {
        work.put(
            JobBuilder.newJob(TriggeredWork.class).withIdentity("task-" + i).build(),
            Set.of(
                TriggerBuilder.newTrigger()
                    .withIdentity("task-" + i)
                    .startAt(Date.from(dues.get(i)))
                    .build()));
      }
      scheduler.scheduleJobs(work, false);
      scheduler.start();
    }

    @Override
    public String unfinished() {
      return "SELECT (SELECT count(*) FROM qrtz_triggers)"
          + " + (SELECT count(*) FROM qrtz_fired_triggers)";
    }
  }
}
