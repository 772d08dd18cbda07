package dev.kron.simulation;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads JSON without the store's help: what looks at the daemon's files must not share its errors.
 * Objects become maps, arrays lists, numbers longs; anything that is not JSON throws {@link
 * IllegalArgumentException}.
 */
final class WitnessJson {
  private static final int WORDS = 1 << 12;

  /** Strings that were read before, by their hashes: most come again and again. */
  private static final @Nullable String[] KNOWN = new String[WORDS];

  private final String text;
  private int at;

  private WitnessJson(String text) {
    this.text = text;
  }

  static @Nullable Object parse(byte[] bytes) {
    var json = new WitnessJson(new String(bytes, StandardCharsets.UTF_8));
    Object value = json.value();
    json.space();
    if (json.at != json.text.length()) {
      throw json.malformed();
    }
    return value;
  }

  private @Nullable Object value() {
    space();
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

  private Map<String, @Nullable Object> object() {
    Map<String, @Nullable Object> members = new LinkedHashMap<>();
    at++;
    space();
    if (peek() == '}') {
      at++;
      return members;
    }
    while (true) {
      space();
      String key = string();
      expect(':');
      members.put(key, value());
      if (end('}')) {
        return members;
      }
    }
  }

  private List<@Nullable Object> array() {
    List<@Nullable Object> items = new ArrayList<>();
    at++;
    space();
    if (peek() == ']') {
      at++;
      return items;
    }
    do {
      items.add(value());
    } while (!end(']'));
    return items;
  }

  private boolean end(char closing) {
    space();
    char c = peek();
    at++;
    if (c != ',' && c != closing) {
      throw malformed();
    }
    return c == closing;
  }

  private String string() {
    if (peek() != '"') {
      throw malformed();
    }
    int start = ++at;
    int hash = 0;
    char each = peek();
    while (each != '"' && each != '\\') {
      hash = 31 * hash + each;
      at++;
      each = peek();
    }
    if (each == '"') {
      return known(start, at++, hash);
    }
    var string = new StringBuilder(text.substring(start, at));
    for (char c = next(); c != '"'; c = next()) {
      string.append(c == '\\' ? escaped() : c);
    }
    return string.toString();
  }

  private String known(int start, int end, int hash) {
    int place = (hash ^ hash >>> 16) & WORDS - 1;
    String known = KNOWN[place];
    if (known == null || known.length() != end - start || !text.startsWith(known, start)) {
      known = text.substring(start, end);
      KNOWN[place] = known;
    }
    return known;
  }

  private char escaped() {
    char c = next();
    return switch (c) {
      case 'n' -> '\n';
      case 't' -> '\t';
      case 'r' -> '\r';
      case 'b' -> '\b';
      case 'f' -> '\f';
      case 'u' -> {
        at += 4;
        if (at > text.length()) {
          throw malformed();
        }
        yield (char) Integer.parseInt(text.substring(at - 4, at), 16);
      }
      default -> c;
    };
  }

  private Long number() {
    int start = at;
    while (at < text.length() && "-+.eE0123456789".indexOf(text.charAt(at)) >= 0) {
      at++;
    }
    return Long.parseLong(text, start, at, 10);
  }

  private @Nullable Object word(String word, @Nullable Object meaning) {
    if (!text.startsWith(word, at)) {
      throw malformed();
    }
    at += word.length();
    return meaning;
  }

  private void expect(char c) {
    space();
    if (next() != c) {
      throw malformed();
    }
  }

  private char next() {
    char c = peek();
    at++;
    return c;
  }

  private char peek() {
    if (at >= text.length()) {
      throw malformed();
    }
    return text.charAt(at);
  }

  private void space() {
    while (at < text.length() && text.charAt(at) <= ' ') {
      at++;
    }
  }

  private IllegalArgumentException malformed() {
    return new IllegalArgumentException("not JSON at " + at);
  }
}
