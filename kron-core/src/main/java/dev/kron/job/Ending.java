package dev.kron.job;

import java.util.Locale;

/**
 * How a run or a period ended, in one word, for whoever counts. Files have the positions of these
 * words: new ones are added at the end.
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
    // A run that gave way to a newer one did nothing wrong.
    return entry.failed() ? FAILED : STOPPED;
  }
}
