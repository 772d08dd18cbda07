package dev.kron.daemon;

import dev.kron.config.Account;
import dev.kron.config.ConfigFiles;
import dev.kron.config.ConfigFiles.Configuration;
import dev.kron.config.NotifyFile;
import dev.kron.daemon.api.ControlServer.DaemonInfo;
import dev.kron.daemon.jobs.AlertRecovery;
import dev.kron.daemon.jobs.AlertingCommits;
import dev.kron.daemon.jobs.Alerts;
import dev.kron.daemon.jobs.BegunPeriods;
import dev.kron.daemon.jobs.BootPeriods;
import dev.kron.daemon.jobs.Commits;
import dev.kron.daemon.jobs.Forgetting;
import dev.kron.daemon.jobs.Job;
import dev.kron.daemon.jobs.JobDesk;
import dev.kron.daemon.jobs.JobLaunches;
import dev.kron.daemon.jobs.JobLog;
import dev.kron.daemon.jobs.JobNotices;
import dev.kron.daemon.jobs.JobRuns;
import dev.kron.daemon.jobs.JobStops;
import dev.kron.daemon.jobs.Jobs;
import dev.kron.daemon.jobs.NewRuns;
import dev.kron.daemon.jobs.StartupJobs;
import dev.kron.daemon.jobs.StateCommits;
import dev.kron.daemon.jobs.Sweeper;
import dev.kron.daemon.log.EventLog;
import dev.kron.daemon.log.EventRing;
import dev.kron.daemon.log.Meters;
import dev.kron.daemon.log.Reports;
import dev.kron.daemon.log.StoreFaults;
import dev.kron.daemon.loop.Background;
import dev.kron.daemon.loop.Clocks;
import dev.kron.daemon.loop.Errands;
import dev.kron.daemon.loop.EventLoop;
import dev.kron.daemon.loop.LoopTime;
import dev.kron.daemon.loop.Presence;
import dev.kron.daemon.loop.Timers;
import dev.kron.daemon.loop.Workers;
import dev.kron.daemon.loop.Writability;
import dev.kron.daemon.notices.Notifier;
import dev.kron.daemon.runs.Executions;
import dev.kron.daemon.runs.KeptRuns;
import dev.kron.daemon.runs.Launches;
import dev.kron.daemon.runs.Outputs;
import dev.kron.daemon.runs.RunOwners;
import dev.kron.daemon.services.CredentialFiles;
import dev.kron.daemon.services.ServiceOutput;
import dev.kron.daemon.services.Services;
import dev.kron.daemon.services.Supervisor;
import dev.kron.daemon.web.Web;
import dev.kron.job.JobSpec;
import dev.kron.job.JobState;
import dev.kron.process.NativeMemory;
import dev.kron.process.Processes;
import dev.kron.process.ReadinessSocket;
import dev.kron.process.SystemLog;
import dev.kron.process.Urgency;
import dev.kron.service.ServiceSpec;
import dev.kron.store.Arrival;
import dev.kron.store.DiskException;
import dev.kron.store.GroupCommit;
import dev.kron.store.LoadedStates;
import dev.kron.store.RunIds;
import dev.kron.store.StateDirectory;
import dev.kron.store.StateRefusedException;
import java.io.IOException;
import java.io.PrintStream;
import java.time.ZoneId;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The loop and everything it is connected to, for as long as a daemon lives. One file, though a
 * long one: most of it is the one place where all parts are made and connected.
 */
