package dev.kron.daemon.runs;

import dev.kron.daemon.loop.Errands;
import dev.kron.daemon.loop.Errands.Place;
import dev.kron.process.LaunchResult;
import dev.kron.process.ProcessIdentity;
import dev.kron.process.Processes;
import dev.kron.process.Run;
import dev.kron.process.RunStatus;
import dev.kron.process.Signal;
import dev.kron.process.SignalDelivery;
import dev.kron.process.Stage;
import dev.kron.store.DiskException;
import dev.kron.store.RunDirectories;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The life of a run through its keeper, the same for jobs and for services: it is known, has begun,
 * has ended, could not be started, or never began. What cannot be found out or done now is tried
 * again. What each of that means for a job or a service, its own class says.
 *
 * @param <K> what is known of a run
 */
public abstract class KeptRuns<K extends KnownRun> {
  private static final long SIGNAL_AGAIN_MILLIS = 20;
  private static final long DISK_AGAIN_MILLIS = 1_000;

  /** The number of times, a second in all, that a keeper is given to claim its run or to leave. */
  private static final int LOOKS_FOR_COMMAND = 50;

  private final Means means;
  private final Places places;
  private final Map<String, K> known = new ConcurrentHashMap<>();

  /** The means to start, find and end runs. */
  public record Means(
      Processes processes, RunDirectories directories, Errands errands, RunOwners owners) {
    /** The same means for runs with directories elsewhere. */
    public Means in(RunDirectories others) {
      return new Means(processes, others, errands, owners);
    }
  }

  /** The names of such runs' work on other threads. */
  public record Places(Place recover, Place end, Place signal) {}

  protected KeptRuns(Means means, Places places) {
    this.means = means;
    this.places = places;
  }

  /** The run has a keeper, or at least a process; it was launched just now, or found. */
  protected abstract void began(Run run, K present, ProcessIdentity keeper, boolean launched)
      throws IOException;

  /** The run ended, and its keeper recorded how. */
  protected abstract void ended(Run run, RunStatus.Ended status);

  /** The run could not be started. */
  protected abstract void failed(Run run, Stage stage, String reason);

  /** The run was taken away from its keeper before it began. */
  protected abstract void neverBegan(Run run, K present) throws IOException;

  /** The keeper is gone without a record of the end. */
  protected abstract void unknown(Run run, String reason) throws IOException;

  /** The run may have begun, and its record is missing. */
  protected abstract void unrecorded(Run run) throws IOException;

  /** The run was claimed by the daemon itself, or a process that was watched for it has ended. */
  protected abstract void forestalled(Run run) throws IOException;

  /** Whether a keeper may be on its way; only then its processes are searched for. */
  protected boolean mayBeLaunched(Run run) throws IOException {
    return true;
  }

  /** Called before the processes of a run are searched for; what identifies them may be lost. */
  protected void lookedFor(Run run) throws IOException {}

  protected final Processes processes() {
    return means.processes();
  }

  protected final RunDirectories directories() {
    return means.directories();
  }

  /** Removes the directory of a run; one that cannot be removed stays until it is found again. */
  protected final void removeDirectory(String runId) {
    try {
      means.directories().remove(runId);
    } catch (DiskException e) {
      // It stays.
    }
  }

  protected final Errands errands() {
    return means.errands();
  }

  protected final Run run(String runId) {
    return new Run(runId, means.directories().of(runId));
  }

  /** Registers a run, so that its end is reported here. */
  protected final void know(String runId, K own) {
    known.put(runId, own);
    means.owners().register(run(runId), this::exited);
  }

  protected final @Nullable K known(String runId) {
    return known.get(runId);
  }

  /** The runs whose end is not known. */
  protected final Map<String, K> known() {
    return Map.copyOf(known);
  }

  /** Forgets a run whose end is about to be reported; null if it was reported already. */
  protected final @Nullable K forget(Run run) {
    means.owners().release(run);
    return known.remove(run.id());
  }

  /** Work that needs a run's directory. */
  protected interface Attempt {
    void run() throws IOException;
  }

  /** Runs an attempt that may fail for now, because a record cannot be read or written. */
  private void patiently(Place place, Attempt attempt) {
    try {
      attempt.run();
    } catch (IOException e) {
      again(place, attempt);
    }
  }

