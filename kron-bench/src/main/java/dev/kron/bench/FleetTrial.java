package dev.kron.bench;

import dev.kron.fleet.Action;
import dev.kron.fleet.Answers.Joined;
import dev.kron.fleet.Claim;
import dev.kron.fleet.FleetJob;
import dev.kron.fleet.FleetNode;
import dev.kron.fleet.Join;
import dev.kron.fleet.NodeSession;
import dev.kron.fleet.NodeVote;
import dev.kron.fleet.RowKey;
import dev.kron.fleet.Settlement;
import dev.kron.fleet.Statement;
import dev.kron.fleet.Verdict;
import dev.kron.fleet.postgres.CurrentSource.Secret;
import dev.kron.fleet.postgres.PostgresDatabase;
import dev.kron.job.FleetRules;
import dev.kron.job.FleetRules.Loss;
import dev.kron.job.Placement;
import dev.kron.job.RetryPolicy;
import dev.kron.schedule.Schedule;
import java.io.IOException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * One trial of claims with recorded ends, in a process of its own: {@code WAY claims TASKS URL}.
 * {@code node}: a node of a fleet, as the daemon has it, with jobs that are due at once and
 * commands that take no time; {@code fleet}: three of them. {@code single}: the same statements
 * with one claim in each. {@code floor}: a loop of batched updates of a table that has nothing but
 * what is updated.
 */
public final class FleetTrial {
  private static final int BATCH = 1000;

  /** The last of them counts. */
  private static final int ROUNDS = 3;

  private static final long PATIENCE_NANOS = 120_000_000_000L;

  private static final AtomicInteger IDS = new AtomicInteger();

  private FleetTrial() {}

  public static void main(String[] arguments) throws Exception {
    int tasks = Integer.parseInt(arguments[2]);
    String url = arguments[3];
    double seconds =
        switch (arguments[0]) {
          case "node" -> fleet(1, tasks, url);
          case "fleet" -> fleet(3, tasks, url);
          case "single" -> single(tasks, url);
          case "floor" -> floor(tasks, url);
          default -> throw new IllegalArgumentException(arguments[0]);
        };
    System.out.println("figure perSecond " + tasks / seconds);
    System.out.flush();
    Runtime.getRuntime().halt(0);
  }

  private static PostgresDatabase open(String url) throws IOException {
    return PostgresDatabase.open(url, () -> new Secret(PostgresServer.USER, PostgresServer.USER));
  }

  private static Join join(String name, long leaseMillis) {
    var card = new Join.Card(name, List.of(), "1", leaseMillis);
    return new Join(
        UUID.randomUUID(), new NodeSession.Start(1, UUID.randomUUID()), List.of(), 0, card);
  }

  private static String id() {
    return "run-" + IDS.incrementAndGet();
  }

  private static FleetJob job(int number, Schedule schedule) {
    String identity = "fleet:bench.kron:job" + number;
    return new FleetJob(
        RowKey.shared(identity),
        identity,
        "d",
        schedule,
        RetryPolicy.NONE,
        new FleetRules("bench.kron", Placement.ANY, Loss.SKIP, "bench"));
  }

  /**
   * From the first statement that claims until all ends are on record; twice as many jobs were due
   * before, since a daemon has been up for a while.
   */
  private static double fleet(int nodes, int tasks, String url) throws Exception {
    System.out.println(
        "settings lease 30 s, batches of at most 1000, one connection for them a node");
    int apart = 6 + tasks / 5_000;
    Instant due = Instant.now().plusSeconds(8 + tasks / 2_500).truncatedTo(ChronoUnit.SECONDS);
    Instant last = due.plusSeconds((ROUNDS - 1L) * apart);
    List<FleetJob> jobs = new ArrayList<>(ROUNDS * tasks);
    for (int i = 0; i < ROUNDS * tasks; i++) {
      Instant from = due.plusSeconds((long) (i / tasks) * apart);
      jobs.add(job(i, Schedule.parse("@every(24h,from=" + from + ")")));
    }
    List<Member> members = new ArrayList<>();
    for (int i = 1; i <= nodes; i++) {
      members.add(new Member(open(url), join("n" + i, 30_000), jobs));
    }
    var told = new AtomicInteger();
    var firstNanos = new AtomicLong(Long.MAX_VALUE);
    List<Thread> threads = new ArrayList<>();
    for (Member member : members) {
      threads.add(
          Thread.ofPlatform().start(() -> member.turns(told, ROUNDS * tasks, last, firstNanos)));
    }
    for (Thread thread : threads) {
      thread.join();
    }
    if (told.get() < ROUNDS * tasks) {
      throw new IllegalStateException(told + " of " + ROUNDS * tasks + " ends are on record");
    }
    return (System.nanoTime() - firstNanos.get()) / 1e9;
  }

