package dev.kron.daemon.runs;

import dev.kron.store.DiskException;
import dev.kron.store.RunDirectories;
import dev.kron.store.RunIds;
import org.jspecify.annotations.Nullable;

/**
 * The run that takes the place of one that never began. Whoever was given the first one's id finds
 * the run by it all the same: this stands in the first one's directory, durable before the second
 * one is intended.
 *
 * @param identity of their job
 */
public record Successor(String runId, String identity) {
  private static final String FILE = "successor";
  private static final int LIMIT_BYTES = 64 * 1024;

  public void write(RunDirectories directories, String ofRunId) throws DiskException {
    var note = new NoteLines.Draft().line("run", runId).line("identity", identity);
    directories.writeDurably(ofRunId, FILE, note.bytes());
  }

  /** Null where there is none, or nothing can be made of what is there. */
  public static @Nullable Successor of(RunDirectories directories, String runId) {
    try {
      NoteLines note = NoteLines.of(directories.tail(runId, FILE, LIMIT_BYTES));
      String next = note.text("run", "");
      return RunIds.isRunId(next) ? new Successor(next, note.text("identity", "")) : null;
    } catch (DiskException e) {
      return null;
    }
  }
}
