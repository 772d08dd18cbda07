package dev.kron.daemon.jobs;

import dev.kron.daemon.jobs.JobInput.Began;
import dev.kron.daemon.jobs.JobInput.Happened;
import dev.kron.daemon.loop.Clocks;
import dev.kron.daemon.loop.Errands;
import dev.kron.daemon.loop.Errands.Place;
import dev.kron.daemon.runs.Launches;
import dev.kron.daemon.runs.Outputs;
import dev.kron.daemon.runs.PreparedRuns;
import dev.kron.daemon.runs.RunNote;
import dev.kron.daemon.runs.Successor;
import dev.kron.job.ActiveRun;
import dev.kron.job.HistoryEntry;
import dev.kron.job.JobEvent;
import dev.kron.job.JobEvent.Exited;
import dev.kron.job.JobEvent.LaunchFailed;
import dev.kron.job.JobEvent.Launched;
import dev.kron.job.JobEvent.NeverBegan;
import dev.kron.job.JobSpec;
import dev.kron.process.Delivery;
import dev.kron.process.Launch;
import dev.kron.process.LaunchResult;
import dev.kron.process.Prepared;
import dev.kron.process.ProcessIdentity;
import dev.kron.process.Processes;
import dev.kron.process.Run;
import dev.kron.process.RunStatus;
import dev.kron.process.Signal;
import dev.kron.process.Stage;
import dev.kron.store.DiskException;
import dev.kron.store.RunDirectories;
import dev.kron.store.RunIds;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Runs through keepers. The calls hand their work to threads of their own, and everything that
 * comes of it goes to the loop as an input.
 */
public final class KeptRuns implements Runs {
  private static final long SIGNAL_AGAIN_MILLIS = 20;
  private static final long DISK_AGAIN_MILLIS = 1_000;

  /** So often, a second in all, a keeper is given time to claim its run or to leave. */
  private static final int LOOKS_FOR_COMMAND = 50;

  private static final String NO_RECORD =
      "it may have begun, and nothing tells how it ended: its record is gone or was never made";

  private final Processes processes;
  private final RunDirectories directories;
  private final JobLaunches launches;
  private final Alerts alerts;
  private final Outputs outputs;
  private final Clocks clocks;
  private final Errands errands;
  private final Consumer<JobInput> inbox;
  private final Supplier<String> runIds;
  private final PreparedRuns prepared;
  private final Map<String, Known> known = new ConcurrentHashMap<>();

  /**
   * The keepers of runs whose launch this daemon saw, until their end is on record. None of these
   * runs is ever called never begun, whatever becomes of their directories.
   */
  private final Map<String, ProcessIdentity> seen = new ConcurrentHashMap<>();

  /**
   * A run that is going on. A short one may end before its own launch has returned: its end waits,
   * so that the loop hears of everything in order.
   */
  private static final class Known {
    final String identity;
    final @Nullable RunNote note;
    private boolean begun;
    private @Nullable RunStatus early;

    /**
     * @param note what the job's file says, for a run whose own note is lost
     */
    Known(String identity, @Nullable RunNote note) {
      this.identity = identity;
      this.note = note;
    }

    /** Whether the end may be told; otherwise it is kept. */
    synchronized boolean endsNow(RunStatus status) {
      if (!begun) {
        early = status;
      }
      return begun;
    }

    synchronized boolean hasBegun() {
      return begun;
    }

    /** The beginning was told; an end that came before it, or null. */
    synchronized @Nullable RunStatus beginningTold() {
      begun = true;
      return early;
    }
  }

  public KeptRuns(
      Processes processes,
      RunDirectories directories,
      JobLaunches launches,
      Alerts alerts,
      Outputs outputs,
      Clocks clocks,
      Errands errands,
      Consumer<JobInput> inbox,
      Supplier<String> runIds) {
    this.processes = processes;
    this.directories = directories;
    this.launches = launches;
    this.alerts = alerts;
    this.outputs = outputs;
    this.clocks = clocks;
    this.errands = errands;
    this.inbox = inbox;
    this.runIds = runIds;
    this.prepared =
        new PreparedRuns(
            processes,
            directories,
            errands,
            (user, task) -> errands.ahead(user, Place.PREPARE_RUN, task, thrown -> {}));
  }

