package dev.kron.cli.online;

import dev.kron.cli.output.Times;
import java.time.ZoneId;

/** Times of the daemon as people read them. */
final class Instants {
  private Instants() {}

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
