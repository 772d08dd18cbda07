package dev.kron.cron;

/** The five fields in the order they are written, with their bounds and names. */
enum CronField {
  MINUTE("minute", "minute", 0, 59, ""),
  HOUR("hour", "hour", 0, 23, ""),
  DAY("day", "day of month", 1, 31, ""),
  MONTH("month", "month", 1, 12, "JANFEBMARAPRMAYJUNJULAUGSEPOCTNOVDEC"),
  WEEKDAY("weekday", "day of week", 0, 6, "SUNMONTUEWEDTHUFRISAT");

  /** The field's name in the POSIX contract. */
  final String posixName;

  /** The field's name in the krontab dialect's messages. */
  final String title;

  final int min;
  final int max;

  /** Names of the values from {@link #min} on, three letters each; empty where there are none. */
  final String names;

  CronField(String posixName, String title, int min, int max, String names) {
    this.posixName = posixName;
    this.title = title;
    this.min = min;
    this.max = max;
    this.names = names;
  }

  /** One bit for each value from {@code from} to {@code to}, both in. */
  static long bits(int from, int to) {
    return (-1L << from) & (-1L >>> (63 - to));
  }

  long all() {
    return bits(min, max);
  }

  /** The bounds as messages show them. */
  String bounds() {
    return min + "-" + max;
  }
}
