package dev.kron.scheduler;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads JSON into maps, lists, strings, longs, doubles, booleans and null. Strict (RFC 8259),
 * total, and bounded in depth. It stays apart from {@code dev.kron.json}: who embeds the scheduler
 * carries the cron calendar with it and nothing else of the daemon, and a host application should
 * not have to agree with us about a JSON library.
 */
final class TaskJsonReader {
  private static final int MAX_DEPTH = 32;

  private final String text;
  private int at;

  TaskJsonReader(String text) {
    this.text = text;
  }

  /** The text as one value with nothing behind it. */
  static @Nullable Object parse(String text) throws JsonSyntaxException {
    TaskJsonReader reader = new TaskJsonReader(text);
    Object value = reader.value();
    reader.end();
    return value;
  }

  /** The word for a value in messages. */
  static String typeOf(@Nullable Object value) {
    return switch (value) {
      case null -> "null";
      case String ignored -> "string";
      case Number ignored -> "number";
      case Boolean ignored -> "boolean";
      case List<?> ignored -> "array";
      default -> "object";
    };
  }

  /** Reads the next value. */
  @Nullable Object value() throws JsonSyntaxException {
    return value(0);
  }

  /** Takes the given punctuation mark if it comes next. */
  boolean take(char mark) {
    skipSpace();
    if (at < text.length() && text.charAt(at) == mark) {
      at++;
      return true;
    }
    return false;
  }

  /** Takes the given punctuation mark, which must come next. */
  void expect(char mark) throws JsonSyntaxException {
    if (!take(mark)) {
      throw error("expected '" + mark + "'");
    }
  }

  /** Reads a string, which must come next. */
  String string() throws JsonSyntaxException {
    expect('"');
    StringBuilder decoded = null;
    int from = at;
    while (true) {
      if (at >= text.length()) {
        throw error("unterminated string");
      }
      char c = text.charAt(at++);
      if (c == '"') {
        String plain = text.substring(from, at - 1);
        return decoded == null ? plain : decoded.append(plain).toString();
      }
      if (c < ' ') {
        throw error("control character in string");
      }
      if (c == '\\') {
        decoded = decoded == null ? new StringBuilder() : decoded;
        decoded.append(text, from, at - 1).append(escape());
        from = at;
      }
    }
  }

  /** The text must end here, but for white space. */
  void end() throws JsonSyntaxException {
    skipSpace();
    if (at < text.length()) {
      throw error("unexpected text after the value");
    }
  }

  /** Whether everything was read: what is missing now would have come behind it. */
  boolean atEnd() {
    skipSpace();
    return at >= text.length();
  }

  JsonSyntaxException error(String what) {
    int line = 1;
    for (int i = 0; i < at && i < text.length(); i++) {
      if (text.charAt(i) == '\n') {
        line++;
      }
    }
    return new JsonSyntaxException(what + " (line " + line + ", character " + at + ")");
  }

  private @Nullable Object value(int depth) throws JsonSyntaxException {
    if (depth > MAX_DEPTH) {
      throw error("nested too deeply");
    }
    skipSpace();
    if (at >= text.length()) {
      throw error("unexpected end");
    }
    return switch (text.charAt(at)) {
      case '{' -> object(depth);
      case '[' -> array(depth);
      case '"' -> string();
      case 't' -> word("true", true);
      case 'f' -> word("false", false);
      case 'n' -> word("null", null);
      default -> number();
    };
  }

  private Map<String, @Nullable Object> object(int depth) throws JsonSyntaxException {
    Map<String, @Nullable Object> object = new LinkedHashMap<>();
    expect('{');
    if (take('}')) {
      return object;
    }
    do {
      String key = string();
      expect(':');
      Object value = value(depth + 1);
      if (object.containsKey(key)) {
        throw error("repeated field \"" + key + "\"");
      }
      object.put(key, value);
    } while (take(','));
    expect('}');
    return object;
  }

  private List<@Nullable Object> array(int depth) throws JsonSyntaxException {
    List<@Nullable Object> array = new ArrayList<>();
    expect('[');
    if (take(']')) {
      return array;
    }
    do {
      array.add(value(depth + 1));
    } while (take(','));
    expect(']');
    return array;
  }

  private @Nullable Object word(String word, @Nullable Object value) throws JsonSyntaxException {
    if (!text.startsWith(word, at)) {
      if (word.startsWith(text.substring(at))) {
        at = text.length();
      }
      throw error("expected a value");
    }
    at += word.length();
    return value;
  }

  private Number number() throws JsonSyntaxException {
    int from = at;
    boolean whole = true;
    takeDigitOrSign('-');
    int digits = at;
    digits();
    if (at == digits || (text.charAt(digits) == '0' && at > digits + 1)) {
      throw error("expected a value");
    }
    if (at < text.length() && text.charAt(at) == '.') {
      at++;
      whole = false;
      requireDigits();
    }
    if (at < text.length() && (text.charAt(at) == 'e' || text.charAt(at) == 'E')) {
      at++;
      whole = false;
      takeDigitOrSign('-');
      takeDigitOrSign('+');
      requireDigits();
    }
    String number = text.substring(from, at);
    if (whole) {
      try {
        return Long.valueOf(number);
      } catch (NumberFormatException tooLarge) {
        return Double.valueOf(number);
      }
    }
    return Double.valueOf(number);
  }

  private void requireDigits() throws JsonSyntaxException {
    int from = at;
    digits();
    if (at == from) {
      throw error("expected a digit");
    }
  }

  private void digits() {
    while (at < text.length() && text.charAt(at) >= '0' && text.charAt(at) <= '9') {
      at++;
    }
  }

  private void takeDigitOrSign(char sign) {
    if (at < text.length() && text.charAt(at) == sign) {
      at++;
    }
  }

  private char escape() throws JsonSyntaxException {
    if (at >= text.length()) {
      throw error("unterminated string");
    }
    char c = text.charAt(at++);
    return switch (c) {
      case '"', '\\', '/' -> c;
      case 'b' -> '\b';
      case 'f' -> '\f';
      case 'n' -> '\n';
      case 'r' -> '\r';
      case 't' -> '\t';
      case 'u' -> unicode();
      default -> throw error("unknown escape \\" + c);
    };
  }

  private char unicode() throws JsonSyntaxException {
    int code = 0;
    for (int i = 0; i < 4; i++) {
      int digit = at < text.length() ? hexDigit(text.charAt(at)) : -1;
      if (digit < 0) {
        throw error("expected four hexadecimal digits");
      }
      code = code * 16 + digit;
      at++;
    }
    return (char) code;
  }

  private static int hexDigit(char c) {
    return c < 128 ? Character.digit(c, 16) : -1;
  }

  private void skipSpace() {
    while (at < text.length() && " \t\r\n".indexOf(text.charAt(at)) >= 0) {
      at++;
    }
  }

  /** The text is not JSON; the message says where. */
  static final class JsonSyntaxException extends Exception {
    private static final long serialVersionUID = 1L;

    JsonSyntaxException(String message) {
      super(message);
    }
  }
}
