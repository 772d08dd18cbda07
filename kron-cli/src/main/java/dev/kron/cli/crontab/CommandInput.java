package dev.kron.cli.crontab;

import dev.kron.text.ShellWords;
import java.util.ArrayList;
import java.util.List;

/**
 * A command of a crontab without its percent signs: the first that no backslash stands before ends
 * the command, what follows is its standard input, and there each percent sign ends a line.
 *
 * @param lines of the standard input, empty where there is none
 */
record CommandInput(String command, List<String> lines) {
  CommandInput {
    lines = List.copyOf(lines);
  }

  static CommandInput of(String text) {
    List<String> parts = new ArrayList<>();
    var part = new StringBuilder();
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '\\' && i + 1 < text.length() && text.charAt(i + 1) == '%') {
        part.append('%');
        i++;
      } else if (c == '%') {
        parts.add(part.toString());
        part.setLength(0);
      } else {
        part.append(c);
      }
    }
    if (parts.isEmpty() || !part.isEmpty()) {
      parts.add(part.toString()); // cron ends the last line itself
    }
    return new CommandInput(parts.getFirst(), parts.subList(1, parts.size()));
  }

  /** A shell command with the same effect; the original command reaches its own shell unchanged. */
  @SuppressWarnings("OrphanedFormatString") // it is the shell's printf
  String withInput(String shell) {
    var text = new StringBuilder("printf '%s\\n'");
    lines.forEach(line -> text.append(' ').append(ShellWords.word(line)));
    return text + " | " + ShellWords.word(shell) + " -c " + ShellWords.word(command);
  }
}
