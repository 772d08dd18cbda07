package dev.kron.store;

import dev.kron.service.Failure;

/**
 * An alert that is owed for a failure of a service's instance, until its command has ended.
 *
 * @param runId the run of the alert's command, whose claim keeps it from being run twice
 */
public record OwedAlert(String runId, Failure failure) {
  public OwedAlert {
    if (!RunIds.isRunId(runId)) {
      throw new IllegalArgumentException("not a run id: '" + runId + "'");
    }
  }
}
