package dev.kron.bench;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

/** One trial on PostgreSQL, in a process of its own: {@code CONTESTANT TRIAL TASKS URL}. */
public final class SharedTrial {
  /** Tasks that are due in each second where lateness is measured. */
  private static final int EACH_SECOND = 5;

  /** A program has been up for a while. */
  private static final int WARM = 2;

  private SharedTrial() {}

  public static void main(String[] arguments) throws Exception {
    int tasks = Integer.parseInt(arguments[2]);
    var source = new HikariDataSource();
    source.setJdbcUrl(arguments[3]);
    source.setUsername("postgres");
    source.setMaximumPoolSize(SharedContestant.THREADS + 5);
    SharedContestant contestant = SharedContestant.of(arguments[0], source);
    System.out.println("settings " + contestant.settings());
    switch (arguments[1]) {
      case "burst" -> burst(contestant, tasks, source, 0);
      case "warm" -> burst(contestant, tasks, source, WARM);
      default -> lateness(contestant, tasks);
    }
    System.out.flush();
    Runtime.getRuntime().halt(0);
  }

  /**
   * From the first start until the database says of all that they ended.
   *
   * @param before how often it happens before that, for the compilers
   */
  private static void burst(
      SharedContestant contestant, int tasks, HikariDataSource source, int before)
      throws Exception {
    AtomicReference<Burst> going = new AtomicReference<>(new Burst(tasks));
    contestant.burst(tasks, () -> going.get().started());
    double seconds = going.get().seconds(contestant, source);
    for (int i = 0; i < before; i++) {
      going.set(new Burst(tasks));
      contestant.again();
      seconds = going.get().seconds(contestant, source);
    }
    System.out.println("figure perSecond " + tasks / seconds);
  }

  /** Many tasks that are due at once. */
  private static final class Burst {
    private final CountDownLatch missing;
    private final AtomicLong firstNanos = new AtomicLong(Long.MAX_VALUE);

    Burst(int tasks) {
      missing = new CountDownLatch(tasks);
    }

    void started() {
      firstNanos.accumulateAndGet(System.nanoTime(), Math::min);
      missing.countDown();
    }

    double seconds(SharedContestant contestant, HikariDataSource source) throws Exception {
      if (!missing.await(180, TimeUnit.SECONDS)) {
        throw new IllegalStateException(missing.getCount() + " never started");
      }
      long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
      while (unfinished(contestant, source) > 0) {
        if (System.nanoTime() > end) {
          throw new IllegalStateException(unfinished(contestant, source) + " never ended");
        }
        TimeUnit.MILLISECONDS.sleep(10);
      }
      return (System.nanoTime() - firstNanos.get()) / 1e9;
    }
  }

  private static long unfinished(SharedContestant contestant, HikariDataSource source)
      throws SQLException {
    try (Connection connection = source.getConnection();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(contestant.unfinished())) {
      row.next();
      return row.getLong(1);
    }
  }

  private static void lateness(SharedContestant contestant, int tasks) throws Exception {
    Instant first = Instant.now().truncatedTo(ChronoUnit.SECONDS).plusSeconds(10);
    List<Instant> dues = new ArrayList<>();
    for (int i = 0; i < tasks; i++) {
      dues.add(first.plusSeconds(i / EACH_SECOND));
    }
    List<Double> millis = Collections.synchronizedList(new ArrayList<>());
    CountDownLatch started = new CountDownLatch(tasks);
    contestant.atTimes(
        dues,
        (Duration late) -> {
          millis.add(late.toNanos() / 1e6);
          started.countDown();
        });
    if (!started.await(180 + tasks / EACH_SECOND, TimeUnit.SECONDS)) {
      throw new IllegalStateException(started.getCount() + " of " + tasks + " never started");
    }
    List<Double> sorted = new ArrayList<>(millis).subList(0, tasks);
    Collections.sort(sorted);
    System.out.println("figure lateMedian " + sorted.get(tasks / 2));
    System.out.println("figure late99 " + sorted.get(Math.min(tasks - 1, tasks * 99 / 100)));
  }
}
