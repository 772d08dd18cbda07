package dev.kron.scheduler;

import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** All tasks as one JSON document, a task a line. */
final class SnapshotFormat {
  static final long VERSION = 1;

  private SnapshotFormat() {}

  static void begin(long generation, JsonBuffer to) {
    to.raw("{\"version\":" + VERSION + ",\"generation\":" + generation + ",\"tasks\":[");
  }

  static void task(TaskState task, boolean first, JsonBuffer to) {
    to.raw(first ? "\n" : ",\n");
    TaskJson.write(task, to);
  }

  static void end(JsonBuffer to) {
    to.raw("\n]}\n");
  }

  /** Reads the tasks, one at a time so that a large file needs little memory; the generation. */
  static long read(byte[] bytes, String source, Map<String, TaskState> tasks) {
    JsonReader reader = new JsonReader(new String(bytes, StandardCharsets.UTF_8));
    try {
      reader.expect('{');
      version(field(reader, "version"), source);
      reader.expect(',');
      Object generation = field(reader, "generation");
      if (!(generation instanceof Long number) || number < 1) {
        throw new TaskInvalidStructureException(
            "The state file's generation must be a positive number", generation, source);
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
      reader.expect('}');
      reader.end();
      return number;
    } catch (JsonReader.JsonSyntaxException notJson) {
      throw new TaskInvalidStructureException(
          "The state file is not what a scheduler writes: " + notJson.getMessage(), null, source);
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

  private static @Nullable Object field(JsonReader reader, String name)
      throws JsonReader.JsonSyntaxException {
    key(reader, name);
    return reader.value();
  }

  private static void key(JsonReader reader, String name) throws JsonReader.JsonSyntaxException {
    String key = reader.string();
    if (!key.equals(name)) {
      throw reader.error("expected \"" + name + "\", got \"" + key + "\"");
    }
    reader.expect(':');
  }
}
