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
 * Which periods of a job began, by the notes and claims in the directories of its runs. They know
 * it also where the job's state file was lost.
 */
public final class BegunPeriods {
  private final RunDirectories directories;
  private final Processes processes;

  public BegunPeriods(RunDirectories directories, Processes processes) {
    this.directories = directories;
    this.processes = processes;
  }

  /**
   * Looks into every directory: not for the loop.
   *
   * @return nominal seconds
   * @throws DiskException where a directory cannot be read: then nobody knows
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

  /** By its claim. */
  static boolean hasBegun(Processes processes, Run run) throws DiskException {
    try {
      return switch (processes.status(run)) {
        case RunStatus.Running _,
            RunStatus.Ended _,
            RunStatus.Unknown _,
            RunStatus.FailedToStart _ ->
            true; // one that failed to start is not tried again either
        case RunStatus.Forestalled _, RunStatus.Unclaimed _ -> false;
      };
    } catch (IOException e) {
      throw new DiskException(
          "read", run.directory(), Reason.OTHER, String.valueOf(e.getMessage()));
    }
  }
}
