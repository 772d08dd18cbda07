package dev.kron.cli.forecast;

/** Numbers with one decimal, the same in every locale. */
final class Decimals {
  private Decimals() {}

  static String tenths(double value) {
    long tenths = Math.round(value * 10);
    return tenths / 10 + "." + Math.abs(tenths % 10);
  }
}
