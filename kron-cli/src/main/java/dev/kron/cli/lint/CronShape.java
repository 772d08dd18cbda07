package dev.kron.cli.lint;

import dev.kron.cron.CronExpression;

/**
 * What a look at the text of a cron expression tells, without computing a single match. Most jobs
 * of a large site are "at this minute of this hour" or "at this minute of every hour", and these
 * need no more than that look.
 *
 * @param minute the one minute of the hour, or -1
 * @param hour the one hour of the day, {@link #EVERY}, or -1
 */
record CronShape(int minute, int hour) {
  static final int EVERY = 24;

  private static final int HOUR_SECONDS = 3_600;

  static CronShape of(CronExpression cron) {
    String text = cron.text();
    int start = skipBlanks(text, 0);
    int end = skipField(text, start);
    int hourStart = skipBlanks(text, end);
    int hourEnd = skipField(text, hourStart);
    boolean every = hourEnd - hourStart == 1 && text.charAt(hourStart) == '*';
    return new CronShape(
        number(text, start, end), every ? EVERY : number(text, hourStart, hourEnd));
  }

  /**
   * No two nominal times are closer than this. A shift of the clocks may bring two of them an hour,
   * in places half an hour, closer; runs that it doubles are told apart from this.
   */
  long closestSeconds() {
    if (minute < 0) {
      return 60;
    }
    return hour >= 0 && hour < EVERY ? 23 * HOUR_SECONDS : HOUR_SECONDS / 2;
  }

  private static int skipBlanks(String text, int at) {
    while (at < text.length() && isBlank(text.charAt(at))) {
      at++;
    }
    return at;
  }

  private static int skipField(String text, int at) {
    while (at < text.length() && !isBlank(text.charAt(at))) {
      at++;
    }
    return at;
  }

  private static boolean isBlank(char c) {
    return c == ' ' || c == '\t';
  }

  private static int number(String text, int start, int end) {
    int value = 0;
    for (int i = start; i < end; i++) {
      char c = text.charAt(i);
      if (c < '0' || c > '9' || i - start > 1) {
        return -1;
      }
      value = value * 10 + c - '0';
    }
    return value;
  }
}
