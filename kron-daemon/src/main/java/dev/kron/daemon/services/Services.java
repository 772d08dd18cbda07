package dev.kron.daemon.services;

import dev.kron.daemon.log.EventLog;
import dev.kron.daemon.log.Faults;
import dev.kron.daemon.log.Reports;
import dev.kron.daemon.log.StoreFaults;
import dev.kron.daemon.loop.Answer;
import dev.kron.daemon.loop.Clocks;
import dev.kron.daemon.loop.Errands;
import dev.kron.daemon.loop.Errands.Place;
import dev.kron.daemon.loop.LoopTime;
import dev.kron.daemon.loop.ServiceRequest;
import dev.kron.daemon.loop.Writability;
import dev.kron.daemon.runs.AlertCommands;
import dev.kron.daemon.runs.ExactCommand;
import dev.kron.daemon.runs.Executions;
import dev.kron.daemon.runs.KeptRuns;
import dev.kron.daemon.runs.Launches;
import dev.kron.process.ProcessIdentity;
import dev.kron.process.Processes;
import dev.kron.process.Run;
import dev.kron.process.RunStatus;
import dev.kron.service.InstanceId;
import dev.kron.service.Moment;
import dev.kron.service.ServiceInstance;
import dev.kron.service.ServiceSpec;
import dev.kron.store.DiskException;
import dev.kron.store.FingerprintKey;
import dev.kron.store.Quarantined;
import dev.kron.store.RunDirectories;
import dev.kron.store.ServicePast;
import dev.kron.store.StateDirectory;
import dev.kron.store.StateManager;
import dev.kron.store.StateRefusedException;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The room of services: the supervisor and its parts, connected. */
public final class Services implements AutoCloseable {
  private final Processes processes;
  private final StateDirectory directory;
  private final Clocks clocks;
  private final Errands errands;
  private final EventLog log;
  private final ServiceSecrets secrets;
  private final Fingerprints fingerprints = new Fingerprints();
  private final ServiceMemory memory;
  private final ServiceRuns runs;
  private final ServiceStates states;
  private final ServiceDesk desk;
  private final Checks checks;
  private final ServiceLaunches serviceLaunches;
  private final Supervisor supervisor;
  private final ServiceLogs logs;
  private final Faults faults;
  private final Set<String> outdated = ConcurrentHashMap.newKeySet();

  /**
   * @param inbox receives what happened to processes of services
   */
  public Services(
      StateDirectory directory,
      KeptRuns.Means means,
      Launching launching,
      LoopTime time,
      Writability writability,
      Reports reports,
      Consumer<ServiceInput> inbox) {
    Supplier<String> runIds = launching.runIds();
    this.processes = means.processes();
    this.directory = directory;
    this.clocks = time.clocks();
    this.errands = means.errands();
    this.log = reports.log();
    this.secrets = launching.secrets();
    this.faults = reports.meters().faults;
    var serviceLog = new ServiceLog(reports);
    this.serviceLaunches =
        new ServiceLaunches(
            launching.launches(), launching.executions(), directory.logs(), fingerprints::socket);
    this.runs = new ServiceRuns(means, serviceLaunches, secrets, fingerprints, clocks, inbox, log);
    this.checks = new Checks(means, serviceLaunches, secrets, runIds);
    StateManager manager = directory.supervisor(Instant.ofEpochMilli(clocks.wallMillis()));
    this.memory = new ServiceMemory(manager, errands.random(), processes.bootId());
    this.states = new ServiceStates(memory, clocks);
    var queue = new ServiceQueue();
    var prober = new Prober(checks, errands, inbox, serviceLog);
    var alerts =
        new ServiceAlerts(means, launching.alerts(), serviceLaunches, runs.output(), inbox);
    var effects = new ServiceEffects(time, runs, prober, alerts, memory, serviceLog, queue);
    this.desk = new ServiceDesk(states, queue, runs, runIds, serviceLog);
    this.supervisor =
        new Supervisor(
            states,
            queue,
            new ServiceTurns(states, queue, runIds, alerts::isWanted),
            effects,
            new ServiceSaver(errands, inbox),
            writability,
            serviceLog);
    this.logs =
        new ServiceLogs(
            () -> view().supervised(),
            serviceLaunches::log,
            runId -> HookOutput.capture(new Run(runId, directory.serviceRuns().of(runId))),
            errands,
            clocks,
            log);
  }