final class World implements AutoCloseable {
  private final StateDirectory directory;
  private final EventRing events;
  private final EventLog log;
  private final Reports reports;
  private final Door door;
  private final Controls controls;
  private final Clocks clocks;
  private final Meters meters = new Meters();
  private final EventLoop<Input> loop = new EventLoop<>(meters);
  private final Background background;
  private final Errands errands;
  private final Outputs outputs;
  private final Processes processes;
  private final GroupCommit groupCommit;
  private final Presence presence;
  private final Jobs jobs;
  private final Services services;
  private final Reloads reloads;
  private final Krond krond;
  private final Alerts alerts;
  private final Housekeeping housekeeping;
  private final ReadinessSocket serviceManager;
  private final LoopWatch watch;
  private final SpareMemory spareMemory;
  private final JobNotices notices;
  private final BootPeriods boots;
  private final Notifying notifying;
  private final @Nullable ServiceOutput serviceOutput;
  private final PastRecorder past;

  World(
      Settings settings,
      Ports ports,
      Background background,
      StateDirectory directory,
      Supplier<Configuration> configuration,
      PrintStream out,
      PrintStream err) {
    this.background = background;
    this.directory = directory;
    this.clocks = ports.clocks();
    long now = clocks.wallMillis();
    this.events = new EventRing(Long.toString(now, Character.MAX_RADIX));
    this.log =
        new EventLog(
            err,
            settings.logFormat(),
            settings.logLevel(),
            clocks::wallTime,
            !background.byHand(),
            events);
    this.reports = new Reports(log, meters);
    this.errands = new Errands(background, meters.faults, log);
    this.door =
        new Door(
            settings.api(),
            ports.users(),
            events,
            DaemonInfo.ofThisProcess(now, settings.state(), settings.observing().jobMetrics()),
            reports,
            control ->
                new Web(
                    settings.web(),
                    new Web.Means(control, clocks, settings.state(), ports.disk(), reports)));
    this.serviceManager = ReadinessSocket.of(ports.environment());
    this.presence = new Presence(clocks.wallMillis(), clocks.bootNanos());
    this.outputs =
        new Outputs(
            line -> {
              out.write(line, 0, line.length);
              out.flush();
            },
            log::line,
            new SystemLog(ports.systemLog(), ZoneId.systemDefault()),
            clocks,
            log,
            errands);
    var owners = new RunOwners();
    this.processes = ports.processes().apply((run, keeper, status) -> owners.exited(run, status));
    var means = new KeptRuns.Means(processes, directory.runs(), errands, owners);
    var ids = new RunIds(background.random());
    Supplier<String> runIds = () -> ids.next(clocks.wallMillis());
    var launches = new Launches(ports.users(), ports.environment());
    var executions = new Executions(ports.users());
    ConfigFiles.Settings files =
        ConfigFiles.Settings.of(Account.current()).withFollowLinks(settings.followSymlinks());
    var jobLaunches = new JobLaunches(launches, executions, new JobVariableFiles(files));
    var recent = new Recent();
    var past = new PastRecorder(directory.history(), errands, log);
    this.past = past;
    this.alerts =
        new Alerts(
            means,
            launches,
            new Alerts.Terms(settings.onFailure(), settings.onFailureLimit()),
            runIds,
            log,
            (command, problem) -> meters.faults.about(command, clocks.wallMillis(), problem));
    var runs =
        new JobRuns(
            means,
            jobLaunches,
            alerts,
            outputs,
            clocks,
            input -> loop.post(new Input.OfJobs(input)),
            runIds);
    this.groupCommit = new GroupCommit(directory.jobs());
    Commits commits =
        new AlertingCommits(
            new StateCommits(groupCommit, input -> loop.post(new Input.OfJobs(input)), meters),
            alerts,
            errands);
    var time = new LoopTime(clocks, new Timers(), presence);
    var writability =
        new Writability(
            clocks, time.timers(), new DiskProbe(directory, past, errands, loop::post), log);
    var pastOfJobs = new PastOfJobs(recent, past, clocks).asking(writability);
    this.notices = new JobNotices(time);
    this.notifying =
        new Notifying(
            new Notifier.Means(
                directory,
                clocks,
                errands,
                reports,
                input -> loop.post(new Input.OfJobs(input)),
                (key, bootNanos, task) -> loop.post(new Input.Later(key, bootNanos, task)),
                files),
            notices);
    this.boots = new BootPeriods(directory.boot(), processes.boot(), clocks);
    this.jobs =
        new Jobs(
            time,
            writability,
            commits,
            runs,
            new JobLog(log, pastOfJobs, meters),
            new NewRuns(runIds, processes.bootId(), boots),
            notices);
    this.services =
        new Services(
            directory,
            means.in(directory.serviceRuns()),
            new Services.Launching(
                launches, executions, new CredentialFiles(settings.followSymlinks()), runIds),
            time,
            writability,
            new Reports(log, meters, past::happened),
            input -> loop.post(new Input.OfServices(input)));
    notifying.onChange(
        new StandingNotices(
                time,
                writability,
                () -> services.view().supervised(),
                meters.faults,
                notifying::notifier)
            ::arm);
    this.serviceOutput =
        settings.observing().serviceOutput()
            ? new ServiceOutput(services, errands, log, outputs.stdout())
            : null;
    this.controls =
        new Controls(
            new Controls.Records(directory, jobLaunches, recent, past),
            means,
            loop::post,
            services,
            log,
            notifying::notifier);
    var desk =
        new FileDesk(
            configuration,
            directory,
            errands,
            loop::post,
            services::fingerprint,
            new BegunPeriods(directory.runs(), processes));
    Supervisor supervisor = services.supervisor();
    this.reloads = new Reloads(clocks, jobs, supervisor, desk, writability, reports, notifying);
    writability.tell(
        jobs, supervisor, reloads, new BootNotes(boots, jobs, errands, loop::post), pastOfJobs);
    var stops = new JobStops(jobs, runs, clocks, writability);
    this.krond =
        new Krond(
            time,
            jobs,
            new JobDesk(time, jobs, stops, new Forgetting(time, jobs, desk)),
            services,
            reloads,
            new Shutdown(
                time,
                jobs,
                stops,
                supervisor,
                writability,
                log,
                new Shutdown.Leaving(settings.stopTimeout(), settings.exitWith())),
            writability);
    this.spareMemory =
        new SpareMemory(
            time,
            jobs::nextTurn,
            () -> Runtime.getRuntime().totalMemory(),
            () -> {
              System.gc();
              NativeMemory.trim();
            });
    this.watch = new LoopWatch(directory, loop, presence, clocks, reports);
    this.housekeeping =
        new Housekeeping(
            directory.ledger(),
            new Sweeper(
                directory.runs(),
                processes,
                jobs::isActive,
                settings.outputLimitBytes(),
                clocks,
                log,
                outputs::bound),
            clocks,
            errands,
            log);
    pastOfJobs.counting(housekeeping::ended);
  }

