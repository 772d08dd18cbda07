package dev.kron.store;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * A cursor over JSON in a byte array (RFC 8259, strictly) that builds only what is asked for. It
 * stays apart from the tree reader in {@code dev.kron.json}: every start reads a hundred thousand
 * state files and skips all but a few of their bytes. Total: any input is either read or ends in a
 * {@link MalformedStateException}.
 */
final class JsonCursor {
  private static final int MAXIMUM_DEPTH = 64;

  private final byte[] bytes;
  private final int end;
  private int at;
  private int keyStart;
  private int keyEnd;

  JsonCursor(byte[] bytes, int start, int end) {
    this.bytes = bytes;
    this.at = start;
    this.end = end;
  }

  int position() {
    return at;
  }

  MalformedStateException malformed(String message) {
    return new MalformedStateException(message + " at byte " + at);
  }

  /** The next byte that is not white space, without reading it; -1 at the end. */
  int peek() {
    while (at < end) {
      byte b = bytes[at];
      if (b != ' ' && b != '\n' && b != '\r' && b != '\t') {
        return b & 0xff;
      }
      at++;
    }
    return -1;
  }

  void expect(char wanted) throws MalformedStateException {
    if (peek() != wanted) {
      throw malformed("'" + wanted + "' expected");
    }
    at++;
  }

  boolean take(char wanted) {
    if (peek() != wanted) {
      return false;
    }
    at++;
    return true;
  }

  void expectEnd() throws MalformedStateException {
    if (peek() != -1) {
      throw malformed("something follows the object");
    }
  }

  boolean takeNull() throws MalformedStateException {
    if (peek() != 'n') {
      return false;
    }
    literal("null");
    return true;
  }

  boolean readBoolean() throws MalformedStateException {
    if (peek() == 't') {
      literal("true");
      return true;
    }
    if (peek() == 'f') {
      literal("false");
      return false;
    }
    throw malformed("true or false expected");
  }

  long readLong() throws MalformedStateException {
    peek();
    int start = at;
    skipNumber();
    long value = 0;
    int i = bytes[start] == '-' ? start + 1 : start;
    if (at - i > 18) {
      throw malformed("a number of at most 18 digits expected");
    }
    for (; i < at; i++) {
      int digit = bytes[i] - '0';
      if (digit < 0 || digit > 9) {
        throw malformed("a whole number expected");
      }
      value = value * 10 + digit;
    }
    return bytes[start] == '-' ? -value : value;
  }

  int readInt() throws MalformedStateException {
    long value = readLong();
    if (value != (int) value) {
      throw malformed("a 32-bit number expected");
    }
    return (int) value;
  }

  /** Reads a time as epoch milliseconds; {@link Timestamps#EMPTY} for an empty string. */
  long readMillis() throws MalformedStateException {
    int start = peek() == '"' ? at + 1 : at;
    skipString();
    return Timestamps.millis(bytes, start, at - 1);
  }

  /** Reads a string with this prefix; null if something else comes next, which stays unread. */
  @Nullable String takeString(String beginning) throws MalformedStateException {
    int start = peek() == '"' ? at + 1 : at;
    if (end - start < beginning.length()) {
      return null;
    }
    for (int i = 0; i < beginning.length(); i++) {
      if (bytes[start + i] != beginning.charAt(i)) {
        return null;
      }
    }
    return readString();
  }

  /** Reads a key and its colon; {@link #keyIs} compares it. */
  void readKey() throws MalformedStateException {
    keyStart = peek() == '"' ? at + 1 : at;
    skipString();
    keyEnd = at - 1;
    expect(':');
  }

  boolean keyIs(String ascii) {
    if (keyEnd - keyStart != ascii.length()) {
      return false;
    }
    for (int i = 0; i < ascii.length(); i++) {
      if (bytes[keyStart + i] != ascii.charAt(i)) {
        return false;
      }
    }
    return true;
  }

  /** The position of the last key, at its quote. */
  int keyStart() {
    return keyStart - 1;
  }

  String key() {
    return new String(bytes, keyStart, keyEnd - keyStart, StandardCharsets.UTF_8);
  }

  String readString() throws MalformedStateException {
    int start = peek() == '"' ? at + 1 : at;
    boolean plain = skipString();
    int stop = at - 1;
    if (plain) {
      return new String(bytes, start, stop - start, StandardCharsets.ISO_8859_1);
    }
    return decode(start, stop);
  }

