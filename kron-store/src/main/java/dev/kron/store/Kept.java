package dev.kron.store;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Parts of a state file that must survive the next write although nobody here understands or needs
 * it: unknown members, and the history, each as the bytes they were.
 */
final class Kept {
  /** A stretch of the file. */
  record Slice(int start, int end) {}

  /** Unknown members of an active run. */
  record OfRun(String runId, List<Slice> members) {}

  final byte[] bytes;
  final List<Slice> members = new ArrayList<>();
  final List<Slice> history = new ArrayList<>();
  final List<OfRun> runs = new ArrayList<>();

  /** What is to be told of the job; null: nothing. */
  @Nullable Slice notices;

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
