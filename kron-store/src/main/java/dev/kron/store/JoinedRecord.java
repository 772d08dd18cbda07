package dev.kron.store;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.ByteArrayOutputStream;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The record of an ended run with the small files of its directory behind it, so that they take one
 * inode and one block together. The keeper's lines stay as they are; after them comes the line
 * {@code kept <when it ended, in epoch milliseconds>}, with a name and a length for each file, and
 * then the files themselves.
 */
final class JoinedRecord {
  /** The beginning of the line after the keeper's; whoever reads records stops there. */
  static final String MARK = "kept ";

  private final byte[] own;
  private final long endedAtMillis;
  private final Map<String, byte[]> files;

  private JoinedRecord(byte[] own, long endedAtMillis, Map<String, byte[]> files) {
    this.own = own;
    this.endedAtMillis = endedAtMillis;
    this.files = files;
  }

  /** A record with nothing joined to it yet. */
  static JoinedRecord of(byte[] own, long endedAtMillis) {
    return new JoinedRecord(own, endedAtMillis, Map.of());
  }

  /** A record that was read; null if nothing is joined to it. */
  static @Nullable JoinedRecord read(byte[] bytes) {
    for (int line = 0; line < bytes.length; ) {
      int end = line;
      while (end < bytes.length && bytes[end] != '\n') {
        end++;
      }
      String text = new String(bytes, line, end - line, US_ASCII);
      if (text.startsWith(MARK) && end < bytes.length) {
        return read(bytes, line, text.split(" "), end + 1);
      }
      line = end + 1;
    }
    return null;
  }

  private static @Nullable JoinedRecord read(byte[] bytes, int own, String[] words, int from) {
    Map<String, byte[]> files = new LinkedHashMap<>();
    try {
      int at = from;
      for (int i = 2; i + 1 < words.length; i += 2) {
        int length = Integer.parseUnsignedInt(words[i + 1]);
        files.put(words[i], Arrays.copyOfRange(bytes, at, at + length));
        at += length;
        if (at > bytes.length) {
          return null;
        }
      }
      return new JoinedRecord(Arrays.copyOf(bytes, own), Long.parseLong(words[1]), files);
    } catch (IllegalArgumentException | IndexOutOfBoundsException e) {
      return null;
    }
  }

  /** The same with these files too, in place of those of the same names. */
  JoinedRecord with(Map<String, byte[]> more) {
    Map<String, byte[]> all = new LinkedHashMap<>(files);
    all.putAll(more);
    return new JoinedRecord(own, endedAtMillis, all);
  }

  byte[] bytes() {
    var header = new StringBuilder(MARK).append(endedAtMillis);
    files.forEach(
        (name, content) -> header.append(' ').append(name).append(' ').append(content.length));
    var bytes = new ByteArrayOutputStream();
    bytes.writeBytes(own);
    bytes.writeBytes(header.append('\n').toString().getBytes(US_ASCII));
    files.values().forEach(bytes::writeBytes);
    return bytes.toByteArray();
  }

  long endedAtMillis() {
    return endedAtMillis;
  }

  /** The content of a file; null if it was not joined. */
  byte @Nullable [] file(String name) {
    return files.get(name);
  }
}
