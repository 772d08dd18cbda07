package dev.kron.simulation;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.DayOfWeek;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.zone.ZoneRules;
import java.util.BitSet;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * When a job is to run, worked out minute by minute from the specification of schedules. It shares
 * nothing with the code that the daemon asks, and knows only the words that histories use.
 */
public final class Timetable {
  private static final long MINUTE = 60;
  private static final int ATTEMPTS = 64;
  private static final long GAMMA = 0x9E3779B97F4A7C15L;

  /** The place of the window about the nominal time. */
  enum Mode {
    AFTER,
    BEFORE,
    AROUND
  }

  /**
   * A period, all of it in epoch seconds.
   *
   * @param unschedulable no second of its window was found that it may run in
   * @param chosen its own second; of an unschedulable one the window's end
   * @param due the latest of its own and its predecessors' seconds
   */
  public record Period(
      long nominal,
      long windowStart,
      long windowEnd,
      boolean unschedulable,
      long chosen,
      long due) {
    public String id() {
      return Instant.ofEpochSecond(nominal).toString();
    }
  }

  private record Choice(long second, boolean unschedulable) {}

  private final String identity;
  private final BitSet minutes;
  private final BitSet hours;
  private final BitSet days;
  private final BitSet months;
  private final BitSet weekdays;
  private final boolean anyDay;
  private final boolean anyWeekday;
  private final ZoneRules rules;
  private final Mode mode;
  private final long windowSeconds;
  private final boolean skewLate;
  private final Set<DayOfWeek> only;
  private final Map<Long, Choice> choices = new HashMap<>();
  private final boolean boot;

  /**
   * @param schedule five fields, or {@code @boot}, then modifiers
   */
  public Timetable(String identity, String schedule) {
    this.identity = identity;
    boot = schedule.startsWith("@boot");
    // No day is the 31st of February: a boot is no period of the calendar.
    String[] words =
        (boot ? "0 0 31 2 *" + schedule.substring("@boot".length()) : schedule).split(" +");
    minutes = field(words[0], 0, 59);
    hours = field(words[1], 0, 23);
    days = field(words[2], 1, 31);
    months = field(words[3], 1, 12);
    weekdays = field(words[4], 0, 6);
    anyDay = words[2].equals("*");
    anyWeekday = words[4].equals("*");
    ZoneId zone = ZoneOffset.UTC;
    Mode where = Mode.AFTER;
    long seconds = 0;
    boolean late = false;
    Set<DayOfWeek> allowed = EnumSet.allOf(DayOfWeek.class);
    for (int i = 5; i < words.length; i++) {
      String word = words[i];
      String body = word.substring(word.indexOf('(') + 1, word.length() - 1);
      switch (word.substring(0, word.indexOf('('))) {
        case "@tz" -> zone = ZoneId.of(body);
        case "@win" -> {
          where = Mode.valueOf(body.substring(0, body.indexOf(',')).toUpperCase(Locale.ROOT));
          seconds = JobEntry.seconds(body.substring(body.indexOf(',') + 1));
        }
        case "@dist" -> late = body.equals("skewLate");
        case "@only" -> allowed = weekdays(body.substring("dow=".length()));
        default -> throw new IllegalArgumentException(word);
      }
    }
    rules = zone.getRules();
    mode = where;
    windowSeconds = seconds;
    skewLate = late;
    only = allowed;
  }

  private static Set<DayOfWeek> weekdays(String names) {
    Set<DayOfWeek> days = EnumSet.noneOf(DayOfWeek.class);
    for (String name : names.split(",")) {
      for (DayOfWeek day : DayOfWeek.values()) {
        if (day.name().startsWith(name)) {
          days.add(day);
        }
      }
    }
    return days;
  }

  private static BitSet field(String text, int least, int most) {
    var values = new BitSet();
    for (String part : text.split(",")) {
      if (part.startsWith("*")) {
        int step = part.equals("*") ? 1 : Integer.parseInt(part.substring(2));
        for (int value = least; value <= most; value += step) {
          values.set(value);
        }
      } else {
        values.set(Integer.parseInt(part));
      }
    }
    return values;
  }

  private LocalDateTime local(long second) {
    Instant instant = Instant.ofEpochSecond(second);
    return LocalDateTime.ofEpochSecond(second, 0, rules.getOffset(instant));
  }

