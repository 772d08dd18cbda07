package dev.kron.schedule;

/**
 * The standard normal distribution: Φ through Cody's erfc, and its inverse by Wichura.
 *
 * <p>Both are evaluated exactly as published, term by term, because the last bit decides which
 * second a job starts at. W. J. Cody, "Rational Chebyshev approximations for the error function",
 * Mathematics of Computation 23 (1969), in the form of his CALERF (1990); M. J. Wichura, "Algorithm
 * AS 241: The percentage points of the normal distribution", Applied Statistics 37 (1988), routine
 * PPND16.
 */
@SuppressWarnings("FloatingPointLiteralPrecision") // the coefficients stand as they were published
final class StandardNormal {
  private static final double SQRT_2 = StrictMath.sqrt(2.0);
  private static final double ONE_OVER_SQRT_PI = 5.6418958354775628695e-1;

  /** Below this, erf is taken from its own approximation. */
  private static final double NEAR_ZERO = 0.46875;

  /** Where erfc is no longer distinguishable from 0. */
  private static final double ERFC_VANISHES = 26.543;

  private static final double SQUARE_UNDERFLOWS = 1.11e-16;

  private static final double[] A = {
    3.16112374387056560e00,
    1.13864154151050156e02,
    3.77485237685302021e02,
    3.20937758913846947e03,
    1.85777706184603153e-1
  };
  private static final double[] B = {
    2.36012909523441209e01, 2.44024637934444173e02, 1.28261652607737228e03, 2.84423683343917062e03
  };
  private static final double[] C = {
    5.64188496988670089e-1,
    8.88314979438837594e0,
    6.61191906371416295e01,
    2.98635138197400131e02,
    8.81952221241769090e02,
    1.71204761263407058e03,
    2.05107837782607147e03,
    1.23033935479799725e03,
    2.15311535474403846e-8
  };
  private static final double[] D = {
    1.57449261107098347e01,
    1.17693950891312499e02,
    5.37181101862009858e02,
    1.62138957456669019e03,
    3.29079923573345963e03,
    4.36261909014324716e03,
    3.43936767414372164e03,
    1.23033935480374942e03
  };
  private static final double[] P = {
    3.05326634961232344e-1,
    3.60344899949804439e-1,
    1.25781726111229246e-1,
    1.60837851487422766e-2,
    6.58749161529837803e-4,
    1.63153871373020978e-2
  };
  private static final double[] Q = {
    2.56852019228982242e00,
    1.87295284992346047e00,
    5.27905102951428412e-1,
    6.05183413124413191e-2,
    2.33520497626869185e-3
  };

  // Wichura's coefficients, the highest power first; above and below are parts of a fraction.
  private static final double[] CENTRE_ABOVE = {
    2.5090809287301226727e3,
    3.3430575583588128105e4,
    6.7265770927008700853e4,
    4.5921953931549871457e4,
    1.3731693765509461125e4,
    1.9715909503065514427e3,
    1.3314166789178437745e2,
    3.3871328727963666080e0
  };
  private static final double[] CENTRE_BELOW = {
    5.2264952788528545610e3,
    2.8729085735721942674e4,
    3.9307895800092710610e4,
    2.1213794301586595867e4,
    5.3941960214247511077e3,
    6.8718700749205790830e2,
    4.2313330701600911252e1,
    1.0
  };
  private static final double[] SHOULDER_ABOVE = {
    7.74545014278341407640e-4,
    2.27238449892691845833e-2,
    2.41780725177450611770e-1,
    1.27045825245236838258e0,
    3.64784832476320460504e0,
    5.76949722146069140550e0,
    4.63033784615654529590e0,
    1.42343711074968357734e0
  };
  private static final double[] SHOULDER_BELOW = {
    1.05075007164441684324e-9,
    5.47593808499534494600e-4,
    1.51986665636164571966e-2,
    1.48103976427480074590e-1,
    6.89767334985100004550e-1,
    1.67638483018380384940e0,
    2.05319162663775882187e0,
    1.0
  };
  private static final double[] TAIL_ABOVE = {
    2.01033439929228813265e-7,
    2.71155556874348757815e-5,
    1.24266094738807843860e-3,
    2.65321895265761230930e-2,
    2.96560571828504891230e-1,
    1.78482653991729133580e0,
    5.46378491116411436990e0,
    6.65790464350110377720e0
  };
  private static final double[] TAIL_BELOW = {
    2.04426310338993978564e-15,
    1.42151175831644588870e-7,
    1.84631831751005468180e-5,
    7.86869131145613259100e-4,
    1.48753612908506148525e-2,
    1.36929880922735805310e-1,
    5.99832206555887937690e-1,
    1.0
  };

