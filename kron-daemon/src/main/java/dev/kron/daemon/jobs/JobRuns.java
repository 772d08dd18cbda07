package dev.kron.daemon.jobs;

import dev.kron.daemon.jobs.JobInput.Began;
import dev.kron.daemon.jobs.JobInput.Happened;
import dev.kron.daemon.loop.Clocks;
import dev.kron.daemon.loop.Errands;
import dev.kron.daemon.loop.Errands.Place;
import dev.kron.daemon.runs.KeptRuns;
import dev.kron.daemon.runs.Launches;
import dev.kron.daemon.runs.NoteLines;
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
import dev.kron.process.Launch;
import dev.kron.process.Prepared;
import dev.kron.process.ProcessIdentity;
import dev.kron.process.Run;
import dev.kron.process.RunStatus;
import dev.kron.process.Signal;
import dev.kron.process.Stage;
import dev.kron.store.DiskException;
import dev.kron.store.RunIds;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The runs of jobs. Each has a keeper. Calls do their work on other threads, and the results go to
 * the loop as inputs.
 *
 * <p>One file, though a long one: all that can become of a run of a job stands side by side.
 */
public final class JobRuns extends KeptRuns<JobRun> implements Runs {
  private static final long DISK_AGAIN_MILLIS = 1_000;

  private static final String NO_RECORD =
      "it may have begun, and nothing tells how it ended: its record is gone or was never made";

  private final Alerts alerts;
  private final Outputs outputs;
  private final Clocks clocks;
  private final Consumer<JobInput> inbox;
  private final Supplier<String> runIds;
  private final JobStarts starts;
  private volatile Latest latest = runId -> 0;

  /** The moment after which a claimed run must not begin without being asked for again. */
  @FunctionalInterface
  public interface Latest {
    long bootNanos(String runId);
  }

  /**
   * The keepers of runs that this daemon saw begin, until their end is on record. Such a run is
   * never reported as never begun, even if its directory vanishes.
   */
  private final Map<String, ProcessIdentity> seen = new ConcurrentHashMap<>();

  public JobRuns(
      Means means,
      JobLaunches launches,
      Alerts alerts,
      Outputs outputs,
      Clocks clocks,
      Consumer<JobInput> inbox,
      Supplier<String> runIds) {
    super(means, new Places(Place.RECOVER_RUN, Place.END_RUN, Place.SIGNAL_RUN));
    this.alerts = alerts;
    this.outputs = outputs;
    this.clocks = clocks;
    this.inbox = inbox;
    this.runIds = runIds;
    this.starts = new JobStarts(means, launches);
  }

  /** Who knows how long claims hold. */
  public void latest(Latest known) {
    latest = known;
  }

  @Override
  public void launch(JobSpec spec, ActiveRun active) {
    var own = new JobRun(spec.identity(), RunNote.of(spec, active), JobEvent.PeriodDue.SEEN);
    know(active.runId(), own);
    var taken = starts.take(active.runId());
    errands()
        .execute(
            JobStarts.user(spec),
            Place.START_RUN,
            () -> start(spec, active, own, taken),
            thrown -> startFaulted(run(active.runId()), own, thrown));
  }

  private void start(
      JobSpec spec, ActiveRun active, JobRun own, PreparedRuns.@Nullable Task taken) {
    Run run = run(active.runId());
    Prepared ready = taken == null ? null : PreparedRuns.await(taken);
    if (ready == null) {
      try {
        starts.directory(run);
      } catch (DiskException e) {
        failed(run, "directory", String.valueOf(e.getMessage()));
        return;
      }
    }
    try {
      start(spec, active, run, ready);
    } catch (IOException e) {
      // The record cannot be read or made. Whether the run began is found out once that works
      // again.
      again(Place.RECOVER_RUN, () -> recover(active, own));
    }
  }

  private void start(JobSpec spec, ActiveRun active, Run run, @Nullable Prepared ready)
      throws IOException {
    try {
      Launch launch = ready == null ? fenced(spec, starts.noted(spec, active, run)) : null;
      outputs.follow(run, RunNote.of(spec, active));
      errands().giveWay();
      launched(
          run, launch == null ? Objects.requireNonNull(ready).start() : processes().launch(launch));
    } catch (Launches.Refused refused) {
      refused(run, refused);
    }
  }

  private Launch fenced(JobSpec spec, Launch launch) {
    return spec.isClaimed()
        ? launch.toBuilder()
            .latestBootMillis(latest.bootNanos(launch.run().id()) / 1_000_000L)
            .build()
        : launch;
  }

  private void recoverPatiently(ActiveRun active, JobRun own) {
    try {
      recover(active, own);
    } catch (IOException e) {
      recoverLater(active, own);
    }
  }

