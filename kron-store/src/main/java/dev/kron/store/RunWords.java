package dev.kron.store;

import dev.kron.job.ActiveRun.Ending;
import dev.kron.job.ActiveRun.Phase;
import dev.kron.job.Outcome;

/**
 * The words for enumerations in files. They are part of the format, whatever the constants are
 * called.
 */
final class RunWords {
  private RunWords() {}

  static String word(Phase phase) {
    return switch (phase) {
      case WAITING -> "waiting";
      case INTENDED -> "intended";
      case STARTED -> "started";
    };
  }

  static Phase phase(String word) throws MalformedStateException {
    return switch (word) {
      case "waiting" -> Phase.WAITING;
      case "intended" -> Phase.INTENDED;
      case "started" -> Phase.STARTED;
      default -> throw new MalformedStateException("'" + word + "' is not a Phase");
    };
  }

  static String word(Ending ending) {
    return switch (ending) {
      case TIMED_OUT -> "timed-out";
      case REPLACED -> "replaced";
      case STOPPED -> "stopped";
    };
  }

  static Ending ending(String word) throws MalformedStateException {
    return switch (word) {
      case "timed-out" -> Ending.TIMED_OUT;
      case "replaced" -> Ending.REPLACED;
      case "stopped" -> Ending.STOPPED;
      default -> throw new MalformedStateException("'" + word + "' is not an Ending");
    };
  }

  static Outcome outcome(String word) throws MalformedStateException {
    return switch (word) {
      case "executed" -> Outcome.EXECUTED;
      case "skipped" -> Outcome.SKIPPED;
      case "missed" -> Outcome.MISSED;
      case "unschedulable" -> Outcome.UNSCHEDULABLE;
      default -> throw new MalformedStateException("'" + word + "' is not an outcome");
    };
  }
}
