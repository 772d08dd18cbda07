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

/** The arrivals log as it was read at a start; not kept beyond it. */
final class ArrivalTable {
  private static final int COMPACTION_MINIMUM = 256;
  private static final int CHECKSUM_LENGTH = 8;

  /** The first half of a job's hash: enough to tell jobs apart. */
  private record Key(long high, long low) {}

  /** A line that counts: the last one of its job. */
  static final class Line {
    private final int start;
    private final int end;
    private final String fingerprint;
    private final long since;
    private final boolean pastLost;
    private boolean inStateFile;

    private Line(int start, int end, String fingerprint, long since, boolean pastLost) {
      this.start = start;
      this.end = end;
      this.fingerprint = fingerprint;
      this.since = since;
      this.pastLost = pastLost;
    }

    int start() {
      return start;
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

    /** The state of a job as the log has it: the log outranks the state file. */
    JobState over(JobState state) {
      return new JobState(
          state.identity(),
          state.lastHandled(),
          state.lastOutcome(),
          state.lastChosen(),
          state.active(),
          fingerprint,
          since,
          pastLost,
          state.suspended(),
          state.begunAhead());
    }

    /** The job's state file says the same: the line is not needed any more. */
    void markInStateFile() {
      inStateFile = true;
    }
  }

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
      String fingerprint = fingerprints.computeIfAbsent(words[0], same -> same);
      long since = Long.parseLong(words[1]);
      latest.put(key, new Line(start, end + 1, fingerprint, since, words[2].equals("lost")));
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

  boolean worthCompacting() {
    return damaged > 0 || (lines >= COMPACTION_MINIMUM && needed().size() * 2 < lines);
  }

  private List<Line> needed() {
    List<Line> needed = new ArrayList<>();
    for (Line line : latest.values()) {
      if (!line.inStateFile) {
        needed.add(line);
      }
    }
    return needed;
  }

  /** Writes the lines that count, in their order. */
  void writeNeeded(Disk.Output output) throws DiskException {
    List<Line> order = needed();
    order.sort(Comparator.comparingInt(Line::start));
    int next = 0;
    while (next < order.size()) {
      int start = order.get(next).start;
      int end = order.get(next).end;
      while (++next < order.size() && order.get(next).start == end) {
        end = order.get(next).end; // neighbours go together
      }
      output.write(bytes, start, end - start);
    }
  }
}
