package dev.kron.config;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A command split into words as a POSIX shell would, without any expansion: single quotes take
 * everything literally, double quotes know the backslash before {@code " \ $ `}, and outside quotes
 * a backslash makes the next character literal.
 *
 * @param words empty if there is a problem
 * @param problem what is wrong, or null
 * @param offset the position in the text, if there is a problem
 */
record CommandWords(List<String> words, @Nullable String problem, int offset) {

  static CommandWords split(String text) {
    return new Splitter(text).split();
  }

  private static CommandWords failed(String problem, int offset) {
    return new CommandWords(List.of(), problem, offset);
  }

  private static final class Splitter {
    private final String text;
    private final List<String> words = new ArrayList<>(4);
    private final StringBuilder word = new StringBuilder();
    private boolean inWord;
    private int at;

    Splitter(String text) {
      this.text = text;
    }

    CommandWords split() {
      while (at < text.length()) {
        char c = text.charAt(at);
        int open = at;
        at++;
        if (FieldScanner.isBlank(c)) {
          endWord();
          continue;
        }
        inWord = true;
        boolean closed =
            switch (c) {
              case '\'' -> single();
              case '"' -> doubleQuoted();
              case '\\' -> escaped();
              default -> {
                word.append(c);
                yield true;
              }
            };
        if (!closed) {
          return failed(problem(c), open);
        }
      }
      endWord();
      return new CommandWords(List.copyOf(words), null, 0);
    }

    private static String problem(char opened) {
      return switch (opened) {
        case '\'' -> "the single quote that opens here is never closed within the command";
        case '"' -> "the double quote that opens here is never closed within the command";
        default -> "a backslash at the end of a command escapes nothing";
      };
    }

    private void endWord() {
      if (inWord) {
        words.add(word.toString());
        word.setLength(0);
        inWord = false;
      }
    }

    private boolean single() {
      int close = text.indexOf('\'', at);
      if (close < 0) {
        return false;
      }
      word.append(text, at, close);
      at = close + 1;
      return true;
    }

    private boolean doubleQuoted() {
      while (at < text.length()) {
        char c = text.charAt(at++);
        if (c == '"') {
          return true;
        }
        if (c == '\\' && at < text.length() && "\"\\$`".indexOf(text.charAt(at)) >= 0) {
          c = text.charAt(at++);
        }
        word.append(c);
      }
      return false;
    }

    private boolean escaped() {
      if (at == text.length()) {
        return false;
      }
      word.append(text.charAt(at++));
      return true;
    }
  }
}
