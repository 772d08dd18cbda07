package dev.kron.schedule;

import java.util.List;

/** Reads the body of {@code @dist}. */
final class DistributionReader {
  private static final List<String> NAMES =
      List.of("uniform", "normal", "skewEarly", "skewLate", "exponential");
  private static final List<String> NONE = List.of();
  private static final List<String> SKEW = List.of("shape");
  private static final List<String> EXPONENTIAL = List.of("lambda", "dir");
  private static final List<String> NORMAL = List.of("mu", "sigma");

  private DistributionReader() {}

  /** The distribution; some distribution where a problem was reported. */
  static Distribution read(Arguments arguments) {
    arguments.next();
    if (arguments.is("uniform")) {
      while (arguments.next()) {
        arguments.key(NONE);
      }
    } else if (arguments.is("normal")) {
      return normal(arguments);
    } else if (arguments.is("exponential")) {
      return exponential(arguments);
    } else if (arguments.is("skewEarly")) {
      double shape = shape(arguments, Distribution.SkewEarly.DEFAULT_SHAPE);
      return new Distribution.SkewEarly(shape);
    } else if (arguments.is("skewLate")) {
      double shape = shape(arguments, Distribution.SkewLate.DEFAULT_SHAPE);
      return new Distribution.SkewLate(shape);
    } else {
      arguments.reportUnknown("distribution", NAMES);
    }
    return Distribution.UNIFORM;
  }

  private static double shape(Arguments arguments, double otherwise) {
    double shape = otherwise;
    while (arguments.next()) {
      if (arguments.key(SKEW) == 0) {
        shape = positive(arguments, "shape", otherwise);
      }
    }
    return shape;
  }

  private static double positive(Arguments arguments, String key, double otherwise) {
    double value = arguments.positive(key);
    return Double.isNaN(value) ? otherwise : value;
  }

  private static Distribution exponential(Arguments arguments) {
    double lambda = Distribution.Exponential.DEFAULT_LAMBDA;
    var direction = Distribution.Exponential.Direction.EARLY;
    while (arguments.next()) {
      switch (arguments.key(EXPONENTIAL)) {
        case 0 -> lambda = positive(arguments, "lambda", lambda);
        case 1 -> {
          if (arguments.valueIs("late")) {
            direction = Distribution.Exponential.Direction.LATE;
          } else if (!arguments.valueIs("early")) {
            arguments.reportUnknownValue("dir", List.of("early", "late"));
          }
        }
        default -> {} // reported
      }
    }
    return new Distribution.Exponential(lambda, direction);
  }

  private static Distribution normal(Arguments arguments) {
    var mean = Distribution.Normal.Mean.BY_MODE;
    long sigmaNanos = 0;
    while (arguments.next()) {
      switch (arguments.key(NORMAL)) {
        case 0 -> mean = mean(arguments);
        case 1 -> sigmaNanos = sigma(arguments);
        default -> {} // reported
      }
    }
    return new Distribution.Normal(mean, sigmaNanos);
  }

  private static Distribution.Normal.Mean mean(Arguments arguments) {
    for (var mean : Distribution.Normal.Mean.values()) {
      if (mean != Distribution.Normal.Mean.BY_MODE && arguments.valueIs(mean.text())) {
        return mean;
      }
    }
    arguments.reportUnknownValue("mu", List.of("nominal", "start", "mid", "end"));
    return Distribution.Normal.Mean.BY_MODE;
  }

  private static long sigma(Arguments arguments) {
    long nanos = arguments.duration(arguments.valueStart(), "sigma");
    if (nanos == 0) {
      arguments.reportValue("sigma must be above 0, but " + arguments.quoted() + " is not");
    }
    return Math.max(0, nanos);
  }
}
