package dev.kron.job;

/** An act that a job wants done once the state that implies it is durable. */
public sealed interface JobEffect {

  /** Start this run through a keeper. */
  record Launch(ActiveRun run) implements JobEffect {}

  /**
   * End this run: a signal to its process group, grace, KILL.
   *
   * @param signal its number, 0: TERM
   */
  record End(String runId, ActiveRun.Ending ending, int signal) implements JobEffect {
    public End(String runId, ActiveRun.Ending ending) {
      this(runId, ending, 0);
    }
  }

  /** Tell the operator's {@code onfailure} command of what went wrong. */
  record Alert(HistoryEntry entry) implements JobEffect {}
}
