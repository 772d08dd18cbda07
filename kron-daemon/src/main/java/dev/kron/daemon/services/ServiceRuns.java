package dev.kron.daemon.services;

import dev.kron.daemon.log.EventLog;
import dev.kron.daemon.loop.Clocks;
import dev.kron.daemon.loop.Errands;
import dev.kron.daemon.loop.Errands.Place;
import dev.kron.daemon.runs.KeptRuns;
import dev.kron.daemon.runs.Launches;
import dev.kron.daemon.runs.PreparedRuns;
import dev.kron.process.Launch;
import dev.kron.process.Prepared;
import dev.kron.process.ProcessIdentity;
import dev.kron.process.Run;
import dev.kron.process.RunStatus;
import dev.kron.process.Signal;
import dev.kron.process.Stage;
import dev.kron.service.Hook;
import dev.kron.service.InstanceId;
import dev.kron.service.ServiceEffect;
import dev.kron.service.ServiceEvent;
import dev.kron.service.ServiceEvent.NeverBegan;
import dev.kron.service.ServiceEvent.ProcessExited;
import dev.kron.service.ServiceEvent.ProcessSpawned;
import dev.kron.service.ServiceEvent.SpawnFailed;
import dev.kron.service.ServiceSpec;
import dev.kron.service.TimeoutKind;
import dev.kron.store.DiskException;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The runs of services. Each has a keeper. Calls do their work on other threads, and the results go
 * to the loop as {@link ServiceInput.Happened}.
 *
 * <p>A run is over only when no process of it is left: those that its main process leaves behind
 * get the service's stop signal, and KILL after its stop timeout.
 *
 * <p>One file, though a long one: all of it is what {@link KeptRuns} leaves to a service's runs.
 */
final class ServiceRuns extends KeptRuns<ServiceRun> implements Survivors.Owner {
  private static final long LOOK_LATER_MILLIS = 1_000;
  private static final long DROP_MILLIS = 100;

  private static final String NO_RECORD = "its record is gone or was never made";

  private final ServiceLaunches launches;
  private final ServiceSecrets secrets;
  private final ServiceRunNotes notes;
  private final Clocks clocks;
  private final Consumer<ServiceInput> inbox;
  private final EventLog log;
  private final PreparedRuns prepared;
  private final Survivors survivors;
  private final ServiceReadiness readiness;
  private final HookOutput output;

  /** Ends of services that wait for their reload commands, by the runs of those; guards itself. */
  private final Map<String, Runnable> held = new HashMap<>();

  ServiceRuns(
      Means means,
      ServiceLaunches launches,
      ServiceSecrets secrets,
      Fingerprints fingerprints,
      Clocks clocks,
      Consumer<ServiceInput> inbox,
      EventLog log) {
    super(means, new Places(Place.RECOVER_SERVICE, Place.END_SERVICE, Place.SIGNAL_SERVICE));
    this.launches = launches;
    this.secrets = secrets;
    this.notes = new ServiceRunNotes(means, launches, fingerprints);
    this.output = new HookOutput(launches::log, clocks, means.errands().byHand());
    this.clocks = clocks;
    this.inbox = inbox;
    this.log = log;
    this.survivors = new Survivors(means, clocks, log);
    this.readiness = new ServiceReadiness(means.processes(), launches, inbox, log);
    Errands errands = means.errands();
    this.prepared =
        new PreparedRuns(
            means.processes(),
            means.directories(),
            errands,
            (user, task) -> errands.execute(user, Place.PREPARE_SERVICE, task, thrown -> {}));
  }

  /**
   * Prepares a run while its intent is being written. The run does not begin, and if this daemon
   * dies it never will.
   */
  void prepare(LaunchOrder order) {
    prepared.add(order.runId(), order.user(), () -> waiting(order));
  }

  /** Starts the keeper while the note of its run is written. */
  private Prepared waiting(LaunchOrder order)
      throws ServiceSecrets.UnusableException, Launches.Refused, IOException {
    List<String> secret = secret(order);
    Launch launch = launch(order, secret);
    directories().create(order.runId());
    listen(order);
    Prepared waiting = processes().prepare(launch);
    try {
      notes.write(order, secret);
      return waiting;
    } catch (DiskException | RuntimeException e) {
      waiting.discard();
      throw e;
    }
  }

  /** What is said in the logs of services about commands beside their own. */
  HookOutput output() {
    return output;
  }

  /** The last reload of an instance that has ended here; null: none has. */
  HookOutput.@Nullable Reloaded lastReload(InstanceId instance) {
    return output.lastReload(instance);
  }

