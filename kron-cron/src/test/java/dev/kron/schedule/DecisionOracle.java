package dev.kron.schedule;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.time.temporal.IsoFields;
import java.util.Collection;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The specification once more, written to be read and not to be fast: big numbers, {@code
 * java.time}, and every distribution through its cumulative function instead of its quantile.
 */
final class DecisionOracle {
  private static final BigInteger TWO_TO_64 = BigInteger.ONE.shiftLeft(64);

  private final RandomSchedule schedule;
  private final ZoneId zone;
  private final long nominal;
  final long start;
  final long end;
  final String periodKey;
  final String seedHash;
  @Nullable Long chosen;
  int attempts;

  DecisionOracle(RandomSchedule schedule, String identity, long nominal) {
    this.schedule = schedule;
    this.zone = ZoneId.of(schedule.zone());
    this.nominal = nominal;
    BigInteger length = BigInteger.valueOf(schedule.windowNanos());
    BigInteger before =
        switch (schedule.mode()) {
          case "after" -> BigInteger.ZERO;
          case "before" -> length;
          default -> length.divide(BigInteger.TWO);
        };
    BigInteger exactStart =
        BigInteger.valueOf(nominal).multiply(BigInteger.valueOf(1_000_000_000)).subtract(before);
    this.start = floorToSeconds(exactStart);
    this.end = floorToSeconds(exactStart.add(length));
    this.periodKey = periodKey();
    byte[] hash = sha256(identity + "\n" + periodKey + "\n" + schedule.salt());
    this.seedHash = HexFormat.of().formatHex(hash);
    choose(new BigInteger(1, hash, 0, 8));
  }

  private static long floorToSeconds(BigInteger nanos) {
    return new BigDecimal(nanos, 9).setScale(0, RoundingMode.FLOOR).longValueExact();
  }

  private String periodKey() {
    ZonedDateTime local = Instant.ofEpochSecond(nominal).atZone(zone);
    return switch (schedule.strategy()) {
      case "daily" -> local.toLocalDate().format(DateTimeFormatter.ISO_LOCAL_DATE);
      case "weekly" ->
          String.format(
              Locale.ROOT,
              "%04d-W%02d",
              local.get(IsoFields.WEEK_BASED_YEAR),
              local.get(IsoFields.WEEK_OF_WEEK_BASED_YEAR));
      default -> DateTimeFormatter.ISO_INSTANT.format(Instant.ofEpochSecond(nominal));
    };
  }

  private static byte[] sha256(String text) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError(e);
    }
  }

  private void choose(BigInteger seed) {
    if (start == end) {
      chosen = allows(start) ? start : null;
      return;
    }
    BigInteger state = seed;
    for (attempts = 1; attempts <= 64; attempts++) {
      state = state.add(new BigInteger("9E3779B97F4A7C15", 16)).mod(TWO_TO_64);
      BigInteger z = state;
      z = z.xor(z.shiftRight(30)).multiply(new BigInteger("BF58476D1CE4E5B9", 16)).mod(TWO_TO_64);
      z = z.xor(z.shiftRight(27)).multiply(new BigInteger("94D049BB133111EB", 16)).mod(TWO_TO_64);
      z = z.xor(z.shiftRight(31)).shiftRight(11);
      long candidate = start + second(z.doubleValue() / Math.pow(2, 53));
      if (allows(candidate)) {
        chosen = candidate;
        return;
      }
    }
    attempts = 64;
  }

  /** The last second of the window before which no more than u of the probability lies. */
  private long second(double u) {
    long seconds = end - start;
    if (schedule.distribution().equals("uniform")) {
      return BigDecimal.valueOf(seconds + 1)
          .multiply(new BigDecimal(u))
          .setScale(0, RoundingMode.FLOOR)
          .longValueExact();
    }
    boolean mirrored = schedule.option().equals("late");
    double wanted = mirrored ? 1 - u : u; // 1 - e falls while u rises
    long low = 0;
    long high = seconds;
    while (low < high) {
      long middle = (low + high + 1) / 2;
      if (cumulative((double) middle / (seconds + 1)) <= wanted) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    return low;
  }

  /** The probability of a place in the window before x. */
  double cumulative(double x) {
    double parameter = schedule.parameter();
    double shape = parameter > 0 ? parameter : 2;
    double lambda = parameter > 0 ? parameter : 1;
    return switch (schedule.distribution()) {
      case "uniform" -> x;
      case "skewEarly" -> Math.pow(x, 1 / shape);
      case "skewLate" -> 1 - Math.pow(1 - x, 1 / shape);
      case "exponential" ->
          schedule.option().equals("late")
              ? 1 - Math.expm1(-lambda * (1 - x)) / Math.expm1(-lambda)
              : Math.expm1(-lambda * x) / Math.expm1(-lambda);
      case "normal" -> normal(x);
      default -> throw new IllegalArgumentException(schedule.distribution());
    };
  }

  private double normal(double x) {
    double seconds = end - start;
    String mean = schedule.option();
    if (mean.isEmpty()) {
      mean = schedule.mode().equals("after") ? "mid" : "nominal";
    }
    double anchor =
        switch (mean) {
          case "start" -> 0;
          case "end" -> seconds;
          case "mid" -> seconds / 2;
          default -> nominal - start;
        };
    double sigma = schedule.parameter() > 0 ? schedule.parameter() : seconds / 6;
    double below = phi(-anchor / sigma);
    double at = phi((x * (seconds + 1) - anchor) / sigma);
    return (at - below) / (phi((seconds + 1 - anchor) / sigma) - below);
  }

  /** Marsaglia's series: all terms have one sign, so nothing cancels. */
  private static double phi(double z) {
    if (Math.abs(z) > 9) {
      return z < 0 ? 0 : 1;
    }
    double sum = z;
    double term = z;
    for (int i = 3; Math.abs(term) > 1e-18 * Math.abs(sum); i += 2) {
      term *= z * z / i;
      sum += term;
    }
    return 0.5 + sum * Math.exp(-z * z / 2) / Math.sqrt(2 * Math.PI);
  }

  boolean allows(long epochSecond) {
    ZonedDateTime time = Instant.ofEpochSecond(epochSecond).atZone(zone);
    return byKind(schedule.only()).stream()
            .allMatch(kind -> kind.stream().anyMatch(clause -> clause.matches().test(time)))
        && schedule.avoid().stream().noneMatch(clause -> clause.matches().test(time));
  }

  private static Collection<List<RandomSchedule.Clause>> byKind(
      List<RandomSchedule.Clause> clauses) {
    Map<String, List<RandomSchedule.Clause>> kinds =
        clauses.stream().collect(Collectors.groupingBy(RandomSchedule.Clause::kind));
    return kinds.values();
  }
}
