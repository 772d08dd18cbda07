package dev.kron.cli.line;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.List;

/**
 * A time on the command line. Read by hand, because there are few forms and the answer must name
 * the allowed ones when it is none of them.
 */
public final class TimeArgument {
  /** The forms, for help texts and messages. */
  public static final String FORMS =
      "2026-03-01T02:00:00Z, 2026-03-01T02:00:00+01:00, 2026-03-01T02:00, 2026-03-01 (without an"
          + " offset: in the schedule's zone), @1772323200 (epoch seconds), now, today, yesterday,"
          + " tomorrow (their midnight), +90m, -1h30m";

  private static final int NO_DAY = Integer.MIN_VALUE;

  private final String option;
  private final String text;
  private int at;

  private TimeArgument(String option, String text) {
    this.option = option;
    this.text = text;
  }

  /**
   * Reads a time.
   *
   * @param option what it was given for
   * @param zone of times without an offset
   * @param now what {@code now} and relative times mean
   * @return epoch second; fractions are cut off
   */
  public static long parse(String option, String text, ZoneId zone, long now) {
    if (text.equals("now")) {
      return now;
    }
    int days = day(text);
    if (days != NO_DAY) {
      LocalDate today = LocalDate.ofInstant(Instant.ofEpochSecond(now), zone);
      return today.plusDays(days).atStartOfDay(zone).toEpochSecond();
    }
    TimeArgument reader = new TimeArgument(option, text);
    try {
      return switch (text.isEmpty() ? ' ' : text.charAt(0)) {
        case '@' -> reader.epochSecond();
        case '+' -> Math.addExact(now, Spans.seconds(text.substring(1)));
        case '-' -> Math.subtractExact(now, Spans.seconds(text.substring(1)));
        default -> reader.date(zone);
      };
    } catch (IllegalArgumentException | DateTimeException | ArithmeticException e) {
      throw new UsageException(option + " \"" + text + "\" is not a time; write one of: " + FORMS);
    }
  }

  /** Whether a text means a whole day, and not a moment of one. */
  public static boolean isDay(String text) {
    return day(text) != NO_DAY || text.matches("\\d{4}-\\d\\d-\\d\\d");
  }

  /** How many days from today a word is, {@link #NO_DAY} where it is no such word. */
  private static int day(String text) {
    return switch (text) {
      case "today" -> 0;
      case "yesterday" -> -1;
      case "tomorrow" -> 1;
      default -> NO_DAY;
    };
  }

  private long epochSecond() {
    long second = Long.parseLong(text.substring(1));
    if (second < -62_135_596_800L || second > 253_402_300_799L) {
      throw new DateTimeException("outside the years 1 to 9999");
    }
    return second;
  }

  private long date(ZoneId zone) {
    int year = digits(4);
    expect('-');
    int month = digits(2);
    expect('-');
    int day = digits(2);
    if (at == text.length()) {
      return instant(LocalDateTime.of(year, month, day, 0, 0), zone);
    }
    if ("Tt ".indexOf(text.charAt(at++)) < 0) {
      throw new IllegalArgumentException();
    }
    int hour = digits(2);
    expect(':');
    int minute = digits(2);
    int second = 0;
    if (at < text.length() && text.charAt(at) == ':') {
      at++;
      second = digits(2);
      skipFraction();
    }
    LocalDateTime local = LocalDateTime.of(year, month, day, hour, minute, second);
    return at == text.length() ? instant(local, zone) : local.toEpochSecond(offset());
  }

  private ZoneOffset offset() {
    char sign = text.charAt(at++);
    if ((sign == 'Z' || sign == 'z') && at == text.length()) {
      return ZoneOffset.UTC;
    }
    if (sign != '+' && sign != '-') {
      throw new IllegalArgumentException();
    }
    int hours = digits(2);
    expect(':');
    int minutes = digits(2);
    if (at != text.length() || minutes > 59) {
      throw new IllegalArgumentException();
    }
    int seconds = (hours * 60 + minutes) * 60;
    return ZoneOffset.ofTotalSeconds(sign == '-' ? -seconds : seconds);
  }

  private long instant(LocalDateTime local, ZoneId zone) {
    List<ZoneOffset> offsets = zone.getRules().getValidOffsets(local);
    if (offsets.size() == 1) {
      return local.toEpochSecond(offsets.getFirst());
    }
    String where = option + " \"" + text + "\" in " + zone.getId();
    if (offsets.isEmpty()) {
      throw new UsageException(where + " does not exist: the clocks are put forward over it");
    }
    throw new UsageException(
        where
            + " happens twice: add "
            + offsets.getFirst().getId()
            + " or "
            + offsets.getLast().getId()
            + " to say which is meant");
  }

  private void skipFraction() {
    if (at < text.length() && text.charAt(at) == '.') {
      at++;
      digits(1);
      while (at < text.length() && isDigit(text.charAt(at))) {
        at++;
      }
    }
  }

  private int digits(int count) {
    int value = 0;
    for (int i = 0; i < count; i++) {
      if (at == text.length() || !isDigit(text.charAt(at))) {
        throw new IllegalArgumentException();
      }
      value = value * 10 + text.charAt(at++) - '0';
    }
    return value;
  }

  private void expect(char c) {
    if (at == text.length() || text.charAt(at++) != c) {
      throw new IllegalArgumentException();
    }
  }

  private static boolean isDigit(char c) {
    return c >= '0' && c <= '9';
  }
}
