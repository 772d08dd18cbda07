package dev.kron.daemon.api;

import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * A part of a list.
 *
 * @param offset how many come before it
 */
record Page(int offset, int limit) {
  private static final int MOST = 1_000_000;

  /**
   * @param limit if none is asked for
   * @param most the largest that may be asked for
   */
  static Page of(Exchange exchange, int limit, int most) {
    return new Page(
        (int) exchange.number("offset", 0, 0, MOST),
        (int) exchange.number("limit", limit, 0, most));
  }

  /** The requested page; all if none is requested. */
  static Page ofAll(Exchange exchange) {
    return of(exchange, MOST, MOST);
  }

  <T> List<T> of(List<T> all) {
    int from = Math.min(offset, all.size());
    return all.subList(from, (int) Math.min((long) from + limit, all.size()));
  }

  /** Whether a list is asked for backwards. */
  static boolean isDescending(Exchange exchange) {
    return oneOf(exchange, "order", "asc", Set.of("asc", "desc")).equals("desc");
  }

  /** A parameter that is one of a few words. */
  static String oneOf(Exchange exchange, String name, String otherwise, Set<String> words) {
    String word = exchange.parameter(name, otherwise);
    if (!words.contains(word)) {
      throw new ApiProblem(
          400,
          "%s is one of %s, not %s"
              .formatted(name, String.join(", ", words.stream().sorted().toList()), word));
    }
    return word;
  }

  /** Whether one of the texts contains the given one, ignoring case. */
  static boolean isIn(String lowerCase, Iterable<String> texts) {
    for (String text : texts) {
      if (text.toLowerCase(Locale.ROOT).contains(lowerCase)) {
        return true;
      }
    }
    return false;
  }
}
