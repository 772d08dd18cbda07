package dev.kron.daemon;

import dev.kron.daemon.Input.Arrived;
import dev.kron.daemon.Input.Asked;
import dev.kron.daemon.Input.Away;
import dev.kron.daemon.Input.FilesRead;
import dev.kron.daemon.Input.Looked;
import dev.kron.daemon.Input.Probed;
import dev.kron.daemon.api.JobView;
import dev.kron.daemon.api.Snapshot;
import dev.kron.daemon.jobs.Commits;
import dev.kron.daemon.jobs.Endings;
import dev.kron.daemon.jobs.Forgetting;
import dev.kron.daemon.jobs.Job;
import dev.kron.daemon.jobs.JobInput;
import dev.kron.daemon.jobs.JobInput.Began;
import dev.kron.daemon.jobs.Jobs;
import dev.kron.daemon.jobs.Reload;
import dev.kron.daemon.log.EventLog;
import dev.kron.daemon.log.Faults;
import dev.kron.daemon.loop.Answer;
import dev.kron.daemon.loop.Clocks;
import dev.kron.daemon.loop.EventLoop;
import dev.kron.daemon.loop.Presence;
import dev.kron.daemon.loop.Request;
import dev.kron.daemon.loop.ServiceRequest;
import dev.kron.daemon.loop.Timers;
import dev.kron.daemon.services.ServiceInput;
import dev.kron.daemon.services.ServiceReading;
import dev.kron.daemon.services.Supervisor;
import dev.kron.job.JobEvent;
import dev.kron.job.JobSpec;
import dev.kron.service.ServiceSpec;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The daemon between its inputs: what each of them means, and how long there is nothing to do. One
 * thread calls it; the simulator calls the same methods.
 */
final class Krond implements EventLoop.Owner<Input> {
  private static final String RELOAD = "reload";
  private static final long PROBE_EVERY_NANOS = 1_000_000_000L;

  private final Clocks clocks;
  private final Presence presence;
  private final Timers timers;
  private final Jobs jobs;
  private final Supervisor supervisor;
  private final Desk desk;
  private final Commits commits;
  private final EventLog log;
  private final Faults faults;
  private final @Nullable String exitWith;
  private final Shutdown shutdown;
  private final Forgetting forgetting;

  /** The first of them is under way; two at once would each work from what the other changes. */
  private final Queue<Reloading> reloads = new ArrayDeque<>();

  private record Reloading(boolean dryRun, boolean owed, CompletableFuture<Answer> reply) {}

  /** What the daemon was started with, where that could not be taken in as a whole. */
  private record Owed(List<JobSpec> jobs, List<ServiceSpec> services) {}

  private @Nullable Owed owed;
  private boolean owesReload;
  private @Nullable Integer serviceExit;

  /** What has to be read or worked out elsewhere; comes back as inputs. */
  interface Desk extends Forgetting.Desk {
    /** Reads the files and the states of jobs not known yet. Comes back as {@link FilesRead}. */
    void read(Set<String> known, boolean dryRun, CompletableFuture<Answer> reply);

    /** Takes these for what the files say. Comes back as {@link FilesRead}. */
    void takeIn(
        List<JobSpec> jobs,
        List<ServiceSpec> services,
        Set<String> known,
        CompletableFuture<Answer> reply);

    /** Makes new pasts durable. Comes back as {@link Arrived}. */
    void arrive(Reload reload, ServiceReading services, CompletableFuture<Answer> reply);
  }

  Krond(
      Clocks clocks,
      Presence presence,
      Timers timers,
      Jobs jobs,
      Supervisor supervisor,
      Desk desk,
      Commits commits,
      EventLog log,
      Faults faults,
      Duration stopTimeout,
      @Nullable String exitWith) {
    this.clocks = clocks;
    this.presence = presence;
    this.timers = timers;
    this.jobs = jobs;
    this.supervisor = supervisor;
    this.desk = desk;
    this.commits = commits;
    this.log = log;
    this.faults = faults;
    this.exitWith = exitWith;
    this.shutdown = new Shutdown(clocks, timers, jobs, supervisor, log, stopTimeout);
    this.forgetting = new Forgetting(clocks, timers, jobs, desk);
  }

  @Override
  public void handle(Input input) {
    switch (input) {
      case Input.OfJobs(JobInput of) -> handle(of);
      case Input.OfServices(ServiceInput of) -> supervisor.handle(of);
      case Probed probed -> probed(probed);
      case Input.Unwritable unwritable -> {
        jobs.unwritable(unwritable.reason());
        supervisor.unwritable(unwritable.reason());
      }
      case Away() -> lookAround();
      case Asked asked -> asked(asked.request(), asked.reply());
      case Looked looked -> looked.viewer().accept(snapshot());
      case FilesRead read -> filesRead(read.reading(), read.dryRun(), read.reply());
      case Arrived arrived -> arrived(arrived);
    }
  }

