package dev.kron.text;

import java.util.Collection;
import org.jspecify.annotations.Nullable;

/** The word that somebody probably meant: the nearest of the known ones, if it is near enough. */
public final class Suggestion {
  private static final int LONGEST = 64;

  private Suggestion() {}

  /** A question to put behind a message, or nothing where no word is near. */
  public static String among(Collection<String> known, String written) {
    String nearest = nearest(known, written);
    return nearest == null ? "" : "; did you mean " + nearest + "?";
  }

  /** The question for the middle of a message, about a word that stands behind a prefix. */
  public static String didYouMean(String written, Collection<String> known, String prefix) {
    String nearest = nearest(known, written);
    return nearest == null ? "" : " (did you mean " + VisibleText.quote(prefix + nearest) + "?)";
  }

  /** The known word with the fewest slips of the finger, if few enough. */
  public static @Nullable String nearest(Collection<String> known, String written) {
    if (written.isEmpty() || written.length() > LONGEST) {
      return null;
    }
    String nearest = null;
    int best = Math.clamp(written.length() / 3, 1, 3) + 1; // a short word has few letters to miss
    for (String word : known) {
      if (word.equalsIgnoreCase(written)) {
        return word;
      }
      int limit = Math.min(best, word.length() / 2 + 1);
      boolean begun = written.length() >= 3 && word.startsWith(written);
      int distance = begun ? 1 : distance(written, word, limit);
      if (distance < limit) {
        best = distance;
        nearest = word;
      }
    }
    return nearest;
  }

  /**
   * Insertions, deletions, replacements and swaps of neighbours that lead from one to the other;
   * some number not below the limit where that many do not suffice.
   */
  private static int distance(String a, String b, int limit) {
    if (Math.abs(a.length() - b.length()) >= limit) {
      return limit;
    }
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
