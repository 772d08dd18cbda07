package dev.kron.store;

import dev.kron.job.JobState;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The arrivals log as read at a start; it is not kept afterwards. */
final class ArrivalTable {
  private static final int COMPACTION_MINIMUM = 256;
  private static final int CHECKSUM_LENGTH = 8;

  /** The first half of a job's hash, which is enough to tell jobs apart. */
  private record Key(long high, long low) {}

  /** The last line of a job, the one that counts. */
  static final class Line {
    private final int start;
    private String fingerprint;
    private long since;
    private boolean pastLost;
    private boolean filed;
    private boolean fileFound;

    private Line(int start, String fingerprint, long since, boolean pastLost, boolean filed) {
      this.start = start;
      this.fingerprint = fingerprint;
      this.since = since;
      this.pastLost = pastLost;
      this.filed = filed;
    }

    String fingerprint() {
      return fingerprint;
    }

    long since() {
      return since;
    }

    boolean pastLost() {
      return pastLost;
    }

    /** Whether the job had a state file; if it has none now, the file is lost. */
    boolean filed() {
      return filed;
    }

    /** Marks that the job's state file was found. */
    void fileFound() {
      fileFound = true;
    }

    /** A job's state with the log applied, which takes precedence over the state file. */
    JobState over(JobState state) {
      return state.withArrival(fingerprint, since, pastLost);
    }
  }

  private final byte[] bytes;
  private final Map<Key, Line> latest = new HashMap<>();
  private final Map<String, String> fingerprints = new HashMap<>();
  private int lines;
  private int damaged;
  private boolean hasBeginning;

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
    if (start == 0 && text(start, end).equals(Arrivals.HEADER)) {
      hasBeginning = true;
      return;
    }
    int sum = end - CHECKSUM_LENGTH;
    if (sum - 1 <= start + Hashes.HEX_LENGTH
        || !text(sum, end).equals(Arrivals.checksum(bytes, start, sum - 1))) {
      damaged++;
      return;
    }
    String[] words = text(start + Hashes.HEX_LENGTH + 1, sum - 1).split(" ", -1);
    try {
      Key key = key(text(start, start + Hashes.HEX_LENGTH));
      String fingerprint = fingerprints.computeIfAbsent(words[0], same -> same);
      long since = Long.parseLong(words[1]);
      Line before = latest.get(key);
      boolean filed =
          words.length > 3
              ? words[3].equals(Arrivals.FILED)
              : before != null && before.filed && !fingerprint.equals(Arrivals.QUARANTINED);
      latest.put(key, new Line(start, fingerprint, since, words[2].equals("lost"), filed));
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

  int damaged() {
    return damaged;
  }

  /** Whether the header of the log is there, so that no line at its beginning is lost. */
  boolean hasBeginning() {
    return hasBeginning;
  }

  /**
   * Marks the pasts of jobs as lost whose state files were not found.
   *
   * @return the names of the files, without their extension
   */
  List<String> lose(long since) {
    List<String> lost = new ArrayList<>();
    for (Line line : latest.values()) {
      if (line.filed && !line.fileFound) {
        line.fingerprint = Arrivals.QUARANTINED;
        line.since = since;
        line.pastLost = true;
        line.filed = false;
        lost.add(text(line.start, line.start + Hashes.HEX_LENGTH));
      }
    }
    lost.sort(Comparator.naturalOrder());
    return lost;
  }

  boolean worthCompacting() {
    return damaged > 0 || (lines >= COMPACTION_MINIMUM && latest.size() * 2 < lines);
  }

  /** Writes the lines that count, in their order. */
  void writeNeeded(Disk.Output output) throws DiskException {
    List<Line> order = new ArrayList<>(latest.values());
    order.sort(Comparator.comparingInt(line -> line.start));
    var chunk = new Arrivals.Chunk(output);
    chunk.header();
    for (Line line : order) {
      chunk.line(
          text(line.start, line.start + Hashes.HEX_LENGTH),
          line.fingerprint,
          line.since,
          line.pastLost,
          line.filed);
    }
    chunk.flush();
  }
}
