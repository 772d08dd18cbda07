package dev.kron.cli.lint;

import dev.kron.cron.CronExpression;
import org.jspecify.annotations.Nullable;

/**
 * The shape of a cron expression, by a look at its text, without computing a single match. Most
 * jobs of a large site are "at this minute of this hour" or "at this minute of every hour", and
 * these need no more than that look.
 *
 * @param minute the one minute of the hour, or -1
 * @param hour the one hour of the day, {@link #EVERY}, or -1
 */
record CronShape(int minute, int hour) {
  static final int EVERY = 24;

  private static final int HOUR_SECONDS = 3_600;

  /** Fields that are set apart by anything but one space are left to those who compute. */
  static CronShape of(@Nullable CronExpression cron) {
    String text = cron == null ? "" : cron.text();
    int minuteEnd = text.indexOf(' ');
    int hourEnd = text.indexOf(' ', minuteEnd + 1);
    if (minuteEnd < 0 || hourEnd < 0) {
      return new CronShape(-1, -1);
    }
    boolean every = hourEnd - minuteEnd == 2 && text.charAt(minuteEnd + 1) == '*';
    return new CronShape(
        number(text, 0, minuteEnd), every ? EVERY : number(text, minuteEnd + 1, hourEnd));
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

  private static int number(String text, int start, int end) {
    if (start == end || end - start > 2) {
      return -1;
    }
    int value = 0;
    for (int i = start; i < end; i++) {
      char c = text.charAt(i);
      if (c < '0' || c > '9') {
        return -1;
      }
      value = value * 10 + c - '0';
    }
    return value;
  }
}