  private Run run(String runId) {
    return new Run(runId, directories.of(runId));
  }

  @Override
  public void launch(JobSpec spec, ActiveRun active) {
    known.put(active.runId(), new Known(spec.identity(), RunNote.of(spec, active)));
    var taken = prepared.take(active.runId());
    errands.execute(
        user(spec),
        Place.START_RUN,
        () -> start(spec, active, taken),
        thrown -> startFaulted(run(active.runId()), thrown));
  }

  /** Whose files its start may have to wait for. */
  private static String user(JobSpec spec) {
    return Objects.requireNonNullElse(spec.user(), "");
  }

  /** Nobody knows how far the start came: it is over if it has not begun, and stays so. */
  private void startFaulted(Run run, Throwable thrown) {
    RunStatus status = processes.refuse(run, Stage.SPAWN, Errands.reason(thrown));
    Known present = known.get(run.id());
    if (present == null || (status instanceof RunStatus.Running && present.hasBegun())) {
      return; // that was told
    }
    told(run, status);
  }

  private void start(JobSpec spec, ActiveRun active, PreparedRuns.@Nullable Task taken) {
    Run run = run(active.runId());
    try {
      RunNote note = RunNote.of(spec, active);
      Prepared ready = taken == null ? null : PreparedRuns.await(taken);
      Launch launch = ready == null ? noted(spec, active, run) : null;
      outputs.follow(run, note);
      errands.giveWay();
      LaunchResult result =
          launch == null ? Objects.requireNonNull(ready).start() : processes.launch(launch);
      switch (result) {
        case LaunchResult.Launched launched -> began(run, launched.keeper(), note);
        case LaunchResult.Failed failed -> failed(run, failed.stage().text(), failed.reason());
        case LaunchResult.AlreadyClaimed claimed -> told(run, claimed.status());
      }
    } catch (Launches.Refused refused) {
      told(run, processes.refuse(run, refused.stage(), String.valueOf(refused.getMessage())));
    } catch (DiskException e) {
      failed(run, "directory", String.valueOf(e.getMessage()));
    } catch (UncheckedIOException e) {
      // Its record cannot be read or made: whether it began is found out once that works again.
      again(Place.RECOVER_RUN, () -> recover(active, JobEvent.PeriodDue.SEEN));
    }
  }

  private void recoverPatiently(String identity, ActiveRun active, long lateSeconds) {
    try {
      recover(active, lateSeconds);
    } catch (UncheckedIOException e) {
      recoverLater(identity, active, lateSeconds);
    }
  }

  private void recoverLater(String identity, ActiveRun active, long lateSeconds) {
    errands.after(
        DISK_AGAIN_MILLIS,
        Place.RECOVER_RUN,
        () -> {
          inbox.accept(new JobInput.HeldUp(identity, clocks.wallMillis()));
          recoverPatiently(identity, active, lateSeconds);
        },
        thrown -> recoverLater(identity, active, lateSeconds));
  }

  /** A record that cannot be read or made today can be tomorrow; until then nothing is known. */
  private void patiently(Place place, Runnable attempt) {
    try {
      attempt.run();
    } catch (UncheckedIOException e) {
      again(place, attempt);
    }
  }

  private void later(Place place, Runnable attempt) {
    errands.after(
        SIGNAL_AGAIN_MILLIS,
        place,
        () -> patiently(place, attempt),
        thrown -> again(place, attempt));
  }

  private void again(Place place, Runnable attempt) {
    errands.after(
        DISK_AGAIN_MILLIS, place, () -> patiently(place, attempt), thrown -> again(place, attempt));
  }