  private void handle(JobInput input) {
    switch (input) {
      case JobInput.HeldUp heldUp -> jobs.heldUp(heldUp.identity(), heldUp.atMillis());
      case JobInput.Happened happened ->
          jobs.happened(happened.identity(), happened.event(), happened.runId());
      case Began began -> began(began);
      case JobInput.Committed committed -> jobs.committed(committed.write(), committed.result());
      case JobInput.Proposed proposed ->
          forgetting.proposed(proposed.wish(), proposed.from(), proposed.event());
    }
  }

  /**
   * Does what time has made due. Null: go on; otherwise the daemon is done, with this exit code.
   */
  @Override
  public @Nullable Integer turn() {
    lookAround();
    timers.run(clocks.bootNanos());
    jobs.turn();
    supervisor.turn();
    followTheService();
    Integer exitCode = shutdown.exitCode();
    return exitCode != null && exitCode == Shutdown.STOPPED && serviceExit != null
        ? serviceExit
        : exitCode;
  }

  /** Leaves with everything when the service ends for good that this daemon is there for. */
  private void followTheService() {
    if (exitWith != null && !shutdown.isUnderWay()) {
      serviceExit = supervisor.exitCode(exitWith);
      if (serviceExit != null) {
        shutdown.begin(Request.Stop.END_JOBS);
        supervisor.turn();
      }
    }
  }

  private void lookAround() {
    Optional<Presence.Absence> absence = presence.observe(clocks);
    if (absence.isPresent()) {
      for (; absence.isPresent(); absence = presence.observe(clocks)) {
        away(absence.get());
      }
      jobs.evaluateAll();
    }
  }

  /** How long nothing is to be done, unless something comes in. */
  @Override
  public long nanosToWait() {
    if (supervisor.hasWork()) {
      return 0;
    }
    long nanos = Duration.ofHours(1).toNanos();
    Long timer = timers.next();
    if (timer != null) {
      nanos = Math.min(nanos, timer - clocks.bootNanos());
    }
    long due = jobs.nextTurn();
    if (due != Job.NEVER) {
      long millis = Math.min(due * 1000L - clocks.wallMillis(), nanos / 1_000_000 + 1);
      nanos = Math.min(nanos, millis * 1_000_000L);
    }
    return clocks.waitNanos(Math.max(nanos, 0));
  }

  private void began(Began began) {
    if (began.timeoutAtBootNanos() != Began.NO_TIMEOUT) {
      timers.set(
          Endings.timeoutKey(began.runId()),
          began.timeoutAtBootNanos(),
          () ->
              jobs.happened(began.identity(), new JobEvent.TimedOut(began.runId()), began.runId()));
    }
    jobs.happened(began.identity(), began.event(), began.runId());
  }

  private void probed(Probed probed) {
    if (probed.reason() == null) {
      if (!jobs.writable()) {
        jobs.writableAgain();
      }
      supervisor.writableAgain();
      if (owesReload) {
        owesReload = false;
        reload(new Reloading(false, true, new CompletableFuture<>()));
      }
    } else {
      timers.set("probe", clocks.bootNanos() + PROBE_EVERY_NANOS, commits::probe);
    }
  }

  /**
   * The files were read, and what is new in them could not be noted: once it can, it is taken in,
   * whatever somebody has made of the files by then.
   */
  void takeInWhenWritable(List<JobSpec> specs, List<ServiceSpec> services, String reason) {
    owed = new Owed(specs, services);
    owesReload = true;
    jobs.unwritable(reason);
  }

  private void away(Presence.Absence absence) {
    log.warn(
        "clock",
        absence.clockMoved() ? "clock_jumped" : "was_paused",
        "from",
        Instant.ofEpochMilli(absence.from()),
        "to",
        Instant.ofEpochMilli(absence.to()),
        "seconds",
        (absence.to() - absence.from()) / 1000.0);
  }

