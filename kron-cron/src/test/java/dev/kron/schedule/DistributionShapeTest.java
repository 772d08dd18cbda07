package dev.kron.schedule;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.function.DoubleUnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What the chosen seconds look like from far away. Identities and periods are fixed, so these tests
 * always see the same numbers: they pass or fail for good.
 */
final class DistributionShapeTest {
  private static final int IDENTITIES = 20_000;
  private static final long PERIOD = 1_772_323_200L; // 2026-03-01T00:00:00Z

  /** The Kolmogorov statistic times the root of n stays below this in 999 of 1000 cases. */
  private static final double KOLMOGOROV_ONE_IN_A_THOUSAND = 1.9495;

  @ParameterizedTest
  @ValueSource(
      strings = {
        "after | uniform",
        "after | skewEarly",
        "before | skewEarly,shape=0.5",
        "after | skewEarly,shape=7.25",
        "after | skewLate",
        "around | skewLate,shape=2.5",
        "after | exponential",
        "after | exponential,lambda=5",
        "after | exponential,lambda=0.25,dir=late",
        "after | exponential,lambda=8,dir=late",
        "after | normal",
        "before | normal",
        "around | normal,sigma=1h",
        "after | normal,mu=start,sigma=6h",
        "around | normal,mu=end,sigma=2h",
        "after | normal,mu=nominal,sigma=100h"
      })
  void hasTheShapeItSays(String modeAndDistribution) {
    String[] parts = modeAndDistribution.split(" \\| ");
    Schedule schedule =
        Schedule.parse("0 0 * * * @win(" + parts[0] + ",86399s) @dist(" + parts[1] + ")");
    int[] seconds = seconds(schedule);
    DoubleUnaryOperator expected = cumulative(parts[0], parts[1]);
    double distance = kolmogorovDistance(seconds, expected);
    assertTrue(
        distance * Math.sqrt(seconds.length) < KOLMOGOROV_ONE_IN_A_THOUSAND,
        () -> "distance " + distance);
  }

  /** The seconds chosen by many identities, counted from the window's start, sorted. */
  private static int[] seconds(Schedule schedule) {
    int[] seconds = new int[IDENTITIES];
    for (int i = 0; i < seconds.length; i++) {
      Decision decision = schedule.decide("fleet/host-" + i, PERIOD);
      seconds[i] = (int) (decision.chosenEpochSecond() - decision.windowStartEpochSecond());
    }
    Arrays.sort(seconds);
    return seconds;
  }

  /** The largest difference between what is expected before a second's end and what there is. */
  private static double kolmogorovDistance(int[] seconds, DoubleUnaryOperator cumulative) {
    double distance = 0;
    for (int i = 0; i < seconds.length; i++) {
      if (i + 1 == seconds.length || seconds[i + 1] > seconds[i]) {
        double expected = cumulative.applyAsDouble((seconds[i] + 1) / 86_400.0);
        distance = Math.max(distance, Math.abs(expected - (i + 1.0) / seconds.length));
      }
    }
    return distance;
  }

  /** Textbook formulas, by way of numeric integration where there is none. */
  private static DoubleUnaryOperator cumulative(String mode, String distribution) {
    double centre = mode.equals("before") ? 1 : 0.5;
    return switch (distribution) {
      case "uniform" -> x -> x;
      case "skewEarly" -> Math::sqrt;
      case "skewEarly,shape=0.5" -> x -> x * x;
      case "skewEarly,shape=7.25" -> x -> Math.pow(x, 1 / 7.25);
      case "skewLate" -> x -> 1 - Math.sqrt(1 - x);
      case "skewLate,shape=2.5" -> x -> 1 - Math.pow(1 - x, 0.4);
      case "exponential" -> integral(x -> Math.exp(-x));
      case "exponential,lambda=5" -> integral(x -> Math.exp(-5 * x));
      case "exponential,lambda=0.25,dir=late" -> integral(x -> Math.exp(0.25 * x));
      case "exponential,lambda=8,dir=late" -> integral(x -> Math.exp(8 * x));
      case "normal" -> integral(bell(centre, 1.0 / 6));
      case "normal,sigma=1h" -> integral(bell(centre, 1.0 / 24));
      case "normal,mu=start,sigma=6h" -> integral(bell(0, 0.25));
      case "normal,mu=end,sigma=2h" -> integral(bell(1, 1.0 / 12));
      case "normal,mu=nominal,sigma=100h" -> integral(bell(0, 100.0 / 24));
      default -> throw new IllegalArgumentException(distribution);
    };
  }

  private static DoubleUnaryOperator bell(double mean, double sigma) {
    return x -> Math.exp(-0.5 * (x - mean) * (x - mean) / (sigma * sigma));
  }

  private static DoubleUnaryOperator integral(DoubleUnaryOperator density) {
    int steps = 20_000;
    double[] sums = new double[steps + 1];
    for (int i = 0; i < steps; i++) {
      sums[i + 1] = sums[i] + density.applyAsDouble((i + 0.5) / steps);
    }
    return x -> sums[(int) Math.round(x * steps)] / sums[steps];
  }

  @Test
  void spreadsIdentitiesEvenly() {
    Schedule schedule = Schedule.parse("0 0 * * * @win(after,86399s)");
    int[] counts = new int[100];
    for (int second : seconds(schedule)) {
      counts[second / 864]++;
    }
    // 99 degrees of freedom: one in a thousand lies above 148.2.
    assertTrue(chiSquare(counts, IDENTITIES / 100.0) < 148.2);
  }

  @Test
  void choosesEachPeriodAnew() {
    Schedule schedule = Schedule.parse("0 0 * * * @win(after,86399s)");
    int[] pairs = new int[100];
    int periods = 20_000;
    double product = 0;
    double last = place(schedule, -1);
    for (int i = 0; i < periods; i++) {
      double place = place(schedule, i);
      pairs[((int) (last * 10)) * 10 + (int) (place * 10)]++;
      product += (last - 0.5) * (place - 0.5);
      last = place;
    }
    assertTrue(chiSquare(pairs, periods / 100.0) < 148.2);
    double correlation = product / periods * 12;
    assertEquals(0, correlation, 3.3 / Math.sqrt(periods));
  }

  @Test
  void neighbouringIdentitiesHaveNothingToDoWithEachOther() {
    Schedule schedule = Schedule.parse("0 0 * * * @win(after,86399s)");
    double product = 0;
    for (int i = 0; i < IDENTITIES; i++) {
      product += (hostPlace(schedule, i) - 0.5) * (hostPlace(schedule, i + 1) - 0.5);
    }
    assertEquals(0, product / IDENTITIES * 12, 3.3 / Math.sqrt(IDENTITIES));
  }

  private static double place(Schedule schedule, int day) {
    long nominal = PERIOD + day * 86_400L;
    return (schedule.decide("prod/db", nominal).chosenEpochSecond() - nominal) / 86_400.0;
  }

  private static double hostPlace(Schedule schedule, int host) {
    return (schedule.decide("host" + host, PERIOD).chosenEpochSecond() - PERIOD) / 86_400.0;
  }

  private static double chiSquare(int[] counts, double expected) {
    return Arrays.stream(counts).mapToDouble(n -> (n - expected) * (n - expected) / expected).sum();
  }
}
