package dev.kron.daemon.fleet;

import dev.kron.fleet.Settlement.End;
import dev.kron.job.HistoryEntry;
import dev.kron.job.Reason;
import java.util.Objects;

/** The end of a run, in the words of the fleet's record. */
final class RunEnds {
  /** The number of bytes of a failed run's output that go to the database, where that is wanted. */
  static final int OUTPUT_BYTES = 4096;

  private RunEnds() {}

  /**
   * @param aheadMillis by how much this machine's clock is ahead of the fleet's
   */
  static End of(HistoryEntry entry, long aheadMillis, String output) {
    Long began = entry.startedAt() > 0 ? (Long) (entry.startedAt() - aheadMillis) : null;
    return new End(
        outcome(entry),
        entry.exitCode(),
        began,
        entry.completedAt() - aheadMillis,
        reason(entry),
        output);
  }

  static End neverBegan(long fleetMillis, String why) {
    return new End("missed", null, null, fleetMillis, why, "");
  }

  static End unknown(long fleetMillis) {
    String why = "its node has lost what was known of it";
    return new End("unknown", null, null, fleetMillis, why, "");
  }

  private static String outcome(HistoryEntry entry) {
    return switch (entry.outcome()) {
      case EXECUTED -> executed(entry);
      case MISSED -> "missed";
      case SKIPPED -> "skipped";
      case UNSCHEDULABLE -> "unschedulable";
    };
  }

  private static String executed(HistoryEntry entry) {
    if (entry.success()) {
      return "success";
    }
    if (entry.failedForCertain()) {
      return "failed"; // the only one that is tried again
    }
    Reason why = entry.why();
    return switch (why == null ? Reason.Cause.UNKNOWN : why.cause()) {
      case REPLACED -> "replaced";
      case STOPPED, STOPPED_BY_OPERATOR -> "stopped";
      default -> "unknown";
    };
  }

  private static String reason(HistoryEntry entry) {
    String stage = entry.stage();
    String reason = Objects.requireNonNullElse(entry.reason(), "");
    return stage == null ? reason : stage + ": " + reason;
  }
}
