package dev.kron.daemon.jobs;

import dev.kron.daemon.log.EventLog;
import dev.kron.daemon.loop.Clocks;
import dev.kron.daemon.runs.DroppedMiddle;
import dev.kron.daemon.runs.Outputs;
import dev.kron.daemon.runs.RunNote;
import dev.kron.process.Processes;
import dev.kron.process.Run;
import dev.kron.process.RunStatus;
import dev.kron.store.DiskException;
import dev.kron.store.DiskException.Reason;
import dev.kron.store.RunDirectories;
import dev.kron.store.RunIds;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * The sweeper of run directories. It keeps the output of ended runs within its limit, drops the
 * oldest first, and removes the directories of runs that nothing refers to any more. A directory is
 * removed only if its run has a claim and its keeper is gone.
 */
public final class Sweeper {
  /** A run that is about to begin has done so by then. */
  private static final long LEFT_OVER_AFTER_MILLIS = 3_600_000;

  /**
   * The pause after a sweep. Output of runs that go on may pass the limit alone, and nothing can be
   * done about that.
   */
  private static final long REST_NANOS = 60_000_000_000L;

  /** Until then it may be looked at often, and nothing of it is written twice. */
  private static final long JOINED_AFTER_MILLIS = 600_000;

  /** The files of each run are written anew and synced: what else waits must not wait for all. */
  private static final long JOINING_NANOS = 30_000_000_000L;

  private static final long UNKNOWN = -1;

  private static final List<String> STREAMS = List.of("stdout", "stderr");

  private final RunDirectories directories;
  private final Processes processes;
  private final Predicate<String> isActive;
  private final long limitBytes;
  private final Clocks clocks;
  private final EventLog log;
  private final Consumer<Path> writable;
  private boolean lookedForLeftovers;

  /** The bytes in all directories when they were last counted, and those that came since. */
  private long kept = UNKNOWN;

  private long sweptAtNanos;

  /**
   * @param isActive whether the end of a run is not on record yet; without its directory it would
   *     look as if it had never begun, and be started again
   * @param writable told of the streams of runs that are over, to which processes that were left
   *     behind may still write
   */
  public Sweeper(
      RunDirectories directories,
      Processes processes,
      Predicate<String> isActive,
      long limitBytes,
      Clocks clocks,
      EventLog log,
      Consumer<Path> writable) {
    this.directories = directories;
    this.processes = processes;
    this.isActive = isActive;
    this.limitBytes = limitBytes;
    this.clocks = clocks;
    this.log = log;
    this.writable = writable;
  }

  /** Takes over the output files that an earlier daemon kept within their limit. */
  public void begin() {
    try {
      for (String runId : directories.list()) {
        tellStreams(runId);
      }
    } catch (DiskException e) {
      log.warn("store", "sweep_failed", "reason", e.getMessage());
    }
  }

  private void tellStreams(String runId) {
    for (String stream : STREAMS) {
      writable.accept(directories.of(runId).resolve(stream));
    }
  }

  /** Runs have ended; if their output passes the limit, old output is dropped now. */
  public synchronized void ended(List<String> runIds) {
    try {
      if (kept == UNKNOWN) {
        kept = total(directories.sizes());
      } else {
        for (String runId : runIds) {
          kept += directories.size(runId);
        }
      }
    } catch (DiskException e) {
      return; // the next sweep counts
    }
    boolean rested = sweptAtNanos == 0 || clocks.bootNanos() - sweptAtNanos >= REST_NANOS;
    if (kept > limitBytes && rested) {
      sweep();
    }
  }

  private static long total(List<RunDirectories.Run> runs) {
    return runs.stream().mapToLong(RunDirectories.Run::sizeBytes).sum();
  }

