package dev.kron.cli.line;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** The word that somebody may have meant. */
public final class Suggestion {
  private Suggestion() {}

  /** A question to put behind a message, or nothing where no word is near. */
  public static String among(List<String> known, String written) {
    String nearest = nearest(known, written);
    return nearest == null ? "" : "; did you mean " + nearest + "?";
  }

  /** The known word with the fewest letters to change, if few enough. */
  public static @Nullable String nearest(List<String> known, String written) {
    String best = null;
    // A short word has few letters to be wrong in.
    int bestDistance = Math.clamp(written.length() / 3, 1, 3) + 1;
    for (String word : known) {
      boolean begun = written.length() >= 3 && word.startsWith(written);
      int distance = begun ? 1 : distance(word, written);
      if (distance < bestDistance) {
        best = word;
        bestDistance = distance;
      }
    }
    return best;
  }

  /** Letters to insert, remove, change or swap with their neighbour. */
  private static int distance(String one, String other) {
    if (other.length() > 64) {
      return Integer.MAX_VALUE;
    }
    int[][] cost = new int[one.length() + 1][other.length() + 1];
    for (int i = 0; i <= one.length(); i++) {
      for (int j = 0; j <= other.length(); j++) {
        cost[i][j] = i == 0 ? j : j == 0 ? i : step(one, other, i, j, cost);
      }
    }
    return cost[one.length()][other.length()];
  }

  private static int step(String one, String other, int i, int j, int[][] cost) {
    int change = one.charAt(i - 1) == other.charAt(j - 1) ? 0 : 1;
    int least = Math.min(cost[i - 1][j - 1] + change, Math.min(cost[i - 1][j], cost[i][j - 1]) + 1);
    boolean swapped =
        i > 1
            && j > 1
            && one.charAt(i - 1) == other.charAt(j - 2)
            && one.charAt(i - 2) == other.charAt(j - 1);
    return swapped ? Math.min(least, cost[i - 2][j - 2] + 1) : least;
  }
}
