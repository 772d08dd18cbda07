package dev.kron.cli.lint;

import dev.kron.cron.CronExpression;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Steps of a cron field that are longer than the field: {@code *}{@code /90} in minutes. */
final class Steps {
  private static final String[] FIELDS = {"minute", "hour", "day of month", "month", "day of week"};
  private static final int[] FIRST = {0, 0, 1, 1, 0};
  private static final int[] SIZE = {60, 24, 31, 12, 7};

  private static final String[] NEXT = {"hour", "day", "month", "year", "week"};

  private Steps() {}

  static void check(@Nullable CronExpression cron, List<String> found) {
    if (cron == null) {
      return;
    }
    String[] fields = cron.text().strip().split("[ \t]+");
    for (int i = 0; i < FIELDS.length && i < fields.length; i++) {
      for (String part : fields[i].split(",")) {
        if (part.startsWith("*/") && step(part) >= SIZE[i]) {
          found.add(
              "%s in the %s field means %s %s alone: a step does not reach into the next %s"
                  .formatted(part, FIELDS[i], FIELDS[i], FIRST[i], NEXT[i]));
        }
      }
    }
  }

  private static int step(String part) {
    try {
      return Integer.parseInt(part.substring(2));
    } catch (NumberFormatException e) {
      return 0;
    }
  }
}
