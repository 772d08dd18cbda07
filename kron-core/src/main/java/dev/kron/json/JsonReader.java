package dev.kron.json;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The reader of JSON trees: strict (RFC 8259), total, bounded in depth. */
final class JsonReader {
  private static final int DEEPEST = 64;

  private final String text;
  private int at;

  JsonReader(String text) {
    this.text = text;
  }

  /** The text as one value with nothing behind it. */
  @Nullable Object all() throws JsonSyntaxException {
    Object found = value(0);
    skipBlanks();
    if (at != text.length()) {
      throw malformed("something follows the value");
    }
    return found;
  }

  private JsonSyntaxException malformed(String what) {
    return new JsonSyntaxException("not JSON: " + what + ", at character " + at);
  }

  private void skipBlanks() {
    while (at < text.length() && " \t\r\n".indexOf(text.charAt(at)) >= 0) {
      at++;
    }
  }

  private char peek() throws JsonSyntaxException {
    if (at >= text.length()) {
      throw malformed("it ends too early");
    }
    return text.charAt(at);
  }

  private char next() throws JsonSyntaxException {
    char c = peek();
    at++;
    return c;
  }

  private boolean take(char mark) throws JsonSyntaxException {
    skipBlanks();
    if (peek() != mark) {
      return false;
    }
    at++;
    return true;
  }

  private void expect(char mark) throws JsonSyntaxException {
    if (!take(mark)) {
      throw malformed("'" + mark + "' expected");
    }
  }

  private @Nullable Object value(int depth) throws JsonSyntaxException {
    if (depth > DEEPEST) {
      throw malformed("nested more than " + DEEPEST + " deep");
    }
    skipBlanks();
    return switch (peek()) {
      case '{' -> object(depth);
      case '[' -> array(depth);
      case '"' -> string();
      case 't' -> word("true", true);
      case 'f' -> word("false", false);
      case 'n' -> word("null", null);
      default -> number();
    };
  }

  private @Nullable Object word(String word, @Nullable Object meaning) throws JsonSyntaxException {
    if (!text.startsWith(word, at)) {
      throw malformed("a value expected");
    }
    at += word.length();
    return meaning;
  }

  private Map<String, @Nullable Object> object(int depth) throws JsonSyntaxException {
    Map<String, @Nullable Object> members = new LinkedHashMap<>();
    expect('{');
    if (take('}')) {
      return members;
    }
    do {
      skipBlanks();
      String name = string();
      expect(':');
      Object value = value(depth + 1);
      if (members.containsKey(name)) {
        throw malformed("\"" + name + "\" stands there twice");
      }
      members.put(name, value);
    } while (take(','));
    expect('}');
    return members;
  }

  private List<@Nullable Object> array(int depth) throws JsonSyntaxException {
    List<@Nullable Object> values = new ArrayList<>();
    expect('[');
    if (take(']')) {
      return values;
    }
    do {
      values.add(value(depth + 1));
    } while (take(','));
    expect(']');
    return values;
  }

  private Number number() throws JsonSyntaxException {
    int start = at;
    skip("-");
    int first = at;
    digits();
    if (at - first > 1 && text.charAt(first) == '0') {
      throw malformed("a number with a leading zero");
    }
    boolean whole = true;
    if (skip(".")) {
      whole = false;
      digits();
    }
    if (skip("eE")) {
      whole = false;
      skip("+-");
      digits();
    }
    String number = text.substring(start, at);
    if (whole && number.length() <= 18) {
      return Long.valueOf(number);
    }
    return Double.valueOf(number);
  }

  private boolean skip(String marks) {
    if (at < text.length() && marks.indexOf(text.charAt(at)) >= 0) {
      at++;
      return true;
    }
    return false;
  }

  private void digits() throws JsonSyntaxException {
    int start = at;
    while (at < text.length() && text.charAt(at) >= '0' && text.charAt(at) <= '9') {
      at++;
    }
    if (at == start) {
      throw malformed("a value expected");
    }
  }

  private String string() throws JsonSyntaxException {
    if (next() != '"') {
      throw malformed("a string expected");
    }
    int start = at;
    StringBuilder decoded = null;
    while (true) {
      char c = next();
      if (c == '"') {
        String plain = text.substring(start, at - 1);
        return decoded == null ? plain : decoded.append(plain).toString();
      }
      if (c < ' ') {
        throw malformed("a control character inside a string");
      }
      if (c == '\\') {
        decoded = decoded == null ? new StringBuilder() : decoded;
        decoded.append(text, start, at - 1).append(escape());
        start = at;
      }
    }
  }

  private char escape() throws JsonSyntaxException {
    char c = next();
    return switch (c) {
      case '"', '\\', '/' -> c;
      case 'n' -> '\n';
      case 't' -> '\t';
      case 'r' -> '\r';
      case 'b' -> '\b';
      case 'f' -> '\f';
      case 'u' -> unicode();
      default -> throw malformed("an unknown escape");
    };
  }

  private char unicode() throws JsonSyntaxException {
    int code = 0;
    for (int i = 0; i < 4; i++) {
      char c = next();
      int digit = c < 0x80 ? Character.digit(c, 16) : -1;
      if (digit < 0) {
        throw malformed("four hexadecimal digits expected");
      }
      code = code << 4 | digit;
    }
    return (char) code;
  }
}
