package dev.kron.bench;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The scheduler library on PostgreSQL, next to db-scheduler, JobRunr and Quartz on the same server
 * (fsync and synchronous_commit on): claims with recorded ends a second, and how late a task that
 * is due is started. Every trial is a process and a database of its own, and the contestants take
 * turns.
 *
 * <p>{@code kron-bench/run scheduler-postgres [--quick] [--cold] [--only claims|late] [--of
 * kron,quartz]}; {@code --cold} counts what processes do that have just begun.
 */
final class SharedMeasurement implements Measurement {
  private static final List<String> CONTESTANTS =
      List.of("kron", "db-scheduler", "jobrunr", "quartz");

  /** Those who are too slow for as many tasks as the others; with few they are at their best. */
  private static final List<String> SLOW = List.of("jobrunr", "quartz");

  /**
   * After twice as many that do not count, for the compilers: a program has been up for a while.
   */
  private static final int CLAIMS = 30_000;

  private static final int FEW = 2_000;

  @Override
  public String title() {
    return "shared tasks on PostgreSQL, against db-scheduler, JobRunr and Quartz";
  }

  @Override
  public boolean run(List<String> options) throws Exception {
    boolean quick = options.contains("--quick");
    boolean cold = options.contains("--cold");
    int only = options.indexOf("--only");
    String part = only < 0 ? "" : options.get(only + 1);
    int of = options.indexOf("--of");
    List<String> contestants = of < 0 ? CONTESTANTS : List.of(options.get(of + 1).split(","));
    Map<String, Map<String, Double>> all = new HashMap<>();
    try (Scratch scratch = new Scratch(Path.of("").toAbsolutePath());
        PostgresServer server = new PostgresServer(scratch.directory())) {
      System.out.println(server.describe());
      if (!part.equals("late")) {
        claims(server, quick, cold, contestants, all);
      }
      if (!part.equals("claims")) {
        for (String contestant : contestants) {
          all.computeIfAbsent(contestant, key -> new HashMap<>())
              .putAll(median(1, server, contestant, "lateness", quick ? 50 : 300));
        }
      }
    }
    System.out.printf("%n%-52s", "");
    CONTESTANTS.forEach(each -> System.out.printf(" %13s", each));
    System.out.println();
    row("claims with recorded ends, a second", "perSecond", all);
    row("start of a due task, late by, median, ms", "lateMedian", all);
    row("start of a due task, late by, 99th percentile, ms", "late99", all);
    double best = 0;
    double soonest = Double.MAX_VALUE;
    double soonest99 = Double.MAX_VALUE;
    for (String peer : contestants.stream().filter(each -> !each.equals("kron")).toList()) {
      best = Math.max(best, figure(all, peer, "perSecond"));
      soonest = Math.min(soonest, figure(all, peer, "lateMedian"));
      soonest99 = Math.min(soonest99, figure(all, peer, "late99"));
    }
    boolean met = true;
    if (!part.equals("late")) {
      met =
          target(
              "claims: at least 3 times the best of the others",
              figure(all, "kron", "perSecond") / best,
              3,
              true);
    }
    if (!part.equals("claims")) {
      met &=
          target(
              "late, median: below the others', ratio",
              figure(all, "kron", "lateMedian") / soonest,
              1,
              false);
      met &=
          target(
              "late, 99th: below the others', ratio",
              figure(all, "kron", "late99") / soonest99,
              1,
              false);
    }
    return met;
  }

  /** In turns, so that what else the machine does hits all alike. */
  private static void claims(
      PostgresServer server,
      boolean quick,
      boolean cold,
      List<String> contestants,
      Map<String, Map<String, Double>> all)
      throws Exception {
    Map<String, List<Double>> values = new HashMap<>();
    for (int turn = 0; turn < (quick ? 1 : 5); turn++) {
      for (String contestant : contestants) {
        boolean slow = SLOW.contains(contestant);
        if (slow && turn > 2) {
          continue;
        }
        String trial = slow || cold ? "burst" : "warm";
        double figure =
            median(1, server, contestant, trial, quick || slow ? FEW : CLAIMS)
                .getOrDefault("perSecond", Double.NaN);
        values.computeIfAbsent(contestant, key -> new ArrayList<>()).add(figure);
      }
    }
    SchedulerMeasurement.medians(values)
        .forEach(
            (contestant, median) ->
                all.computeIfAbsent(contestant, key -> new HashMap<>()).put("perSecond", median));
  }

  private static boolean target(String what, double figure, double limit, boolean atLeast) {
    boolean met = atLeast ? figure >= limit : figure <= limit;
    System.out.printf("%-52s %13.3f %s%n", what, figure, met ? "met" : "MISSED");
    return met;
  }

  private static void row(String title, String name, Map<String, Map<String, Double>> all) {
    System.out.printf("%-52s", title);
    CONTESTANTS.forEach(each -> System.out.printf(" %13.1f", figure(all, each, name)));
    System.out.println();
  }

  private static double figure(
      Map<String, Map<String, Double>> all, String contestant, String name) {
    return all.getOrDefault(contestant, Map.of()).getOrDefault(name, Double.NaN);
  }

  static Map<String, Double> median(
      int trials, PostgresServer server, String contestant, String trial, int tasks)
      throws Exception {
    Map<String, List<Double>> values = new HashMap<>();
    for (int i = 0; i < trials; i++) {
      String url = server.url(server.newDatabase());
      SchedulerMeasurement.trial(
              SharedTrial.class, List.of(contestant, trial, Integer.toString(tasks), url))
          .forEach(
              (name, value) -> values.computeIfAbsent(name, key -> new ArrayList<>()).add(value));
    }
    return SchedulerMeasurement.medians(values);
  }
}
