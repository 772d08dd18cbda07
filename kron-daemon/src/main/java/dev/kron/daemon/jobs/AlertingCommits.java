package dev.kron.daemon.jobs;

import dev.kron.daemon.loop.Errands;
import dev.kron.daemon.loop.Errands.Place;
import dev.kron.job.HistoryEntry;

/** Notes the alerts that a step will raise before the step becomes durable. */
public record AlertingCommits(Commits commits, Alerts alerts, Errands errands) implements Commits {
  @Override
  public void commit(Write write) {
    if (write.failures().isEmpty()) {
      commits.commit(write);
      return;
    }
    errands.execute(
        Place.OWE_ALERT,
        () -> {
          for (HistoryEntry failure : write.failures()) {
            alerts.owe(write.job().identity, write.job().spec, failure);
          }
          commit(write, commits);
        },
        thrown -> commit(write, commits));
  }

  private static void commit(Write write, Commits commits) {
    try {
      commits.commit(write);
    } catch (IllegalStateException e) {
      // The daemon could not start and has closed its store, so the step has not happened.
    }
  }
}
