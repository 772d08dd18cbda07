package dev.kron.store;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The arrivals log as it was read at a start; not kept beyond it. */
final class ArrivalTable {
  private static final int COMPACTION_MINIMUM = 256;
  private static final int CHECKSUM_LENGTH = 8;

  /** The first half of a job's hash: enough to tell jobs apart. */
  private record Key(long high, long low) {}

  record Line(int start, int end, String fingerprint, long since, boolean pastLost) {}

  private final byte[] bytes;
  private final Map<Key, Line> latest = new HashMap<>();
  private final Map<String, String> fingerprints = new HashMap<>();
  private int lines;
  private int damaged;

  ArrivalTable(byte[] bytes) {
    this.bytes = bytes;
    int start = 0;
    for (int i = 0; i < bytes.length; i++) {
      if (bytes[i] == '\n') {
        lines++;
        line(start, i);
        start = i + 1;
      }
    }
  }

  private void line(int start, int end) {
    int sum = end - CHECKSUM_LENGTH;
    if (sum - 1 <= start + Hashes.HEX_LENGTH
        || !text(sum, end).equals(Arrivals.checksum(bytes, start, sum - 1))) {
      damaged++;
      return;
    }
    String[] words = text(start + Hashes.HEX_LENGTH + 1, sum - 1).split(" ", -1);
    try {
      Key key = key(text(start, start + Hashes.HEX_LENGTH));
      String fingerprint = words[0];
      fingerprint = fingerprints.computeIfAbsent(fingerprint, same -> same);
      latest.put(
          key,
          new Line(start, end + 1, fingerprint, Long.parseLong(words[1]), words[2].equals("lost")));
    } catch (IllegalArgumentException | ArrayIndexOutOfBoundsException e) {
      damaged++;
    }
  }

  private String text(int start, int end) {
    return new String(bytes, start, end - start, StandardCharsets.ISO_8859_1);
  }

  private static Key key(String hash) {
    return new Key(
        HexFormat.fromHexDigitsToLong(hash, 0, 16), HexFormat.fromHexDigitsToLong(hash, 16, 32));
  }

  @Nullable Line find(String hash) {
    return latest.get(key(hash));
  }

  /** The job's state file says the same: the line is not needed any more. */
  void remove(String hash) {
    latest.remove(key(hash));
  }

  int damaged() {
    return damaged;
  }

  boolean worthCompacting() {
    return damaged > 0 || (lines >= COMPACTION_MINIMUM && latest.size() * 2 < lines);
  }

  /** The lines that count, in their order. */
  byte[] needed() {
    List<Line> order = new ArrayList<>(latest.values());
    order.sort(Comparator.comparingInt(Line::start));
    ByteArrayOutputStream content = new ByteArrayOutputStream();
    for (Line line : order) {
      content.write(bytes, line.start(), line.end() - line.start());
    }
    return content.toByteArray();
  }
}
