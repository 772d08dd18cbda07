package dev.kron.daemon;

import dev.kron.config.ConfigFiles.Configuration;
import dev.kron.config.NotifyFile;
import dev.kron.daemon.api.ControlServer.DaemonInfo;
import dev.kron.daemon.jobs.AlertRecovery;
import dev.kron.daemon.jobs.BegunPeriods;
import dev.kron.daemon.jobs.Forgetting;
import dev.kron.daemon.jobs.Job;
import dev.kron.daemon.jobs.JobDesk;
import dev.kron.daemon.jobs.StartupJobs;
import dev.kron.daemon.jobs.Sweeper;
import dev.kron.daemon.log.Reports;
import dev.kron.daemon.log.StoreFaults;
import dev.kron.daemon.loop.Background;
import dev.kron.daemon.loop.Workers;
import dev.kron.daemon.services.CredentialFiles;
import dev.kron.daemon.services.ServiceOutput;
import dev.kron.daemon.services.Services;
import dev.kron.daemon.web.Web;
import dev.kron.job.JobSpec;
import dev.kron.job.JobState;
import dev.kron.process.NativeMemory;
import dev.kron.process.ReadinessSocket;
import dev.kron.process.Urgency;
import dev.kron.service.ServiceSpec;
import dev.kron.store.Arrival;
import dev.kron.store.DiskException;
import dev.kron.store.LoadedStates;
import dev.kron.store.StateDirectory;
import dev.kron.store.StateRefusedException;
import java.io.IOException;
import java.io.PrintStream;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** A daemon as it runs: all its parts, connected, from its start until it leaves. */
final class World implements AutoCloseable {
  private final Foundation base;
  private final Door door;
  private final ReadinessSocket serviceManager;
  private final RunParts runs;
  private final JobParts jobs;
  private final InFleet inFleet;
  private final Services services;
  private final @Nullable ServiceOutput serviceOutput;
  private final Controls controls;
  private final Reloads reloads;
  private final Krond krond;
  private final SpareMemory spareMemory;
  private final LoopWatch watch;
  private final Housekeeping housekeeping;

  World(
      Settings settings,
      Ports ports,
      Background background,
      StateDirectory directory,
      Supplier<Configuration> configuration,
      PrintStream out,
      PrintStream err) {
    this.base = new Foundation(settings, ports, background, directory, err);
    this.door = door(base);
    this.serviceManager = ReadinessSocket.of(ports.environment());
    this.runs = new RunParts(base, out);
    this.jobs = new JobParts(base, runs);
    this.inFleet = new InFleet(base, runs, jobs);
    this.services = services(base, runs);
    jobs.notifying.onChange(
        new StandingNotices(
                base.time,
                base.writability,
                () -> services.view().supervised(),
                base.meters.faults,
                jobs.notifying::notifier)
            ::arm);
    this.serviceOutput =
        settings.observing().serviceOutput()
            ? new ServiceOutput(services, base.errands, base.log, runs.outputs.stdout())
            : null;
    this.controls =
        new Controls(
            new Controls.Records(directory, runs.jobLaunches, jobs.recent, base.past),
            runs.means,
            base.loop::post,
            services,
            base.log,
            jobs.notifying::notifier,
            inFleet);
    var desk =
        new FileDesk(
            configuration,
            directory,
            base.errands,
            base.loop::post,
            services::fingerprint,
            new BegunPeriods(directory.runs(), runs.processes));
    var bootNotes = new BootNotes(jobs.boots, jobs.jobs, base.errands, base.loop::post);
    this.reloads =
        new Reloads(
            base.clocks,
            jobs.jobs,
            services.supervisor(),
            desk,
            base.writability,
            base.reports,
            new Reloads.Surroundings(jobs.notifying, inFleet, bootNotes));
    base.writability.tell(jobs.jobs, services.supervisor(), reloads, bootNotes, jobs.past);
    this.krond = krond(base, jobs, services, reloads, desk);
    this.spareMemory =
        new SpareMemory(
            base.time,
            jobs.jobs::nextTurn,
            () -> Runtime.getRuntime().totalMemory(),
            () -> {
              System.gc();
              NativeMemory.trim();
            });
    this.watch = new LoopWatch(directory, base.loop, base.presence, base.clocks, base.reports);
    this.housekeeping = housekeeping(base, runs, jobs);
    jobs.past.counting(housekeeping::ended);
  }

