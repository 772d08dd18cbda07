package dev.kron.config;

import dev.kron.text.VisibleText;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A command as it stands in the file. It is split after the whole line was read, because only then
 * it is known whether a shell will do that.
 */
final class CommandText {
  /** Words and characters that mean something to a shell and nothing without one. */
  private static final Set<String> SHELL_WORDS =
      Set.of(
          "|",
          "||",
          "&&",
          "&",
          ";",
          ">",
          ">>",
          "<",
          "<<",
          "2>",
          "2>&1",
          ">&2",
          "&>",
          "2>/dev/null",
          ">/dev/null");

  private final String value;
  private final boolean quoted;
  private final int keyStart;
  private final int start;
  private final boolean escaped;

  private CommandText(FieldScanner field, String value) {
    this.value = value;
    this.quoted = field.quoted();
    this.keyStart = field.keyStart();
    this.start = field.valueStart();
    this.escaped = field.escaped();
  }

  static CommandText of(FieldScanner field, String value) {
    return new CommandText(field, value);
  }

  /** The words to execute; empty if something is wrong, which is reported then. */
  List<String> words(String key, boolean shell, boolean strict, Line line, Sharing sharing) {
    if (value.isBlank()) {
      line.error(keyStart, key + " is empty");
      return List.of();
    }
    if (shell) {
      return sharing.word(value);
    }
    List<String> words = quoted ? split(line, sharing) : sharing.word(value);
    if (words.isEmpty()) {
      return words;
    }
    String program = words.getFirst();
    if (program.isEmpty()) {
      line.error(start, key + " is empty: its first word, the program, is \"\"");
    } else if (strict && program.charAt(0) != '/') {
      line.error(start, relative(key, program));
    }
    return words;
  }

  /** What strict mode says of a program without an absolute path. */
  static String relative(String key, String program) {
    return key
        + " is the relative path "
        + VisibleText.quote(program)
        + "; strict mode wants an absolute one, such as /usr/bin/"
        + VisibleText.of(program.substring(program.lastIndexOf('/') + 1));
  }

  private List<String> split(Line line, Sharing sharing) {
    @Nullable List<String> known = sharing.words(value);
    if (known != null) {
      return known;
    }
    CommandWords words = CommandWords.split(value);
    @Nullable String problem = words.problem();
    if (problem != null) {
      line.error(offsetOf(words.offset(), line.text()), problem);
      return List.of();
    }
    @Nullable String shellWord = shellWord(words.words());
    if (shellWord != null) {
      line.warning(
          start,
          VisibleText.quote(shellWord)
              + " is passed to the program as a word; for a pipe, a redirection or a list of"
              + " commands add shell=true");
      return words.words(); // not remembered, so that every such line gets its warning
    }
    return sharing.rememberWords(value, words.words());
  }

  private static @Nullable String shellWord(List<String> words) {
    for (int i = 1; i < words.size(); i++) {
      if (SHELL_WORDS.contains(words.get(i))) {
        return words.get(i);
      }
    }
    return null;
  }

  /** Whether a word would have a meaning to a shell. */
  static boolean isShellWord(String word) {
    return SHELL_WORDS.contains(word);
  }

  private int offsetOf(int index, String text) {
    if (!escaped) {
      return start + index;
    }
    int offset = start;
    for (int i = 0; i < index; i++) {
      offset += text.charAt(offset) == '\\' ? 2 : 1;
    }
    return offset;
  }
}
