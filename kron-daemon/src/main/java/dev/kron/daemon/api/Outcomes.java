package dev.kron.daemon.api;

import dev.kron.job.Ending;
import dev.kron.job.HistoryEntry;
import java.util.List;

/** How a run or a period ended, in the one set of words that lists, pictures and metrics have. */
final class Outcomes {
  static final String RUNNING = "running";

  /** Not yet, but it will be. */
  static final String COMING = "coming";

  /** The worst first. */
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

  /** The smaller, the worse. */
  static int weight(String outcome) {
    return BY_WEIGHT.indexOf(outcome);
  }

  static String ofWeight(int weight) {
    return BY_WEIGHT.get(weight);
  }

  /** The same for people, with the exit code where there is one. */
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
