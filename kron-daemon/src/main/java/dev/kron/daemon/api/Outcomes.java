package dev.kron.daemon.api;

import dev.kron.job.Ending;
import dev.kron.job.HistoryEntry;
import java.util.List;

/** The words for how a run or a period ended, the same in lists, pictures and metrics. */
final class Outcomes {
  static final String RUNNING = "running";

  /** The word for a period that is still to come. */
  static final String COMING = "coming";

  /** The words, worst first. */
  private static final List<String> BY_WEIGHT =
      List.of(
          Ending.FAILED.text(),
          Ending.TIMED_OUT.text(),
          Ending.NOT_STARTED.text(),
          Ending.MISSED.text(),
          Ending.UNSCHEDULABLE.text(),
          Ending.UNKNOWN.text(),
          Ending.STOPPED.text(),
          Ending.SKIPPED.text(),
          RUNNING,
          Ending.SUCCEEDED.text(),
          COMING);

  private Outcomes() {}

  static String of(HistoryEntry entry) {
    return Ending.of(entry).text();
  }

  /** Whether it is one of the words for what has ended. */
  static boolean isEnding(String word) {
    return BY_WEIGHT.contains(word) && !word.equals(RUNNING) && !word.equals(COMING);
  }

  /** The weight of an outcome: the smaller, the worse. */
  static int weight(String outcome) {
    return BY_WEIGHT.indexOf(outcome);
  }

  static String ofWeight(int weight) {
    return BY_WEIGHT.get(weight);
  }

  /** The outcome for people, with the exit code if there is one. */
  static String what(HistoryEntry entry) {
    Ending ending = Ending.of(entry);
    return switch (ending) {
      case FAILED ->
          entry.signal() != null ? "signal " + entry.signal() : "exit " + entry.exitCode();
      case NOT_STARTED -> "could not be started (" + entry.stage() + ")";
      case UNKNOWN -> "end unknown";
      default -> ending.text().replace('_', ' ');
    };
  }
}
