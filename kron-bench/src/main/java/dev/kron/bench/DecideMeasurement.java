package dev.kron.bench;

import java.util.List;
import java.util.Map;
import org.openjdk.jmh.runner.RunnerException;

/**
 * A decision against the one SHA-256 that it cannot do without. Target: twice the hash's cost or
 * less. And an exact choice from a week with five constraints against a plain decision: twenty
 * times its cost or less.
 *
 * <p>{@code kron-bench/run decide}
 */
final class DecideMeasurement implements Measurement {
  private static final double TARGET_RATIO = 2;
  private static final double EXACT_RATIO = 20;

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
      Jmh.Figure decide = Jmh.figure(entry.getValue(), "decide");
      Jmh.Figure sha256 = Jmh.figure(entry.getValue(), "sha256");
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
    boolean exactMet = exact(options);
    return met && exactMet;
  }

  /** The dearer reading of "a plain decision" is the one without constraints. */
  private static boolean exact(List<String> options) throws RunnerException {
    System.out.printf(
        "%n%-16s %10s %7s %10s %14s %8s%n",
        "a week", "exact, ns", "B/op", "plain, ns", "no constraint", "ratio");
    boolean met = true;
    for (var entry : Jmh.run(DecideBenchmark.Exact.class, "distribution", options).entrySet()) {
      Jmh.Figure exact = Jmh.figure(entry.getValue(), "exact");
      Jmh.Figure plain = Jmh.figure(entry.getValue(), "plain");
      Jmh.Figure unconstrained = Jmh.figure(entry.getValue(), "unconstrained");
      double ratio = exact.nanos() / Math.min(plain.nanos(), unconstrained.nanos());
      System.out.printf(
          "%-16s %10.1f %7.1f %10.1f %14.1f %8.1f %s%n",
          entry.getKey(),
          exact.nanos(),
          exact.bytes(),
          plain.nanos(),
          unconstrained.nanos(),
          ratio,
          ratio <= EXACT_RATIO ? "" : "MISSED");
      met &= ratio <= EXACT_RATIO;
    }
    System.out.printf("ratio: exact / the cheaper of both, target %.0f or less%n", EXACT_RATIO);
    return met;
  }
}