  private static Door door(Foundation base) {
    Settings settings = base.settings;
    return new Door(
        settings.api(),
        base.ports.users(),
        base.events,
        DaemonInfo.ofThisProcess(
            base.startedMillis, settings.state(), settings.observing().jobMetrics()),
        base.reports,
        control ->
            new Web(
                settings.web(),
                new Web.Means(
                    control, base.clocks, settings.state(), base.ports.disk(), base.reports)));
  }

  private static Services services(Foundation base, RunParts runs) {
    return new Services(
        base.directory,
        runs.means.in(base.directory.serviceRuns()),
        new Services.Launching(
            runs.launches,
            runs.executions,
            new CredentialFiles(base.settings.followSymlinks(), runs.reads),
            runs.alertCommands,
            runs.runIds),
        base.time,
        base.writability,
        new Reports(base.log, base.meters, base.past::happened),
        input -> base.loop.post(new Input.OfServices(input)));
  }

  private static Krond krond(
      Foundation base, JobParts jobs, Services services, Reloads reloads, FileDesk desk) {
    Settings settings = base.settings;
    return new Krond(
        base.time,
        jobs.jobs,
        new JobDesk(base.time, jobs.jobs, jobs.stops, new Forgetting(base.time, jobs.jobs, desk)),
        services,
        reloads,
        new Shutdown(
            base.time,
            jobs.jobs,
            jobs.stops,
            services.supervisor(),
            base.writability,
            base.log,
            new Shutdown.Leaving(settings.stopTimeout(), settings.exitWith())),
        base.writability);
  }

  private static Housekeeping housekeeping(Foundation base, RunParts runs, JobParts jobs) {
    return new Housekeeping(
        base.directory.ledger(),
        new Sweeper(
            base.directory.runs(),
            runs.processes,
            jobs.jobs::isActive,
            base.settings.outputLimitBytes(),
            base.clocks,
            base.log,
            runs.outputs::bound),
        base.clocks,
        base.errands,
        base.reports);
  }

  /** Takes up what earlier daemons left, and makes durable what is new, before anything starts. */
  void begin(Configuration files) throws StateRefusedException, DiskException, IOException {
    begin(FileDesk.jobs(files), FileDesk.serviceSpecs(files), files.notifyFile());
    inFleet.begin(files.fleetFile());
  }

  private void begin(
      List<JobSpec> specs, List<ServiceSpec> serviceSpecs, @Nullable NotifyFile notifyFile)
      throws StateRefusedException, DiskException, IOException {
    LoadedStates loaded = base.directory.load(identity -> identity);
    housekeeping.begin(runs.processes.bootId());
    StoreFaults.loaded(base.reports, base.clocks.wallMillis(), base.directory.missing(), loaded);
    long since = Math.ceilDiv(base.clocks.wallMillis(), 1000L);
    StartupJobs taken = StartupJobs.of(specs, loaded, base.directory.runs(), runs.processes, since);
    String trouble = arrive(taken.arrivals());
    String bootTrouble = noteBoot(taken, trouble);
    if (!base.errands.byHand()) {
      jobs.groupCommit.start();
    }
    new AlertRecovery(runs.alerts, specs, base.directory.jobs(), base.errands).start();
    jobs.notices.begin(loaded.notices());
    jobs.jobs.watches().begin(successes(taken.jobs()));
    jobs.notifying.use(notifyFile);
    (trouble == null ? taken.jobs() : taken.seenBefore()).forEach(jobs.jobs::add);
    if (serviceOutput != null) {
      serviceOutput.begin(base.directory.logs());
    }
    services.begin(serviceSpecs);
    door.open(controls); // requests wait in the loop's inbox until it turns
    base.log.info(
        "daemon",
        "ready",
        "jobs",
        specs.size(),
        "services",
        serviceSpecs.size(),
        "new",
        taken.arrivals().size(),
        "pid",
        ProcessHandle.current().pid());
    serviceManager.ready(specs.size() + " jobs, " + serviceSpecs.size() + " services");
    if (trouble != null) {
      base.log.error("store", "arrivals_wait", "jobs", taken.arrivals().size(), "reason", trouble);
      reloads.takeInWhenWritable(specs, serviceSpecs, trouble);
    } else if (bootTrouble != null) {
      base.loop.post(new Input.Unwritable(bootTrouble));
    }
  }

