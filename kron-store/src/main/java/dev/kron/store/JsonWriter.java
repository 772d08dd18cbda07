package dev.kron.store;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Grows a JSON text in UTF-8. */
final class JsonWriter {
  private static final byte[] HEX = "0123456789abcdef".getBytes(StandardCharsets.US_ASCII);

  private byte[] bytes;
  private int length;

  JsonWriter() {
    this(2048);
  }

  JsonWriter(int capacityBytes) {
    bytes = new byte[capacityBytes];
  }

  int length() {
    return length;
  }

  byte[] array() {
    return bytes;
  }

  byte[] toByteArray() {
    return Arrays.copyOf(bytes, length);
  }

  JsonWriter ascii(String text) {
    reserve(text.length());
    for (int i = 0; i < text.length(); i++) {
      bytes[length++] = (byte) text.charAt(i);
    }
    return this;
  }

  JsonWriter raw(byte[] from, int start, int end) {
    reserve(end - start);
    System.arraycopy(from, start, bytes, length, end - start);
    length += end - start;
    return this;
  }

  JsonWriter string(String text) {
    reserve(text.length() * 6 + 2);
    bytes[length++] = '"';
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c >= ' ' && c < 0x7f && c != '"' && c != '\\') {
        bytes[length++] = (byte) c;
      } else if (c == '"' || c == '\\') {
        bytes[length++] = '\\';
        bytes[length++] = (byte) c;
      } else if (c > 0x7f && !Character.isSurrogate(c)) {
        encode(c);
      } else if (Character.isHighSurrogate(c)
          && i + 1 < text.length()
          && Character.isLowSurrogate(text.charAt(i + 1))) {
        encode(Character.toCodePoint(c, text.charAt(++i)));
      } else {
        escape(c);
      }
    }
    bytes[length++] = '"';
    return this;
  }

  private void encode(int codePoint) {
    byte[] encoded = Character.toString(codePoint).getBytes(StandardCharsets.UTF_8);
    System.arraycopy(encoded, 0, bytes, length, encoded.length);
    length += encoded.length;
  }

  private void escape(char c) {
    bytes[length++] = '\\';
    bytes[length++] = 'u';
    for (int shift = 12; shift >= 0; shift -= 4) {
      bytes[length++] = HEX[c >> shift & 15];
    }
  }

  private void reserve(int more) {
    if (bytes.length - length < more) {
      bytes = Arrays.copyOf(bytes, Math.max(bytes.length * 2, length + more));
    }
  }
}
