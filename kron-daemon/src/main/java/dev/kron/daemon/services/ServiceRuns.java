package dev.kron.daemon.services;

import dev.kron.daemon.log.EventLog;
import dev.kron.daemon.loop.Clocks;
import dev.kron.daemon.loop.Errands;
import dev.kron.daemon.loop.Errands.Place;
import dev.kron.daemon.runs.Launches;
import dev.kron.daemon.runs.PreparedRuns;
import dev.kron.process.Credentials;
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
import dev.kron.service.InstanceId;
import dev.kron.service.ServiceEvent;
import dev.kron.service.ServiceEvent.NeverBegan;
import dev.kron.service.ServiceEvent.ProcessExited;
import dev.kron.service.ServiceEvent.ProcessSpawned;
import dev.kron.service.ServiceEvent.SpawnFailed;
import dev.kron.service.ServiceSpec;
import dev.kron.store.DiskException;
import dev.kron.store.RunDirectories;
import java.io.UncheckedIOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The processes of services, through keepers. The calls hand their work to other threads, and what
 * comes of it goes to the loop as {@link ServiceInput.Happened}.
 *
 * <p>A run is over only when nothing of it is left: what its main process leaves behind is asked to
 * end like the service itself, and killed when that takes longer than the service's stop timeout.
 */
final class ServiceRuns {
  private static final long SIGNAL_AGAIN_MILLIS = 20;
  private static final long LOOK_AGAIN_MILLIS = 25;
  private static final long LOOK_LATER_MILLIS = 1_000;
  private static final long DROP_MILLIS = 100;

  /** So often, a second in all, a keeper is given time to claim its run or to leave. */
  private static final int LOOKS_FOR_COMMAND = 50;

  private static final String NO_RECORD = "its record is gone or was never made";

  private final Processes processes;
  private final RunDirectories directories;
  private final ServiceLaunches launches;
  private final Secrets secrets;
  private final Fingerprints fingerprints;
  private final Clocks clocks;
  private final Errands errands;
  private final Consumer<ServiceInput> inbox;
  private final EventLog log;
  private final PreparedRuns prepared;
  private final Map<String, Known> known = new ConcurrentHashMap<>();
  private final Map<Run, ProcessExited> toClear = new HashMap<>(); // guards itself and clearing
  private boolean clearing;

  /** How an instance is to be launched. */
  record Order(
      InstanceId instance,
      ServiceSpec spec,
      String runId,
      int restarts,
      long startedAt,
      @Nullable String profile) {}

  /**
   * A run that is not over. A short one may end before its own launch has returned: its end waits,
   * so that the loop hears of everything in order; a signal waits likewise.
   */
  private static final class Known {
    final InstanceId instance;
    final ServiceSpec spec;
    final Signal stopSignal;
    final long stopTimeoutMillis;
    final @Nullable ProcessIdentity keeper;
    volatile boolean launchedHere;
    private boolean begun;
    private @Nullable RunStatus early;
    private @Nullable Signal signalLater;
    private boolean killed;
    private long killAtMillis = Long.MAX_VALUE;

    /**
     * @param keeper of a run that was seen to be launched; null: it was not
     */
    Known(InstanceId instance, ServiceSpec spec, @Nullable ProcessIdentity keeper) {
      this.instance = instance;
      this.spec = spec;
      this.keeper = keeper;
      this.stopSignal = Signal.of(spec.lifecycle().stopSignal()).orElse(Signal.TERM);
      this.stopTimeoutMillis = spec.lifecycle().stopTimeoutMillis();
    }

    /** Whether the end may be told; otherwise it is kept. */
    synchronized boolean endsNow(RunStatus status) {
      if (!begun) {
        early = status;
      }
      return begun;
    }

    /** The beginning was told; an end that came before it, once, or null. */
    synchronized @Nullable RunStatus beginningTold() {
      begun = true;
      RunStatus told = early;
      early = null;
      return told;
    }

    /** Whether the signal may be sent; otherwise it is kept. */
    synchronized boolean signalsNow(Signal signal) {
      if (signal == Signal.KILL) {
        killed = true;
      }
      if (!begun) {
        signalLater = signal;
      }
      return begun;
    }

