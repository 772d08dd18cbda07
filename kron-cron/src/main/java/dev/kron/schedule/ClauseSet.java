package dev.kron.schedule;

import java.util.List;
import java.util.Locale;

/** The kinds whose values are numbers or names, with lists and ranges. */
enum ClauseSet {
  HOURS("hours", 0, 23),
  DAYS_OF_WEEK("dow", 0, 7),
  DAYS_OF_MONTH("dom", 1, 31),
  MONTHS("months", 1, 12);

  private final String key;
  private final int smallest;
  private final int largest;

  ClauseSet(String key, int smallest, int largest) {
    this.key = key;
    this.smallest = smallest;
    this.largest = largest;
  }

  private List<String> names() {
    return switch (this) {
      case DAYS_OF_WEEK -> ClauseText.DAY_NAMES;
      case MONTHS -> ClauseText.MONTH_NAMES;
      case HOURS, DAYS_OF_MONTH -> List.of();
    };
  }

  /** The value of a number or name, or a negative number. */
  int value(String text, int start, int end) {
    if (start >= end) {
      return -1;
    }
    int number = 0;
    for (int i = start; i < end; i++) {
      int digit = text.charAt(i) - '0';
      if (digit < 0 || digit > 9) {
        return names().isEmpty()
            ? -1
            : names().indexOf(text.substring(start, end).toUpperCase(Locale.ROOT));
      }
      number = Math.min(number * 10 + digit, 1000);
    }
    return number < smallest || number > largest ? -1 : number;
  }

  String allowed() {
    String named =
        switch (this) {
          case DAYS_OF_WEEK -> " (0 and 7 are Sunday) or SUN-SAT";
          case MONTHS -> " or JAN-DEC";
          case HOURS, DAYS_OF_MONTH -> "";
        };
    return key + " takes " + smallest + "-" + largest + named + ", lists and ranges of them";
  }

  String twoClauses(int first, int last) {
    if (this == DAYS_OF_WEEK) {
      return range(first % 7, 6) + ";" + range(0, last);
    }
    return range(first, largest) + ";" + range(smallest, last);
  }

  private String range(int first, int last) {
    return key + "=" + (first == last ? name(first) : name(first) + "-" + name(last));
  }

  private String name(int value) {
    return names().isEmpty() ? Integer.toString(value) : names().get(value);
  }
}