  /**
   * The parts that make the command of a service's process.
   *
   * @param alerts what is told of failures
   * @param runIds a new one each time
   */
  public record Launching(
      Launches launches,
      Executions executions,
      ServiceSecrets secrets,
      AlertCommands alerts,
      Supplier<String> runIds) {}

  /** The durable states of services; may be called on any thread. */
  public ServiceStates.View view() {
    return states.view();
  }

  /** Takes an operator's request; on the loop's thread. */
  public void asked(ServiceRequest request, CompletableFuture<Answer> reply) {
    desk.asked(request, reply);
  }

  /** Services that are wanted up and are not, and for how long; for the loop's thread. */
  public Map<String, Long> downMillis() {
    return states.downMillis();
  }

  /** The log file of an instance. */
  public Path log(InstanceId instance) {
    return serviceLaunches.log(instance);
  }

  /** The command that a start of the instance would execute now, without its credentials. */
  public ExactCommand execution(ServiceSpec spec, InstanceId instance) {
    return serviceLaunches.execution(spec, instance, secretsProblem(spec));
  }

  public Supervisor supervisor() {
    return supervisor;
  }

  /** Begins with the services that earlier daemons left. */
  public void begin(Collection<ServiceSpec> specs) throws StateRefusedException, IOException {
    Quarantined lost = memory.manager().loadOrCreate();
    directory.prepareServices();
    var lostRuns = new LostServiceRuns(processes, directory.serviceRuns(), serviceLaunches, clocks);
    Map<String, ProcessIdentity> keepers =
        lost != null || memory.isEmpty() ? lostRuns.note(specs) : Map.of();
    if (lost == null && !keepers.isEmpty()) {
      lost = memory.manager().isMissing(); // with all that would have shown that it is
    }
    if (lost != null) {
      tell(lost);
      int found = memory.rebuild(specs, directory.serviceRuns(), keepers);
      log.warn("service", "rebuilt_from_runs", "runs", found);
    } else {
      beginFile();
    }
    FingerprintKey key = directory.fingerprintKey(errands.random());
    fingerprints.use(key);
    String bootId = processes.bootId();
    var now = new Moment(clocks.wallMillis(), clocks.bootNanos() / 1_000_000L);
    var found = new ServiceRecovery(memory.manager().state(), bootId, now).find(specs);
    Set<String> kept = new HashSet<>();
    found.facts().values().forEach(run -> kept.add(run.runId()));
    found.reloads().forEach(kept::add);
    found.alerts().values().forEach(all -> all.forEach(alert -> kept.add(alert.runId())));
    List<String> present = directory.serviceRuns().list();
    errands.execute(
        Place.CLEAR_SERVICE_RUNS,
        () -> clearAway(present, kept),
        thrown -> {}); // the next start finds them
    supervisor.begin(found);
    if (!key.isNew()) {
      errands.execute(Place.RECOVER_SERVICE, () -> tellWhatIsOutdated(found), thrown -> {});
    }
    if (!errands.byHand()) {
      logs.keep();
    }
  }

  private void tell(Quarantined lost) {
    if (lost.movedTo().isEmpty()) {
      log.error("store", "file_missing", "file", lost.file());
      faults.raise(
          "supervisor state",
          clocks.wallMillis(),
          lost.file() + " is missing: what runs was found again, states and counts were not");
    } else {
      StoreFaults.quarantined(log, faults, clocks.wallMillis(), lost);
    }
  }

  /**
   * Writes the supervisor's file before the first run exists that proves that it should be there;
   * on a full disk it is written later.
   */
  private void beginFile() {
    try {
      memory.manager().saveIfDirty();
    } catch (DiskException e) {
      log.warn("service", "persistence_failed", "reason", e.getMessage());
    }
  }

