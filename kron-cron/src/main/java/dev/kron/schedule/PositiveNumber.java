package dev.kron.schedule;

/**
 * Decimal numbers above 0: digits with an optional sign, point and exponent. {@link
 * Double#parseDouble} takes more, such as {@code 2d}, {@code 0x1p3} and {@code NaN}.
 */
final class PositiveNumber {
  private PositiveNumber() {}

  /** The number, or NaN where {@link #problem} has something to say. */
  static double parse(String text) {
    double value = isDecimal(text) ? Double.parseDouble(text) : Double.NaN;
    return value > 0 && value < Double.POSITIVE_INFINITY ? value : Double.NaN;
  }

  /** Why a text is no positive number, as the end of a sentence. */
  static String problem(String text) {
    if (!isDecimal(text)) {
      return " is no decimal number";
    }
    if (text.charAt(0) == '-' || !hasSignificantDigit(text)) {
      return " is not above it";
    }
    return Double.parseDouble(text) > 1
        ? " is too large for a double"
        : " is too small for a double";
  }

  private static boolean hasSignificantDigit(String number) {
    for (int i = 0; i < number.length() && (number.charAt(i) | 0x20) != 'e'; i++) {
      if (number.charAt(i) >= '1' && number.charAt(i) <= '9') {
        return true;
      }
    }
    return false;
  }

  private static boolean isDecimal(String number) {
    int start = signEnd(number, 0);
    int at = digitsEnd(number, start);
    int digits = at - start;
    if (at < number.length() && number.charAt(at) == '.') {
      int fractionEnd = digitsEnd(number, at + 1);
      digits += fractionEnd - at - 1;
      at = fractionEnd;
    }
    if (digits > 0 && at < number.length() && (number.charAt(at) | 0x20) == 'e') {
      int exponent = signEnd(number, at + 1);
      at = digitsEnd(number, exponent);
      return at > exponent && at == number.length();
    }
    return digits > 0 && at == number.length();
  }

  private static int signEnd(String number, int at) {
    boolean signed = at < number.length() && (number.charAt(at) == '-' || number.charAt(at) == '+');
    return signed ? at + 1 : at;
  }

  private static int digitsEnd(String number, int from) {
    int at = from;
    while (at < number.length() && number.charAt(at) >= '0' && number.charAt(at) <= '9') {
      at++;
    }
    return at;
  }
}
