package dev.kron.schedule;

import java.util.Collection;
import org.jspecify.annotations.Nullable;

/** Finds what somebody probably meant: the nearest of the allowed words, if one is near enough. */
final class Suggestion {
  private static final int LONGEST = 48;

  private Suggestion() {}

  /** {@code " (did you mean …?)"}, or nothing where no allowed word is near. */
  static String didYouMean(String word, Collection<String> allowed, String prefix) {
    String nearest = nearest(word, allowed);
    return nearest == null ? "" : " (did you mean " + Quote.of(prefix + nearest) + "?)";
  }

  static @Nullable String nearest(String word, Collection<String> allowed) {
    if (word.isEmpty() || word.length() > LONGEST) {
      return null;
    }
    String nearest = null;
    int best = word.length() <= 3 ? 2 : word.length() <= 7 ? 3 : 4;
    for (String candidate : allowed) {
      if (candidate.equalsIgnoreCase(word)) {
        return candidate;
      }
      if (Math.abs(candidate.length() - word.length()) < best) {
        int distance = distance(word, candidate, best);
        if (distance < best && distance < candidate.length()) {
          best = distance;
          nearest = candidate;
        }
      }
    }
    return nearest;
  }

  /**
   * Insertions, deletions, replacements and swaps of neighbours that lead from one to the other;
   * some number not below the limit where that many do not suffice.
   */
  private static int distance(String a, String b, int limit) {
    int[] beforeLast = new int[b.length() + 1];
    int[] last = new int[b.length() + 1];
    int[] row = new int[b.length() + 1];
    for (int j = 0; j <= b.length(); j++) {
      last[j] = j;
    }
    for (int i = 1; i <= a.length(); i++) {
      row[0] = i;
      int smallest = i;
      for (int j = 1; j <= b.length(); j++) {
        int replaced = last[j - 1] + (same(a.charAt(i - 1), b.charAt(j - 1)) ? 0 : 1);
        int distance = Math.min(replaced, Math.min(last[j], row[j - 1]) + 1);
        if (i > 1
            && j > 1
            && same(a.charAt(i - 1), b.charAt(j - 2))
            && same(a.charAt(i - 2), b.charAt(j - 1))) {
          distance = Math.min(distance, beforeLast[j - 2] + 1);
        }
        row[j] = distance;
        smallest = Math.min(smallest, distance);
      }
      if (smallest > limit) {
        return limit; // a swap in the next row saves one step at most
      }
      int[] spare = beforeLast;
      beforeLast = last;
      last = row;
      row = spare;
    }
    return last[b.length()];
  }

  /** Near enough for a suggestion: letters in any case, and what else folds does no harm. */
  private static boolean same(char a, char b) {
    return (a | 0x20) == (b | 0x20);
  }
}