  /** Logs which adopted processes would differ if they were started now. */
  private void tellWhatIsOutdated(ServiceRecovery.Found found) {
    found
        .toRecover()
        .forEach(
            (id, runId) -> {
              ServiceSpec spec = found.supervised().graph().services().get(id.service());
              RunFacts facts = found.facts().get(id);
              try {
                if (spec != null
                    && facts != null
                    && !found.supervised().isLeaving(id.service())
                    && !runsHook(found.supervised().instance(id))
                    && !facts.fingerprint().isEmpty()
                    && !facts.fingerprint().equals(fingerprint(spec))
                    && processes.status(new Run(runId, directory.serviceRuns().of(runId)))
                        instanceof RunStatus.Running) {
                  outdated.add(runId);
                  log.warn(
                      "service",
                      "outdated",
                      "instance",
                      id,
                      "run",
                      runId,
                      "reason",
                      "it runs what its file said before; kron restart " + id.service());
                }
              } catch (ServiceSecrets.UnusableException | IOException e) {
                // Whether it differs is not known; a reload says why.
              }
            });
  }

  private static boolean runsHook(@Nullable ServiceInstance instance) {
    return instance != null && instance.hook() != null;
  }

  /** Runs of adopted processes that were started from earlier files. */
  public Set<String> outdated() {
    return Set.copyOf(outdated);
  }

  /** Removes directories of runs that are not needed: of checks, and of services that are gone. */
  private void clearAway(List<String> present, Set<String> kept) {
    RunDirectories directories = directory.serviceRuns();
    for (String runId : present) {
      Run run = new Run(runId, directories.of(runId));
      try {
        if (!kept.contains(runId) && checks.isCheck(runId)) {
          checks.end(run);
        } else if (!kept.contains(runId) && endUnclaimed(run)) {
          directories.remove(runId);
        }
      } catch (IOException e) {
        log.warn("store", "sweep_failed", "reason", e.getMessage());
        return;
      }
    }
  }

  /** Keeps a run from beginning if it has not begun; returns whether it is over. */
  private boolean endUnclaimed(Run run) throws IOException {
    return switch (processes.status(run)) {
      case RunStatus.Running _ -> false;
      case RunStatus.Unclaimed _ -> processes.forestall(run);
      case RunStatus.Ended _,
          RunStatus.Unknown _,
          RunStatus.FailedToStart _,
          RunStatus.Forestalled _ ->
          processes.members(run).isEmpty();
    };
  }

  /**
   * The fingerprint of the processes that a service would have if it were started now; on any
   * thread.
   */
  public String fingerprint(ServiceSpec spec) throws ServiceSecrets.UnusableException {
    @Nullable String profile = profile(spec);
    return fingerprints.of(spec, profile, secret(spec, profile));
  }

  private @Nullable String profile(ServiceSpec spec) {
    @Nullable String bound = view().facts().bindings().get(spec.name());
    return bound == null ? spec.credentialProfile() : bound;
  }

  private List<String> secret(ServiceSpec spec, @Nullable String profile)
      throws ServiceSecrets.UnusableException {
    return profile == null ? List.of() : secrets.read(spec, profile);
  }

  /** The last reload of an instance that has ended while this daemon was there, if any. */
  public HookOutput.@Nullable Reloaded lastReload(InstanceId instance) {
    return runs.lastReload(instance);
  }

  public int restartsLastDay(ServicePast past) {
    return past.restartsLastDay(clocks.wallMillis());
  }

  /** Why a service could not be given this profile; null if it could; on any thread. */
  public @Nullable String credentialsProblem(ServiceSpec spec, String profile) {
    try {
      secrets.read(spec, profile);
      return null;
    } catch (ServiceSecrets.UnusableException e) {
      return e.getMessage();
    }
  }

  /** Why the credentials of a service cannot be read now; null if they can; on any thread. */
  private @Nullable String secretsProblem(ServiceSpec spec) {
    try {
      secret(spec, profile(spec));
      return null;
    } catch (ServiceSecrets.UnusableException e) {
      return e.getMessage();
    }
  }

  @Override
  public void close() {
    checks.close();
  }
}
