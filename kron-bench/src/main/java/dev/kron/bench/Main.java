package dev.kron.bench;

import static java.util.Map.entry;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Runs one measurement: {@code kron-bench/run cron}. Exit 0 if every target was met, 1 if one was
 * missed, 2 if it could not run.
 */
public final class Main {
  /** One class each; a new measurement is a line here. */
  private static final Map<String, Measurement> MEASUREMENTS =
      new TreeMap<>(
          Map.ofEntries(
              entry("clients", new ClientsMeasurement()),
              entry("cron", new CronMeasurement()),
              entry("dashboard", new DashboardMeasurement()),
              entry("decide", new DecideMeasurement()),
              entry("fleet", new FleetMeasurement()),
              entry("footprint", new FootprintMeasurement()),
              entry("idle", new IdleMeasurement()),
              entry("lint", new LintMeasurement()),
              entry("load", new LoadMeasurement()),
              entry("services", new ServicesMeasurement()),
              entry("start", new StartMeasurement()),
              entry("scheduler", new SchedulerMeasurement()),
              entry("scheduler-postgres", new SharedMeasurement()),
              entry("status", new StatusMeasurement())));

  private Main() {}

  public static void main(String[] args) throws Exception {
    Measurement measurement = args.length == 0 ? null : MEASUREMENTS.get(args[0]);
    if (measurement == null) {
      System.err.println("usage: kron-bench/run MEASUREMENT [--quick], where MEASUREMENT is");
      MEASUREMENTS.forEach((name, each) -> System.err.println("  " + name + "\t" + each.title()));
      System.exit(2);
      return;
    }
    List<String> options = Arrays.asList(args).subList(1, args.length);
    boolean met = measurement.run(options);
    System.out.println(met ? "every target met" : "TARGET MISSED");
    System.exit(met ? 0 : 1);
  }
}
