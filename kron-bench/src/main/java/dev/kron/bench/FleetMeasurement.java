package dev.kron.bench;

import dev.kron.bench.BusyMinute.Starts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

/**
 * A fleet on PostgreSQL (fsync and synchronous_commit on): claims with recorded ends a second, next
 * to db-scheduler, JobRunr, Quartz and a loop of batched updates; statements of nodes with nothing
 * to do; a thousand jobs due in one second on three nodes, next to one machine without a fleet.
 *
 * <p>{@code kron-bench/run fleet [--quick] [--only claims|idle|second]}.
 */
final class FleetMeasurement implements Measurement {
  private static final int NODES = 3;
  private static final int JOBS = 10_000;

  /** Measured after twice as many for the compilers: a daemon has been up for a while. */
  private static final int CLAIMS = 30_000;

  private static final int DUE = 1_000;

  /** JobRunr, Quartz and a commit a claim are too slow for as many tasks as the others. */
  private static final int FEW = 2_000;

  @Override
  public String title() {
    return "a fleet's claims on PostgreSQL, its idle nodes, 1,000 jobs due in one second";
  }

  @Override
  public boolean run(List<String> options) throws Exception {
    int only = options.indexOf("--only");
    String part = only < 0 ? "" : options.get(only + 1);
    boolean quick = options.contains("--quick");
    Path root = Child.root();
    var krond = new KrondDaemon(root);
    if (!part.equals("claims")) {
      krond.build();
    }
    boolean met = true;
    try (var scratch = new Scratch(root);
        var server = new PostgresServer(scratch.directory())) {
      System.out.println(server.describe());
      if (part.isEmpty() || part.equals("claims")) {
        met &= claims(server, quick);
      }
      if (part.isEmpty() || part.equals("idle")) {
        met &= idle(krond, Files.createDirectory(scratch.directory().resolve("i")), server, quick);
      }
      if (part.isEmpty() || part.equals("second")) {
        met &=
            second(krond, Files.createDirectory(scratch.directory().resolve("s")), server, quick);
      }
    }
    return met;
  }

  private static boolean claims(PostgresServer server, boolean quick) throws Exception {
    int trials = quick ? 1 : 3;
    int tasks = quick ? FEW : CLAIMS;
    Map<String, Double> perSecond = new HashMap<>();
    for (String way : List.of("floor", "node", "fleet", "single")) {
      var values = new ArrayList<Double>();
      boolean slow = way.equals("single");
      for (int i = 0; i < (slow ? 1 : trials); i++) {
        String url = server.url(server.newDatabase());
        String count = Integer.toString(slow ? FEW : tasks);
        values.add(
            SchedulerMeasurement.trial(FleetTrial.class, List.of(way, "claims", count, url))
                .getOrDefault("perSecond", Double.NaN));
      }
      values.sort(null);
      perSecond.put(way, values.get(values.size() / 2));
    }
    for (String peer : List.of("db-scheduler", "jobrunr", "quartz")) {
      boolean fast = peer.equals("db-scheduler");
      perSecond.put(
          peer,
          SharedMeasurement.median(
                  fast ? trials : 1, server, peer, fast ? "warm" : "burst", fast ? tasks : FEW)
              .getOrDefault("perSecond", Double.NaN));
    }
    System.out.printf("%nclaims with recorded ends, a second%n");
    double node = perSecond.getOrDefault("node", Double.NaN);
    double fleet = perSecond.getOrDefault("fleet", Double.NaN);
    for (String each :
        List.of("floor", "node", "fleet", "single", "db-scheduler", "jobrunr", "quartz")) {
      double figure = perSecond.getOrDefault(each, Double.NaN);
      System.out.printf("  %-40s %10.0f %10.2f%n", each, figure, figure / fleet);
    }
    boolean met = target("claims: at least 10,000 a second", node, 10_000, true);
    met &=
        target(
            "claims: at least 3 times db-scheduler's",
            fleet / perSecond.getOrDefault("db-scheduler", Double.NaN),
            3,
            true);
    return met;
  }

