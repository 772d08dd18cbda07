package dev.kron.daemon;

import dev.kron.config.Diagnostic;
import dev.kron.daemon.services.ServiceReading;
import dev.kron.job.JobSpec;
import dev.kron.job.JobState;
import java.util.List;
import java.util.Map;

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
    Map<String, JobState> found) {}
