package dev.kron.daemon;

import dev.kron.config.Diagnostic;
import dev.kron.config.FleetFile;
import dev.kron.config.NotifyFile;
import dev.kron.daemon.services.ServiceReading;
import dev.kron.job.JobSpec;
import dev.kron.job.JobState;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The configuration as it is now, with the durable states of jobs that the daemon did not know.
 *
 * @param errors if there are any, nothing of it is applied
 * @param found states on disk of jobs that are new in the files
 */
record Reading(
    List<JobSpec> jobs,
    ServiceReading services,
    List<Diagnostic> errors,
    Whom whom,
    Map<String, JobState> found) {
  /**
   * The rules for messages, and the fleet.
   *
   * @param read false: what was read earlier stays
   * @param file null: no messages
   * @param fleet null: none
   */
  record Whom(boolean read, @Nullable NotifyFile file, @Nullable FleetFile fleet) {
    static final Whom AS_BEFORE = new Whom(false, null, null);
  }
}