  /** Takes up what earlier daemons left, and makes durable what is new, before anything starts. */
  void begin(Configuration files) throws StateRefusedException, DiskException, IOException {
    begin(FileDesk.jobs(files), FileDesk.serviceSpecs(files), files.notifyFile());
  }

  private void begin(
      List<JobSpec> specs, List<ServiceSpec> serviceSpecs, @Nullable NotifyFile notifyFile)
      throws StateRefusedException, DiskException, IOException {
    LoadedStates loaded = directory.load(identity -> identity);
    housekeeping.begin(processes.bootId());
    StoreFaults.loaded(reports, clocks.wallMillis(), directory.missing(), loaded);
    long since = Math.ceilDiv(clocks.wallMillis(), 1000L);
    StartupJobs taken = StartupJobs.of(specs, loaded, directory.runs(), processes, since);
    String trouble = arrive(taken.arrivals());
    String bootTrouble = noteBoot(taken, trouble);
    if (!errands.byHand()) {
      groupCommit.start();
    }
    new AlertRecovery(alerts, specs, directory.jobs(), errands).start();
    notices.begin(loaded.notices());
    jobs.watches().begin(successes(taken.jobs()));
    notifying.use(notifyFile);
    (trouble == null ? taken.jobs() : taken.seenBefore()).forEach(jobs::add);
    if (serviceOutput != null) {
      serviceOutput.begin(directory.logs());
    }
    services.begin(serviceSpecs);
    door.open(controls); // requests wait in the loop's inbox until it turns
    log.info(
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
      log.error("store", "arrivals_wait", "jobs", taken.arrivals().size(), "reason", trouble);
      reloads.takeInWhenWritable(specs, serviceSpecs, trouble);
    } else if (bootTrouble != null) {
      loop.post(new Input.Unwritable(bootTrouble));
    }
  }