  private void later(long millis, Place place, Attempt attempt) {
    errands()
        .after(millis, place, () -> patiently(place, attempt), thrown -> again(place, attempt));
  }

  /** Makes an attempt in a second, and again every second until it works. */
  protected final void again(Place place, Attempt attempt) {
    later(DISK_AGAIN_MILLIS, place, attempt);
  }

  /** Makes an attempt soon, and again every second until it works. */
  protected final void untilDone(Place place, Attempt attempt) {
    untilDone(place, attempt, () -> {});
  }

  /**
   * Makes an attempt soon, and again every second until it works.
   *
   * @param tried what follows the first attempt, whether or not it worked
   */
  protected final void untilDone(Place place, Attempt attempt, Runnable tried) {
    errands()
        .execute(
            place,
            () -> {
              patiently(place, attempt);
              tried.run();
            },
            thrown -> {
              again(place, attempt);
              tried.run();
            });
  }

  /** Handles the result of a launch. */
  protected final void launched(Run run, LaunchResult result) throws IOException {
    switch (result) {
      case LaunchResult.Launched launched -> tellBeginning(run, launched.keeper(), true);
      case LaunchResult.Failed failed -> failed(run, failed.stage(), failed.reason());
      case LaunchResult.AlreadyClaimed claimed -> told(run, claimed.status());
    }
  }

  /** Records that a run cannot be started, for a reason found before the launch. */
  protected final void refused(Run run, Launches.Refused refused) throws IOException {
    told(run, processes().refuse(run, refused.stage(), String.valueOf(refused.getMessage())));
  }

  /** Handles an exception during a start: a run that has not begun never will. */
  protected final void startFaulted(Run run, K own, Throwable thrown) throws IOException {
    RunStatus status = processes().refuse(run, Stage.SPAWN, Errands.reason(thrown));
    boolean told = status instanceof RunStatus.Running && own.hasBegun();
    if (own.equals(known.get(run.id())) && !told) {
      told(run, status);
    }
  }

  /** Handles the status of a run according to its directory and the process table. */
  protected final void told(Run run, RunStatus status) throws IOException {
    switch (status) {
      case RunStatus.Running running -> {
        K present = known.get(run.id());
        if (present != null) {
          found(run, present);
          goesOn(run, running.keeper());
        }
      }
      case RunStatus.Ended ended -> ended(run, ended);
      case RunStatus.FailedToStart failed -> failed(run, failed.stage(), failed.reason());
      case RunStatus.Unknown unknown -> unknown(run, unknown.reason());
      case RunStatus.Forestalled() -> forestalled(run);
      case RunStatus.Unclaimed() -> unrecorded(run);
    }
  }

  /** Handles a run that is active; its end will come. */
  protected final void goesOn(Run run, ProcessIdentity process) throws IOException {
    processes().watch(run, process);
    tellBeginning(run, process, false);
  }

  private void tellBeginning(Run run, ProcessIdentity keeper, boolean launched) throws IOException {
    K present = known.get(run.id());
    if (present != null) {
      reachable(run, present);
      tellBeginning(run, present, keeper, launched, 0);
    }
  }

  private void tellBeginning(
      Run run, K present, ProcessIdentity keeper, boolean launched, int looks) throws IOException {
    if (!present.equals(known.get(run.id()))) {
      return; // asked once more since
    }
    if (tellsCommand() && looks < LOOKS_FOR_COMMAND && isOnItsWay(run, keeper)) {
      later(
          Math.min(SIGNAL_AGAIN_MILLIS, 2 + looks),
          places.recover(),
          () -> tellBeginning(run, present, keeper, launched, looks + 1));
      return;
    }
    began(run, present, keeper, launched);
    RunStatus early = present.beginningTold();
    if (early != null) {
      told(run, early);
    }
  }

  /** Whether a beginning is reported only once the command's process is recorded. */
  protected boolean tellsCommand() {
    return false;
  }

  /** Whether the keeper's fork is about to record itself, which takes milliseconds. */
  private boolean isOnItsWay(Run run, ProcessIdentity keeper) {
    return command(run) == null && processes().isAlive(keeper);
  }

  /** The process of a run's command; null if it is not recorded. */
  protected final @Nullable ProcessIdentity command(Run run) {
    try {
      return processes().command(run);
    } catch (IOException e) {
      return null; // who watches over it is known all the same
    }
  }

