package dev.kron.config;

import dev.kron.config.ServicePlaces.Place;
import dev.kron.text.Suggestion;
import dev.kron.text.VisibleText;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.tomlj.TomlArray;
import org.tomlj.TomlKeyValue;
import org.tomlj.TomlPosition;
import org.tomlj.TomlTable;

/**
 * One table of a service file. A request for a value returns it, or reports what is wrong and
 * returns null.
 */
final class TomlSection {
  private final String name;
  private final @Nullable TomlTable table;
  private final ServiceNotes notes;

  /**
   * A table.
   *
   * @param table null if the file has no such table
   */
  TomlSection(String name, @Nullable TomlTable table, ServiceNotes notes) {
    this.name = name;
    this.table = table;
    this.notes = notes;
    if (table != null) {
      for (String key : table.keySet()) {
        Place place = valuePlace(table, key);
        notes.remember(name + "." + key, place);
      }
    }
  }

  boolean isThere() {
    return table != null;
  }

  boolean has(String key) {
    return value(key) != null;
  }

  List<String> keys() {
    return table == null ? List.of() : List.copyOf(table.keySet());
  }

  /** The key for the position of an element of a list. */
  String element(String key, String text) {
    return name + "." + key + "." + text;
  }

  /** The position of a key's value. */
  Place place(String key) {
    return notes.place(name + "." + key);
  }

  Place keyPlace(String key) {
    return table == null ? Place.BEGIN : place(table.inputPositionOf(List.of(key)));
  }

  /** Reports each key that is not among these as unknown. */
  void unknownKeys(List<String> known) {
    for (String key : keys()) {
      if (!known.contains(key)) {
        @Nullable String meant = Suggestion.nearest(known, key);
        notes.error(
            keyPlace(key),
            "unknown key "
                + VisibleText.quote(key)
                + (meant == null
                    ? "; the keys here are " + String.join(", ", known)
                    : "; did you mean \"" + meant + "\"?"));
      }
    }
  }

  void unknownKeys() {
    for (String key : keys()) {
      if (!ServiceKeys.TABLES.getOrDefault(name, List.of()).contains(key)) {
        notes.error(keyPlace(key), ServiceKeys.unknownKey(name, key));
      }
    }
  }

  /** Whether another key was probably meant to be this one. */
  boolean isMisspelt(String key) {
    return keys().stream().anyMatch(other -> ServiceKeys.isMeantAs(other, key, name));
  }

  void error(String key, String message) {
    notes.error(place(key), message);
  }

  void warning(String key, String message) {
    notes.warning(place(key), message);
  }

  @Nullable Object value(String key) {
    return table == null ? null : table.get(List.of(key));
  }

  /** A text that is not empty; null if it is missing or wrong. */
  @Nullable String text(String key, String example) {
    Object value = value(key);
    if (value == null) {
      return null;
    }
    if (!(value instanceof String text)) {
      wrongType(key, value, "a text, such as " + key + " = " + example);
      return null;
    }
    if (text.isBlank()) {
      error(key, key + " is empty; expected something such as " + example);
      return null;
    }
    return checked(key, text);
  }

  /**
   * The text; null and a report if it contains characters that no process can be given or no
   * terminal should show.
   */
  private @Nullable String checked(String key, String text) {
    @Nullable String problem = controlProblem(key, text, key.equals("exec"));
    if (problem != null) {
      error(key, problem);
      return null;
    }
    return text;
  }

