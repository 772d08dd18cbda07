package dev.kron.daemon.runs;

import dev.kron.store.DiskException;
import dev.kron.store.RunDirectories;
import dev.kron.store.RunIds;
import org.jspecify.annotations.Nullable;

/**
 * The run that takes the place of one that never began. It is noted in the first run's directory,
 * durably before the second one is intended, so that the first one's id still leads to the run.
 *
 * @param identity the identity of their job
 */
public record Successor(String runId, String identity) {
  private static final String FILE = "successor";
  private static final int LIMIT_BYTES = 64 * 1024;

  public void write(RunDirectories directories, String ofRunId) throws DiskException {
    var note = new NoteLines.Draft().line("run", runId).line("identity", identity);
    directories.writeDurably(ofRunId, FILE, note.bytes());
  }

  /** The successor of a run; null if there is none, or none that can be read. */
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
