package dev.kron.daemon.runs;

import dev.kron.store.DiskException;
import dev.kron.store.RunDirectories;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The format of all notes about runs, of jobs, services and alerts: one fact a line, a key, a blank
 * and a value. The note in a run's directory is read from its end, up to a limit.
 */
public final class NoteLines {
  public static final String FILE = "note";
  private static final int LIMIT_BYTES = 64 * 1024;

  private final Map<String, List<String>> values = new HashMap<>();

  private NoteLines(String text) {
    for (String line : text.split("\n")) {
      int space = line.indexOf(' ');
      String key = space < 0 ? line : line.substring(0, space);
      String value = space < 0 ? "" : plain(line.substring(space + 1));
      values.computeIfAbsent(key, it -> new ArrayList<>(1)).add(value);
    }
  }

  private static String plain(String value) {
    if (value.indexOf('\\') < 0) {
      return value;
    }
    var text = new StringBuilder(value.length());
    for (int i = 0; i < value.length(); i++) {
      char c = value.charAt(i);
      if (c == '\\' && i + 1 < value.length()) {
        char next = value.charAt(++i);
        text.append(next == 'n' ? '\n' : next == 'r' ? '\r' : next);
      } else {
        text.append(c);
      }
    }
    return text.toString();
  }

  /** A note that is being written. */
  public static final class Draft {
    private final StringBuilder text = new StringBuilder(512);

    /** Adds a fact; its value may contain any characters. */
    public Draft line(String key, Object value) {
      text.append(key).append(' ');
      String plain = value.toString();
      for (int i = 0; i < plain.length(); i++) {
        char c = plain.charAt(i);
        switch (c) {
          case '\\' -> text.append("\\\\");
          case '\n' -> text.append("\\n");
          case '\r' -> text.append("\\r");
          default -> text.append(c);
        }
      }
      text.append('\n');
      return this;
    }

    public byte[] bytes() {
      return text.toString().getBytes(StandardCharsets.UTF_8);
    }

    /** Writes the note of a run into its directory. */
    public void write(RunDirectories directories, String runId) throws DiskException {
      directories.write(runId, FILE, bytes());
    }
  }

  public static NoteLines of(byte[] note) {
    return new NoteLines(new String(note, StandardCharsets.UTF_8));
  }

  /**
   * Reads the note of a run.
   *
   * @throws DiskException if it does not exist, or cannot be read now
   */
  public static NoteLines read(RunDirectories directories, String runId) throws DiskException {
    return of(directories.kept(runId, FILE, LIMIT_BYTES));
  }

  /** The last value of a key. */
  public String text(String key, String otherwise) {
    List<String> all = values.getOrDefault(key, List.of());
    return all.isEmpty() ? otherwise : all.getLast();
  }

  /**
   * The last value of a key.
   *
   * @throws NumberFormatException if it is no number
   */
  public long number(String key, long otherwise) {
    List<String> all = values.getOrDefault(key, List.of());
    return all.isEmpty() ? otherwise : Long.parseLong(all.getLast());
  }

  /** The values of a key, in the order of the note. */
  public List<String> all(String key) {
    return List.copyOf(values.getOrDefault(key, List.of()));
  }
}
