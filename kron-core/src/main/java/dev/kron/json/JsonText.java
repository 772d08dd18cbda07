package dev.kron.json;

import dev.kron.text.VisibleText;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * A JSON text in UTF-8 that grows in memory. This class alone quotes strings for JSON. It also
 * escapes terminal control characters, so that files and answers can be displayed safely.
 */
public final class JsonText {
  private static final byte[] HEX = "0123456789abcdef".getBytes(StandardCharsets.US_ASCII);

  private byte[] bytes;
  private int length;

  public JsonText() {
    this(2048);
  }

  public JsonText(int capacityBytes) {
    bytes = new byte[capacityBytes];
  }

  public int length() {
    return length;
  }

  /** The bytes, of which the first {@link #length} count; valid until the next change. */
  public byte[] array() {
    return bytes;
  }

  public byte[] toByteArray() {
    return Arrays.copyOf(bytes, length);
  }

  @Override
  public String toString() {
    return new String(bytes, 0, length, StandardCharsets.UTF_8);
  }

  public void clear() {
    length = 0;
  }

  /** Appends ASCII text as it is. */
  public JsonText ascii(String text) {
    reserve(text.length());
    for (int i = 0; i < text.length(); i++) {
      bytes[length++] = (byte) text.charAt(i);
    }
    return this;
  }

  public JsonText ascii(char c) {
    reserve(1);
    bytes[length++] = (byte) c;
    return this;
  }

  /** Appends bytes that are JSON already. */
  public JsonText raw(byte[] from, int start, int end) {
    reserve(end - start);
    System.arraycopy(from, start, bytes, length, end - start);
    length += end - start;
    return this;
  }

  /** Appends a string in quotes. */
  public JsonText string(String text) {
    reserve(Math.addExact(Math.multiplyExact(text.length(), 6), 2));
    bytes[length++] = '"';
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c >= ' ' && c < 0x7f && c != '"' && c != '\\') {
        bytes[length++] = (byte) c;
      } else if (c == '"' || c == '\\') {
        bytes[length++] = '\\';
        bytes[length++] = (byte) c;
      } else {
        int codePoint = text.codePointAt(i);
        i += Character.charCount(codePoint) - 1;
        if (VisibleText.isHarmful(codePoint)) {
          escape(codePoint);
        } else {
          encode(codePoint);
        }
      }
    }
    bytes[length++] = '"';
    return this;
  }

  private void escape(int codePoint) {
    switch (codePoint) {
      case '\n' -> ascii("\\n");
      case '\t' -> ascii("\\t");
      case '\r' -> ascii("\\r");
      default -> {
        for (char c : Character.toChars(codePoint)) {
          bytes[length++] = '\\';
          bytes[length++] = 'u';
          for (int shift = 12; shift >= 0; shift -= 4) {
            bytes[length++] = HEX[c >> shift & 15];
          }
        }
      }
    }
  }

  private void encode(int codePoint) {
    if (codePoint < 0x800) {
      bytes[length++] = (byte) (0xc0 | codePoint >> 6);
    } else {
      if (codePoint < 0x10000) {
        bytes[length++] = (byte) (0xe0 | codePoint >> 12);
      } else {
        bytes[length++] = (byte) (0xf0 | codePoint >> 18);
        bytes[length++] = (byte) (0x80 | (codePoint >> 12 & 0x3f));
      }
      bytes[length++] = (byte) (0x80 | (codePoint >> 6 & 0x3f));
    }
    bytes[length++] = (byte) (0x80 | (codePoint & 0x3f));
  }

  private void reserve(int more) {
    if (bytes.length - length < more) {
      bytes = Arrays.copyOf(bytes, Math.max(bytes.length * 2, Math.addExact(length, more)));
    }
  }
}
