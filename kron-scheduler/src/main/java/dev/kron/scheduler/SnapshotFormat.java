package dev.kron.scheduler;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * All tasks as one JSON document, a task a line, with a checksum of everything before it as its
 * last member. A file that was cut off has no end; one that is whole and does not agree with its
 * checksum was damaged later. (A document without a checksum is one that somebody wrote by hand.)
 */
final class SnapshotFormat {
  static final long VERSION = 1;

  /** A generation beyond this is no scheduler's: nobody gets there by counting. */
  private static final long MAX_GENERATION = Long.MAX_VALUE / 2;

  private static final String CHECKSUM = "crc32c";

  private SnapshotFormat() {}

  static void begin(long generation, JsonBuffer to) {
    to.raw("{\"version\":" + VERSION + ",\"generation\":" + generation + ",\"tasks\":[");
  }

  static void task(TaskState task, boolean first, JsonBuffer to) {
    to.raw(first ? "\n" : ",\n");
    TaskJson.write(task, to);
  }

  /**
   * @param crc32c of everything before the end
   */
  static void end(long crc32c, JsonBuffer to) {
    to.raw("\n],\"" + CHECKSUM + "\":\"" + JournalFormat.hex(crc32c) + "\"}\n");
  }

  /** Reads the tasks, one at a time so that a large file needs little memory; the generation. */
  static long read(byte[] bytes, String source, Map<String, TaskState> tasks) {
    TaskJsonReader reader = new TaskJsonReader(new String(bytes, StandardCharsets.UTF_8));
    try {
      reader.expect('{');
      version(field(reader, "version"), source);
      reader.expect(',');
      Object generation = field(reader, "generation");
      if (!(generation instanceof Long number) || number < 1 || number > MAX_GENERATION) {
        throw new TaskInvalidValueException(
            "generation",
            String.valueOf(generation),
            "number",
            "must be a number from 1 to " + MAX_GENERATION,
            source);
      }
      reader.expect(',');
      key(reader, "tasks");
      reader.expect('[');
      if (!reader.take(']')) {
        int index = 0;
        do {
          TaskState task = TaskJson.read(reader.value(), source + ", task " + ++index);
          if (tasks.put(task.name(), task) != null) {
            throw new TaskInvalidStructureException(
                "Two tasks have the name \"" + task.name() + "\"", task.name(), source);
          }
        } while (reader.take(','));
        reader.expect(']');
      }
      if (reader.take(',')) {
        checkChecksum(bytes, field(reader, CHECKSUM), source);
      }
      reader.expect('}');
      reader.end();
      return number;
    } catch (TaskJsonReader.JsonSyntaxException notJson) {
      throw new TaskInvalidStructureException(
          (reader.atEnd()
                  ? "The state file is cut off: "
                  : "The state file is not what a scheduler writes: ")
              + notJson.getMessage(),
          null,
          source);
    }
  }

  private static void checkChecksum(byte[] bytes, @Nullable Object written, String source) {
    byte[] end = ("\n],\"" + CHECKSUM + "\":").getBytes(StandardCharsets.US_ASCII);
    int from = bytes.length - end.length;
    while (from > 0 && !Arrays.equals(end, 0, end.length, bytes, from, from + end.length)) {
      from--;
    }
    String actual = JournalFormat.hex(JournalFormat.crc(bytes, 0, Math.max(from, 0)));
    if (!actual.equals(written)) {
      throw new TaskInvalidStructureException(
          "The state file is damaged: its checksum is "
              + written
              + ", but its contents have "
              + actual
              + "; restore it from a copy or, if it was changed on purpose, remove the checksum",
          written,
          source);
    }
  }

  static void version(@Nullable Object version, String source) {
    if (!Long.valueOf(VERSION).equals(version)) {
      throw new TaskInvalidStructureException(
          "State has version " + version + "; this library reads version " + VERSION + " only",
          version,
          source);
    }
  }

  private static @Nullable Object field(TaskJsonReader reader, String name)
      throws TaskJsonReader.JsonSyntaxException {
    key(reader, name);
    return reader.value();
  }

  private static void key(TaskJsonReader reader, String name)
      throws TaskJsonReader.JsonSyntaxException {
    String key = reader.string();
    if (!key.equals(name)) {
      throw reader.error("expected \"" + name + "\", got \"" + key + "\"");
    }
    reader.expect(':');
  }
}