  /** Drops a prepared run whose intent did not become durable. */
  void forgo(String runId) {
    prepared.discard(run(runId));
    processes().stopListening(run(runId));
  }

  /** Listens to a run, if it is not over and nobody does. */
  void listen(String runId) {
    untilDone(Place.RECOVER_SERVICE, () -> listenAgain(runId));
  }

  private void listenAgain(String runId) throws IOException {
    ServiceRun present = known(runId);
    if (present != null && present.hook == null) {
      readiness.listen(run(runId), present.spec, this);
    }
  }

  private void listen(LaunchOrder order) throws IOException {
    if (order.hook() == null) {
      readiness.listen(run(order.runId()), order.spec(), this);
    }
  }

  private Launch launch(LaunchOrder order, List<String> secret) throws Launches.Refused {
    Run run = run(order.runId());
    return order.hook() == null
        ? launches.of(order.spec(), order.instance(), run, secret)
        : launches.hook(order.hook(), order.spec(), order.instance(), run, secret, order.told());
  }

  /** Looks at what a run may have reported, then tells the loop that the wait is over. */
  void lookBefore(String runId, ServiceEffect.WakeAt wake) {
    var waited = new ServiceInput.Waited(wake);
    errands()
        .execute(
            Place.RECOVER_SERVICE,
            () -> {
              try {
                listenAgain(runId);
              } catch (IOException e) {
                // It cannot be heard now; its time is over all the same.
              }
              inbox.accept(waited);
            },
            thrown -> inbox.accept(waited));
  }

  /**
   * The time of a hook is over, so the loop is told, unless the hook has ended by now: who was
   * asleep, or stopped, hears of both in any order.
   */
  void unlessEnded(String runId, ServiceEffect.WakeAt wake) {
    var waited = new ServiceInput.Waited(wake);
    errands()
        .execute(
            Place.RECOVER_SERVICE,
            () -> {
              if (!hasEnded(runId)) {
                inbox.accept(waited);
              }
            },
            thrown -> inbox.accept(waited));
  }

  private boolean hasEnded(String runId) {
    try {
      return processes().status(run(runId)) instanceof RunStatus.Ended;
    } catch (IOException e) {
      return false; // its record cannot be read now
    }
  }

  /** Starts a run whose intent is durable. The result is ProcessSpawned or SpawnFailed. */
  void launch(LaunchOrder order) {
    var own = new ServiceRun(order.instance(), order.spec(), order.hook(), null);
    synchronized (held) {
      know(order.runId(), own);
      if (order.hook() == Hook.RELOAD && find(order.instance(), null) == null) {
        forgo(order.runId());
        tell(run(order.runId()), new SpawnFailed(order.runId(), "the service has ended"));
        return;
      }
    }
    PreparedRuns.Task task = prepared.take(order.runId());
    errands()
        .execute(
            order.user(),
            Place.START_SERVICE,
            () -> startPatiently(order, own, task),
            thrown -> startFaulted(run(order.runId()), own, thrown));
  }

  private void startPatiently(LaunchOrder order, ServiceRun own, PreparedRuns.@Nullable Task task) {
    try {
      start(order, own, task);
    } catch (IOException e) {
      errands()
          .after(
              LOOK_LATER_MILLIS,
              Place.START_SERVICE,
              () -> startPatiently(order, own, null),
              thrown -> startFaulted(run(order.runId()), own, thrown));
    }
  }

  private void start(LaunchOrder order, ServiceRun own, PreparedRuns.@Nullable Task task)
      throws IOException {
    if (known(order.runId()) != own) {
      return; // its fate was found out otherwise, and its claim may be gone by now
    }
    Run run = run(order.runId());
    Prepared waiting = task == null ? null : PreparedRuns.await(task);
    if (order.hook() != null) {
      output.begins(order.instance(), order.hook());
    }
    if (waiting != null) {
      launched(run, waiting.start());
      return;
    }
    Launch launch;
    try {
      launch = ready(order);
    } catch (Launches.Refused refused) {
      refused(run, refused);
      return;
    } catch (ServiceSecrets.UnusableException unusable) {
      tell(run, new SpawnFailed(run.id(), "credentials: " + unusable.getMessage()));
      return;
    } catch (DiskException e) {
      tell(run, new SpawnFailed(run.id(), String.valueOf(e.getMessage())));
      return;
    }
    launched(run, processes().launch(launch));
  }

  private Launch ready(LaunchOrder order)
      throws ServiceSecrets.UnusableException, Launches.Refused, IOException {
    List<String> secret = secret(order);
    directories().create(order.runId());
    listen(order);
    notes.write(order, secret);
    return launch(order, secret);
  }