    synchronized @Nullable Signal signalLater() {
      return signalLater;
    }

    synchronized boolean hasBegun() {
      return begun;
    }

    synchronized boolean isKilled() {
      return killed;
    }

    /** Until when what the main process left behind may take to go; set once. */
    synchronized long killAt(long nowMillis) {
      if (killAtMillis == Long.MAX_VALUE) {
        killAtMillis = nowMillis + stopTimeoutMillis;
      }
      return killAtMillis;
    }

    synchronized boolean isClearing() {
      return killAtMillis != Long.MAX_VALUE;
    }
  }

  ServiceRuns(
      Processes processes,
      RunDirectories directories,
      ServiceLaunches launches,
      Secrets secrets,
      Fingerprints fingerprints,
      Clocks clocks,
      Errands errands,
      Consumer<ServiceInput> inbox,
      EventLog log) {
    this.processes = processes;
    this.directories = directories;
    this.launches = launches;
    this.secrets = secrets;
    this.fingerprints = fingerprints;
    this.clocks = clocks;
    this.errands = errands;
    this.inbox = inbox;
    this.log = log;
    this.prepared =
        new PreparedRuns(
            processes,
            directories,
            errands,
            (user, task) -> errands.execute(user, Place.PREPARE_SERVICE, task, thrown -> {}));
  }

  private Run run(String runId) {
    return new Run(runId, directories.of(runId));
  }

  /**
   * Gets a run ready while its intent is on its way to the disk: nothing of it begins, and if this
   * daemon dies it never will.
   */
  void prepare(Order order) {
    prepared.add(order.runId(), user(order), () -> waiting(order));
  }

  /** The keeper gets up while what is noted of its run is written. */
  private Prepared waiting(Order order)
      throws Secrets.UnusableException, Launches.Refused, DiskException {
    List<String> secret = secret(order);
    Launch launch = launches.of(order.spec(), order.instance(), run(order.runId()), secret);
    directories.create(order.runId());
    Prepared waiting = processes.prepare(launch);
    try {
      note(order, secret);
      return waiting;
    } catch (DiskException | RuntimeException e) {
      waiting.discard();
      throw e;
    }
  }

  /** The intent did not become durable. */
  void forgo(String runId) {
    prepared.discard(run(runId));
  }

  /** Starts a run whose intent is durable. Comes back as ProcessSpawned or SpawnFailed. */
  void launch(Order order) {
    var own = new Known(order.instance(), order.spec(), null);
    known.put(order.runId(), own);
    PreparedRuns.Task task = prepared.take(order.runId());
    Consumer<Throwable> otherwise = thrown -> startFaulted(order, own, thrown);
    errands.execute(
        user(order),
        Place.START_SERVICE,
        () -> {
          try {
            start(order, own, task);
          } catch (UncheckedIOException e) {
            startAgain(order, own, otherwise);
          }
        },
        otherwise);
  }

  private void startAgain(Order order, Known own, Consumer<Throwable> otherwise) {
    errands.after(
        LOOK_LATER_MILLIS,
        Place.START_SERVICE,
        () -> {
          try {
            start(order, own, null);
          } catch (UncheckedIOException e) {
            startAgain(order, own, otherwise);
          }
        },
        otherwise);
  }

  /** Whose files its start may have to wait for. */
  private static String user(Order order) {
    return Objects.requireNonNullElse(order.spec().user(), "");
  }