  /**
   * Makes a run's directory: its note stands there before it begins, whether or not it can begin.
   */
  private Launch noted(JobSpec spec, ActiveRun active, Run run)
      throws Launches.Refused, DiskException {
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

  @Override
  public void prepare(JobSpec spec, ActiveRun active) {
    Run run = run(active.runId());
    prepared.add(
        run.id(),
        user(spec),
        () -> {
          errands.giveWay();
          return processes.prepare(noted(spec, active, run));
        });
  }

  @Override
  public int room(int waiting) {
    return processes.roomToPrepare(waiting);
  }

  @Override
  public void discard(String runId) {
    prepared.discard(run(runId));
  }

  @Override
  public void recover(String identity, @Nullable JobSpec spec, ActiveRun active, long lateSeconds) {
    if (!RunIds.isRunId(active.runId())) {
      inbox.accept(new Happened(identity, active.runId(), withoutDirectory(active)));
      return;
    }
    prepared.dismiss(active.runId());
    RunNote note = spec == null ? null : RunNote.of(spec, active);
    known.put(active.runId(), new Known(identity, note));
    errands.execute(
        Place.RECOVER_RUN,
        () -> recoverPatiently(identity, active, lateSeconds),
        thrown -> recoverLater(identity, active, lateSeconds));
  }

  /** A file with the members of the state format alone has nothing by which a run can be found. */
  private Exited withoutDirectory(ActiveRun active) {
    String reason =
        "it was started as process " + active.pid() + ", and a process id alone proves nothing";
    return new Exited(active.runId(), null, null, reason, clocks.wallMillis());
  }

  private void recover(ActiveRun active, long lateSeconds) {
    Run run = run(active.runId());
    RunStatus status = processes.status(run);
    if (!(status instanceof RunStatus.Unclaimed) && !(status instanceof RunStatus.Forestalled)) {
      told(run, status);
      return;
    }
    if (!active.bootId().equals(processes.bootId())) {
      over(run, "the machine was restarted before anything was known of it");
    } else if (hasBegun(active)) {
      unrecorded(run, keeper(active));
    } else if (isDamaged(run)) {
      unrecorded(run, null);
    } else {
      RunStatus after = status instanceof RunStatus.Forestalled ? status : forestall(run);
      if (after instanceof RunStatus.Forestalled) {
        unbegun(run, lateSeconds, 0);
      } else {
        told(run, after);
      }
    }
  }

  /** Whether this daemon, or one that wrote it down, saw the run launched. */
  private boolean hasBegun(ActiveRun active) {
    return active.phase() == ActiveRun.Phase.STARTED || seen.containsKey(active.runId());
  }

  private @Nullable ProcessIdentity keeper(ActiveRun active) {
    ProcessIdentity own = seen.get(active.runId());
    return own == null && active.pid() > 0
        ? new ProcessIdentity(active.pid(), active.startTicks(), active.bootId())
        : own;
  }

  /**
   * Whether a run without a claim may have begun: its directory stood there before its intent did,
   * and nobody writes to its output but its command.
   */
  private boolean isDamaged(Run run) {
    try {
      return !directories.exists(run.id())
          || hasContent(run, "stdout")
          || hasContent(run, "stderr");
    } catch (DiskException e) {
      throw new UncheckedIOException(e); // tried again, until it is known
    }
  }

  private boolean hasContent(Run run, String file) {
    try {
      return directories.tail(run.id(), file, 1).length > 0;
    } catch (DiskException e) {
      throw new UncheckedIOException(e); // tried again, until it is known
    }
  }

  /**
   * The run was taken away from its keeper in time, if it did not lose its claim. A keeper that
   * came too late leaves at once; a command stays.
   */
  private void unbegun(Run run, long lateSeconds, int looks) {
    // A note is the last thing that is made before a launch: without it there was none.
    boolean launched = looks > 0 || hasContent(run, RunNote.FILE);
    if (!launched || processes.members(run).isEmpty()) {
      tell(
          run,
          new NeverBegan(
              run.id(), lateSeconds, successor(run), processes.bootId(), clocks.wallMillis()));
    } else if (looks < LOOKS_FOR_COMMAND) {
      later(Place.RECOVER_RUN, () -> unbegun(run, lateSeconds, looks + 1));
    } else {
      unknown(run, NO_RECORD);
    }
  }

  /**
   * A run that may have begun, and whose record is gone or was never made, goes on while its keeper
   * or a process of it is there.
   */
  private void unrecorded(Run run, @Nullable ProcessIdentity keeper) {
    if (keeper != null && processes.isAlive(keeper)) {
      goesOn(run, keeper);
    } else {
      unknown(run, NO_RECORD);
    }
  }

  /** Tells the end of a run that has no record, and makes sure that no keeper comes after it. */
  private void over(Run run, String reason) {
    RunStatus status = processes.status(run);
    if (status instanceof RunStatus.Unclaimed) {
      status = forestall(run);
    }
    if (status instanceof RunStatus.Forestalled || status instanceof RunStatus.Unclaimed) {
      ended(run, null, null, reason);
    } else {
      told(run, status);
    }
  }

  /** Takes the run away from a keeper that may still be on its way. */
  private RunStatus forestall(Run run) {
    try {
      directories.create(run.id());
    } catch (DiskException e) {
      throw new UncheckedIOException(e);
    }
    return processes.forestall(run) ? new RunStatus.Forestalled() : processes.status(run);
  }

  /** Hands on what a run's directory and the process table tell. */
  private void told(Run run, RunStatus status) {
    switch (status) {
      case RunStatus.Running running -> {
        Known present = known.get(run.id());
        RunNote note =
            present == null ? RunNote.readable(directories, run.id()) : note(run, present);
        outputs.follow(run, note);
        processes.watch(run, running.keeper());
        began(run, running.keeper(), note);
      }
      case RunStatus.Ended ended -> ended(run, ended.exitCode(), ended.signal(), null);
      case RunStatus.FailedToStart failed -> failed(run, failed.stage().text(), failed.reason());
      case RunStatus.Unknown unknown -> unknown(run, unknown.reason());
      case RunStatus.Forestalled(), RunStatus.Unclaimed() -> unknown(run, NO_RECORD);
    }
  }

  /** The id of the run that takes the place of one that never began; the old id leads to it. */
  private String successor(Run run) {
    String next = runIds.get();
    Known present = known.get(run.id());
    try {
      new Successor(next, present == null ? "" : present.identity).write(directories, run.id());
    } catch (DiskException e) {
      throw new UncheckedIOException(e);
    }
    return next;
  }

  /** The keeper is gone without a word; the run is over only when its processes are. */
  private void unknown(Run run, String reason) {
    List<ProcessIdentity> members = processes.members(run);
    if (!members.isEmpty()) {
      goesOn(run, members.getFirst());
    } else if (reason.equals(NO_RECORD)) {
      over(run, reason);
    } else {
      ended(run, null, null, reason);
    }
  }

  /** A run without a record, or without a keeper, goes on and keeps its timeout. */
  private void goesOn(Run run, ProcessIdentity process) {
    processes.watch(run, process);
    Known present = known.get(run.id());
    if (present != null && !present.hasBegun()) {
      began(run, process, note(run, present));
    }
  }

  private RunNote note(Run run, Known present) {
    RunNote note = RunNote.readable(directories, run.id());
    return note.identity().isEmpty() && present.note != null ? present.note : note;
  }

  /** A process that was watched for a run has ended. */
  public void exited(Run run, RunStatus status) {
    errands.execute(
        Place.END_RUN,
        () -> end(run, status),
        thrown -> again(Place.END_RUN, () -> end(run, status)));
  }

  private void end(Run run, RunStatus status) {
    Known present = known.get(run.id());
    if (!alerts.finished(run, status) && present != null && present.endsNow(status)) {
      patiently(Place.END_RUN, () -> told(run, status));
    }
  }

  @Override
  public void signal(String identity, String runId, int number) {
    Signal signal = Signal.of(number);
    Runnable delivery = () -> signal(run(runId), signal, 0);
    errands.execute(
        Place.SIGNAL_RUN,
        () -> patiently(Place.SIGNAL_RUN, delivery),
        thrown -> again(Place.SIGNAL_RUN, delivery));
  }

  @Override
  public List<String> going() {
    return known.entrySet().stream()
        .map(run -> run.getValue().identity + " (run " + run.getKey() + ")")
        .sorted()
        .toList();
  }

  private void signal(Run run, Signal signal, int tries) {
    // Looked at first: a run that is claimed in between would seem to be over otherwise. Without a
    // claim it is on its way; were that taken for its end, only KILL would meet it.
    RunStatus status = known.containsKey(run.id()) ? processes.status(run) : null;
    boolean unrecorded =
        status instanceof RunStatus.Unclaimed || status instanceof RunStatus.Forestalled;
    Delivery delivery = processes.signal(run, signal);
    // Now and then it is looked whether only the record is gone, and the command there.
    boolean look = tries > 0 && tries % LOOKS_FOR_COMMAND == 0;
    List<ProcessIdentity> members =
        look && unrecorded && delivery != Delivery.SENT ? processes.members(run) : List.of();
    if (!members.isEmpty()) {
      members.forEach(process -> processes.signal(process, signal));
    } else if ((unrecorded && delivery == Delivery.GONE) || delivery == Delivery.NOT_YET) {
      later(Place.SIGNAL_RUN, () -> signal(run, signal, tries + 1));
    }
  }

  @Override
  public void settled(String runId) {
    seen.remove(runId);
  }

  @Override
  public void drop(String runId) {
    if (!RunIds.isRunId(runId)) {
      return; // it never had one
    }
    errands.execute(
        Place.DROP_RUN,
        () -> {
          try {
            directories.remove(runId);
          } catch (DiskException e) {
            // Stays for the next sweep.
          }
        },
        thrown -> {}); // so does this
  }

  @Override
  public void alert(String identity, @Nullable JobSpec spec, HistoryEntry entry) {
    errands.execute(
        Place.RAISE_ALERT,
        () -> alerts.raise(identity, spec, entry),
        thrown -> alerts.notRaised(identity, Errands.reason(thrown)));
  }

  private void began(Run run, ProcessIdentity keeper, RunNote note) {
    Known present = known.get(run.id());
    if (present == null) {
      return;
    }
    seen.put(run.id(), keeper);
    long startedBootNanos = clocks.bootNanos() - processes.age(keeper).toNanos();
    long timeoutAt =
        note.timeoutMillis() < 0
            ? Began.NO_TIMEOUT
            : startedBootNanos + note.timeoutMillis() * 1_000_000L;
    inbox.accept(
        new Began(
            present.identity,
            run.id(),
            new Launched(run.id(), keeper.pid(), keeper.startTicks()),
            timeoutAt));
    RunStatus early = present.beginningTold();
    if (early != null) {
      told(run, early);
    }
  }

  private void failed(Run run, String stage, String reason) {
    tell(run, new LaunchFailed(run.id(), stage, reason, clocks.wallMillis()));
  }

  private void ended(
      Run run, @Nullable Integer exitCode, @Nullable Integer signal, @Nullable String reason) {
    long at = RunNote.endedAtMillis(run.directory(), clocks.wallMillis());
    tell(run, new Exited(run.id(), exitCode, signal, reason, at));
  }

  private void tell(Run run, JobEvent event) {
    outputs.finish(run);
    Known present = known.remove(run.id());
    if (present != null) {
      inbox.accept(new Happened(present.identity, run.id(), event));
    }
  }
}
