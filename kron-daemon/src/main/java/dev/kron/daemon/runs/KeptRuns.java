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
public abstract class KeptRuns<K extends KeptRuns.Known> {
  private static final long SIGNAL_AGAIN_MILLIS = 20;
  private static final long DISK_AGAIN_MILLIS = 1_000;

  /** So often, a second in all, a keeper is given time to claim its run or to leave. */
  private static final int LOOKS_FOR_COMMAND = 50;

  private final Means means;
  private final Places places;
  private final Map<String, K> known = new ConcurrentHashMap<>();

  /** What runs are started, found and ended with. */
  public record Means(
      Processes processes, RunDirectories directories, Errands errands, RunOwners owners) {
    /** The same for runs that have their directories elsewhere. */
    public Means in(RunDirectories others) {
      return new Means(processes, others, errands, owners);
    }
  }

  /** How the work of such runs is called where it is handed to threads. */
  public record Places(Place recover, Place end, Place signal) {}

  /**
   * A run that is not over. A short one may end before its own launch has returned: its end waits,
   * so that the loop hears of everything in order.
   */
  public static class Known {
    private boolean begun;
    private @Nullable RunStatus early;
    private @Nullable Signal unheard;

    /** A signal that asks it to end has met nobody yet; null: none is on its way. */
    final synchronized @Nullable Signal unheard() {
      return unheard;
    }

    final synchronized void unheard(@Nullable Signal signal) {
      unheard = signal;
    }

    /** Whether the end may be told; otherwise it is kept. */
    final synchronized boolean endsNow(RunStatus status) {
      if (!begun) {
        early = status;
      }
      return begun;
    }

    public final synchronized boolean hasBegun() {
      return begun;
    }

    /** The beginning was told; an end that came before it, once, or null. */
    final synchronized @Nullable RunStatus beginningTold() {
      begun = true;
      RunStatus told = early;
      early = null;
      return told;
    }
  }

  protected KeptRuns(Means means, Places places) {
    this.means = means;
    this.places = places;
  }

  /**
   * The run has a keeper, or at least a process.
   *
   * @param launched just now, by this daemon; otherwise it was found
   */
  protected abstract void began(Run run, K present, ProcessIdentity keeper, boolean launched)
      throws IOException;

  /** The run ended as its keeper wrote down. */
  protected abstract void ended(Run run, RunStatus.Ended status);

  /** The run could not be started. */
  protected abstract void failed(Run run, Stage stage, String reason);

  /** The run was taken away from its keeper before it began. */
  protected abstract void neverBegan(Run run, K present) throws IOException;

  /** The keeper is gone without a word. */
  protected abstract void unknown(Run run, String reason) throws IOException;

  /** The run may have begun, and has no record. */
  protected abstract void unrecorded(Run run) throws IOException;

  /** The run was claimed by the daemon itself, or a process that was watched for it has ended. */
  protected abstract void forestalled(Run run) throws IOException;

  /** Whether a keeper may be on its way: only then its processes are looked for. */
  protected boolean mayBeLaunched(Run run) throws IOException {
    return true;
  }

  /** The processes of a run are looked for; what tells them from others may be lost. */
  protected void lookedFor(Run run) throws IOException {}

  protected final Processes processes() {
    return means.processes();
  }

  protected final RunDirectories directories() {
    return means.directories();
  }

  protected final Errands errands() {
    return means.errands();
  }

  protected final Run run(String runId) {
    return new Run(runId, means.directories().of(runId));
  }

  /** From now on the end of this run comes here. */
  protected final void know(String runId, K own) {
    known.put(runId, own);
    means.owners().register(run(runId), this::exited);
  }

  protected final @Nullable K known(String runId) {
    return known.get(runId);
  }

  /** Runs of which the end is not known. */
  protected final Map<String, K> known() {
    return Map.copyOf(known);
  }

  /** The end is about to be told; null where it was told already. */
  protected final @Nullable K forget(Run run) {
    means.owners().release(run);
    return known.remove(run.id());
  }