  private void recoverLater(ActiveRun active, JobRun own) {
    errands()
        .after(
            DISK_AGAIN_MILLIS,
            Place.RECOVER_RUN,
            () -> {
              inbox.accept(new JobInput.HeldUp(own.identity, clocks.wallMillis()));
              recoverPatiently(active, own);
            },
            thrown -> recoverLater(active, own));
  }

  @Override
  public void prepare(JobSpec spec, ActiveRun active) {
    starts.prepare(spec, active, run(active.runId()));
  }

  @Override
  public int room(int waiting) {
    return processes().roomToPrepare(waiting);
  }

  @Override
  public void discard(String runId) {
    starts.discard(run(runId));
  }

  @Override
  public void recover(String identity, @Nullable JobSpec spec, ActiveRun active, long lateSeconds) {
    if (!RunIds.isRunId(active.runId())) {
      inbox.accept(new Happened(identity, active.runId(), withoutDirectory(active)));
      return;
    }
    starts.dismiss(active.runId());
    RunNote note = spec == null ? null : RunNote.of(spec, active);
    var own = new JobRun(identity, note, lateSeconds);
    know(active.runId(), own);
    errands()
        .execute(
            Place.RECOVER_RUN,
            () -> recoverPatiently(active, own),
            thrown -> recoverLater(active, own));
  }

  /**
   * The end of a run whose state names no directory: a file that has only the members of the public
   * format holds nothing by which a run can be found.
   */
  private Exited withoutDirectory(ActiveRun active) {
    String reason =
        "it was started as process " + active.pid() + ", and a process id alone proves nothing";
    return new Exited(active.runId(), null, null, reason, clocks.wallMillis());
  }

  private void recover(ActiveRun active, JobRun own) throws IOException {
    Run run = run(active.runId());
    RunStatus status = processes().status(run);
    if (!isUnrecorded(status)) {
      told(run, status);
    } else if (!active.bootId().equals(processes().bootId())) {
      endedWithTheMachine(run);
    } else if (hasBegun(active)) {
      unrecorded(run, keeper(active));
    } else if (starts.mayHaveBegun(run)) {
      unrecorded(run);
    } else {
      RunStatus after = status instanceof RunStatus.Forestalled ? status : forestall(run);
      if (after instanceof RunStatus.Forestalled) {
        unbegun(run, own);
      } else {
        told(run, after);
      }
    }
  }

  /** Whether this daemon, or an earlier one that recorded it, saw the run begin. */
  private boolean hasBegun(ActiveRun active) {
    return active.phase() == ActiveRun.Phase.STARTED || seen.containsKey(active.runId());
  }

  private @Nullable ProcessIdentity keeper(ActiveRun active) {
    ProcessIdentity own = seen.get(active.runId());
    return own == null && active.pid() > 0
        ? new ProcessIdentity(active.pid(), active.startTicks(), active.bootId())
        : own;
  }

  /** The note is the last thing that is made before a launch; without it there was none. */
  @Override
  protected boolean mayBeLaunched(Run run) throws IOException {
    return starts.hasContent(run, NoteLines.FILE);
  }

  @Override
  protected void neverBegan(Run run, JobRun present) throws IOException {
    tell(
        run,
        new NeverBegan(
            run.id(),
            present.lateSeconds,
            successor(run, present),
            processes().bootId(),
            clocks.wallMillis()));
  }

  /**
   * A run that may have begun, and whose record is gone or was never made, goes on while its keeper
   * or a process of it is there.
   */
  private void unrecorded(Run run, @Nullable ProcessIdentity keeper) throws IOException {
    if (keeper != null && processes().isAlive(keeper)) {
      goesOnUnrecorded(run, keeper);
    } else {
      unrecorded(run);
    }
  }

  @Override
  protected void unrecorded(Run run) throws IOException {
    if (starts.hasContent(run, Launch.LATE)) {
      tooLate(run);
    } else {
      unknown(run, NO_RECORD);
    }
  }

  /** Its keeper came, looked at the clock and left. */
  private void tooLate(Run run) {
    outputs.finish(run);
    JobRun present = forget(run);
    if (present != null) {
      inbox.accept(new JobInput.TooLate(present.identity, run.id()));
    }
  }

  @Override
  protected void forestalled(Run run) throws IOException {
    unrecorded(run);
  }

  /**
   * Claims a run of an earlier boot. Its keeper cannot come any more; the claim only allows its
   * directory to be removed one day.
   */
  private void endedWithTheMachine(Run run) {
    try {
      forestall(run);
    } catch (IOException e) {
      // The disk is full; the next start finds the rest.
    }
    ended(run, null, null, "the machine was restarted before anything was known of it");
  }

