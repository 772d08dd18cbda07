package dev.kron.config;

import dev.kron.config.ServicePlaces.Place;
import dev.kron.text.VisibleText;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.tomlj.TomlArray;

/** The reader of commands in a service file: the service's own and that of its health check. */
final class ServiceCommand {
  private final ServiceNotes notes;
  private final boolean strict;

  ServiceCommand(ServiceNotes notes, boolean strict) {
    this.notes = notes;
    this.strict = strict;
  }

  /** The words of a command: a text that is split as in a krontab, or a list. */
  List<String> words(TomlSection section, String key, boolean shell) {
    Object value = section.value(key);
    if (value instanceof String) {
      @Nullable String text = section.text(key, "\"/usr/bin/web --port 8080\"");
      return text == null ? List.of() : shell ? List.of(text) : split(section, key, text);
    }
    if (value != null && !(value instanceof TomlArray)) {
      section.wrongType(key, value, "a text, \"/usr/bin/web --port 8080\", or a list of words");
      return List.of();
    }
    @Nullable List<String> words = section.texts(key, "[\"/usr/bin/web\", \"--port\", \"8080\"]");
    if (words == null) {
      return List.of();
    }
    if (shell) {
      section.error(
          key, key + " is a list, but shell = true wants one text, which the shell will split");
      return List.of();
    }
    return program(section, key, words);
  }

  private List<String> split(TomlSection section, String key, String text) {
    CommandWords words = CommandWords.split(text);
    @Nullable String problem = words.problem();
    if (problem != null) {
      notes.error(within(section, key, words.offset()), problem);
      return List.of();
    }
    for (String word :
        words.words().subList(Math.min(1, words.words().size()), words.words().size())) {
      if (CommandText.isShellWord(word)) {
        section.warning(
            key,
            VisibleText.quote(word)
                + " is passed to the program as a word; for a pipe, a redirection or a list of"
                + " commands add shell = true");
        break;
      }
    }
    return program(section, key, words.words());
  }

  private List<String> program(TomlSection section, String key, List<String> words) {
    if (words.isEmpty() || words.getFirst().isEmpty()) {
      section.error(key, key + " names no program: its first word is empty");
      return List.of();
    }
    String program = words.getFirst();
    if (strict && program.charAt(0) != '/') {
      section.error(key, CommandText.relative(key, program));
    }
    return words;
  }

  /**
   * The position within a text. It is exact in a text on one line without escapes; otherwise it is
   * where the text begins.
   */
  private static Place within(TomlSection section, String key, int offset) {
    Place place = section.place(key);
    String source = section.source(key);
    boolean plain =
        (source.startsWith("'") && !source.startsWith("'''"))
            || (source.startsWith("\"")
                && !source.startsWith("\"\"\"")
                && source.indexOf('\\') < 0);
    return plain && offset + 1 < source.length()
        ? new Place(place.line(), place.column() + 1 + source.codePointCount(1, offset + 1))
        : place;
  }
}