  /** Jobs that are due in half a day; the server counts what the nodes ask. */
  private static boolean idle(KrondDaemon krond, Path scratch, PostgresServer server, boolean quick)
      throws Exception {
    int seconds = quick ? 20 : 60;
    ZonedDateTime never = ZonedDateTime.now(ZoneOffset.UTC).plusHours(12);
    String fields = never.getMinute() + " " + never.getHour() + " * * * name=job";
    List<String> lines =
        IntStream.range(0, JOBS).mapToObj(i -> fields + i + " command=/bin/true").toList();
    String database = server.newDatabase();
    try (var machines = FleetMachines.fleet(krond, scratch, NODES, server, database)) {
      machines.load(lines);
      FleetMachines.awaitVotes(server, database, (long) NODES * JOBS);
      TimeUnit.SECONDS.sleep(quick ? 10 : 30); // compilation, and the look at all rows
      server.execute("ALTER SYSTEM SET pg_stat_statements.track = 'top'");
      server.execute("SELECT pg_reload_conf()");
      TimeUnit.SECONDS.sleep(2);
      server.execute(database, "CREATE EXTENSION pg_stat_statements");
      server.execute(database, "SELECT pg_stat_statements_reset()");
      long cpu = cpuNanos(machines);
      TimeUnit.SECONDS.sleep(seconds);
      double percent = (cpuNanos(machines) - cpu) / 1e9 / seconds / NODES * 100;
      String asked =
          " FROM pg_stat_statements s JOIN pg_database d ON d.oid = s.dbid"
              + " WHERE d.datname = current_database() AND query NOT LIKE '%pg_stat_statements%'";
      double statements =
          Double.parseDouble(server.text(database, "SELECT coalesce(sum(calls), 0)" + asked));
      double millis =
          Double.parseDouble(
              server.text(database, "SELECT coalesce(sum(total_exec_time), 0)" + asked));
      server.execute("ALTER SYSTEM SET pg_stat_statements.track = 'none'");
      System.out.printf(
          "%n%,d fleet jobs that do not fire, %d nodes, %d s%n", JOBS, NODES, seconds);
      System.out.printf("  %-40s %10.3f%n", "a node's processor time, % of a core", percent);
      System.out.printf(
          "  %-40s %10.3f%n", "the server's time for statements, % ", millis / seconds / 10);
      return target(
          "statements a second and node: below 2", statements / seconds / NODES, 2, false);
    }
  }

  private static long cpuNanos(FleetMachines machines) throws IOException {
    long sum = 0;
    for (CronDaemon.Running node : machines.nodes()) {
      sum += IdleMeasurement.cpuNanos(node.process().pid());
    }
    return sum;
  }

  private static boolean second(
      KrondDaemon krond, Path scratch, PostgresServer server, boolean quick) throws Exception {
    int rounds = quick ? 2 : 5;
    double alone;
    Path home = Files.createDirectory(scratch.resolve("alone"));
    try (var machines = FleetMachines.alone(krond, home);
        var plan = new Rounds(rounds + 1)) {
      machines.load(plan.lines());
      alone = plan.median("one machine without a fleet");
    }
    double fleet;
    String database = server.newDatabase();
    try (var machines = FleetMachines.fleet(krond, scratch, NODES, server, database);
        var plan = new Rounds(rounds + 1)) {
      machines.load(plan.lines());
      FleetMachines.awaitVotes(server, database, (long) NODES * (rounds + 1) * DUE);
      fleet = plan.median("three nodes of a fleet");
    }
    System.out.println(
        "runs of each node: "
            + server.text(
                database,
                "SELECT string_agg(n.name || ' ' || c, ', ' ORDER BY n.name) FROM (SELECT node,"
                    + " count(*) c FROM kron.run GROUP BY node) r JOIN kron.node n USING (node)"));
    return target("last start, ratio: at most 2", fleet / alone, 2, false);
  }

  /** A thousand jobs due in one second, several times over; the first is for warming up. */
  private static final class Rounds implements AutoCloseable {
    private static final int APART_SECONDS = 9;

    /** For reading the files, and for what is prepared ten seconds ahead. */
    private static final int LEAD_SECONDS = 14;

    private final List<BusyMinute> evidence = new ArrayList<>();
    private final Instant first;

    Rounds(int count) throws IOException {
      first = Instant.now().plusSeconds(LEAD_SECONDS).truncatedTo(ChronoUnit.SECONDS);
      for (int i = 0; i < count; i++) {
        evidence.add(new BusyMinute(DUE));
      }
    }

    private Instant due(int round) {
      return first.plusSeconds((long) round * APART_SECONDS);
    }

    List<String> lines() {
      List<String> lines = new ArrayList<>();
      for (int round = 0; round < evidence.size(); round++) {
        for (int i = 0; i < DUE; i++) {
          lines.add(
              "@every(24h,from=%s) name=job%d-%d shell=true command=\"%s\""
                  .formatted(due(round), round, i, evidence.get(round).command(i)));
        }
      }
      return lines;
    }

    /** The last start of the round in the middle, in seconds after the due one. */
    double median(String title) throws IOException, InterruptedException {
      if (Instant.now().isAfter(due(0).minusSeconds(1))) {
        throw new IOException(title + ": it was not there in time");
      }
      List<Starts> all = new ArrayList<>();
      System.out.printf("%n%,d due in one second, %s%n", DUE, title);
      for (int round = 0; round < evidence.size(); round++) {
        TimeUnit.MILLISECONDS.sleep(
            Math.max(0, due(round).toEpochMilli() - System.currentTimeMillis()));
        Starts starts = evidence.get(round).await(due(round), 5);
        System.out.printf("  %s%s%n", round == 0 ? "(warming up) " : "", starts);
        if (starts.missed() > 0 || starts.repeated() > 0) {
          throw new IOException("not each of them ran once");
        }
        if (round > 0) {
          all.add(starts);
        }
      }
      all.sort(Comparator.comparingDouble(Starts::last));
      return all.get(all.size() / 2).last();
    }

    @Override
    public void close() throws IOException {
      for (BusyMinute each : evidence) {
        each.close();
      }
    }
  }

  private static boolean target(String what, double figure, double limit, boolean atLeast) {
    boolean met = atLeast ? figure >= limit : figure <= limit;
    System.out.printf("  %-40s %10.2f %s%n", what, figure, met ? "met" : "MISSED");
    return met;
  }
}
