package dev.kron.daemon;

import dev.kron.daemon.Input.Arrived;
import dev.kron.daemon.Input.Asked;
import dev.kron.daemon.Input.Away;
import dev.kron.daemon.Input.FilesRead;
import dev.kron.daemon.Input.Looked;
import dev.kron.daemon.Input.Probed;
import dev.kron.daemon.api.JobView;
import dev.kron.daemon.api.Snapshot;
import dev.kron.daemon.fleet.FleetInput;
import dev.kron.daemon.jobs.Job;
import dev.kron.daemon.jobs.JobDesk;
import dev.kron.daemon.jobs.JobInput;
import dev.kron.daemon.jobs.Jobs;
import dev.kron.daemon.loop.Answer;
import dev.kron.daemon.loop.Clocks;
import dev.kron.daemon.loop.EventLoop;
import dev.kron.daemon.loop.LoopTime;
import dev.kron.daemon.loop.Request;
import dev.kron.daemon.loop.ServiceRequest;
import dev.kron.daemon.loop.Timers;
import dev.kron.daemon.loop.Writability;
import dev.kron.daemon.services.ServiceInput;
import dev.kron.daemon.services.Services;
import dev.kron.daemon.services.Supervisor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The daemon's part of the loop: what to do with each input, and how long there is nothing to do.
 * One thread calls it; the simulator calls the same methods.
 */
final class Krond implements EventLoop.Owner<Input> {
  private final Clocks clocks;
  private final Timers timers;
  private final Jobs jobs;
  private final JobDesk jobDesk;
  private final Services services;
  private final Supervisor supervisor;
  private final Reloads reloads;
  private final Shutdown shutdown;
  private final Writability writability;

  Krond(
      LoopTime time,
      Jobs jobs,
      JobDesk jobDesk,
      Services services,
      Reloads reloads,
      Shutdown shutdown,
      Writability writability) {
    this.clocks = time.clocks();
    this.timers = time.timers();
    this.jobs = jobs;
    this.jobDesk = jobDesk;
    this.services = services;
    this.supervisor = services.supervisor();
    this.reloads = reloads;
    this.shutdown = shutdown;
    this.writability = writability;
  }

  @Override
  public void handle(Input input) {
    switch (input) {
      case Input.OfJobs(JobInput of) -> jobDesk.handle(of);
      case Input.OfFleet(FleetInput of) -> reloads.inFleet().handle(of);
      case Input.OfServices(ServiceInput of) -> supervisor.handle(of);
      case Probed probed -> writability.probed(probed.reason());
      case Input.Unwritable unwritable -> writability.failed(unwritable.reason());
      case Away() -> jobs.lookAround();
      case Input.Later later -> timers.set(later.key(), later.bootNanos(), later.task());
      case Asked asked -> asked(asked.request(), asked.reply());
      case Looked looked -> looked.viewer().accept(snapshot());
      case FilesRead read -> reloads.filesRead(read.reading(), read.dryRun(), read.reply());
      case Arrived arrived -> reloads.arrived(arrived);
    }
  }

  /** Does what is due. Null: the loop goes on; otherwise the daemon ends with this exit code. */
  @Override
  public @Nullable Integer turn() {
    jobs.lookAround();
    timers.run(clocks.bootNanos());
    jobs.turn();
    supervisor.turn();
    if (shutdown.followTheService()) {
      supervisor.turn();
    }
    return shutdown.exitCode();
  }

  /** How long there is nothing to do unless an input comes. */
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

  private void asked(Request request, CompletableFuture<Answer> reply) {
    switch (request) {
      case Request.Reload reload -> reloads.asked(reload.dryRun(), reply);
      case Request.Stop stop -> {
        shutdown.begin(stop);
        reply.complete(new Answer.Done("stopping", null));
      }
      case Request.Adopt() -> reply.complete(reloads.inFleet().adopt());
      case Request.OfJob of -> jobDesk.asked(of, reply);
      case ServiceRequest of -> services.asked(of, reply);
    }
  }

  /** A snapshot of all jobs. */
  private Snapshot snapshot() {
    var views = new ArrayList<JobView>(jobs.known().size());
    long now = clocks.wallMillis();
    FleetMarks marks = FleetMarks.of(reloads.inFleet().standing());
    for (Job job : jobs.known().values()) {
      long muted = jobs.mutedUntil(job.identity, now);
      JobView.InFleet fleet = marks.of(job.spec);
      long due = fleet != null && fleet.suspended() ? Job.NEVER : job.nextDue(now);
      views.add(new JobView(job.identity, job.spec, job.state, due, muted, fleet));
    }
    return new Snapshot(
        now, writability.trouble(), shutdown.isUnderWay(), services.downMillis(), views, "");
  }
}
