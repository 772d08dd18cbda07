package dev.kron.scheduler;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * The events after a snapshot, as JSON lines: a header, then batches. A batch is one line a task
 * and a commit line with the batch's number, its size and its checksum.
 *
 * <p>A batch that a crash cut off, or whose pages reached the disk only in part, was never
 * acknowledged and is dropped; it can only be the last one. A batch that is damaged although a
 * later one was committed had been durable once: that is an error, and nothing is dropped.
 */
final class JournalFormat {
  private static final SafeLog LOG = SafeLog.of(FileTaskStore.class);
  private static final String COMMIT = "{\"commit\":";

  private JournalFormat() {}

  static void header(long generation, JsonBuffer to) {
    to.raw(headerLine(generation)).raw("\n");
  }

  private static String headerLine(long generation) {
    return "{\"version\":" + SnapshotFormat.VERSION + ",\"generation\":" + generation + "}";
  }

  static void batch(Collection<TaskState> changed, long number, JsonBuffer to) {
    int from = to.size();
    for (TaskState task : changed) {
      TaskJson.write(task, to);
      to.raw("\n");
    }
    to.raw(commitLine(number, changed.size(), to.crc32c(from))).raw("\n");
  }

  private static String commitLine(long number, int tasks, long crc) {
    return COMMIT + number + ",\"tasks\":" + tasks + ",\"crc32c\":\"" + hex(crc) + "\"}";
  }

  static String hex(long crc) {
    String digits = Long.toHexString(crc);
    return "0".repeat(8 - digits.length()) + digits;
  }

  /** Whether there is anything in a journal beyond its header. */
  static boolean holdsBatches(byte[] bytes) {
    return new Lines(bytes).skipTo(COMMIT);
  }

  /** Applies the journal's batches to the snapshot's tasks. */
  static void read(byte[] bytes, long generation, String source, Map<String, TaskState> tasks) {
    Lines lines = new Lines(bytes);
    String header = lines.next();
    if (header == null || !header.equals(headerLine(generation))) {
      throw new TaskInvalidStructureException(
          "The journal does not begin with " + headerLine(generation), header, source);
    }
    long number = 1;
    int firstLine = lines.number;
    int from = lines.at;
    List<String> batch = new ArrayList<>();
    while (true) {
      int lineStart = lines.at;
      String line = lines.next();
      if (line == null) {
        break;
      }
      if (!line.startsWith(COMMIT)) {
        batch.add(line);
        continue;
      }
      if (!line.equals(commitLine(number, batch.size(), crc(bytes, from, lineStart)))) {
        break;
      }
      apply(batch, firstLine, source, tasks);
      batch.clear();
      number++;
      firstLine = lines.number;
      from = lines.at;
    }
    if (from < bytes.length) {
      dropTornTail(bytes, from, number, source);
    }
  }

  private static void apply(
      List<String> batch, int firstLine, String source, Map<String, TaskState> tasks) {
    int lineNumber = firstLine;
    for (String line : batch) {
      String where = source + ", line " + ++lineNumber;
      try {
        TaskState task = TaskJson.read(TaskJsonReader.parse(line), where);
        tasks.put(task.name(), task);
      } catch (TaskJsonReader.JsonSyntaxException notJson) {
        throw new TaskInvalidStructureException(
            "The journal is not what a scheduler writes: " + notJson.getMessage(), line, where);
      }
    }
  }

  private static void dropTornTail(byte[] bytes, int from, long number, String source) {
    if (laterCommit(bytes, from, number)) {
      throw new TaskInvalidStructureException(
          "Batch "
              + number
              + " of the journal is damaged although later ones are complete; restore the journal"
              + " from a copy, or remove it together with the state file to start afresh",
          number,
          source);
    }
    LOG.warn(
        "Dropped the last {} bytes of {}: a batch that was cut off before it was durable",
        bytes.length - from,
        source);
  }

  /**
   * Whether the commit of a later batch than the given one stands there, in a line of its own or
   * not: damage can reach over several batches, and over the ends of lines. (No task's line can
   * hold those words: their quotes would be escaped.)
   */
  private static boolean laterCommit(byte[] bytes, int from, long number) {
    String rest = new String(bytes, from, bytes.length - from, StandardCharsets.ISO_8859_1);
    for (int at = rest.indexOf(COMMIT); at >= 0; at = rest.indexOf(COMMIT, at + 1)) {
      int begin = at + COMMIT.length();
      int end = begin;
      while (end < rest.length() && end - begin < 18 && Character.isDigit(rest.charAt(end))) {
        end++;
      }
      if (end > begin && Long.parseLong(rest, begin, end, 10) > number) {
        return true;
      }
    }
    return false;
  }

  static long crc(byte[] bytes, int from, int to) {
    CRC32C crc = new CRC32C();
    crc.update(bytes, from, to - from);
    return crc.getValue();
  }

  /** Lines that end with a newline; what follows the last newline is not a line. */
  private static final class Lines {
    private final byte[] bytes;
    private int at;
    private int number;

    Lines(byte[] bytes) {
      this.bytes = bytes;
    }

    @Nullable String next() {
      for (int end = at; end < bytes.length; end++) {
        if (bytes[end] == '\n') {
          String line = new String(bytes, at, end - at, StandardCharsets.UTF_8);
          at = end + 1;
          number++;
          return line;
        }
      }
      return null;
    }

    boolean skipTo(String prefix) {
      for (String line = next(); line != null; line = next()) {
        if (line.startsWith(prefix)) {
          return true;
        }
      }
      return false;
    }
  }
}
