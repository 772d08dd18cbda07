package dev.kron.daemon.jobs;

import dev.kron.daemon.loop.Errands;
import dev.kron.daemon.loop.Errands.Place;
import dev.kron.daemon.runs.KeptRuns;
import dev.kron.daemon.runs.Launches;
import dev.kron.daemon.runs.PreparedRuns;
import dev.kron.daemon.runs.RunNote;
import dev.kron.job.ActiveRun;
import dev.kron.job.JobSpec;
import dev.kron.process.Launch;
import dev.kron.process.Processes;
import dev.kron.process.Run;
import dev.kron.store.DiskException;
import dev.kron.store.RunDirectories;
import java.io.UncheckedIOException;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The preparations for a job's run: its directory, its note, and keepers made ready. */
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

  /** Whose files its start may have to wait for. */
  static String user(JobSpec spec) {
    return Objects.requireNonNullElse(spec.user(), "");
  }

  /**
   * Makes a run's directory: its note stands there before it begins, whether or not it can begin.
   */
  Launch noted(JobSpec spec, ActiveRun active, Run run) throws Launches.Refused, DiskException {
    RunNote note = RunNote.of(spec, active);
    directories.create(run.id());
    try {
      Launch launch = launches.of(spec, active, run);
      write(note, run, launches.lines(launch, spec));
      return launch;
    } catch (Launches.Refused e) {
      write(note, run, "");
      throw e;
    }
  }

  private void write(RunNote note, Run run, String executed) {
    try {
      note.write(directories, run.id(), executed);
    } catch (DiskException e) {
      throw new UncheckedIOException(e); // as for its record: it begins when that works again
    }
  }

  /** Makes a run ready whose second is near. */
  void prepare(JobSpec spec, ActiveRun active, Run run) {
    prepared.add(
        run.id(),
        user(spec),
        () -> {
          errands.giveWay();
          return processes.prepare(noted(spec, active, run));
        });
  }

  /** A run that was made ready, or is being made so; null: none. */
  PreparedRuns.@Nullable Task take(String runId) {
    return prepared.take(runId);
  }

  /** The run is not to be launched: what was made goes, with its directory. */
  void discard(Run run) {
    prepared.discard(run);
  }

  /** What became of the run is found out: only what was made ready goes. */
  void dismiss(String runId) {
    prepared.dismiss(runId);
  }

  /**
   * Whether a run without a claim may have begun: its directory stood there before its intent did,
   * and nobody writes to its output but its command.
   */
  boolean mayHaveBegun(Run run) {
    try {
      return !directories.exists(run.id())
          || hasContent(run, "stdout")
          || hasContent(run, "stderr");
    } catch (DiskException e) {
      throw new UncheckedIOException(e); // tried again, until it is known
    }
  }

  boolean hasContent(Run run, String file) {
    try {
      return directories.tail(run.id(), file, 1).length > 0;
    } catch (DiskException e) {
      throw new UncheckedIOException(e); // tried again, until it is known
    }
  }
}
