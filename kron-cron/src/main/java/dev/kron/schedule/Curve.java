package dev.kron.schedule;

/**
 * A distribution over one window, on the unit interval: {@link #quantile} turns a uniform draw into
 * a place in the window, {@link #cumulative} is its inverse.
 *
 * <p>These functions are part of a published contract, bit for bit: the order of operations is the
 * specification's, and every transcendental function is {@link StrictMath}'s. Rewriting one into
 * something mathematically equal changes decisions.
 */
sealed interface Curve {
  /** Where in the window a draw 0 ≤ u &lt; 1 falls; not yet cut to [0, 1). */
  double quantile(double u);

  /** The probability of a place before x, for 0 ≤ x ≤ 1; exact choices are made with it. */
  double cumulative(double x);

  /** The inverse of {@link #cumulative}; the quantile, unless that falls while u rises. */
  default double inverse(double probability) {
    return quantile(probability);
  }

  /** u itself. */
  enum Uniform implements Curve {
    INSTANCE;

    @Override
    public double quantile(double u) {
      return u;
    }

    @Override
    public double cumulative(double x) {
      return x;
    }
  }

  record SkewEarly(double shape) implements Curve {
    @Override
    public double quantile(double u) {
      return StrictMath.pow(u, shape);
    }

    @Override
    public double cumulative(double x) {
      return StrictMath.pow(x, 1 / shape);
    }
  }

  record SkewLate(double shape) implements Curve {
    @Override
    public double quantile(double u) {
      return 1 - StrictMath.pow(1 - u, shape);
    }

    @Override
    public double cumulative(double x) {
      return 1 - StrictMath.pow(1 - x, 1 / shape);
    }
  }

  /** Exponential decay from the start, or mirrored from the end. */
  final class Exponential implements Curve {
    private final double lambda;
    private final boolean late;
    private final double mass;

    Exponential(double lambda, boolean late) {
      this.lambda = lambda;
      this.late = late;
      this.mass = 1 - StrictMath.exp(-lambda);
    }

    @Override
    public double quantile(double u) {
      double early = -StrictMath.log(1 - u * mass) / lambda;
      return late ? 1 - early : early;
    }

    @Override
    public double inverse(double probability) {
      return quantile(late ? 1 - probability : probability);
    }

    @Override
    public double cumulative(double x) {
      double total = -StrictMath.expm1(-lambda);
      return late
          ? 1 - -StrictMath.expm1(-lambda * (1 - x)) / total
          : -StrictMath.expm1(-lambda * x) / total;
    }
  }

  /** A normal distribution cut to the unit interval, by inversion: one draw, one place. */
  final class Normal implements Curve {
    private final double mean;
    private final double sigma;
    private final double below;
    private final double mass;

    Normal(double mean, double sigma) {
      this.mean = mean;
      this.sigma = sigma;
      this.below = StandardNormal.cumulative(-mean / sigma);
      this.mass = StandardNormal.cumulative((1 - mean) / sigma) - below;
    }

    @Override
    public double quantile(double u) {
      return mean + sigma * StandardNormal.quantile(below + u * mass);
    }

    @Override
    public double cumulative(double x) {
      return (StandardNormal.cumulative((x - mean) / sigma) - below) / mass;
    }
  }
}
