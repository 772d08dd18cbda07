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
import java.util.concurrent.locks.LockSupport;

/**
 * One trial of claims with recorded ends, in a process of its own: {@code WAY claims TASKS URL}.
 * {@code node}: a node of a fleet, as the daemon has it, with jobs that are due at once and
 * commands that take no time. {@code single}: the same statements with one claim in each. {@code
 * floor}: a loop of batched updates of a table that has nothing but what is updated.
 */
public final class FleetTrial {
  private static final int BATCH = 1000;
  private static final long PATIENCE_NANOS = 120_000_000_000L;

  private static int ids;

  private FleetTrial() {}

  public static void main(String[] arguments) throws Exception {
    int tasks = Integer.parseInt(arguments[2]);
    String url = arguments[3];
    double seconds =
        switch (arguments[0]) {
          case "node" -> node(tasks, url);
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

  private static Join join(long leaseMillis) {
    var card = new Join.Card("bench", List.of(), "1", leaseMillis);
    return new Join(
        UUID.randomUUID(), new NodeSession.Start(1, UUID.randomUUID()), List.of(), 0, card);
  }

  private static String id() {
    return "run-" + ++ids;
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

  /** From the first statement that claims until all ends are on record. */
  private static double node(int tasks, String url) throws IOException {
    System.out.println("settings lease 30 s, batches of at most " + BATCH + ", one connection");
    try (PostgresDatabase database = open(url)) {
      Join join = join(30_000);
      var node = new FleetNode(join.node(), join.card(), FleetTrial::id);
      Instant due = Instant.now().plusSeconds(5 + tasks / 10_000).truncatedTo(ChronoUnit.SECONDS);
      Schedule schedule = Schedule.parse("@every(24h,from=" + due + ")");
      List<FleetJob> jobs = new ArrayList<>(tasks);
      for (int i = 0; i < tasks; i++) {
        jobs.add(job(i, schedule));
      }
      node.jobs(jobs);
      long sent = System.nanoTime();
      node.joined((Joined.In) database.join(join), sent, System.nanoTime());
      return turns(node, database, tasks);
    }
  }

  private static double turns(FleetNode node, PostgresDatabase database, int tasks) {
    long begin = System.nanoTime();
    long first = 0;
    int told = 0;
    while (told < tasks) {
      long now = System.nanoTime();
      if (now - begin > PATIENCE_NANOS) {
        throw new IllegalStateException(told + " of " + tasks + " ends are on record");
      }
      for (Action action : node.turn(now)) {
        switch (action) {
          case Action.Ask(Statement statement) -> {
            first = first == 0 && statement instanceof Statement.Take ? System.nanoTime() : first;
            ask(node, database, statement);
          }
          case Action.Start(Claim claim, long _) -> node.ended(claim.run(), success());
          case Action.Told(List<String> runs) -> told += runs.size();
          default -> throw new IllegalStateException(action.toString());
        }
      }
      long wait = node.nextTurn(System.nanoTime()) - System.nanoTime();
      if (wait > 1_000_000L) {
        LockSupport.parkNanos(Math.min(wait, 50_000_000L));
      }
    }
    return (System.nanoTime() - first) / 1e9;
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
      NodeSession session = ((Joined.In) database.join(join(600_000))).session();
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
