package dev.kron.bench;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The scheduler library on PostgreSQL, next to db-scheduler, JobRunr and Quartz on the same server
 * (fsync and synchronous_commit on): claims with recorded ends a second, and how late a task that
 * is due is started. Every trial is a process and a database of its own.
 */
final class SharedMeasurement implements Measurement {
  private static final List<String> CONTESTANTS =
      List.of("kron", "db-scheduler", "jobrunr", "quartz");

  @Override
  public String title() {
    return "shared tasks on PostgreSQL, against db-scheduler, JobRunr and Quartz";
  }

  @Override
  public boolean run(List<String> options) throws Exception {
    boolean quick = options.contains("--quick");
    int trials = quick ? 1 : 3;
    int tasks = quick ? 2_000 : 10_000;
    int dues = quick ? 50 : 300;
    Map<String, Map<String, Double>> all = new HashMap<>();
    try (Scratch scratch = new Scratch(Path.of("").toAbsolutePath());
        PostgresServer server = new PostgresServer(scratch.directory())) {
      System.out.println(server.describe());
      for (String contestant : CONTESTANTS) {
        Map<String, Double> figures = new HashMap<>();
        figures.putAll(median(trials, server, contestant, "burst", tasks));
        figures.putAll(median(1, server, contestant, "lateness", dues));
        all.put(contestant, figures);
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
    for (String peer : CONTESTANTS.subList(1, CONTESTANTS.size())) {
      best = Math.max(best, figure(all, peer, "perSecond"));
      soonest = Math.min(soonest, figure(all, peer, "lateMedian"));
      soonest99 = Math.min(soonest99, figure(all, peer, "late99"));
    }
    boolean met =
        target(
            "claims: at least 3 times the best of the others",
            figure(all, "kron", "perSecond") / best,
            3,
            true);
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
    return met;
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