  /** Called for an active run with a keeper that is about to be watched. */
  protected void found(Run run, K present) throws IOException {}

  /** Called when a run has a keeper, so that pending signals can be sent. */
  protected void reachable(Run run, K present) {}

  private void exited(Run run, RunStatus status) {
    untilDone(
        places.end(),
        () -> {
          K present = known.get(run.id());
          if (present != null && present.endsNow(status)) {
            told(run, status);
          }
        });
  }

  /** Whether a run may be active: it has a keeper, or processes. */
  protected final boolean mayBeThere(String runId) {
    Run run = run(runId);
    try {
      return processes().status(run) instanceof RunStatus.Running
          || !processes().members(run).isEmpty();
    } catch (IOException e) {
      return true; // nobody knows
    }
  }

  protected static boolean isUnrecorded(RunStatus status) {
    return status instanceof RunStatus.Unclaimed || status instanceof RunStatus.Forestalled;
  }

  /** Takes the run away from a keeper that may still be on its way. */
  protected final RunStatus forestall(Run run) throws IOException {
    directories().create(run.id());
    lookedFor(run);
    return processes().forestall(run) ? new RunStatus.Forestalled() : processes().status(run);
  }

  /**
   * The run was taken away from its keeper in time, if it did not lose its claim. A keeper that
   * came too late leaves at once; a command stays.
   */
  protected final void unbegun(Run run, K own) throws IOException {
    unbegun(run, own, 0);
  }

  private void unbegun(Run run, K own, int looks) throws IOException {
    if (!own.equals(known.get(run.id()))) {
      return; // asked once more since
    }
    boolean launched = looks > 0 || mayBeLaunched(run);
    if (!launched || processes().members(run).isEmpty()) {
      neverBegan(run, own);
    } else if (looks < LOOKS_FOR_COMMAND) {
      later(SIGNAL_AGAIN_MILLIS, places.recover(), () -> unbegun(run, own, looks + 1));
    } else {
      unrecorded(run);
    }
  }

  /** Sends KILL to a run whose time to end is over; if it has not begun, it never will. */
  protected final void kill(Run run) throws IOException {
    if (processes().status(run) instanceof RunStatus.Unclaimed) {
      forestall(run);
    }
    deliver(run, Signal.KILL);
  }

  /** Sends a signal to the process group of a run, until it is delivered or the run is over. */
  protected final void deliver(Run run, Signal signal) throws IOException {
    deliver(run, signal, 0);
  }

  private void deliver(Run run, Signal signal, int tries) throws IOException {
    // The claim is read first: a run that is claimed in between would seem to be over otherwise.
    // Without a claim it is on its way; if that were taken for its end, only KILL would reach it.
    K present = known.get(run.id());
    boolean unrecorded = present != null && isUnrecorded(processes().status(run));
    if (signal == Signal.KILL && present != null && !unrecorded && !askToEnd(run, present)) {
      later(SIGNAL_AGAIN_MILLIS, places.signal(), () -> deliver(run, signal, tries + 1));
      return;
    }
    SignalDelivery delivery = processes().signal(run, signal);
    // Every so often the processes are searched for, in case only the record is gone.
    boolean look = tries > 0 && tries % LOOKS_FOR_COMMAND == 0;
    List<ProcessIdentity> members =
        look && unrecorded && delivery != SignalDelivery.SENT
            ? processes().members(run)
            : List.of();
    members.forEach(process -> processes().signal(process, signal));
    boolean again =
        members.isEmpty()
            && (delivery == SignalDelivery.NOT_YET
                || (unrecorded && delivery == SignalDelivery.GONE));
    if (present != null && signal != Signal.KILL) {
      present.unheard(again ? signal : null);
    }
    if (again) {
      later(SIGNAL_AGAIN_MILLIS, places.signal(), () -> deliver(run, signal, tries + 1));
    }
  }

  /** Sends a stop signal that is still pending; returns whether KILL may follow now. */
  private boolean askToEnd(Run run, K present) throws IOException {
    Signal unheard = present.unheard();
    boolean asked = unheard == null || processes().signal(run, unheard) != SignalDelivery.NOT_YET;
    if (asked) {
      present.unheard(null);
    }
    return asked;
  }
}