  /** Decodes a string with escapes or non-ASCII characters: the slow path. */
  private String decode(int start, int stop) throws MalformedStateException {
    StringBuilder text = new StringBuilder(stop - start);
    int i = start;
    while (i < stop) {
      int run = i;
      while (i < stop && bytes[i] != '\\') {
        i++;
      }
      if (i > run) {
        text.append(utf8(run, i));
      }
      if (i < stop) {
        i = unescape(i + 1, text);
      }
    }
    return text.toString();
  }

  private String utf8(int start, int stop) throws MalformedStateException {
    try {
      return StandardCharsets.UTF_8
          .newDecoder()
          .decode(ByteBuffer.wrap(bytes, start, stop - start))
          .toString();
    } catch (CharacterCodingException e) {
      throw malformed("a string is not UTF-8");
    }
  }

  private int unescape(int i, StringBuilder text) {
    switch (bytes[i]) {
      case 'n' -> text.append('\n');
      case 't' -> text.append('\t');
      case 'r' -> text.append('\r');
      case 'b' -> text.append('\b');
      case 'f' -> text.append('\f');
      case 'u' -> {
        int code = 0;
        for (int k = 1; k <= 4; k++) {
          code = code << 4 | Character.digit(bytes[i + k], 16);
        }
        text.append((char) code);
        return i + 5;
      }
      default -> text.append((char) bytes[i]);
    }
    return i + 1;
  }

  /** Skips one value of any kind, and checks its syntax. */
  void skipValue() throws MalformedStateException {
    skipValue(0);
  }

  private void skipValue(int depth) throws MalformedStateException {
    if (depth > MAXIMUM_DEPTH) {
      throw malformed("nested more than " + MAXIMUM_DEPTH + " deep");
    }
    switch (peek()) {
      case '"' -> skipString();
      case '{' -> skipObject(depth);
      case '[' -> skipArray(depth);
      case 't' -> literal("true");
      case 'f' -> literal("false");
      case 'n' -> literal("null");
      default -> skipNumber();
    }
  }

  private void skipObject(int depth) throws MalformedStateException {
    at++;
    if (take('}')) {
      return;
    }
    do {
      skipString();
      expect(':');
      skipValue(depth + 1);
    } while (take(','));
    expect('}');
  }

  private void skipArray(int depth) throws MalformedStateException {
    at++;
    if (take(']')) {
      return;
    }
    do {
      skipValue(depth + 1);
    } while (take(','));
    expect(']');
  }

  /**
   * Skips a string.
   *
   * @return whether it contains only ASCII and no escapes
   */
  private boolean skipString() throws MalformedStateException {
    expect('"');
    boolean plain = true;
    byte[] text = bytes; // in locals: nine bytes of ten are skipped right here
    int stop = end;
    int i = at;
    while (i < stop) {
      byte b = text[i++];
      if (b == '"') {
        at = i;
        return plain;
      }
      if (b < ' ' || b == '\\') {
        plain = false;
        if (b == '\\') {
          at = i;
          skipEscape();
          i = at;
        } else if (b >= 0) {
          at = i;
          throw malformed("a control character inside a string");
        }
      }
    }
    at = i;
    throw malformed("a string does not end");
  }

  private void skipEscape() throws MalformedStateException {
    int escape = at < end ? bytes[at++] : -1;
    switch (escape) {
      case '"', '\\', '/', 'b', 'f', 'n', 'r', 't' -> {}
      case 'u' -> {
        for (int i = 0; i < 4; i++) {
          if (at >= end || Character.digit(bytes[at], 16) < 0) {
            throw malformed("four hexadecimal digits expected");
          }
          at++;
        }
      }
      default -> throw malformed("an unknown escape");
    }
  }

  private void skipNumber() throws MalformedStateException {
    if (at < end && bytes[at] == '-') {
      at++;
    }
    int start = at;
    digits();
    if (at - start > 1 && bytes[start] == '0') {
      throw malformed("a number with a leading zero");
    }
    if (at < end && bytes[at] == '.') {
      at++;
      digits();
    }
    if (at < end && (bytes[at] == 'e' || bytes[at] == 'E')) {
      at++;
      if (at < end && (bytes[at] == '+' || bytes[at] == '-')) {
        at++;
      }
      digits();
    }
  }

  private void digits() throws MalformedStateException {
    int start = at;
    while (at < end && bytes[at] >= '0' && bytes[at] <= '9') {
      at++;
    }
    if (at == start) {
      throw malformed("a value expected");
    }
  }

  private void literal(String word) throws MalformedStateException {
    for (int i = 0; i < word.length(); i++) {
      if (at >= end || bytes[at] != word.charAt(i)) {
        throw malformed("'" + word + "' expected");
      }
      at++;
    }
  }
}
