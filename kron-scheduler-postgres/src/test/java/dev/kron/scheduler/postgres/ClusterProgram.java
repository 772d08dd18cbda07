package dev.kron.scheduler.postgres;

import dev.kron.scheduler.Callback;
import dev.kron.scheduler.DeclarativeScheduler;
import dev.kron.scheduler.Registration;
import dev.kron.scheduler.RunContext;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * One instance of a program that {@link ClusterTest} kills. Its tasks leave evidence in a file, a
 * line when they begin and one when they end. Minutes come every half a second, in all instances at
 * once.
 */
final class ClusterProgram {
  static final int SPEED = 120;
  static final int TASKS = 12;
  static final Duration LEASE = Duration.ofMillis(1500);
  static final Duration GRACE = Duration.ofMillis(500);

  private final String instance;
  private final FileOutputStream evidence;

  private ClusterProgram(String instance, FileOutputStream evidence) {
    this.instance = instance;
    this.evidence = evidence;
  }

  /** The machine's clock, faster, and the same in every process that knows its origin. */
  private static final class FastClock extends Clock {
    private final long originMillis;

    FastClock(long originMillis) {
      this.originMillis = originMillis;
    }

    @Override
    public Instant instant() {
      long passed = System.currentTimeMillis() - originMillis;
      return Instant.ofEpochMilli(originMillis + passed * SPEED);
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

  public static void main(String[] arguments) throws Exception {
    PGSimpleDataSource source = new PGSimpleDataSource();
    source.setURL(arguments[0]);
    try (FileOutputStream evidence = new FileOutputStream(arguments[2], true)) {
      ClusterProgram program = new ClusterProgram(arguments[1], evidence);
      DeclarativeScheduler.builder(
              PostgresTaskStore.builder(source).lease(LEASE).grace(GRACE).build())
          .name("cluster")
          .zone(ZoneOffset.UTC)
          .clock(new FastClock(Long.parseLong(arguments[3])))
          .build()
          .initialize(program.tasks());
      System.out.println("ready");
      new CountDownLatch(1).await();
    }
  }

  private List<Registration> tasks() {
    List<Registration> tasks = new ArrayList<>();
    for (int i = 0; i < TASKS; i++) {
      tasks.add(
          new Registration(
              "task-" + i, "* * * * *", Callback.of(this::work), Duration.ofSeconds(20)));
    }
    return tasks;
  }

  private void work(RunContext run) throws Exception {
    note("begin", run);
    try {
      new CountDownLatch(1).await(ThreadLocalRandom.current().nextInt(400), TimeUnit.MILLISECONDS);
    } finally {
      note("end", run);
    }
    if (ThreadLocalRandom.current().nextInt(10) == 0) {
      throw new IOException("as planned");
    }
  }

  /** One write a line, so that a kill never leaves half of one and half of another. */
  private void note(String what, RunContext run) throws IOException {
    String line =
        String.join(
            " ",
            what,
            run.taskName(),
            String.valueOf(run.scheduledAt()),
            Integer.toString(run.attempt()),
            Long.toString(run.fencingToken()),
            instance,
            Long.toString(System.currentTimeMillis()),
            "\n");
    evidence.write(line.getBytes(StandardCharsets.UTF_8));
  }
}