  public synchronized void sweep() {
    sweptAtNanos = clocks.bootNanos();
    try {
      if (!lookedForLeftovers) {
        removeLeftovers();
        lookedForLeftovers = true;
      }
      List<RunDirectories.Run> runs = directories.sizes();
      trimWhatGoesOn(runs);
      removeIdleFiles(runs);
      join(runs);
      // The claim of an alert has to stay as long as its note, or it would be raised again.
      Set<String> owed = Set.copyOf(directories.owed(OwedAlerts.WORD));
      List<String> surplus =
          RunDirectories.surplus(
              directories.sizes(), limitBytes, runId -> !owed.contains(runId) && isOver(runId));
      for (String runId : surplus) {
        directories.remove(runId);
      }
      kept = total(directories.sizes());
      if (!surplus.isEmpty()) {
        log.info("store", "output_dropped", "runs", surplus.size(), "limit_bytes", limitBytes);
      }
    } catch (IOException e) {
      log.warn("store", "sweep_failed", "reason", e.getMessage());
    }
  }

  /** Removes prepared runs that never began, because an earlier daemon died. */
  private void removeLeftovers() throws IOException {
    long before = clocks.wallMillis() - LEFT_OVER_AFTER_MILLIS;
    Set<String> owed = Set.copyOf(directories.owed(OwedAlerts.WORD));
    for (String runId : directories.list()) {
      Run run = new Run(runId, directories.of(runId));
      if (RunIds.epochMillis(runId) < before
          && !owed.contains(runId)
          && !isActive.test(runId)
          && processes.status(run) instanceof RunStatus.Unclaimed
          && processes.forestall(run)) {
        directories.remove(runId);
      }
    }
  }

  /** Trims the output of ended runs to which processes that were left behind still write. */
  private void trimWhatGoesOn(List<RunDirectories.Run> runs) {
    for (RunDirectories.Run run : runs) {
      if (run.sizeBytes() > Outputs.LIMIT_BYTES && isOver(run.runId())) {
        tellStreams(run.runId());
        for (String stream : STREAMS) {
          trim(directories.of(run.runId()).resolve(stream));
        }
      }
    }
  }

  /** Removes files that an ended run does not need. */
  private void removeIdleFiles(List<RunDirectories.Run> runs) {
    for (RunDirectories.Run run : runs) {
      if (run.hasIdleFiles() && isOver(run.runId())) {
        try {
          directories.removeIdleFiles(run.runId());
        } catch (DiskException e) {
          log.warn("store", "sweep_failed", "reason", e.getMessage()); // the next time
        }
      }
    }
  }

  /** Makes one file of what an ended run left. */
  private void join(List<RunDirectories.Run> runs) {
    for (RunDirectories.Run run : runs) {
      if (clocks.bootNanos() - sweptAtNanos > JOINING_NANOS) {
        return; // the next time, from the oldest on
      }
      String id = run.runId();
      long now = clocks.wallMillis();
      boolean old =
          run.hasSmallFiles()
              && now - RunNote.endedAtMillis(directories.of(id), now) >= JOINED_AFTER_MILLIS;
      if (old && isOver(id)) {
        try {
          directories.join(id, RunNote.endedAtMillis(directories, id, now));
        } catch (DiskException e) {
          log.warn("store", "sweep_failed", "reason", e.getMessage()); // the next time
          if (e.reason() == Reason.NO_SPACE || e.reason() == Reason.READ_ONLY) {
            return; // it would be the same for thousands of others
          }
        }
      }
    }
  }

  private void trim(Path stream) {
    try {
      DroppedMiddle.trim(stream, Outputs.LIMIT_BYTES);
    } catch (NoSuchFileException e) {
      // The output goes elsewhere.
    } catch (IOException e) {
      log.warn("store", "sweep_failed", "reason", stream + ": " + e.getMessage());
    }
  }

  private boolean isOver(String runId) {
    if (isActive.test(runId)) {
      return false;
    }
    try {
      return switch (processes.status(new Run(runId, directories.of(runId)))) {
        case RunStatus.Ended _,
            RunStatus.Unknown _,
            RunStatus.FailedToStart _,
            RunStatus.Forestalled _ ->
            true;
        case RunStatus.Running _, RunStatus.Unclaimed _ -> false;
      };
    } catch (IOException e) {
      return false; // not known, so it stays
    }
  }
}
