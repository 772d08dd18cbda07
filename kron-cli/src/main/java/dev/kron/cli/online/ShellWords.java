package dev.kron.cli.online;

import java.util.List;

/** Words as a shell would have to be given them. */
final class ShellWords {
  private ShellWords() {}

  static String shell(List<String> words) {
    StringBuilder line = new StringBuilder();
    for (String word : words) {
      if (!line.isEmpty()) {
        line.append(' ');
      }
      line.append(isPlain(word) ? word : "'" + word.replace("'", "'\\''") + "'");
    }
    return line.toString();
  }

  private static boolean isPlain(String word) {
    for (int i = 0; i < word.length(); i++) {
      char c = word.charAt(i);
      boolean plain =
          (c >= 'a' && c <= 'z')
              || (c >= 'A' && c <= 'Z')
              || (c >= '0' && c <= '9')
              || "/._-+:=@%,".indexOf(c) >= 0;
      if (!plain) {
        return false;
      }
    }
    return !word.isEmpty();
  }
}