  static @Nullable String controlProblem(String what, String text, boolean linesAllowed) {
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (Character.isISOControl(c) && c != '\t' && !(linesAllowed && c == '\n')) {
        return what + " holds the control character " + VisibleText.code(c);
      }
    }
    return null;
  }

  @Nullable Boolean flag(String key) {
    Object value = value(key);
    if (value == null || value instanceof Boolean) {
      return (Boolean) value;
    }
    wrongType(key, value, "true or false, without quotes");
    return null;
  }

  /** A whole number within bounds; null if it is missing or wrong. */
  @Nullable Long number(String key, long least, long most, String unit) {
    Object value = value(key);
    if (value == null) {
      return null;
    }
    if (!(value instanceof Long number)) {
      wrongType(key, value, "a whole number" + unit + ", without quotes");
      return null;
    }
    if (number < least || number > most) {
      error(
          key,
          "%s is %s; expected a number from %s to %s%s".formatted(key, number, least, most, unit));
      return null;
    }
    return number;
  }

  /** One of a few words; null if it is missing or wrong. */
  <E extends Enum<E>> @Nullable E word(String key, E[] words) {
    Object value = value(key);
    if (value == null) {
      return null;
    }
    List<String> names = new ArrayList<>();
    for (E word : words) {
      names.add(word.name().toLowerCase(Locale.ROOT).replace('_', '-'));
    }
    String expected = "one of " + String.join(", ", names);
    if (!(value instanceof String text)) {
      wrongType(key, value, expected);
      return null;
    }
    int index = names.indexOf(text);
    if (index >= 0) {
      return words[index];
    }
    @Nullable String meant =
        Suggestion.nearest(names, text.toLowerCase(Locale.ROOT).replace('_', '-'));
    error(
        key,
        key
            + " is "
            + VisibleText.quote(text)
            + (meant == null ? "; expected " + expected : "; did you mean \"" + meant + "\"?"));
    return null;
  }

  /** A list of texts; null if it is none. Each element's position is remembered. */
  @Nullable List<String> texts(String key, String example) {
    Object value = value(key);
    if (value == null) {
      return List.of();
    }
    if (!(value instanceof TomlArray array)) {
      String hint = value instanceof String text ? "[" + VisibleText.quote(text) + "]" : example;
      wrongType(key, value, "a list of texts, such as " + key + " = " + hint);
      return null;
    }
    List<String> texts = new ArrayList<>();
    boolean valid = true;
    for (int i = 0; i < array.size(); i++) {
      Place place = place(array.inputPositionOf(i));
      Object element = array.get(i);
      if (element instanceof String text) {
        @Nullable String problem = controlProblem(key, text, key.equals("exec"));
        if (problem != null) {
          notes.error(place, problem);
          valid = false;
        }
        texts.add(text);
        notes.remember(element(key, text), place);
      } else {
        notes.error(
            place, key + " holds " + describe(element) + "; expected texts only, each in quotes");
        valid = false;
      }
    }
    return valid ? texts : null;
  }

  /** A list of whole numbers within bounds; without what is wrong with it. */
  List<Long> numbers(String key, long least, long most, String example) {
    Object value = value(key);
    if (value == null) {
      return List.of();
    }
    if (!(value instanceof TomlArray array)) {
      wrongType(key, value, "a list of numbers, such as " + key + " = " + example);
      return List.of();
    }
    List<Long> numbers = new ArrayList<>();
    for (int i = 0; i < array.size(); i++) {
      Object element = array.get(i);
      if (element instanceof Long number && number >= least && number <= most) {
        numbers.add(number);
      } else {
        notes.error(
            place(array.inputPositionOf(i)),
            "%s holds %s; expected numbers from %s to %s"
                .formatted(key, describe(element), least, most));
      }
    }
    return numbers;
  }

  void wrongType(String key, @Nullable Object found, String expected) {
    error(key, key + " is " + describe(found) + "; expected " + expected);
  }

  /** A value as people would write it. */
  static String describe(@Nullable Object value) {
    return switch (value) {
      case null -> "nothing";
      case String text -> "the text " + VisibleText.quote(text);
      case Long number -> "the number " + number;
      case Double number -> "the number " + number;
      case Boolean flag -> "the truth value " + flag;
      case TomlArray array -> "a list of " + array.size();
      case TomlTable _ -> "a table";
      default -> "the date or time " + VisibleText.quote(value.toString());
    };
  }

  /** The value as it is written in the file, if it stands on one line. */
  String source(String key) {
    return notes.sourceFrom(place(key));
  }

  Map<String, Object> entries() {
    return table == null ? Map.of() : table.toMap();
  }

  private static Place valuePlace(TomlTable table, String key) {
    @Nullable TomlKeyValue entry = table.entry(List.of(key));
    return place(entry == null ? table.inputPositionOf(List.of(key)) : entry.value().position());
  }

  private static Place place(@Nullable TomlPosition position) {
    return position == null ? Place.BEGIN : new Place(position.line(), position.column());
  }

  /** A value, or a default if there is none. */
  static <T> T or(@Nullable T value, T otherwise) {
    return value == null ? otherwise : value;
  }
}