  private StandardNormal() {}

  /** Φ(z): the probability of a value up to z. */
  static double cumulative(double z) {
    return 0.5 * erfc(-z / SQRT_2);
  }

  /** The complementary error function. */
  static double erfc(double x) {
    double y = Math.abs(x);
    if (y <= NEAR_ZERO) {
      return 1.0 - erfNearZero(x, y);
    }
    double result = y <= 4.0 ? erfcMiddle(y) : y >= ERFC_VANISHES ? 0.0 : erfcTail(y);
    return x < 0 ? 2.0 - result : result;
  }

  private static double erfNearZero(double x, double y) {
    double square = y > SQUARE_UNDERFLOWS ? y * y : 0.0;
    double numerator = A[4] * square;
    double denominator = square;
    for (int i = 0; i < 3; i++) {
      numerator = (numerator + A[i]) * square;
      denominator = (denominator + B[i]) * square;
    }
    return x * (numerator + A[3]) / (denominator + B[3]);
  }

  private static double erfcMiddle(double y) {
    double numerator = C[8] * y;
    double denominator = y;
    for (int i = 0; i < 7; i++) {
      numerator = (numerator + C[i]) * y;
      denominator = (denominator + D[i]) * y;
    }
    return expOfMinusSquare(y, (numerator + C[7]) / (denominator + D[7]));
  }

  private static double erfcTail(double y) {
    double inverseSquare = 1.0 / (y * y);
    double numerator = P[5] * inverseSquare;
    double denominator = inverseSquare;
    for (int i = 0; i < 4; i++) {
      numerator = (numerator + P[i]) * inverseSquare;
      denominator = (denominator + Q[i]) * inverseSquare;
    }
    double result = inverseSquare * (numerator + P[4]) / (denominator + Q[4]);
    return expOfMinusSquare(y, (ONE_OVER_SQRT_PI - result) / y);
  }

  /** exp(−y²) times a factor; y² is split so that its rounding error does not grow. */
  private static double expOfMinusSquare(double y, double factor) {
    double sixteenths = StrictMath.floor(y * 16.0) / 16.0;
    double rest = (y - sixteenths) * (y + sixteenths);
    return StrictMath.exp(-sixteenths * sixteenths) * StrictMath.exp(-rest) * factor;
  }

  /** Φ⁻¹(p); −∞ for p ≤ 0 and +∞ for p ≥ 1, where the published routine only reports a fault. */
  static double quantile(double p) {
    double q = p - 0.5;
    if (Math.abs(q) <= 0.425) {
      double r = 0.180625 - q * q;
      return q * polynomial(CENTRE_ABOVE, r) / polynomial(CENTRE_BELOW, r);
    }
    double r = q < 0 ? p : 1.0 - p;
    if (r <= 0) {
      return q < 0 ? Double.NEGATIVE_INFINITY : Double.POSITIVE_INFINITY;
    }
    r = StrictMath.sqrt(-StrictMath.log(r));
    double deviate =
        r <= 5.0
            ? polynomial(SHOULDER_ABOVE, r - 1.6) / polynomial(SHOULDER_BELOW, r - 1.6)
            : polynomial(TAIL_ABOVE, r - 5.0) / polynomial(TAIL_BELOW, r - 5.0);
    return q < 0 ? -deviate : deviate;
  }

  /** Horner's scheme; the coefficient of the highest power comes first. */
  private static double polynomial(double[] coefficients, double r) {
    double value = coefficients[0];
    for (int i = 1; i < coefficients.length; i++) {
      value = value * r + coefficients[i];
    }
    return value;
  }
}
