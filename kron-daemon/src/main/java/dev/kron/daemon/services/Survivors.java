package dev.kron.daemon.services;

import dev.kron.daemon.log.EventLog;
import dev.kron.daemon.loop.Clocks;
import dev.kron.daemon.loop.Errands;
import dev.kron.daemon.loop.Errands.Place;
import dev.kron.daemon.runs.KeptRuns;
import dev.kron.process.ProcessIdentity;
import dev.kron.process.Processes;
import dev.kron.process.Run;
import dev.kron.process.Signal;
import dev.kron.service.ServiceEvent.ProcessExited;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The processes that the main process of a service leaves behind. They get the service's stop
 * signal, and KILL after its stop timeout; only then is the run over.
 */
final class Survivors {
  private static final long LOOK_AGAIN_MILLIS = 25;
  private static final long LOOK_LATER_MILLIS = 1_000;

  private final Processes processes;
  private final Errands errands;
  private final Clocks clocks;
  private final EventLog log;
  private final Map<Run, Ending> toClear = new HashMap<>(); // guards itself and clearing
  private boolean clearing;

  /** The owner of the runs. */
  interface Owner {
    /** What is known of a run, null where it is over. */
    @Nullable ServiceRun present(String runId);

    /** No process of the run is left. */
    void over(Run run, ProcessExited exited);
  }

  private record Ending(ProcessExited exited, Owner owner) {}

  Survivors(KeptRuns.Means means, Clocks clocks, EventLog log) {
    this.processes = means.processes();
    this.errands = means.errands();
    this.clocks = clocks;
    this.log = log;
  }

  /**
   * Ends the processes that are left of a run whose main process has ended, then reports the end.
   * Mostly none are left, which is known at once for a run that was launched here. Otherwise all
   * processes of the machine are listed, once for all runs that end at the same time.
   */
  void clear(Run run, ProcessExited exited, Owner owner) {
    ServiceRun present = owner.present(run.id());
    if (present != null && present.launchedHere && processes.releaseIfGone(run)) {
      owner.over(run, exited);
      return;
    }
    synchronized (toClear) {
      toClear.put(run, new Ending(exited, owner));
      if (clearing) {
        return;
      }
      clearing = true;
    }
    clearAll();
  }

  private void clearAll() {
    while (true) {
      Map<Run, Ending> ended;
      synchronized (toClear) {
        if (toClear.isEmpty()) {
          clearing = false;
          return;
        }
        ended = Map.copyOf(toClear);
        toClear.clear();
      }
      try {
        processes.members(ended.keySet()).forEach((run, left) -> clear(run, ended.get(run), left));
      } catch (IOException | RuntimeException e) {
        log.warn("service", "survivors_unknown", "reason", e.getMessage());
        ended.forEach((run, ending) -> clearAfter(LOOK_LATER_MILLIS, run, ending));
      }
    }
  }

  private void clear(Run run, @Nullable Ending ending, List<ProcessIdentity> left) {
    ServiceRun present = ending == null ? null : ending.owner().present(run.id());
    if (present == null || ending == null) {
      return;
    }
    if (left.isEmpty()) {
      ending.owner().over(run, ending.exited());
      return;
    }
    long now = clocks.bootNanos() / 1_000_000L;
    boolean first = !present.isClearing();
    boolean force = present.killAt(now) <= now || present.isKilled();
    if (first || force) {
      log.info(
          "service",
          force ? "survivors_killed" : "survivors_stopped",
          "instance",
          present.instance,
          "run",
          run.id(),
          "processes",
          left.size());
      Signal signal = force ? Signal.KILL : present.stopSignal;
      left.forEach(process -> processes.signal(process, signal));
    }
    clearAfter(LOOK_AGAIN_MILLIS, run, ending);
  }

  private void clearAfter(long millis, Run run, Ending ending) {
    errands.after(
        millis,
        Place.END_SERVICE,
        () -> clear(run, ending.exited(), ending.owner()),
        thrown -> clearAfter(LOOK_LATER_MILLIS, run, ending));
  }
}