  private boolean isOn(LocalDate date) {
    boolean day = days.get(date.getDayOfMonth());
    boolean weekday = weekdays.get(date.getDayOfWeek().getValue() % 7);
    boolean either = (anyDay || anyWeekday) ? (day && weekday) : (day || weekday);
    return either && months.get(date.getMonthValue());
  }

  /** Whether its periods are the boots of the machine. */
  boolean isBoot() {
    return boot;
  }

  /** The seconds from the moment when a daemon was first ready in a boot to the job's run. */
  long secondsAfterBoot(String period) {
    return windowSeconds == 0 ? 0 : second(draw(identity + "\n" + period + "\n"));
  }

  /** The length of the window. */
  long windowSeconds() {
    return windowSeconds;
  }

  /** Whether a period has this nominal time. */
  public boolean has(long nominal) {
    if (Math.floorMod(nominal, MINUTE) != 0) {
      return false;
    }
    LocalDateTime local = local(nominal);
    return local.getSecond() == 0
        && minutes.get(local.getMinute())
        && hours.get(local.getHour())
        && isOn(local.toLocalDate());
  }

  /** The nearest nominal time before this one, not before {@code least}; otherwise less than it. */
  long before(long nominal, long least) {
    long at = Math.floorDiv(nominal - 1, MINUTE) * MINUTE;
    while (at >= least && !has(at)) {
      LocalDateTime local = local(at);
      int hour = local.getHour();
      boolean farOff = hour > 3 && !isOn(local.toLocalDate());
      at -= farOff ? (hour - 3L) * 60 * MINUTE : MINUTE; // no clock goes on or back by so much
    }
    return at;
  }

  /** The nearest nominal time after this one, not after {@code most}; otherwise more than it. */
  public long after(long nominal, long most) {
    long at = Math.floorDiv(nominal, MINUTE) * MINUTE + MINUTE;
    while (at <= most && !has(at)) {
      at += MINUTE;
    }
    return at;
  }

  public Period period(long nominal) {
    Choice own = choice(nominal);
    long due = own.second;
    long first = nominal - windowSeconds - MINUTE;
    for (long at = before(nominal, first); at >= first; at = before(at, first)) {
      due = Math.max(due, choice(at).second);
    }
    return new Period(
        nominal,
        windowStart(nominal),
        windowStart(nominal) + windowSeconds,
        own.unschedulable,
        own.second,
        due);
  }

  /** The longest distance of a second from its nominal time. */
  public long reach() {
    return windowSeconds + MINUTE;
  }

  private long windowStart(long nominal) {
    return switch (mode) {
      case AFTER -> nominal;
      case BEFORE -> nominal - windowSeconds;
      case AROUND -> Math.floorDiv(2 * nominal - windowSeconds, 2L);
    };
  }

  private Choice choice(long nominal) {
    return choices.computeIfAbsent(nominal, this::choose);
  }

  private Choice choose(long nominal) {
    long start = windowStart(nominal);
    if (windowSeconds == 0) {
      return new Choice(start, !isAllowed(start));
    }
    long state = seed(nominal);
    for (int i = 0; i < ATTEMPTS; i++) {
      state += GAMMA;
      double u = (mixed(state) >>> 11) / (double) (1L << 53);
      long second = start + second(u);
      if (isAllowed(second)) {
        return new Choice(second, false);
      }
    }
    return new Choice(start + windowSeconds, true);
  }

  /** The second of the window that a draw stands for. */
  private long second(double u) {
    double x = skewLate ? 1 - StrictMath.pow(1 - u, 2) : u;
    return Math.min((long) (x * (windowSeconds + 1)), windowSeconds);
  }

  private boolean isAllowed(long second) {
    return only.contains(local(second).getDayOfWeek());
  }

  private static long mixed(long state) {
    long z = state;
    z = (z ^ z >>> 30) * 0xBF58476D1CE4E5B9L;
    z = (z ^ z >>> 27) * 0x94D049BB133111EBL;
    return z ^ z >>> 31;
  }

  private long seed(long nominal) {
    return seed(identity + "\n" + Instant.ofEpochSecond(nominal) + "\n");
  }

  /** The first draw of the stream over a text. */
  static double draw(String material) {
    return (mixed(seed(material) + GAMMA) >>> 11) / (double) (1L << 53);
  }

  private static long seed(String material) {
    try {
      byte[] hash = MessageDigest.getInstance("SHA-256").digest(material.getBytes(UTF_8));
      return ByteBuffer.wrap(hash).getLong();
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }
}
