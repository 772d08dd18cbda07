package dev.kron.schedule;

import java.util.List;

/** How a draw is spread over the window. */
public sealed interface Distribution {
  /** Every second alike. */
  Distribution UNIFORM = new Uniform();

  /** The name in the schedule language. */
  String name();

  /** All parameters in a stable order, defaults filled in for the given window. */
  List<Parameter> parameters(Window window);

  /** The curve of this distribution over a window; what is constant in it is computed once. */
  Curve over(Window window);

  /** The shortest text that means this distribution, defaults left out. */
  String canonical();

  /**
   * A parameter for people and JSON.
   *
   * @param isNumber whether the value is a number, to be written without quotes
   */
  record Parameter(String name, String value, boolean isNumber) {}

  record Uniform() implements Distribution {
    @Override
    public String name() {
      return "uniform";
    }

    @Override
    public List<Parameter> parameters(Window window) {
      return List.of();
    }

    @Override
    public Curve over(Window window) {
      return Curve.Uniform.INSTANCE;
    }

    @Override
    public String canonical() {
      return "@dist(uniform)";
    }
  }

  /** More likely near the start. */
  record SkewEarly(double shape) implements Distribution {
    public static final double DEFAULT_SHAPE = 2.0;

    public SkewEarly {
      requirePositive("shape", shape);
    }

    @Override
    public String name() {
      return "skewEarly";
    }

    @Override
    public List<Parameter> parameters(Window window) {
      return List.of(new Parameter("shape", Double.toString(shape), true));
    }

    @Override
    public Curve over(Window window) {
      return new Curve.SkewEarly(shape);
    }

    @Override
    public String canonical() {
      return shape == DEFAULT_SHAPE ? "@dist(skewEarly)" : "@dist(skewEarly,shape=" + shape + ")";
    }
  }

  /** More likely near the end. */
  record SkewLate(double shape) implements Distribution {
    public static final double DEFAULT_SHAPE = 2.0;

    public SkewLate {
      requirePositive("shape", shape);
    }

    @Override
    public String name() {
      return "skewLate";
    }

    @Override
    public List<Parameter> parameters(Window window) {
      return List.of(new Parameter("shape", Double.toString(shape), true));
    }

    @Override
    public Curve over(Window window) {
      return new Curve.SkewLate(shape);
    }

    @Override
    public String canonical() {
      return shape == DEFAULT_SHAPE ? "@dist(skewLate)" : "@dist(skewLate,shape=" + shape + ")";
    }
  }

  /** Falling off exponentially from one end of the window. */
  record Exponential(double lambda, Direction direction) implements Distribution {
    public static final double DEFAULT_LAMBDA = 1.0;

    /** The end at which the likely seconds lie. */
    public enum Direction {
      EARLY("early"),
      LATE("late");

      private final String text;

      Direction(String text) {
        this.text = text;
      }

      /** The word in the schedule language. */
      public String text() {
        return text;
      }
    }

    public Exponential {
      requirePositive("lambda", lambda);
    }

    @Override
    public String name() {
      return "exponential";
    }

    @Override
    public List<Parameter> parameters(Window window) {
      return List.of(
          new Parameter("lambda", Double.toString(lambda), true),
          new Parameter("dir", direction.text(), false));
    }

    @Override
    public Curve over(Window window) {
      return new Curve.Exponential(lambda, direction == Direction.LATE);
    }

    @Override
    public String canonical() {
      return "@dist(exponential"
          + (lambda == DEFAULT_LAMBDA ? "" : ",lambda=" + lambda)
          + (direction == Direction.EARLY ? ")" : ",dir=late)");
    }
  }

  /**
   * A normal distribution, cut to the window.
   *
   * @param sigmaNanos 0 for the default, a sixth of the window
   */
  record Normal(Mean mean, long sigmaNanos) implements Distribution {
    /** The most likely second. */
    public enum Mean {
      /** Nominal for windows around or before it, the middle for those after it. */
      BY_MODE("mode"),
      NOMINAL("nominal"),
      START("start"),
      MID("mid"),
      END("end");

      private final String text;

      Mean(String text) {
        this.text = text;
      }

      /** The word in the schedule language. */
      public String text() {
        return text;
      }
    }

    public Normal {
      if (sigmaNanos < 0) {
        throw new IllegalArgumentException("sigma of " + GoDuration.format(sigmaNanos));
      }
    }

    @Override
    public String name() {
      return "normal";
    }

    @Override
    public List<Parameter> parameters(Window window) {
      long sigma =
          sigmaNanos > 0 ? sigmaNanos : Math.round(window.seconds() / 6.0 * 1_000_000_000.0);
      return List.of(
          new Parameter("mu", mean(window).text(), false),
          new Parameter("sigma", GoDuration.format(sigma), false));
    }

    /** The mean, with the default resolved. */
    private Mean mean(Window window) {
      if (mean != Mean.BY_MODE) {
        return mean;
      }
      return window.mode() == Window.Mode.AFTER ? Mean.MID : Mean.NOMINAL;
    }

    @Override
    public Curve over(Window window) {
      long seconds = window.seconds();
      double anchor =
          switch (mean(window)) {
            case START -> 0.0;
            case END -> seconds;
            case NOMINAL -> -window.startOffsetSeconds();
            case MID, BY_MODE -> seconds / 2.0;
          };
      double sigma = sigmaNanos > 0 ? sigmaNanos / 1e9 : seconds / 6.0;
      return new Curve.Normal(anchor / (seconds + 1), sigma / (seconds + 1));
    }

    @Override
    public String canonical() {
      return "@dist(normal"
          + (mean == Mean.BY_MODE ? "" : ",mu=" + mean.text())
          + (sigmaNanos == 0 ? ")" : ",sigma=" + GoDuration.format(sigmaNanos) + ")");
    }
  }

  private static void requirePositive(String name, double value) {
    if (!(value > 0) || Double.isInfinite(value)) {
      throw new IllegalArgumentException(name + " of " + value);
    }
  }
}
