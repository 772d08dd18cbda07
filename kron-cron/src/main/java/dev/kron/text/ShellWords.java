package dev.kron.text;

import java.util.List;
import java.util.stream.Collectors;

/** Words as a POSIX shell has to be given them. */
public final class ShellWords {
  private static final String PLAIN = "/._-+:=@%,";

  private ShellWords() {}

  /** A command line of these words. */
  public static String line(List<String> words) {
    return words.stream().map(ShellWords::word).collect(Collectors.joining(" "));
  }

  /** One word, in quotes where it needs them. */
  public static String word(String word) {
    return isPlain(word) ? word : quoted(word);
  }

  /** One word in quotes. */
  public static String quoted(String word) {
    return "'" + word.replace("'", "'\\''") + "'";
  }

  private static boolean isPlain(String word) {
    for (int i = 0; i < word.length(); i++) {
      char c = word.charAt(i);
      boolean plain =
          (c >= 'a' && c <= 'z')
              || (c >= 'A' && c <= 'Z')
              || (c >= '0' && c <= '9')
              || PLAIN.indexOf(c) >= 0;
      if (!plain) {
        return false;
      }
    }
    return !word.isEmpty();
  }
}
