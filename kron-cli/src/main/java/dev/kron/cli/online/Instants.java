package dev.kron.cli.online;

import dev.kron.cli.output.Times;
import java.time.LocalDate;
import java.time.ZoneId;

/** Times as the daemon writes them, and as people read them. */
final class Instants {
  private Instants() {}

  /** Epoch milliseconds of {@code 2026-03-01T02:32:20.123Z}; 0 where it is no time. */
  static long millis(String text) {
    try {
      long days =
          LocalDate.of(number(text, 0, 4), number(text, 5, 7), number(text, 8, 10)).toEpochDay();
      int second =
          number(text, 11, 13) * 3600
              + number(text, 14, 16) * 60
              + (text.charAt(16) == ':' ? number(text, 17, 19) : 0);
      int dot = text.indexOf('.');
      long millis = 0;
      for (int i = 0; dot > 0 && i < 3; i++) {
        char c = dot + 1 + i < text.length() ? text.charAt(dot + 1 + i) : 'Z';
        millis = millis * 10 + (c >= '0' && c <= '9' ? c - '0' : 0);
      }
      return (days * 86_400 + second) * 1000 + millis;
    } catch (RuntimeException e) {
      return 0; // a daemon that writes times in another way is newer than this
    }
  }

  private static int number(String text, int from, int to) {
    return Integer.parseInt(text, from, to, 10);
  }

  /** {@code 03:32:20+01:00}, with the date where that is not today. */
  static String clock(long epochSecond, long now) {
    ZoneId zone = ZoneId.systemDefault();
    return epochSecond == 0
        ? "-"
        : Times.clock(epochSecond, zone, now) + Times.offset(epochSecond, zone);
  }

  /** {@code in 5m}, {@code 5m ago}, {@code now}. */
  static String away(long epochSecond, long now) {
    if (epochSecond == 0) {
      return "-";
    }
    long seconds = epochSecond - now;
    return seconds == 0
        ? "now"
        : seconds > 0 ? "in " + Times.span(seconds) : Times.span(-seconds) + " ago";
  }
}