  /** Work that needs a run's directory. */
  protected interface Attempt {
    void run() throws IOException;
  }

  /** A record that cannot be read or made today can be tomorrow; until then nothing is known. */
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
    errands().execute(place, () -> patiently(place, attempt), thrown -> again(place, attempt));
  }

  /** What came of a launch. */
  protected final void launched(Run run, LaunchResult result) throws IOException {
    switch (result) {
      case LaunchResult.Launched launched -> tellBeginning(run, launched.keeper(), true);
      case LaunchResult.Failed failed -> failed(run, failed.stage(), failed.reason());
      case LaunchResult.AlreadyClaimed claimed -> told(run, claimed.status());
    }
  }

  /** Why a run cannot be started is known before anything was tried. */
  protected final void refused(Run run, Launches.Refused refused) throws IOException {
    told(run, processes().refuse(run, refused.stage(), String.valueOf(refused.getMessage())));
  }

  /** Nobody knows how far the start came: it is over if it has not begun, and stays so. */
  protected final void startFaulted(Run run, K own, Throwable thrown) throws IOException {
    RunStatus status = processes().refuse(run, Stage.SPAWN, Errands.reason(thrown));
    boolean told = status instanceof RunStatus.Running && own.hasBegun();
    if (own.equals(known.get(run.id())) && !told) {
      told(run, status);
    }
  }

  /** Hands on what a run's directory and the process table tell. */
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

  /** The run is there; its end will come. */
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

  /** Whether a beginning is told only when it is on record which process the command is. */
  protected boolean tellsCommand() {
    return false;
  }

  /** A keeper forks, and its fork puts itself on record, within milliseconds. */
  private boolean isOnItsWay(Run run, ProcessIdentity keeper) {
    return command(run) == null && processes().isAlive(keeper);
  }

  /** The process that a run's command is; null where that is not on record. */
  protected final @Nullable ProcessIdentity command(Run run) {
    try {
      return processes().command(run);
    } catch (IOException e) {
      return null; // who watches over it is known all the same
    }
  }

  /** The run goes on with its keeper and is about to be watched. */
  protected void found(Run run, K present) throws IOException {}

  /** The run has a keeper: what was to be sent to it can be. */
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

  /** Whether something of a run may be there: it has a claim, or processes. */
  protected final boolean mayBeThere(String runId) {
    Run run = run(runId);
    try {
      return !isUnrecorded(processes().status(run)) || !processes().members(run).isEmpty();
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

  /** KILL to a run that had its time to end: where it has not begun, it does not any more. */
  protected final void kill(Run run) throws IOException {
    if (processes().status(run) instanceof RunStatus.Unclaimed) {
      forestall(run);
    }
    deliver(run, Signal.KILL);
  }

  /** A signal to the process group of a run, until it has met somebody or the run is over. */
  protected final void deliver(Run run, Signal signal) throws IOException {
    deliver(run, signal, 0);
  }

  private void deliver(Run run, Signal signal, int tries) throws IOException {
    // Looked at first: a run that is claimed in between would seem to be over otherwise. Without a
    // claim it is on its way; were that taken for its end, only KILL would meet it.
    K present = known.get(run.id());
    boolean unrecorded = present != null && isUnrecorded(processes().status(run));
    if (signal == Signal.KILL && present != null && !unrecorded && !askToEnd(run, present)) {
      later(SIGNAL_AGAIN_MILLIS, places.signal(), () -> deliver(run, signal, tries + 1));
      return;
    }
    SignalDelivery delivery = processes().signal(run, signal);
    // Now and then it is looked whether only the record is gone, and the command there.
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

  /** Asks what has begun as its time to end is over; says whether it can be killed now. */
  private boolean askToEnd(Run run, K present) throws IOException {
    Signal unheard = present.unheard();
    boolean asked = unheard == null || processes().signal(run, unheard) != SignalDelivery.NOT_YET;
    if (asked) {
      present.unheard(null);
    }
    return asked;
  }
}
