package dev.kron.config;

/** How many slips of the finger lie between two words. */
final class EditDistance {
  private EditDistance() {}

  /** Insertions, deletions, replacements and swaps of neighbours, each counting one. */
  static int between(String a, String b) {
    int[][] distance = new int[a.length() + 1][b.length() + 1];
    for (int i = 0; i <= a.length(); i++) {
      distance[i][0] = i;
    }
    for (int j = 0; j <= b.length(); j++) {
      distance[0][j] = j;
    }
    for (int i = 1; i <= a.length(); i++) {
      for (int j = 1; j <= b.length(); j++) {
        int replaced = distance[i - 1][j - 1] + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
        int best = Math.min(replaced, 1 + Math.min(distance[i - 1][j], distance[i][j - 1]));
        if (i > 1
            && j > 1
            && a.charAt(i - 1) == b.charAt(j - 2)
            && a.charAt(i - 2) == b.charAt(j - 1)) {
          best = Math.min(best, distance[i - 2][j - 2] + 1);
        }
        distance[i][j] = best;
      }
    }
    return distance[a.length()][b.length()];
  }
}
