package dev.kron.json;

import static dev.kron.json.JsonWriter.Layout.COMPACT;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A JSON value as a tree. A missing member reads as empty, so that older commands can talk to newer
 * daemons and the other way round.
 */
public final class Json {
  private static final Json NULL = new Json(null);

  private final @Nullable Object value;

  private Json(@Nullable Object value) {
    this.value = value;
  }

  /**
   * @throws JsonSyntaxException where the text is not JSON
   */
  public static Json parse(byte[] text) throws JsonSyntaxException {
    return parse(new String(text, StandardCharsets.UTF_8));
  }

  /**
   * @throws JsonSyntaxException where the text is not JSON
   */
  public static Json parse(String text) throws JsonSyntaxException {
    return new Json(new JsonReader(text).all());
  }

  /** The plain value: a map, list, string, long, double, boolean or null. */
  public @Nullable Object value() {
    return value;
  }

  public boolean isNull() {
    return value == null;
  }

  public Json get(String name) {
    Object found = value instanceof Map<?, ?> map ? map.get(name) : null;
    return found == null ? NULL : new Json(found);
  }

  /** The names of its members. */
  public List<String> names() {
    List<String> names = new ArrayList<>();
    if (value instanceof Map<?, ?> map) {
      for (Object name : map.keySet()) {
        names.add(String.valueOf(name));
      }
    }
    return names;
  }

  public List<Json> list(String name) {
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

  public List<String> texts(String name) {
    List<String> texts = new ArrayList<>();
    for (Json one : list(name)) {
      texts.add(one.text());
    }
    return texts;
  }

  /** The value as text, whatever its type; empty for null. */
  public String text() {
    return value == null ? "" : value.toString();
  }

  public String text(String name) {
    return get(name).text();
  }

  /** A member as text, or a default if it is missing. */
  public String text(String name, String otherwise) {
    Json found = get(name);
    return found.isNull() ? otherwise : found.text();
  }

  public boolean is(String name) {
    return Boolean.TRUE.equals(get(name).value);
  }

  public long number(String name) {
    return get(name).value instanceof Number number ? number.longValue() : 0;
  }

  /** A member that is a time, in epoch milliseconds; 0 if there is none. */
  public long millis(String name) {
    String text = text(name);
    return text.isEmpty() ? 0 : millisOf(text);
  }

  /** A member that is a time, in epoch seconds; 0 if there is none. */
  public long second(String name) {
    return Math.floorDiv(millis(name), 1000L);
  }

  /**
   * The epoch milliseconds of a text such as {@code 2026-03-01T02:32:20.123Z}; 0 if it is no time.
   * Loading a formatter of the JDK would take longer than a whole command may take.
   */
  static long millisOf(String text) {
    try {
      long days =
          LocalDate.of(digits(text, 0, 4), digits(text, 5, 7), digits(text, 8, 10)).toEpochDay();
      int second =
          digits(text, 11, 13) * 3600
              + digits(text, 14, 16) * 60
              + (text.charAt(16) == ':' ? digits(text, 17, 19) : 0);
      int dot = text.indexOf('.');
      long millis = 0;
      for (int i = 0; dot > 0 && i < 3; i++) {
        char c = dot + 1 + i < text.length() ? text.charAt(dot + 1 + i) : 'Z';
        millis = millis * 10 + (c >= '0' && c <= '9' ? c - '0' : 0);
      }
      return (days * 86_400 + second) * 1000 + millis;
    } catch (RuntimeException e) {
      return 0; // a daemon that writes times in another way is newer than this
    }
  }

  private static int digits(String text, int from, int to) {
    return Integer.parseInt(text, from, to, 10);
  }

  public void write(JsonWriter json) throws IOException {
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

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof Json json && Objects.equals(value, json.value);
  }

  @Override
  public int hashCode() {
    return Objects.hashCode(value);
  }

  @Override
  public String toString() {
    var text = new JsonText();
    try {
      var json = new JsonWriter((bytes, start, length) -> text.raw(bytes, start, length), COMPACT);
      write(json);
      json.handOn();
    } catch (IOException e) {
      throw new UncheckedIOException(e); // memory does not fail
    }
    return text.toString();
  }
}
