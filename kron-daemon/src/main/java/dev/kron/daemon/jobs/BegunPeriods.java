package dev.kron.daemon.jobs;

import dev.kron.cron.CronCalendar;
import dev.kron.daemon.runs.RunNote;
import dev.kron.process.Processes;
import dev.kron.process.Run;
import dev.kron.process.RunStatus;
import dev.kron.store.DiskException;
import dev.kron.store.DiskException.Reason;
import dev.kron.store.RunDirectories;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * The periods of a job that began, according to the notes and claims in the directories of its
 * runs. These survive the loss of the job's state file.
 */
public final class BegunPeriods {
  private final RunDirectories directories;
  private final Processes processes;

  public BegunPeriods(RunDirectories directories, Processes processes) {
    this.directories = directories;
    this.processes = processes;
  }

  /**
   * The periods that began. Reads every directory, so it must not be called on the loop's thread.
   *
   * @return nominal seconds
   * @throws DiskException if a directory cannot be read
   */
  public List<Long> of(String identity) throws DiskException {
    var begun = new ArrayList<Long>();
    for (String runId : directories.list()) {
      RunNote note = RunNote.find(directories, runId);
      if (note.identity().equals(identity)
          && note.run().nominal() != CronCalendar.NONE
          && hasBegun(processes, new Run(runId, directories.of(runId)))) {
        begun.add(note.run().nominal());
      }
    }
    return begun;
  }

  /** Whether a run has begun, according to its claim. */
  static boolean hasBegun(Processes processes, Run run) throws DiskException {
    try {
      return switch (processes.status(run)) {
        case RunStatus.Running _,
            RunStatus.Ended _,
            RunStatus.Unknown _,
            RunStatus.FailedToStart _ ->
            true; // a run that failed to start is not tried again either
        case RunStatus.Forestalled _, RunStatus.Unclaimed _ -> false;
      };
    } catch (IOException e) {
      throw new DiskException(
          "read", run.directory(), Reason.OTHER, String.valueOf(e.getMessage()));
    }
  }
}
