package dev.kron.scheduler;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Arrays;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * Bytes of JSON, collected before they are written at once. It stays apart from {@code
 * dev.kron.json} for the reason that {@link TaskJsonReader} gives.
 */
final class JsonBuffer {
  private static final byte[] HEX = "0123456789abcdef".getBytes(StandardCharsets.US_ASCII);

  private static final int REMEMBERED = 16;

  private byte[] bytes;
  private int size;

  /** States of one moment share their instants, and formatting one costs more than all the rest. */
  private final @Nullable Instant[] instants = new @Nullable Instant[REMEMBERED];

  private final byte[][] instantTexts = new byte[REMEMBERED][];

  JsonBuffer(int capacity) {
    bytes = new byte[capacity];
  }

  int size() {
    return size;
  }

  void clear() {
    size = 0;
  }

  /** A view of what was collected; valid until the next change. */
  ByteBuffer view() {
    return ByteBuffer.wrap(bytes, 0, size);
  }

  /** The checksum of what was collected from the given position on. */
  long crc32c(int from) {
    CRC32C crc = new CRC32C();
    crc.update(bytes, from, size - from);
    return crc.getValue();
  }

  /** Text that {@link #raw} is going to append many times. */
  static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  /** Appends text as it is; it must be ASCII. */
  JsonBuffer raw(String ascii) {
    return raw(ascii(ascii));
  }

  JsonBuffer raw(byte[] ascii) {
    reserve(ascii.length);
    System.arraycopy(ascii, 0, bytes, size, ascii.length);
    size += ascii.length;
    return this;
  }

  /** Appends an instant as an ISO 8601 string. */
  JsonBuffer instant(Instant instant) {
    int slot = instant.hashCode() & (REMEMBERED - 1);
    if (!instant.equals(instants[slot])) {
      instants[slot] = instant;
      instantTexts[slot] = ascii("\"" + instant + "\"");
    }
    return raw(instantTexts[slot]);
  }

  /**
   * Appends a JSON string. Surrogates are escaped one by one, so that a name that is not
   * well-formed UTF-16 survives the way through UTF-8 as well.
   */
  JsonBuffer string(String text) {
    int length = text.length();
    reserve(length * 6 + 2);
    bytes[size++] = '"';
    for (int i = 0; i < length; i++) {
      character(text.charAt(i));
    }
    bytes[size++] = '"';
    return this;
  }

  private void character(char c) {
    if (c == '"' || c == '\\') {
      bytes[size++] = '\\';
      bytes[size++] = (byte) c;
    } else if (c < ' ' || c == 0x7f || Character.isSurrogate(c)) {
      bytes[size++] = '\\';
      bytes[size++] = 'u';
      for (int shift = 12; shift >= 0; shift -= 4) {
        bytes[size++] = HEX[(c >> shift) & 15];
      }
    } else if (c < 0x80) {
      bytes[size++] = (byte) c;
    } else if (c < 0x800) {
      bytes[size++] = (byte) (0xc0 | (c >> 6));
      bytes[size++] = (byte) (0x80 | (c & 0x3f));
    } else {
      bytes[size++] = (byte) (0xe0 | (c >> 12));
      bytes[size++] = (byte) (0x80 | ((c >> 6) & 0x3f));
      bytes[size++] = (byte) (0x80 | (c & 0x3f));
    }
  }

  private void reserve(int more) {
    if (bytes.length - size < more) {
      bytes = Arrays.copyOf(bytes, Math.max(bytes.length * 2, Math.addExact(size, more)));
    }
  }
}