  /** Nobody knows how far the start came: it is over if it has not begun, and stays so. */
  private void startFaulted(Order order, Known own, Throwable thrown) {
    Run run = run(order.runId());
    RunStatus status = processes.refuse(run, Stage.SPAWN, Errands.reason(thrown));
    boolean told = status instanceof RunStatus.Running && own.hasBegun();
    if (known.get(order.runId()) == own && !told) {
      told(run, status);
    }
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
        LOOK_LATER_MILLIS, place, () -> patiently(place, attempt), thrown -> again(place, attempt));
  }

  /** Does it soon, and once more every second where that cannot be. */
  private void untilDone(Place place, Runnable attempt) {
    errands.execute(place, () -> patiently(place, attempt), thrown -> again(place, attempt));
  }

  private void start(Order order, Known own, PreparedRuns.@Nullable Task task) {
    if (known.get(order.runId()) != own) {
      return; // what became of it was found out otherwise, and its claim may be gone by now
    }
    Run run = run(order.runId());
    try {
      Prepared waiting = task == null ? null : PreparedRuns.await(task);
      switch (waiting == null ? processes.launch(ready(order)) : waiting.start()) {
        case LaunchResult.Launched launched -> {
          launchedHere(run);
          began(run, launched.keeper());
          errands.execute(
              Place.ENCLOSE_SERVICE,
              () -> processes.enclose(run),
              thrown -> {}); // its processes are found in the other ways
        }
        case LaunchResult.Failed failed -> failed(run, failed.stage(), failed.reason());
        case LaunchResult.AlreadyClaimed claimed -> told(run, claimed.status());
      }
    } catch (Launches.Refused refused) {
      told(run, processes.refuse(run, refused.stage(), String.valueOf(refused.getMessage())));
    } catch (Secrets.UnusableException unusable) {
      tell(run, new SpawnFailed(run.id(), "credentials: " + unusable.getMessage()));
    } catch (DiskException e) {
      tell(run, new SpawnFailed(run.id(), String.valueOf(e.getMessage())));
    }
  }

  private Launch ready(Order order)
      throws Secrets.UnusableException, Launches.Refused, DiskException {
    List<String> secret = secret(order);
    directories.create(order.runId());
    note(order, secret);
    return launches.of(order.spec(), order.instance(), run(order.runId()), secret);
  }

  private List<String> secret(Order order) throws Secrets.UnusableException {
    return order.profile() == null ? List.of() : secrets.read(order.spec(), order.profile());
  }

  private void launchedHere(Run run) {
    Known present = known.get(run.id());
    if (present != null) {
      present.launchedHere = true;
    }
  }

  private void note(Order order, List<String> secret) throws DiskException {
    new ServiceNote(
            order.instance(),
            order.restarts(),
            order.startedAt(),
            fingerprints.of(order.spec(), order.profile(), secret),
            order.profile(),
            processes.bootId())
        .write(directories, order.runId());
  }

  /**
   * Finds out what became of a run. Comes back as ProcessSpawned (it goes on and is watched again),
   * ProcessExited, SpawnFailed or NeverBegan.
   *
   * @param keeper where the run was seen to be launched: then it is never called never begun
   */
  void recover(
      InstanceId instance, ServiceSpec spec, String runId, @Nullable ProcessIdentity keeper) {
    var own = new Known(instance, spec, keeper);
    known.put(runId, own);
    untilDone(Place.RECOVER_SERVICE, () -> recover(run(runId), own));
  }

  private void recover(Run run, Known own) {
    if (known.get(run.id()) != own) {
      return; // asked once more since
    }
    RunStatus status = processes.status(run);
    ProcessIdentity keeper = own.keeper;
    boolean unrecorded = isUnrecorded(status);
    if (unrecorded && keeper != null && processes.isAlive(keeper)) {
      processes.watch(run, keeper); // only its record is gone, or not there yet
      began(run, keeper);
      return;
    }
    if (status instanceof RunStatus.Unclaimed) {
      status = forestall(run);
    }
    if (!(status instanceof RunStatus.Forestalled)) {
      told(run, status);
    } else if (keeper != null) {
      unknown(run, NO_RECORD);
    } else {
      unbegun(run, own, 0);
    }
  }

  private static boolean isUnrecorded(RunStatus status) {
    return status instanceof RunStatus.Unclaimed || status instanceof RunStatus.Forestalled;
  }

  /**
   * The run was taken away from its keeper in time, if it did not lose its claim. A keeper that
   * came too late leaves at once; a service stays.
   */
  private void unbegun(Run run, Known own, int looks) {
    if (known.get(run.id()) != own) {
      return; // asked once more since
    }
    if (processes.members(run).isEmpty()) {
      tell(run, new NeverBegan(run.id()));
    } else if (looks < LOOKS_FOR_COMMAND) {
      later(Place.RECOVER_SERVICE, () -> unbegun(run, own, looks + 1));
    } else {
      unknown(run, NO_RECORD);
    }
  }

  /** Takes the run away from a keeper that may still be on its way. */
  private RunStatus forestall(Run run) {
    try {
      directories.create(run.id());
    } catch (DiskException e) {
      throw new UncheckedIOException(e); // its keeper may still come
    }
    noteUser(run);
    return processes.forestall(run) ? new RunStatus.Forestalled() : processes.status(run);
  }

  /** Whether this run is one of ours; if so, its end is taken in hand. */
  boolean exited(Run run, RunStatus status) {
    Known present = known.get(run.id());
    if (present == null || !run.directory().equals(directories.of(run.id()))) {
      return false;
    }
    untilDone(
        Place.END_SERVICE,
        () -> {
          if (present.endsNow(status)) {
            told(run, status);
          }
        });
    return true;
  }

  private void told(Run run, RunStatus status) {
    switch (status) {
      case RunStatus.Running running -> {
        processes.watch(run, running.keeper());
        began(run, running.keeper());
      }
      case RunStatus.Ended ended -> clear(run, exit(run, ended));
      case RunStatus.FailedToStart failed -> failed(run, failed.stage(), failed.reason());
      case RunStatus.Unknown unknown -> unknown(run, unknown.reason());
      case RunStatus.Forestalled() -> {
        Known present = known.get(run.id());
        if (present != null && present.hasBegun()) {
          unknown(run, NO_RECORD);
        } else {
          tell(run, new NeverBegan(run.id()));
        }
      }
      case RunStatus.Unclaimed() -> unknown(run, NO_RECORD);
    }
  }

  private static ProcessExited exit(Run run, RunStatus.Ended ended) {
    return ended.signal() == null
        ? new ProcessExited(run.id(), ended.exitCode(), null)
        : new ProcessExited(run.id(), null, ended.signal());
  }

  /** Who its processes run as was noted in the run's directory, which may be lost. */
  private void noteUser(Run run) {
    Known present = known.get(run.id());
    if (present == null) {
      return;
    }
    try {
      Credentials credentials = launches.credentials(present.spec);
      if (credentials != null) {
        directories.create(run.id());
        processes.noteUser(run, credentials);
      }
    } catch (Launches.Refused e) {
      // There is no such user, so nothing runs as them.
    } catch (DiskException e) {
      throw new UncheckedIOException(e); // nothing may be started beside what may be there
    }
  }

  /** The keeper is gone without a word; the service goes on for as long as its processes do. */
  private void unknown(Run run, String reason) {
    noteUser(run);
    Known present = known.get(run.id());
    List<ProcessIdentity> members = processes.members(run);
    if (members.isEmpty() || (present != null && present.isClearing())) {
      log.warn("service", "end_unknown", "run", run.id(), "reason", reason);
      clear(run, new ProcessExited(run.id(), null, null));
    } else {
      processes.watch(run, members.getFirst());
      began(run, members.getFirst());
    }
  }

  /**
   * Ends what is left of a run whose main process has ended, then tells of the end. Mostly that is
   * nothing, and of a run that was launched here that is told at once. Otherwise all processes are
   * looked at, together for those that end at the same time: a look costs the same for one run and
   * for five hundred.
   */
  private void clear(Run run, ProcessExited exited) {
    Known present = known.get(run.id());
    if (present != null && present.launchedHere && processes.leftNothing(run)) {
      tell(run, exited);
      return;
    }
    synchronized (toClear) {
      toClear.put(run, exited);
      if (clearing) {
        return;
      }
      clearing = true;
    }
    clearAll();
  }

  private void clearAll() {
    while (true) {
      Map<Run, ProcessExited> ended;
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
      } catch (RuntimeException e) {
        log.warn("service", "survivors_unknown", "reason", e.getMessage());
        ended.forEach((run, exited) -> clearAfter(LOOK_LATER_MILLIS, run, exited));
      }
    }
  }

  private void clear(Run run, @Nullable ProcessExited exited, List<ProcessIdentity> left) {
    Known present = known.get(run.id());
    if (present == null || exited == null) {
      return;
    }
    if (left.isEmpty()) {
      tell(run, exited);
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
    clearAfter(LOOK_AGAIN_MILLIS, run, exited);
  }

  private void clearAfter(long millis, Run run, ProcessExited exited) {
    errands.after(
        millis,
        Place.END_SERVICE,
        () -> clear(run, exited),
        thrown -> clearAfter(LOOK_LATER_MILLIS, run, exited));
  }

  /** The stop signal, to the process group of a run. */
  void terminate(String runId) {
    Known present = known.get(runId);
    if (present != null) {
      signal(runId, present.stopSignal);
    }
  }

  /** A signal to the process group of a run. */
  void signal(String runId, Signal signal) {
    Known present = known.get(runId);
    if (present != null && present.signalsNow(signal)) {
      untilDone(Place.SIGNAL_SERVICE, () -> deliver(run(runId), signal, 0));
    }
  }

  private void deliver(Run run, Signal signal, int tries) {
    // Looked at first, as for a job: without a claim it is on its way, and not over.
    boolean unrecorded = known.containsKey(run.id()) && isUnrecorded(processes.status(run));
    Delivery delivery = processes.signal(run, signal);
    // Now and then it is looked whether only the record is gone, and the command there.
    boolean look = tries > 0 && tries % LOOKS_FOR_COMMAND == 0;
    List<ProcessIdentity> members =
        look && unrecorded && delivery != Delivery.SENT ? processes.members(run) : List.of();
    if (!members.isEmpty()) {
      members.forEach(process -> processes.signal(process, signal));
    } else if ((unrecorded && delivery == Delivery.GONE) || delivery == Delivery.NOT_YET) {
      later(Place.SIGNAL_SERVICE, () -> deliver(run, signal, tries + 1));
    }
  }

  /** KILL for everything that belongs to a run, wherever it went. */
  void kill(String runId) {
    Known present = known.get(runId);
    if (present != null && present.signalsNow(Signal.KILL)) {
      untilDone(Place.SIGNAL_SERVICE, () -> killAll(run(runId)));
    }
  }

  private void killAll(Run run) {
    deliver(run, Signal.KILL, 0);
    processes.members(run).forEach(process -> processes.signal(process, Signal.KILL));
  }

  /** Nothing needs this run any more: its directory may go, after what somebody waits for. */
  void drop(String runId) {
    errands.after(
        DROP_MILLIS,
        Place.DROP_SERVICE_RUN,
        () -> {
          try {
            directories.remove(runId);
          } catch (DiskException e) {
            // Stays until the next start finds it.
          }
        },
        thrown -> {}); // so does this
  }

  private void began(Run run, ProcessIdentity keeper) {
    Known present = known.get(run.id());
    if (present == null) {
      return;
    }
    long ageMillis = processes.age(keeper).toMillis();
    ServiceNote note = note(run, present.instance, clocks.wallMillis() - ageMillis);
    var facts =
        new RunFacts(
            run.id(),
            keeper.pid(),
            keeper.startTicks(),
            note.startedAt(),
            note.fingerprint(),
            note.profile());
    inbox.accept(
        new ServiceInput.Happened(
            present.instance, new ProcessSpawned(run.id(), keeper.pid(), ageMillis), facts));
    RunStatus early = present.beginningTold();
    Signal later = present.signalLater();
    if (later == Signal.KILL) {
      kill(run.id());
    } else if (later != null) {
      signal(run.id(), later);
    }
    if (early != null) {
      told(run, early);
    }
  }

  /**
   * What is noted of a run. One that was lost is written again as far as it is known: the
   * supervisor's own file may be the next to be lost.
   */
  private ServiceNote note(Run run, InstanceId instance, long startedAt) {
    var without = new ServiceNote(instance, 0, startedAt, "", null, processes.bootId());
    try {
      ServiceNote note = ServiceNote.find(directories, run.id());
      if (note != null) {
        return note;
      }
      directories.create(run.id());
      noteUser(run);
      without.write(directories, run.id());
    } catch (DiskException | UncheckedIOException e) {
      // The next daemon tries again.
    }
    return without;
  }

  private void failed(Run run, Stage stage, String reason) {
    tell(run, new SpawnFailed(run.id(), stage.text() + ": " + reason));
  }

  private void tell(Run run, ServiceEvent event) {
    Known present = known.remove(run.id());
    if (present != null) {
      inbox.accept(new ServiceInput.Happened(present.instance, event, null));
    }
  }
}
