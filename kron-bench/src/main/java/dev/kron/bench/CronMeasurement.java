package dev.kron.bench;

import java.util.List;
import java.util.Map;
import org.openjdk.jmh.runner.RunnerException;

/**
 * {@code next} against Quartz, Spring and cron-utils in one run. Target: at least five times as
 * fast as the fastest of them for each expression, nothing allocated. Days that are counted, and
 * {@code @every}, are measured beside them.
 *
 * <p>{@code kron-bench/run cron}
 */
final class CronMeasurement implements Measurement {
  private static final double TARGET_RATIO = 5;

  /** JMH's own threads allocate a little during a measurement. */
  private static final double NOTHING_BYTES = 0.5;

  @Override
  public String title() {
    return "the next match of a cron expression, against Quartz, Spring and cron-utils";
  }

  @Override
  public boolean run(List<String> options) throws RunnerException {
    Map<String, Map<String, Jmh.Figure>> figures =
        Jmh.run(CronBenchmark.class, "expression", options);
    System.out.printf(
        "%n%-14s %20s %7s %10s %10s %10s %8s%n",
        "next, ns", "kron", "B/op", "spring", "quartz", "cron-utils", "ratio");
    boolean met = !figures.isEmpty();
    for (var entry : figures.entrySet()) {
      met &= print(entry.getKey(), entry.getValue());
    }
    System.out.printf(
        "ratio: fastest peer / kron, target %.0f or more; bytes a call, target 0%n", TARGET_RATIO);
    printMore(Jmh.run(CountedDaysBenchmark.class, "expression", options));
    printMore(Jmh.run(CountedDaysBenchmark.Every.class, "schedule", options));
    return met;
  }

  /** What not all peers know has no target. */
  private static void printMore(Map<String, Map<String, Jmh.Figure>> figures) {
    System.out.printf(
        "%n%-40s %20s %7s %10s %10s%n", "next, ns", "kron", "B/op", "spring", "quartz");
    figures.forEach(
        (schedule, each) -> {
          Jmh.Figure kron = Jmh.figure(each, "kron");
          Jmh.Figure spring = each.get("spring");
          Jmh.Figure quartz = each.get("quartz");
          System.out.printf(
              "%-40s %11.1f ± %6.1f %7.1f %10s %10s%n",
              schedule,
              kron.nanos(),
              kron.error(),
              kron.bytes(),
              spring == null ? "" : "%.1f".formatted(spring.nanos()),
              quartz == null ? "" : "%.1f".formatted(quartz.nanos()));
        });
  }

  private static boolean print(String expression, Map<String, Jmh.Figure> figures) {
    Jmh.Figure kron = Jmh.figure(figures, "kron");
    double spring = Jmh.figure(figures, "spring").nanos();
    double quartz = Jmh.figure(figures, "quartz").nanos();
    double cronUtils = Jmh.figure(figures, "cronUtils").nanos();
    double ratio = Math.min(spring, Math.min(quartz, cronUtils)) / kron.nanos();
    boolean met = ratio >= TARGET_RATIO && kron.bytes() < NOTHING_BYTES;
    System.out.printf(
        "%-14s %11.1f ± %6.1f %7.1f %10.1f %10.1f %10.1f %8.1f %s%n",
        expression,
        kron.nanos(),
        kron.error(),
        kron.bytes(),
        spring,
        quartz,
        cronUtils,
        ratio,
        met ? "" : "MISSED");
    return met;
  }
}
