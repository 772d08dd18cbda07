package dev.kron.cli.online;

import java.util.Locale;

/** Sizes and processor times as people read them, in at most seven letters. */
final class Sizes {
  private static final String[] UNITS = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  private static final long SECOND = 1_000;
  private static final long MINUTE = 60 * SECOND;
  private static final long HOUR = 60 * MINUTE;

  private Sizes() {}

  static String bytes(long bytes) {
    double size = bytes;
    int unit = 0;
    // Not 1024: what would be rounded to four digits is one of the next unit.
    while (size >= 999.5) {
      size /= 1024;
      unit++;
    }
    String form = unit > 0 && size < 9.95 ? "%.1f%s" : "%.0f%s";
    return String.format(Locale.ROOT, form, size, UNITS[unit]);
  }

  static String seconds(long millis) {
    if (millis < MINUTE) {
      return String.format(Locale.ROOT, "%.1fs", millis / (double) SECOND);
    }
    return millis < HOUR
        ? millis / MINUTE + "m" + millis % MINUTE / SECOND + "s"
        : millis / HOUR + "h" + millis % HOUR / MINUTE + "m";
  }
}
