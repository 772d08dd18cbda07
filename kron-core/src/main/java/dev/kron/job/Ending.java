package dev.kron.job;

import java.util.Locale;

/**
 * The result of a run or period as one word, for counters. Files store the ordinals of these
 * constants, so new ones go to the end.
 */
public enum Ending {
  SUCCEEDED,
  FAILED,
  TIMED_OUT,
  STOPPED,
  NOT_STARTED,
  UNKNOWN,
  SKIPPED,
  MISSED,
  UNSCHEDULABLE;

  public String text() {
    return name().toLowerCase(Locale.ROOT);
  }

  public static Ending of(HistoryEntry entry) {
    return switch (entry.outcome()) {
      case SKIPPED -> SKIPPED;
      case MISSED -> MISSED;
      case UNSCHEDULABLE -> UNSCHEDULABLE;
      case EXECUTED -> executed(entry);
    };
  }

  private static Ending executed(HistoryEntry entry) {
    if (entry.stage() != null) {
      return NOT_STARTED;
    }
    if (entry.timedOut()) {
      return TIMED_OUT;
    }
    if (entry.stopped()) {
      return STOPPED;
    }
    if (entry.success()) {
      return SUCCEEDED;
    }
    if (entry.exitCode() == null) {
      return UNKNOWN;
    }
    // A run that was replaced by a newer one did nothing wrong.
    return entry.failed() ? FAILED : STOPPED;
  }
}
