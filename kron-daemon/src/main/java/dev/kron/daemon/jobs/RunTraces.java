package dev.kron.daemon.jobs;

import dev.kron.daemon.loop.Clocks;
import dev.kron.daemon.runs.NoteLines;
import dev.kron.daemon.runs.RunNote;
import dev.kron.job.ActiveRun;
import dev.kron.job.HistoryEntry;
import dev.kron.job.Outcome;
import dev.kron.job.Reason;
import dev.kron.process.Processes;
import dev.kron.process.Run;
import dev.kron.process.RunStatus;
import dev.kron.store.DiskException;
import dev.kron.store.RunDirectories;
import dev.kron.store.RunIds;
import java.io.IOException;
import java.util.List;

/**
 * What the directory of a run tells where no job knows the run. Either the daemon died before the
 * intent had its name, and the directory, which is made first, is empty; or the state of its job
 * was lost since, and the directory has the note and the record.
 */
public final class RunTraces {
  private static final String RESTARTED =
      "the machine was restarted before anything was known of it";

  private final RunDirectories directories;
  private final Processes processes;
  private final Clocks clocks;

  /** What became of a run. */
  public sealed interface Fate {
    /** It never began, and never will. */
    record NeverBegan() implements Fate {}

    /** Its keeper or a process of it is there. */
    record GoesOn() implements Fate {}

    /** It ended, or its record tells why nobody knows how. */
    record Ended(HistoryEntry entry) implements Fate {}

    /** It may have begun, and nothing tells how it ended. */
    record Untold() implements Fate {}
  }

  public RunTraces(RunDirectories directories, Processes processes, Clocks clocks) {
    this.directories = directories;
    this.processes = processes;
    this.clocks = clocks;
  }

  /**
   * What became of a run that no job knows. One that has not begun is kept from beginning. Reads
   * files and processes, so it must not be called on the loop's thread.
   *
   * @param okExit the exit codes that its job counts as success
   * @throws IOException if that cannot be found out now
   */
  public Fate of(String runId, List<Integer> okExit) throws IOException {
    if (!directories.exists(runId)) {
      return new Fate.NeverBegan();
    }
    Run run = new Run(runId, directories.of(runId));
    RunStatus status = processes.status(run);
    if (status instanceof RunStatus.Unclaimed) {
      status = processes.forestall(run) ? new RunStatus.Forestalled() : processes.status(run);
    }
    return switch (status) {
      case RunStatus.Running _ -> new Fate.GoesOn();
      case RunStatus.Ended(int exitCode, Integer signal) ->
          new Fate.Ended(
              entry(run)
                  .exitCode(exitCode)
                  .signal(signal)
                  .success(okExit.contains(exitCode))
                  .build());
      case RunStatus.FailedToStart(var stage, String reason) ->
          new Fate.Ended(
              entry(run)
                  .stage(stage.text())
                  .why(Reason.of(Reason.Cause.NOT_STARTED, reason))
                  .success(false)
                  .build());
      case RunStatus.Unknown(String reason) ->
          isThere(run) ? new Fate.GoesOn() : untold(run, reason);
      case RunStatus.Forestalled _, RunStatus.Unclaimed _ -> unclaimed(run);
    };
  }

  /**
   * A run without a claim. Within one boot it never began; what was written right before the
   * machine stopped may be gone, the claim of a run that had a note by then.
   */
  private Fate unclaimed(Run run) throws IOException {
    if (isThere(run)) {
      return new Fate.GoesOn();
    }
    if (has(run, "stdout") || has(run, "stderr")) {
      return new Fate.Untold();
    }
    return has(run, NoteLines.FILE) && isOfEarlierBoot(run.id())
        ? untold(run, RESTARTED)
        : new Fate.NeverBegan();
  }

  private Fate untold(Run run, String reason) throws DiskException {
    Reason why = Reason.of(Reason.Cause.UNKNOWN, reason);
    return new Fate.Ended(entry(run).why(why).success(false).build());
  }

  private boolean isThere(Run run) throws IOException {
    return !processes.members(run).isEmpty();
  }

  private boolean has(Run run, String file) throws DiskException {
    return directories.tail(run.id(), file, 1).length > 0;
  }

  private boolean isOfEarlierBoot(String runId) {
    return RunIds.epochMillis(runId) < clocks.wallMillis() - clocks.bootNanos() / 1_000_000L;
  }

  private HistoryEntry.Builder entry(Run run) throws DiskException {
    ActiveRun noted = RunNote.readable(directories, run.id()).run();
    return HistoryEntry.builder(noted.nominal(), Outcome.EXECUTED)
        .chosen(noted.chosen())
        .startedAt(noted.startedAt())
        .completedAt(RunNote.endedAtMillis(directories, run.id(), clocks.wallMillis()))
        .runId(run.id())
        .attempt(noted.attempt())
        .cause(noted.cause());
  }
}
