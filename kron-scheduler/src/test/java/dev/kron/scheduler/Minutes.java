package dev.kron.scheduler;

import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneId;

/** When an expression matches, minute by minute: slow, and nothing like the code under test. */
final class Minutes {
  private final ZoneId zone;
  private final boolean dayOrWeekday;
  private final boolean[][] allowed = new boolean[5][];

  Minutes(String expression, ZoneId zone) {
    this.zone = zone;
    String[] fields = expression.split(" ");
    for (int field = 0; field < 5; field++) {
      allowed[field] = allowed(fields[field]);
    }
    dayOrWeekday = !fields[2].equals("*") && !fields[4].equals("*");
  }

  private static boolean[] allowed(String field) {
    boolean[] allowed = new boolean[60];
    for (String element : field.replace("*", "0-59").split(",")) {
      String[] range = element.split("-");
      int last = Integer.parseInt(range[range.length - 1]);
      for (int value = Integer.parseInt(range[0]); value <= last; value++) {
        allowed[value] = true;
      }
    }
    return allowed;
  }

  /** Whether any minute in (from, to], in epoch milliseconds, matches. */
  boolean anyIn(long fromMillis, long toMillis) {
    long last = Math.floorDiv(toMillis, 60_000L);
    for (long minute = Math.floorDiv(fromMillis, 60_000L) + 1; minute <= last; minute++) {
      if (matches(minute * 60)) {
        return true;
      }
    }
    return false;
  }

  private boolean matches(long epochSecond) {
    long local =
        epochSecond
            + zone.getRules().getOffset(Instant.ofEpochSecond(epochSecond)).getTotalSeconds();
    if (!allowed[0][(int) Math.floorMod(local / 60, 60L)]
        || !allowed[1][(int) Math.floorMod(local / 3600, 24L)]) {
      return false;
    }
    LocalDate date = LocalDate.ofEpochDay(Math.floorDiv(local, 86_400L));
    boolean day = allowed[2][date.getDayOfMonth()];
    boolean weekday = allowed[4][date.getDayOfWeek().getValue() % 7];
    return allowed[3][date.getMonthValue()] && (dayOrWeekday ? day || weekday : day && weekday);
  }
}