  /** Reports the end of a run that has no record, and makes sure that no keeper begins it later. */
  private void over(Run run, String reason) throws IOException {
    RunStatus status = processes().status(run);
    if (status instanceof RunStatus.Unclaimed) {
      status = forestall(run);
    }
    if (status instanceof RunStatus.Forestalled || status instanceof RunStatus.Unclaimed) {
      ended(run, null, null, reason);
    } else {
      told(run, status);
    }
  }

  /** The id of the run that takes the place of one that never began; the old id leads to it. */
  private String successor(Run run, JobRun present) throws DiskException {
    String next = runIds.get();
    new Successor(next, present.identity).write(directories(), run.id());
    return next;
  }

  /**
   * The keeper is gone and has recorded no end; the run is over only when its processes are gone.
   */
  @Override
  protected void unknown(Run run, String reason) throws IOException {
    List<ProcessIdentity> members = processes().members(run);
    if (!members.isEmpty()) {
      goesOnUnrecorded(run, members.getFirst());
    } else if (reason.equals(NO_RECORD)) {
      over(run, reason);
    } else {
      ended(run, null, null, reason);
    }
  }

  /** A run without a record, or without a keeper, goes on and keeps its timeout. */
  private void goesOnUnrecorded(Run run, ProcessIdentity process) throws IOException {
    JobRun present = known(run.id());
    if (present != null && !present.hasBegun()) {
      goesOn(run, process);
    } else {
      processes().watch(run, process);
    }
  }

  private RunNote note(Run run, JobRun present) throws DiskException {
    RunNote note = RunNote.readable(directories(), run.id());
    return note.identity().isEmpty() && present.note != null ? present.note : note;
  }

  @Override
  public void signal(String identity, String runId, int number) {
    Signal signal = Signal.of(number);
    Attempt send = () -> deliver(run(runId), signal);
    untilDone(
        Place.SIGNAL_RUN,
        signal == Signal.KILL ? () -> kill(run(runId)) : send,
        () -> inbox.accept(new JobInput.Signalled(runId, clocks.bootNanos())));
  }

  @Override
  public List<String> going() {
    return known().entrySet().stream().map(JobRuns::text).sorted().toList();
  }

  @Override
  public List<String> left() {
    return known().entrySet().stream()
        .filter(run -> mayBeThere(run.getKey()))
        .map(JobRuns::text)
        .sorted()
        .toList();
  }

  private static String text(Map.Entry<String, JobRun> run) {
    return run.getValue().identity + " (run " + run.getKey() + ")";
  }

  @Override
  public void settled(String runId) {
    seen.remove(runId);
  }

  @Override
  public void drop(String runId) {
    if (!RunIds.isRunId(runId)) {
      return; // it never had a directory
    }
    errands()
        .execute(
            Place.DROP_RUN, () -> removeDirectory(runId), thrown -> {}); // the next sweep finds it
  }

  @Override
  public void alert(String identity, @Nullable JobSpec spec, HistoryEntry entry) {
    errands()
        .execute(
            Place.RAISE_ALERT,
            () -> alerts.raise(identity, spec, entry),
            thrown -> alerts.notRaised(identity, spec, Errands.reason(thrown)));
  }

  @Override
  protected void found(Run run, JobRun present) throws IOException {
    outputs.follow(run, note(run, present));
  }

  @Override
  protected void began(Run run, JobRun present, ProcessIdentity keeper, boolean launched)
      throws IOException {
    RunNote own = launched ? present.note : null;
    RunNote note = own == null ? note(run, present) : own;
    seen.put(run.id(), keeper);
    // The keeper of a run that is launched here may have been prepared a while ago.
    long ageNanos = launched ? 0 : processes().age(keeper).toNanos();
    long startedBootNanos = clocks.bootNanos() - ageNanos;
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
  }

  @Override
  protected void failed(Run run, Stage stage, String reason) {
    failed(run, stage.text(), reason);
  }

  private void failed(Run run, String stage, String reason) {
    tell(run, new LaunchFailed(run.id(), stage, reason, clocks.wallMillis()));
  }

  @Override
  protected void ended(Run run, RunStatus.Ended status) {
    ended(run, status.exitCode(), status.signal(), null);
  }

  private void ended(
      Run run, @Nullable Integer exitCode, @Nullable Integer signal, @Nullable String reason) {
    long at = RunNote.endedAtMillis(run.directory(), clocks.wallMillis());
    Long cpu = exitCode == null ? null : processes().cpuMillis(run);
    tell(run, new Exited(run.id(), exitCode, signal, reason, at, cpu));
  }

  private void tell(Run run, JobEvent event) {
    outputs.finish(run);
    JobRun present = forget(run);
    if (present != null) {
      inbox.accept(new Happened(present.identity, run.id(), event));
    }
  }
}
