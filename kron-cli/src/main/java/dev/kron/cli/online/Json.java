package dev.kron.cli.online;

import dev.kron.cli.output.JsonWriter;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A JSON value that a daemon sent. What is asked for and not there reads as empty, so that an older
 * command can talk to a newer daemon and the other way round.
 */
final class Json {
  private static final Json NULL = new Json(null);

  private final @Nullable Object value;

  private Json(@Nullable Object value) {
    this.value = value;
  }

  static Json parse(byte[] text) throws IOException {
    return new Json(new Reader(new String(text, StandardCharsets.UTF_8)).all());
  }

  static Json parse(String text) throws IOException {
    return new Json(new Reader(text).all());
  }

  boolean isNull() {
    return value == null;
  }

  Json get(String name) {
    Object found = value instanceof Map<?, ?> map ? map.get(name) : null;
    return found == null ? NULL : new Json(found);
  }

  /** The names of its members. */
  List<String> names() {
    List<String> names = new ArrayList<>();
    if (value instanceof Map<?, ?> map) {
      for (Object name : map.keySet()) {
        names.add(String.valueOf(name));
      }
    }
    return names;
  }

  List<Json> list(String name) {
    Object found = get(name).value;
    if (!(found instanceof List<?> values)) {
      return List.of();
    }
    List<Json> list = new ArrayList<>(values.size());
    for (Object one : values) {
      list.add(new Json(one));
    }
    return list;
  }

  List<String> texts(String name) {
    List<String> texts = new ArrayList<>();
    for (Json one : list(name)) {
      texts.add(one.text());
    }
    return texts;
  }

  /** As text, whatever it is; empty for null. */
  String text() {
    return value == null ? "" : value.toString();
  }

  String text(String name) {
    return get(name).text();
  }

  /** As text, or something else where there is none. */
  String text(String name, String otherwise) {
    Json found = get(name);
    return found.isNull() ? otherwise : found.text();
  }

  boolean is(String name) {
    return Boolean.TRUE.equals(get(name).value);
  }

  long number(String name) {
    return get(name).value instanceof Number number ? number.longValue() : 0;
  }

  /** A time in epoch milliseconds, 0 for none. */
  long millis(String name) {
    String text = text(name);
    return text.isEmpty() ? 0 : Instants.millis(text);
  }

  /** Epoch seconds, 0 for none. */
  long second(String name) {
    return Math.floorDiv(millis(name), 1000L);
  }

  void write(JsonWriter json) throws IOException {
    write(json, value);
  }

  private static void write(JsonWriter json, @Nullable Object value) throws IOException {
    switch (value) {
      case null -> json.value((String) null);
      case String text -> json.value(text);
      case Boolean truth -> json.value(truth);
      case Long number -> json.value(number);
      case Double number -> json.value(number);
      case List<?> list -> {
        json.beginArray();
        for (Object one : list) {
          write(json, one);
        }
        json.endArray();
      }
      case Map<?, ?> map -> {
        json.beginObject();
        for (Map.Entry<?, ?> member : map.entrySet()) {
          json.name(String.valueOf(member.getKey()));
          write(json, member.getValue());
        }
        json.endObject();
      }
      default -> throw new IllegalStateException(value.getClass().getName());
    }
  }

  private static final class Reader {
    private static final int DEEPEST = 64;

    private final String text;
    private int at;

    Reader(String text) {
      this.text = text;
    }

    @Nullable Object all() throws IOException {
      Object found = value(0);
      blank();
      if (at != text.length()) {
        throw malformed();
      }
      return found;
    }

    private IOException malformed() {
      return new IOException("the daemon's answer is not JSON, at character " + at);
    }

    private void blank() {
      while (at < text.length() && text.charAt(at) <= ' ') {
        at++;
      }
    }

    private char next() throws IOException {
      blank();
      if (at >= text.length()) {
        throw malformed();
      }
      return text.charAt(at);
    }

    private @Nullable Object value(int depth) throws IOException {
      if (depth > DEEPEST) {
        throw malformed();
      }
      return switch (next()) {
        case '{' -> object(depth);
        case '[' -> array(depth);
        case '"' -> string();
        case 't' -> word("true", true);
        case 'f' -> word("false", false);
        case 'n' -> word("null", null);
        default -> number();
      };
    }

    private @Nullable Object word(String word, @Nullable Object meaning) throws IOException {
      if (!text.startsWith(word, at)) {
        throw malformed();
      }
      at += word.length();
      return meaning;
    }

    private Object number() throws IOException {
      int start = at;
      boolean whole = true;
      while (at < text.length() && "+-.eE0123456789".indexOf(text.charAt(at)) >= 0) {
        whole &= ".eE".indexOf(text.charAt(at)) < 0;
        at++;
      }
      try {
        String digits = text.substring(start, at);
        if (whole) {
          return Long.valueOf(digits);
        }
        return Double.valueOf(digits);
      } catch (NumberFormatException e) {
        throw malformed();
      }
    }

    private Map<String, @Nullable Object> object(int depth) throws IOException {
      Map<String, @Nullable Object> members = new LinkedHashMap<>();
      at++;
      if (next() == '}') {
        at++;
        return members;
      }
      while (true) {
        if (next() != '"') {
          throw malformed();
        }
        String name = string();
        if (next() != ':') {
          throw malformed();
        }
        at++;
        members.put(name, value(depth + 1));
        if (ends('}')) {
          return members;
        }
      }
    }

    private List<@Nullable Object> array(int depth) throws IOException {
      List<@Nullable Object> values = new ArrayList<>();
      at++;
      if (next() == ']') {
        at++;
        return values;
      }
      while (true) {
        values.add(value(depth + 1));
        if (ends(']')) {
          return values;
        }
      }
    }

    private boolean ends(char bracket) throws IOException {
      char c = next();
      at++;
      if (c != bracket && c != ',') {
        throw malformed();
      }
      return c == bracket;
    }

    private String string() throws IOException {
      int start = ++at;
      while (at < text.length() && text.charAt(at) != '"' && text.charAt(at) != '\\') {
        at++;
      }
      if (at < text.length() && text.charAt(at) == '"') {
        return text.substring(start, at++);
      }
      StringBuilder string = new StringBuilder(text.substring(start, at));
      while (at < text.length() && text.charAt(at) != '"') {
        char c = text.charAt(at++);
        if (c == '\\') {
          escape(string);
        } else {
          string.append(c);
        }
      }
      if (at++ >= text.length()) {
        throw malformed();
      }
      return string.toString();
    }

    private void escape(StringBuilder string) throws IOException {
      if (at >= text.length()) {
        throw malformed();
      }
      char c = text.charAt(at++);
      switch (c) {
        case 'n' -> string.append('\n');
        case 't' -> string.append('\t');
        case 'r' -> string.append('\r');
        case 'b' -> string.append('\b');
        case 'f' -> string.append('\f');
        case 'u' -> {
          if (at + 4 > text.length()) {
            throw malformed();
          }
          try {
            string.append((char) Integer.parseInt(text, at, at + 4, 16));
          } catch (NumberFormatException e) {
            throw malformed();
          }
          at += 4;
        }
        default -> string.append(c);
      }
    }
  }
}
