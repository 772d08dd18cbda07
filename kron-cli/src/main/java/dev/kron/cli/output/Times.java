package dev.kron.cli.output;

import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;

/**
 * Times as text, always the same in every locale. Written by hand: a {@code DateTimeFormatter}
 * costs more to make than the rest of a short command.
 */
public final class Times {
  private Times() {}

  /** {@code 2026-03-01T02:32:20Z}. */
  public static String utc(long epochSecond) {
    return appendTime(
            appendDate(new StringBuilder(20), at(epochSecond, ZoneOffset.UTC)).append('T'),
            at(epochSecond, ZoneOffset.UTC))
        .append('Z')
        .toString();
  }

  /** {@code 2026-03-01 03:32:20+01:00}: what a clock on the wall of that zone shows. */
  public static String local(long epochSecond, ZoneId zone) {
    LocalDateTime time = inZone(epochSecond, zone);
    StringBuilder text = appendDate(new StringBuilder(25), time).append(' ');
    appendTime(text, time);
    return text.append(offset(epochSecond, zone)).toString();
  }

  /** {@code +01:00}: how far that zone's clocks are ahead at that moment. */
  public static String offset(long epochSecond, ZoneId zone) {
    ZoneOffset offset = zone.getRules().getOffset(Instant.ofEpochSecond(epochSecond));
    return offset.getTotalSeconds() == 0 ? "+00:00" : offset.getId();
  }

  /** {@code 03:32:20}, or with the date before it where it is not the given day. */
  public static String clock(long epochSecond, ZoneId zone, long sameDayAs) {
    LocalDateTime time = inZone(epochSecond, zone);
    StringBuilder text = new StringBuilder(19);
    if (!time.toLocalDate().equals(inZone(sameDayAs, zone).toLocalDate())) {
      appendDate(text, time).append(' ');
    }
    return appendTime(text, time).toString();
  }

  /** {@code 2026-03-01}. */
  public static String date(long epochSecond, ZoneId zone) {
    return appendDate(new StringBuilder(10), inZone(epochSecond, zone)).toString();
  }

  /** {@code 03:32}. */
  public static String minute(long epochSecond, ZoneId zone) {
    return appendTime(new StringBuilder(8), inZone(epochSecond, zone)).substring(0, 5);
  }

  /** {@code 1d 2h}, {@code 45m}, {@code 1m 5s}: at most two units, nothing lost below a minute. */
  public static String span(long seconds) {
    if (seconds < 0) {
      return "-" + span(-seconds);
    }
    long[] sizes = {86_400, 3_600, 60, 1};
    char[] units = {'d', 'h', 'm', 's'};
    for (int i = 0; i < sizes.length; i++) {
      if (seconds >= sizes[i]) {
        long rest = i + 1 < sizes.length ? seconds % sizes[i] / sizes[i + 1] : 0;
        String first = "" + seconds / sizes[i] + units[i];
        return rest == 0 ? first : first + " " + rest + units[i + 1];
      }
    }
    return "0s";
  }

  static LocalDateTime inZone(long epochSecond, ZoneId zone) {
    return at(epochSecond, zone.getRules().getOffset(Instant.ofEpochSecond(epochSecond)));
  }

  private static LocalDateTime at(long epochSecond, ZoneOffset offset) {
    return LocalDateTime.ofEpochSecond(epochSecond, 0, offset);
  }

  private static StringBuilder appendDate(StringBuilder text, LocalDateTime time) {
    int year = time.getYear();
    for (int least = 1000; least > 1 && year < least; least /= 10) {
      text.append('0');
    }
    text.append(year).append('-');
    return two(two(text, time.getMonthValue()).append('-'), time.getDayOfMonth());
  }

  private static StringBuilder appendTime(StringBuilder text, LocalDateTime time) {
    two(text, time.getHour()).append(':');
    return two(two(text, time.getMinute()).append(':'), time.getSecond());
  }

  private static StringBuilder two(StringBuilder text, int number) {
    return text.append((char) ('0' + number / 10)).append((char) ('0' + number % 10));
  }
}
