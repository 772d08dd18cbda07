package dev.kron.scheduler;

import java.util.List;

/**
 * The runs that a stop with a limit could not wait for.
 *
 * @param interrupted the tasks whose callbacks were interrupted, because they still ran when the
 *     limit was reached
 * @param stillRunning those of them that had not ended when the stop returned. The scheduler goes
 *     on stopping: it holds its store until they have, and another stop waits for them.
 */
public record StopReport(List<String> interrupted, List<String> stillRunning) {
  public StopReport {
    interrupted = List.copyOf(interrupted);
    stillRunning = List.copyOf(stillRunning);
  }

  /** Whether every callback ended by itself. */
  public boolean clean() {
    return interrupted.isEmpty();
  }
}
