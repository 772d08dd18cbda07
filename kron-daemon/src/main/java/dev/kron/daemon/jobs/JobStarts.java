package dev.kron.daemon.jobs;

import dev.kron.daemon.loop.Errands;
import dev.kron.daemon.loop.Errands.Place;
import dev.kron.daemon.runs.KeptRuns;
import dev.kron.daemon.runs.Launches;
import dev.kron.daemon.runs.NoteLines;
import dev.kron.daemon.runs.PreparedRuns;
import dev.kron.daemon.runs.RunNote;
import dev.kron.job.ActiveRun;
import dev.kron.job.JobSpec;
import dev.kron.process.Launch;
import dev.kron.process.Processes;
import dev.kron.process.Run;
import dev.kron.store.DiskException;
import dev.kron.store.RunDirectories;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The preparations for a job's run: its directory, its note, and its keeper. */
final class JobStarts {
  private final Processes processes;
  private final RunDirectories directories;
  private final Errands errands;
  private final JobLaunches launches;
  private final PreparedRuns prepared;

  JobStarts(KeptRuns.Means means, JobLaunches launches) {
    this.processes = means.processes();
    this.directories = means.directories();
    this.errands = means.errands();
    this.launches = launches;
    this.prepared =
        new PreparedRuns(
            processes,
            directories,
            errands,
            (user, task) -> errands.ahead(user, Place.PREPARE_RUN, task, thrown -> {}));
  }

  /**
   * The user whose files the start of a job may have to wait for, if their mount does not answer.
   */
  static String user(JobSpec spec) {
    return Objects.requireNonNullElse(spec.user(), "");
  }

  /** Makes the directory of a run. */
  void directory(Run run) throws DiskException {
    directories.create(run.id());
  }

  /** Writes a run's note into its directory, whether or not the run can begin. */
  Launch noted(JobSpec spec, ActiveRun active, Run run) throws Launches.Refused, DiskException {
    RunNote note = RunNote.of(spec, active);
    try {
      JobLaunches.Readied readied = launches.of(spec, active, run);
      note.write(directories, run.id(), launches.note(readied, spec));
      return readied.launch();
    } catch (Launches.Refused e) {
      note.write(directories, run.id(), new NoteLines.Draft());
      throw e;
    }
  }

  /** Makes a run ready whose second is near. */
  void prepare(JobSpec spec, ActiveRun active, Run run) {
    prepared.add(
        run.id(),
        user(spec),
        () -> {
          errands.giveWay();
          directory(run);
          return processes.prepare(noted(spec, active, run));
        });
  }

  /** The preparation of a run, done or under way; null: there is none. */
  PreparedRuns.@Nullable Task take(String runId) {
    return prepared.take(runId);
  }

  /** Drops the preparation of a run that is not to be launched, with its directory. */
  void discard(Run run) {
    prepared.discard(run);
  }

  /** Drops the preparation of a run whose fate is known, but not its directory. */
  void dismiss(String runId) {
    prepared.dismiss(runId);
  }

  /**
   * Whether a run without a claim may have begun. Its directory was there before its intent, and
   * only its command writes to its output.
   */
  boolean mayHaveBegun(Run run) throws DiskException {
    return !directories.exists(run.id()) || hasContent(run, "stdout") || hasContent(run, "stderr");
  }

  boolean hasContent(Run run, String file) throws DiskException {
    return directories.tail(run.id(), file, 1).length > 0;
  }
}