  private void asked(Request request, CompletableFuture<Answer> reply) {
    switch (request) {
      case Request.Reload reload -> reload(new Reloading(reload.dryRun(), false, reply));
      case Request.Stop stop -> {
        shutdown.begin(stop);
        reply.complete(new Answer.Done("stopping", null));
      }
      case Request.Suspend(String identity) -> ask(identity, new JobEvent.Suspended(), reply);
      case Request.Resume(String identity) -> {
        Job job = jobs.find(identity);
        if (job != null && job.suspended()) {
          job.seenSinceMillis = clocks.wallMillis(); // the rule for downtime applies
        }
        ask(identity, new JobEvent.Resumed(), reply);
      }
      case Request.Trigger(String identity) -> ask(identity, jobs.runRequested(), reply);
      case Request.EndRuns end -> jobs.end(end, reply);
      case Request.Forget(String identity) ->
          forgetting.asked(new Forgetting.Wish(identity, reply));
      case ServiceRequest of -> supervisor.asked(of, reply);
    }
  }

  private void ask(String identity, JobEvent event, CompletableFuture<Answer> reply) {
    Job job = jobs.find(identity);
    if (job == null || job.spec == null) {
      reply.complete(new Answer.Refused("there is no job " + identity));
    } else if (shutdown.isUnderWay()) {
      reply.complete(new Answer.Refused("the daemon is stopping"));
    } else {
      jobs.submit(job, event, reply);
    }
  }

  private void reload(Reloading reloading) {
    reloads.add(reloading);
    if (reloads.size() == 1) {
      begin(reloading);
    }
  }

  private void begin(Reloading reloading) {
    jobs.reloading(true); // who is known now is not looked for on disk, and must not be forgotten
    Set<String> known = jobs.known().keySet();
    Owed present = owed;
    if (!reloading.owed()) {
      desk.read(known, reloading.dryRun(), reloading.reply());
    } else if (present != null) {
      desk.takeIn(present.jobs(), present.services(), known, reloading.reply());
    } else {
      reloaded(reloading.reply(), new Answer.Done("nothing is owed any more", null));
    }
  }

  private void filesRead(Reading reading, boolean dryRun, CompletableFuture<Answer> reply) {
    if (!reading.errors().isEmpty()) {
      refuseReload(reading, dryRun, reply);
      return;
    }
    long since = Math.ceilDiv(clocks.wallMillis(), 1000L);
    Reload reload = Reload.between(jobs.known(), reading.jobs(), reading.found(), since);
    if (dryRun) {
      reloaded(reply, reload.plan(supervisor.plan(reading.services()).sentences()));
    } else {
      desk.arrive(reload, reading.services(), reply);
    }
  }

  private void refuseReload(Reading reading, boolean dryRun, CompletableFuture<Answer> reply) {
    int errors = reading.errors().size();
    if (!dryRun) {
      reading.errors().forEach(error -> log.error("config", "error", "at", error));
      log.error("config", "reload_refused", "errors", errors);
      reloadFailed(errors + (errors == 1 ? " error" : " errors") + " in the files");
    }
    reloaded(
        reply,
        new Answer.Refused(
            errors
                + (errors == 1 ? " error" : " errors")
                + " in the files; what was running goes on",
            reading.errors().stream().map(String::valueOf).toList()));
  }

  /** The files say something else than what is in force, until a reload succeeds. */
  private void reloadFailed(String reason) {
    faults.raise(RELOAD, clocks.wallMillis(), reason + "; what was read before is in force");
  }

  /** Everything that can be seen of the jobs, at this moment. */
  private Snapshot snapshot() {
    var views = new ArrayList<JobView>(jobs.known().size());
    for (Job job : jobs.known().values()) {
      views.add(new JobView(job.identity, job.spec, job.state, job.dueAt));
    }
    String trouble = jobs.trouble() == null ? supervisor.trouble() : jobs.trouble();
    return new Snapshot(
        clocks.wallMillis(), trouble, shutdown.isUnderWay(), supervisor.downMillis(), views);
  }

  private void arrived(Arrived arrived) {
    if (arrived.failure() != null) {
      log.error("config", "reload_refused", "reason", arrived.failure());
      reloadFailed(arrived.failure());
      if (reloads.element().owed()) {
        owesReload = true;
        jobs.unwritable(arrived.failure());
      }
      reloaded(arrived.reply(), new Answer.Refused(arrived.failure()));
      return;
    }
    faults.clear(RELOAD);
    Reload reload = arrived.reload();
    jobs.apply(reload);
    owed = null; // these are the files by now
    Answer.Plan plan = reload.plan(supervisor.reload(arrived.services()).sentences());
    log.info("config", "reloaded", "summary", plan.text());
    reloaded(arrived.reply(), plan);
  }

  private void reloaded(CompletableFuture<Answer> reply, Answer answer) {
    jobs.reloading(false);
    reloads.remove();
    Reloading next = reloads.peek();
    if (next != null) {
      begin(next);
    }
    reply.complete(answer);
  }
}
