package dev.kron.job;

/** What a job wants done once the state that implies it is durable. */
public sealed interface JobEffect {

  /** Start this run through a keeper. */
  record Launch(ActiveRun run) implements JobEffect {}

  /** End this run: TERM to its process group, grace, KILL. */
  record End(String runId, ActiveRun.Ending ending) implements JobEffect {}

  /** Tell the operator's {@code onfailure} command of what went wrong. */
  record Alert(HistoryEntry entry) implements JobEffect {}
}