  private List<String> secret(LaunchOrder order) throws ServiceSecrets.UnusableException {
    String profile = order.run().profile();
    return profile == null ? List.of() : secrets.read(order.spec(), profile);
  }

  /**
   * Finds out what became of a run. The result is ProcessSpawned (it goes on and is watched again),
   * ProcessExited, SpawnFailed or NeverBegan.
   *
   * @param hook null: the service's own command
   * @param keeper the keeper of a run that was seen to begin; such a run is never reported as
   *     NeverBegan
   */
  void recover(
      InstanceId instance,
      ServiceSpec spec,
      @Nullable Hook hook,
      String runId,
      @Nullable ProcessIdentity keeper) {
    var own = new ServiceRun(instance, spec, hook, keeper);
    know(runId, own);
    untilDone(Place.RECOVER_SERVICE, () -> recover(run(runId), own));
  }

  private void recover(Run run, ServiceRun own) throws IOException {
    if (known(run.id()) != own) {
      return; // asked again meanwhile
    }
    RunStatus status = processes().status(run);
    ProcessIdentity keeper = own.keeper;
    boolean unrecorded = isUnrecorded(status);
    if (unrecorded && keeper != null && processes().isAlive(keeper)) {
      goesOn(run, keeper); // only its record is gone, or not there yet
      return;
    }
    if (status instanceof RunStatus.Unclaimed) {
      status = forestall(run);
    }
    if (!(status instanceof RunStatus.Forestalled)) {
      told(run, status);
    } else if (keeper != null) {
      unrecorded(run);
    } else {
      unbegun(run, own);
    }
  }

  @Override
  protected void neverBegan(Run run, ServiceRun present) {
    tell(run, new NeverBegan(run.id()));
  }

  @Override
  protected void forestalled(Run run) throws IOException {
    ServiceRun present = known(run.id());
    if (present != null && present.hasBegun()) {
      unrecorded(run);
    } else {
      tell(run, new NeverBegan(run.id()));
    }
  }

  @Override
  protected void unrecorded(Run run) throws IOException {
    unknown(run, NO_RECORD);
  }

  @Override
  protected void ended(Run run, RunStatus.Ended status) {
    survivors.clear(run, exit(run, status), this);
  }

  private static ProcessExited exit(Run run, RunStatus.Ended ended) {
    return ended.signal() == null
        ? new ProcessExited(run.id(), ended.exitCode(), null)
        : new ProcessExited(run.id(), null, ended.signal());
  }

  @Override
  public @Nullable ServiceRun present(String runId) {
    return known(runId);
  }

  @Override
  public void over(Run run, ProcessExited exited) {
    tell(run, exited);
  }

  /**
   * Notes the user of the run's processes again, since the directory with that note may have been
   * lost.
   */
  @Override
  protected void lookedFor(Run run) throws IOException {
    ServiceRun present = known(run.id());
    if (present != null) {
      notes.user(run, present.spec);
    }
  }

  /**
   * The keeper is gone and has recorded no end; the service goes on as long as its processes do.
   */
  @Override
  protected void unknown(Run run, String reason) throws IOException {
    lookedFor(run);
    ServiceRun present = known(run.id());
    List<ProcessIdentity> members = processes().members(run);
    if (members.isEmpty() || (present != null && present.isClearing())) {
      log.warn("service", "end_unknown", "run", run.id(), "reason", reason);
      survivors.clear(run, new ProcessExited(run.id(), null, null), this);
    } else {
      goesOn(run, members.getFirst());
    }
  }

  /**
   * Sends the stop signal to the process group of a run.
   *
   * @return whether now; {@link ServiceInput.Signalled} follows when it was sent
   */
  boolean terminate(String runId) {
    ServiceRun present = known(runId);
    return present != null && end(runId, present, present.stopSignal);
  }

  /**
   * Sends KILL to all processes of a run, also those that left its process group.
   *
   * @return whether now; {@link ServiceInput.Signalled} follows when it was sent
   */
  boolean kill(String runId) {
    ServiceRun present = known(runId);
    return present != null && end(runId, present, Signal.KILL);
  }

  /** The wait for the end of a run that was told to end. */
  TimeoutKind endOf(String runId) {
    ServiceRun present = known(runId);
    return present == null ? TimeoutKind.STOP : end(present);
  }

  private static TimeoutKind end(ServiceRun present) {
    return present.hook == Hook.RELOAD ? TimeoutKind.RELOAD_STOP : TimeoutKind.STOP;
  }

