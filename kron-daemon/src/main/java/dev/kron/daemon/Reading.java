package dev.kron.daemon;

import dev.kron.config.Diagnostic;
import dev.kron.config.NotifyFile;
import dev.kron.daemon.services.ServiceReading;
import dev.kron.job.JobSpec;
import dev.kron.job.JobState;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The configuration as it is now, and what is durable of the jobs that the daemon did not know.
 *
 * @param errors not empty: nothing of it is taken over
 * @param found states on disk of jobs that are new in the files
 */
record Reading(
    List<JobSpec> jobs,
    ServiceReading services,
    List<Diagnostic> errors,
    Whom whom,
    Map<String, JobState> found) {
  /**
   * Whom to tell.
   *
   * @param read false: what was read before holds
   * @param file null: nobody
   */
  record Whom(boolean read, @Nullable NotifyFile file) {
    static final Whom AS_BEFORE = new Whom(false, null);
  }
}