  /**
   * A full disk does not keep a daemon from watching what runs; says why it could not be written.
   */
  private @Nullable String arrive(List<Arrival> arrivals) {
    try {
      base.directory.arrivals().begin(arrivals);
      return null;
    } catch (DiskException e) {
      return String.valueOf(e.getMessage());
    }
  }

  /**
   * When jobs that are to have successes last had one or, without one, were first seen; a job that
   * was suspended since then counts from when it was resumed.
   */
  private Map<String, Long> successes(List<Job> all) {
    Map<String, Long> successes = new HashMap<>();
    for (Job job : all) {
      if (job.spec != null && job.spec.watch().silentMillis() > 0) {
        try {
          long last = base.directory.jobs().told(job.identity).lastSuccess();
          long resumed = base.past.resumedMillis(job.identity);
          successes.put(job.identity, Math.max(job.state.since() * 1000L, Math.max(last, resumed)));
        } catch (DiskException e) {
          base.log.warn("store", "history_unreadable", "identity", job.identity, "reason", e);
        }
      }
    }
    return successes;
  }

  /** Says why it could not be noted that the daemon is ready in this boot. */
  private @Nullable String noteBoot(StartupJobs taken, @Nullable String trouble) {
    try {
      jobs.boots.begin(taken.jobs(), taken.lost(), trouble == null);
      return null;
    } catch (DiskException e) {
      return String.valueOf(e.getMessage());
    }
  }

  /** Whether the log has everything that was said so far. */
  boolean hasWrittenItsLog() {
    return base.log.isWritten();
  }

  /** The port of the control API, −1 where it has none. */
  int port() {
    return door.port();
  }

  /** What the control API can do. */
  List<String> operations() {
    return door.operations();
  }

  Services services() {
    return services;
  }

  /** Something happened. */
  void post(Input input) {
    base.loop.post(input);
  }

  /** From now on signals are requests; before anybody is told that the daemon is ready. */
  void heedSignals() {
    Stopping.onSignals(base.loop);
  }

  int loop() throws InterruptedException {
    if (base.background instanceof Workers threads) {
      threads.before(base.loop::lagNanos);
    }
    Thread.setDefaultUncaughtExceptionHandler(
        (thread, thrown) -> base.errands.report(thread.getName(), thrown));
    Thread watcher = base.errands.tend("clock", watch::turn);
    housekeeping.start();
    spareMemory.begin();
    Urgency.ofThisThread();
    try {
      return base.loop.run(krond, jobs.groupCommit::gather, jobs.groupCommit::gathered);
    } catch (RuntimeException | Error e) {
      base.log.error("daemon", "internal_error", "reason", e);
      e.printStackTrace(); // before anything that leaving may wait for
      throw e;
    } finally {
      serviceManager.stopping();
      watcher.interrupt();
    }
  }

  /** One turn of the loop, no waiting; null: go on. */
  @Nullable Integer turn() {
    return base.loop.turn(krond);
  }

  boolean hasInputs() {
    return base.loop.hasInputs();
  }

  long nanosToWait() {
    return krond.nanosToWait();
  }

  int commit() {
    return jobs.groupCommit.drain();
  }

  boolean hasUncommitted() {
    return jobs.groupCommit.waiting() > 0;
  }

  void keepHouse() {
    housekeeping.once();
  }

  Map<String, JobState> states() {
    return jobs.jobs.known().values().stream()
        .collect(Collectors.toMap(job -> job.identity, job -> job.state));
  }

  void lookAtTheClocks() {
    watch.lookAtTheClocks();
  }

  @Override
  public void close() {
    base.errands.leave();
    inFleet.close();
    base.events.close();
    door.close();
    housekeeping.close();
    services.close();
    jobs.groupCommit.close();
    base.past.close();
    runs.processes.close();
    base.errands.close();
    if (serviceOutput != null) {
      serviceOutput.close();
    }
    runs.outputs.close();
    base.log.info("daemon", "stopped");
    base.log.close();
  }
}