  private boolean end(String runId, ServiceRun present, Signal signal) {
    boolean now = present.signalsNow(signal);
    if (now) {
      Attempt send = () -> deliver(run(runId), signal);
      untilDone(
          Place.SIGNAL_SERVICE,
          signal == Signal.KILL ? () -> killAll(run(runId)) : send,
          () ->
              inbox.accept(
                  new ServiceInput.Signalled(present.instance, end(present), clocks.bootNanos())));
    }
    return now;
  }

  /** Sends a signal to the process group of a run that somebody asked for. */
  void signal(String runId, Signal signal) {
    ServiceRun present = known(runId);
    if (present != null && present.signalsNow(signal)) {
      untilDone(Place.SIGNAL_SERVICE, () -> deliver(run(runId), signal));
    }
  }

  /** Whether a run may have a process. */
  boolean isLeft(String runId) {
    return mayBeThere(runId);
  }

  private void killAll(Run run) throws IOException {
    kill(run);
    processes().members(run).forEach(process -> processes().signal(process, Signal.KILL));
  }

  /**
   * Removes the directory of a run that is not needed any more; later, since more urgent work comes
   * first.
   */
  void drop(String runId) {
    errands()
        .after(
            DROP_MILLIS,
            Place.DROP_SERVICE_RUN,
            () -> removeDirectory(runId),
            thrown -> {}); // the next start finds it
  }

  @Override
  protected boolean tellsCommand() {
    return true;
  }

  /**
   * The main process of a run: its command, or, if the command is gone, the process that was found
   * instead of the keeper.
   */
  private ProcessIdentity main(Run run, ProcessIdentity keeper, boolean launched) {
    ProcessIdentity command = command(run);
    return command != null && (launched || processes().isAlive(command)) ? command : keeper;
  }

  @Override
  protected void began(Run run, ServiceRun present, ProcessIdentity keeper, boolean launched) {
    present.launchedHere |= launched;
    ProcessIdentity main = main(run, keeper, launched);
    long ageMillis = launched ? 0 : processes().age(keeper).toMillis();
    RunFacts noted = notes.read(run, present, clocks.wallMillis() - ageMillis);
    inbox.accept(
        new ServiceInput.Happened(
            present.instance,
            new ProcessSpawned(run.id(), main.pid(), ageMillis, !present.launchedHere),
            noted.withProcess(main, keeper)));
    if (present.toldWhenReady()) {
      readiness.tell(run, present);
    }
    if (launched) {
      errands().execute(Place.ENCLOSE_SERVICE, () -> enclose(run), thrown -> {});
    }
  }

  private void enclose(Run run) {
    try {
      processes().enclose(run);
    } catch (IOException e) {
      // Its processes are found in other ways.
    }
  }

  @Override
  protected void reachable(Run run, ServiceRun present) {
    Signal later = present.reachable();
    if (later != null) {
      end(run.id(), present, later);
    }
  }

  @Override
  protected void failed(Run run, Stage stage, String reason) {
    tell(run, new SpawnFailed(run.id(), stage.text() + ": " + reason));
  }

  private void tell(Run run, ServiceEvent event) {
    ServiceRun present;
    Runnable waiting;
    synchronized (held) {
      if (event instanceof ProcessExited && holdBack(run, event)) {
        return;
      }
      present = forget(run);
      waiting = held.remove(run.id());
    }
    processes().stopListening(run);
    if (present != null && present.hook != null) {
      output.ended(present, present.hook, run, event);
    }
    if (present != null) {
      inbox.accept(new ServiceInput.Happened(present.instance, event, null));
    }
    if (waiting != null) {
      waiting.run();
    }
  }

  /**
   * Holds the end of a service back that has a reload command left. That is ended, and only then
   * the end of the service is told: a hook never runs beside another one. Whether it does.
   */
  private boolean holdBack(Run run, ServiceEvent event) {
    ServiceRun present = known(run.id());
    String reload =
        present == null || present.hook != null ? null : find(present.instance, Hook.RELOAD);
    if (present == null || reload == null) {
      return false;
    }
    held.put(reload, () -> tell(run, event));
    terminate(reload);
    errands()
        .after(
            present.stopTimeoutMillis,
            Place.SIGNAL_SERVICE,
            () -> kill(reload),
            thrown -> kill(reload));
    return true;
  }

  /** The run of an instance's own command, or of a hook; null: there is none. */
  private @Nullable String find(InstanceId instance, @Nullable Hook hook) {
    for (Map.Entry<String, ServiceRun> each : known().entrySet()) {
      if (each.getValue().instance.equals(instance) && each.getValue().hook == hook) {
        return each.getKey();
      }
    }
    return null;
  }
}
