package dev.kron.store;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The parts of a state file that are carried over unchanged to the next write: unknown members and
 * the history, each as raw bytes.
 */
final class Kept {
  /** A range of the file's bytes. */
  record Slice(int start, int end) {}

  /** Unknown members of an active run. */
  record OfRun(String runId, List<Slice> members) {}

  final byte[] bytes;
  final List<Slice> members = new ArrayList<>();
  final List<Slice> history = new ArrayList<>();
  final List<OfRun> runs = new ArrayList<>();

  /** The notification state of the job; null if there is none. */
  @Nullable Slice notices;

  /** Epoch millisecond of the last success that is in the history no more; 0: none is known. */
  long earlierSuccess;

  Kept(byte[] bytes) {
    this.bytes = bytes;
  }

  List<Slice> membersOfRun(String runId) {
    for (OfRun run : runs) {
      if (run.runId().equals(runId)) {
        return run.members();
      }
    }
    return List.of();
  }
}