  /**
   * A full disk does not keep a daemon from watching what runs; says why it could not be written.
   */
  private @Nullable String arrive(List<Arrival> arrivals) {
    try {
      directory.arrivals().begin(arrivals);
      return null;
    } catch (DiskException e) {
      return String.valueOf(e.getMessage());
    }
  }

  /** When jobs that are to have successes last had one or, without one, were first seen. */
  private Map<String, Long> successes(List<Job> all) {
    Map<String, Long> successes = new HashMap<>();
    for (Job job : all) {
      if (job.spec != null && job.spec.watch().silentMillis() > 0) {
        try {
          long last = directory.jobs().told(job.identity).lastSuccess();
          successes.put(job.identity, Math.max(job.state.since() * 1000L, last));
        } catch (DiskException e) {
          log.warn("store", "history_unreadable", "identity", job.identity, "reason", e);
        }
      }
    }
    return successes;
  }

  /** Says why it could not be noted that the daemon is ready in this boot. */
  private @Nullable String noteBoot(StartupJobs jobs, @Nullable String trouble) {
    try {
      boots.begin(jobs.jobs(), jobs.lost(), trouble == null);
      return null;
    } catch (DiskException e) {
      return String.valueOf(e.getMessage());
    }
  }

  /** Whether the log has everything that was said so far. */
  boolean hasWrittenItsLog() {
    return log.isWritten();
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
    loop.post(input);
  }

  /** From now on signals are requests; before anybody is told that the daemon is ready. */
  void heedSignals() {
    Stopping.onSignals(loop);
  }

  int loop() throws InterruptedException {
    if (background instanceof Workers threads) {
      threads.before(loop::lagNanos);
    }
    Thread.setDefaultUncaughtExceptionHandler(
        (thread, thrown) -> errands.report(thread.getName(), thrown));
    Thread watcher = errands.tend("clock", watch::turn);
    housekeeping.start();
    spareMemory.begin();
    Urgency.ofThisThread();
    try {
      return loop.run(krond, groupCommit::gather, groupCommit::gathered);
    } catch (RuntimeException | Error e) {
      log.error("daemon", "internal_error", "reason", e);
      e.printStackTrace(); // before anything that leaving may wait for
      throw e;
    } finally {
      serviceManager.stopping();
      watcher.interrupt();
    }
  }

  /** One turn of the loop, no waiting; null: go on. */
  @Nullable Integer turn() {
    return loop.turn(krond);
  }

  boolean hasInputs() {
    return loop.hasInputs();
  }

  long nanosToWait() {
    return krond.nanosToWait();
  }

  int commit() {
    return groupCommit.drain();
  }

  boolean hasUncommitted() {
    return groupCommit.waiting() > 0;
  }

  void keepHouse() {
    housekeeping.once();
  }

  Map<String, JobState> states() {
    return jobs.known().values().stream()
        .collect(Collectors.toMap(job -> job.identity, job -> job.state));
  }

  void lookAtTheClocks() {
    watch.lookAtTheClocks();
  }

  @Override
  public void close() {
    errands.leave();
    events.close();
    door.close();
    housekeeping.close();
    services.close();
    groupCommit.close();
    past.close();
    processes.close();
    errands.close();
    if (serviceOutput != null) {
      serviceOutput.close();
    }
    outputs.close();
    log.info("daemon", "stopped");
    log.close();
  }
}