  /** A node of the fleet, which knows the others as soon as it turns. */
  private record Member(PostgresDatabase database, FleetNode node) {
    Member(PostgresDatabase database, Join join, List<FleetJob> jobs) throws IOException {
      this(database, new FleetNode(join.node(), join.card(), FleetTrial::id));
      node.jobs(jobs);
      long sent = System.nanoTime();
      node.joined((Joined.In) database.join(join), sent, System.nanoTime());
    }

    void turns(AtomicInteger told, int all, Instant from, AtomicLong firstNanos) {
      long begin = System.nanoTime();
      while (told.get() < all && System.nanoTime() - begin < PATIENCE_NANOS) {
        for (Action action : node.turn(System.nanoTime())) {
          switch (action) {
            case Action.Ask(Statement statement) -> {
              if (statement instanceof Statement.Take && !Instant.now().isBefore(from)) {
                firstNanos.accumulateAndGet(System.nanoTime(), Math::min);
              }
              ask(node, database, statement);
            }
            case Action.Start(Claim claim, long _) -> node.ended(claim.run(), success());
            case Action.Told(List<String> runs) -> told.addAndGet(runs.size());
            default -> throw new IllegalStateException(action.toString());
          }
        }
        long wait = node.nextTurn(System.nanoTime()) - System.nanoTime();
        if (wait > 1_000_000L) {
          LockSupport.parkNanos(Math.min(wait, 50_000_000L));
        }
      }
    }
  }

  private static void ask(FleetNode node, PostgresDatabase database, Statement statement) {
    try {
      Statement.Answer answer = statement.execute(database);
      node.answered(statement, answer, System.nanoTime());
    } catch (IOException e) {
      System.err.println(e.getMessage());
      node.failed(statement, System.nanoTime());
    }
  }

  private static Settlement.End success() {
    long now = System.currentTimeMillis();
    return new Settlement.End("success", 0, now, now, "", "");
  }

  /** A commit for each claim, and one for each end. */
  private static double single(int tasks, String url) throws IOException {
    System.out.println("settings one claim in a statement, one connection, a lease of ten minutes");
    try (PostgresDatabase database = open(url)) {
      NodeSession session = ((Joined.In) database.join(join("bench", 600_000))).session();
      Schedule schedule = Schedule.parse("@manual");
      List<NodeVote> votes = new ArrayList<>();
      for (int i = 0; i < tasks; i++) {
        votes.add(new NodeVote(job(i, schedule).row(), "d", schedule.fingerprint(), "any", ""));
      }
      database.arrive(session, votes);
      long dueMillis = System.currentTimeMillis() + 1;
      LockSupport.parkNanos(10_000_000L);
      long begin = System.nanoTime();
      for (int i = 0; i < tasks; i++) {
        var claim =
            new Claim(
                job(i, schedule).row(),
                id(),
                Claim.Kind.START,
                new Claim.Period(dueMillis / 1000, 1, dueMillis, dueMillis),
                new Claim.Terms("d", 1, dueMillis + 600_000),
                schedule.policy().concurrency(),
                "");
        var verdict = database.claim(session, List.of(claim)).verdicts().getFirst();
        if (!(verdict instanceof Verdict.Taken)) {
          throw new IllegalStateException(verdict.toString());
        }
        database.settle(session, List.of(new Settlement(claim, success(), null)));
      }
      return (System.nanoTime() - begin) / 1e9;
    }
  }

  /** Twice as many updates as tasks, in statements of a thousand, each a commit. */
  private static double floor(int tasks, String url) throws SQLException {
    System.out.println("settings batches of " + BATCH + ", no conditions but the period");
    try (Connection connection =
        DriverManager.getConnection(url, PostgresServer.USER, PostgresServer.USER)) {
      try (java.sql.Statement statement = connection.createStatement()) {
        statement.execute(
            "CREATE TABLE floor (job text PRIMARY KEY, period bigint NOT NULL, active text);"
                + " INSERT INTO floor SELECT 'fleet:bench.kron:job' || i, 0, NULL"
                + " FROM generate_series(0, "
                + (tasks - 1)
                + ") i");
      }
      String take =
          "UPDATE floor f SET period = 1, active = w.run FROM unnest(?::text[], ?::text[])"
              + " AS w(job, run) WHERE f.job = w.job AND f.period < 1";
      String end =
          "UPDATE floor f SET active = NULL FROM unnest(?::text[], ?::text[]) AS w(job, run)"
              + " WHERE f.job = w.job AND f.active = w.run";
      long begin = System.nanoTime();
      for (int from = 0; from < tasks; from += BATCH) {
        int size = Math.min(BATCH, tasks - from);
        String[] jobs = new String[size];
        String[] runs = new String[size];
        for (int i = 0; i < size; i++) {
          jobs[i] = "fleet:bench.kron:job" + (from + i);
          runs[i] = id();
        }
        for (String sql : List.of(take, end)) {
          try (PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.setArray(1, connection.createArrayOf("text", jobs));
            statement.setArray(2, connection.createArrayOf("text", runs));
            if (statement.executeUpdate() != size) {
              throw new SQLException("not all were updated");
            }
          }
        }
      }
      return (System.nanoTime() - begin) / 1e9;
    }
  }
}
