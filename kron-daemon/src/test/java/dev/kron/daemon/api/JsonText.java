package dev.kron.daemon.api;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reads JSON into maps, lists, strings, numbers, booleans and nulls; strict, for tests. */
final class JsonText {
  private final String text;
  private int at;

  private JsonText(String text) {
    this.text = text;
  }

  static @Nullable Object parse(String text) {
    var reader = new JsonText(text);
    Object value = reader.value();
    reader.blank();
    if (reader.at != text.length()) {
      throw reader.wrong("the end");
    }
    return value;
  }

  @SuppressWarnings("unchecked")
  static Map<String, @Nullable Object> object(String text) {
    Object value = parse(text);
    if (value instanceof Map<?, ?> map) {
      return (Map<String, @Nullable Object>) map;
    }
    throw new AssertionError("not an object: " + text);
  }

  private AssertionError wrong(String wanted) {
    return new AssertionError("at " + at + " expected " + wanted + ": " + text);
  }

  private void blank() {
    while (at < text.length() && " \n\r\t".indexOf(text.charAt(at)) >= 0) {
      at++;
    }
  }

  private char peek() {
    blank();
    if (at == text.length()) {
      throw wrong("more");
    }
    return text.charAt(at);
  }

  private void expect(String word) {
    blank();
    if (!text.startsWith(word, at)) {
      throw wrong(word);
    }
    at += word.length();
  }

  private @Nullable Object value() {
    return switch (peek()) {
      case '{' -> object();
      case '[' -> array();
      case '"' -> string();
      case 't' -> word("true", true);
      case 'f' -> word("false", false);
      case 'n' -> word("null", null);
      default -> number();
    };
  }

  private @Nullable Object word(String word, @Nullable Object meaning) {
    expect(word);
    return meaning;
  }

  private Object number() {
    int start = at;
    while (at < text.length() && "+-.eE0123456789".indexOf(text.charAt(at)) >= 0) {
      at++;
    }
    String number = text.substring(start, at);
    return number.matches("-?\\d+") ? (Object) Long.valueOf(number) : Double.valueOf(number);
  }

  private Map<String, @Nullable Object> object() {
    var map = new LinkedHashMap<String, @Nullable Object>();
    expect("{");
    while (peek() != '}') {
      String name = string();
      expect(":");
      if (map.containsKey(name)) {
        throw wrong("no second " + name);
      }
      map.put(name, value());
      if (peek() == ',') {
        at++;
      }
    }
    expect("}");
    return map;
  }

  private List<@Nullable Object> array() {
    var list = new ArrayList<@Nullable Object>();
    expect("[");
    while (peek() != ']') {
      list.add(value());
      if (peek() == ',') {
        at++;
      }
    }
    expect("]");
    return list;
  }

  private String string() {
    expect("\"");
    var string = new StringBuilder();
    while (text.charAt(at) != '"') {
      char c = text.charAt(at++);
      if (c != '\\') {
        string.append(c);
        continue;
      }
      char escaped = text.charAt(at++);
      switch (escaped) {
        case 'n' -> string.append('\n');
        case 't' -> string.append('\t');
        case 'r' -> string.append('\r');
        case 'u' -> {
          string.append((char) Integer.parseInt(text.substring(at, at + 4), 16));
          at += 4;
        }
        default -> string.append(escaped);
      }
    }
    at++;
    return string.toString();
  }
}
