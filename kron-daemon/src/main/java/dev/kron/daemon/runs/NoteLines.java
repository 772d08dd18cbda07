package dev.kron.daemon.runs;

import dev.kron.store.DiskException;
import dev.kron.store.RunDirectories;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The note in a run's directory: a line a fact, a word, a blank and a value. The same for jobs and
 * for services. It is read from its end, and not without a bound.
 */
public final class NoteLines {
  public static final String FILE = "note";
  private static final int LIMIT_BYTES = 64 * 1024;

  private final Map<String, List<String>> values = new HashMap<>();

  private NoteLines(String text) {
    for (String line : text.split("\n")) {
      int space = line.indexOf(' ');
      String key = space < 0 ? line : line.substring(0, space);
      String value = space < 0 ? "" : line.substring(space + 1);
      values.computeIfAbsent(key, it -> new ArrayList<>(1)).add(value);
    }
  }

  /**
   * @throws DiskException where it is not there, or cannot be read now
   */
  public static NoteLines read(RunDirectories directories, String runId) throws DiskException {
    byte[] note = directories.tail(runId, FILE, LIMIT_BYTES);
    return new NoteLines(new String(note, StandardCharsets.UTF_8));
  }

  public static void write(RunDirectories directories, String runId, String lines)
      throws DiskException {
    directories.write(runId, FILE, lines.getBytes(StandardCharsets.UTF_8));
  }

  /** The last value of a word. */
  public String text(String key, String otherwise) {
    List<String> all = values.getOrDefault(key, List.of());
    return all.isEmpty() ? otherwise : all.getLast();
  }

  /**
   * The last value of a word.
   *
   * @throws NumberFormatException where it is no number
   */
  public long number(String key, long otherwise) {
    List<String> all = values.getOrDefault(key, List.of());
    return all.isEmpty() ? otherwise : Long.parseLong(all.getLast());
  }

  /** The values of a word, in the order in which they stand there. */
  public List<String> all(String key) {
    return List.copyOf(values.getOrDefault(key, List.of()));
  }
}
