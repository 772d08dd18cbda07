package dev.kron.bench;

import java.util.List;
import java.util.Map;
import org.openjdk.jmh.runner.RunnerException;

/**
 * A decision against the one SHA-256 that it cannot do without. Target: twice the hash's cost or
 * less.
 *
 * <p>{@code kron-bench/run decide}
 */
final class DecideMeasurement implements Measurement {
  private static final double TARGET_RATIO = 2;

  @Override
  public String title() {
    return "the decision of one period, against the SHA-256 in it";
  }

  @Override
  public boolean run(List<String> options) throws RunnerException {
    Map<String, Map<String, Jmh.Figure>> figures =
        Jmh.run(DecideBenchmark.class, "schedule", options);
    System.out.printf("%n%10s %7s %10s %8s%n", "decide, ns", "B/op", "sha256, ns", "ratio");
    boolean met = !figures.isEmpty();
    for (var entry : figures.entrySet()) {
      Jmh.Figure decide = entry.getValue().get("decide");
      Jmh.Figure sha256 = entry.getValue().get("sha256");
      if (decide == null || sha256 == null) {
        throw new IllegalStateException("figures are missing in " + entry);
      }
      double ratio = decide.nanos() / sha256.nanos();
      System.out.printf(
          "%10.1f %7.1f %10.1f %8.2f %s  %s%n",
          decide.nanos(),
          decide.bytes(),
          sha256.nanos(),
          ratio,
          ratio <= TARGET_RATIO ? "      " : "MISSED",
          entry.getKey());
      met &= ratio <= TARGET_RATIO;
    }
    System.out.printf("ratio: decide / sha256, target %.0f or less%n", TARGET_RATIO);
    return met;
  }
}
