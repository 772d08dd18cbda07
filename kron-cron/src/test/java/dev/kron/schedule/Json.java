package dev.kron.schedule;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Just enough JSON to read the vectors that are shared with other implementations. */
final class Json {
  private final String text;
  private int at;

  private Json(String text) {
    this.text = text;
  }

  static @Nullable Object read(String text) {
    Json json = new Json(text);
    Object value = json.value();
    json.skipBlanks();
    if (json.at < text.length()) {
      throw new IllegalArgumentException("more follows at " + json.at);
    }
    return value;
  }

  private @Nullable Object value() {
    skipBlanks();
    return switch (text.charAt(at)) {
      case '{' -> object();
      case '[' -> array();
      case '"' -> string();
      default -> word();
    };
  }

  private Map<String, @Nullable Object> object() {
    Map<String, @Nullable Object> object = new LinkedHashMap<>();
    at++;
    skipBlanks();
    while (text.charAt(at) != '}') {
      String key = string();
      expect(':');
      object.put(key, value());
      separator();
    }
    at++;
    return object;
  }

  private List<@Nullable Object> array() {
    List<@Nullable Object> array = new ArrayList<>();
    at++;
    skipBlanks();
    while (text.charAt(at) != ']') {
      array.add(value());
      separator();
    }
    at++;
    return array;
  }

  private String string() {
    StringBuilder string = new StringBuilder();
    expect('"');
    for (; text.charAt(at) != '"'; at++) {
      if (text.charAt(at) == '\\') {
        at++;
      }
      string.append(text.charAt(at));
    }
    at++;
    return string.toString();
  }

  private @Nullable Object word() {
    int start = at;
    while (at < text.length() && ",]} \n".indexOf(text.charAt(at)) < 0) {
      at++;
    }
    String word = text.substring(start, at);
    return switch (word) {
      case "null" -> null;
      case "true" -> true;
      case "false" -> false;
      default -> Double.valueOf(word);
    };
  }

  private void separator() {
    skipBlanks();
    if (text.charAt(at) == ',') {
      at++;
      skipBlanks();
    }
  }

  private void expect(char c) {
    skipBlanks();
    if (text.charAt(at) != c) {
      throw new IllegalArgumentException("expected " + c + " at " + at);
    }
    at++;
  }

  private void skipBlanks() {
    while (at < text.length() && Character.isWhitespace(text.charAt(at))) {
      at++;
    }
  }
}
