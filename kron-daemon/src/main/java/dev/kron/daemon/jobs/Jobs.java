package dev.kron.daemon.jobs;

import dev.kron.cron.CronCalendar;
import dev.kron.daemon.loop.Answer;
import dev.kron.daemon.loop.Clocks;
import dev.kron.daemon.loop.Presence;
import dev.kron.daemon.loop.Request;
import dev.kron.daemon.loop.Timers;
import dev.kron.job.ActiveRun;
import dev.kron.job.ActiveRun.Phase;
import dev.kron.job.HistoryEntry;
import dev.kron.job.JobEffect;
import dev.kron.job.JobEvent;
import dev.kron.job.JobEvent.LaunchFailed;
import dev.kron.job.JobEvent.NeverBegan;
import dev.kron.job.JobEvent.PeriodDue;
import dev.kron.job.JobEvent.Recovered;
import dev.kron.job.JobMachine;
import dev.kron.job.JobSpec;
import dev.kron.job.JobState;
import dev.kron.job.Periods;
import dev.kron.job.Step;
import dev.kron.store.CommitResult;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The jobs and how they move. Only the loop's thread calls it, and nothing in it waits.
 *
 * <p>A job moves in single steps: the machine says what an event means, the meaning goes to the
 * disk, and only when it is there do the effects begin and the next event gets its turn. So a job
 * is never ahead of its file, and a step that could not be written has simply not happened; what
 * really became of its runs is then found out from their directories, as after a restart. Steps of
 * many jobs share a commit, which the store sees to.
 */
public final class Jobs {
  private static final int AT_ONCE = 64;

  private final Clocks clocks;
  private final Presence presence;
  private final Commits commits;
  private final Runs runs;
  private final Endings endings;
  private final JobLog log;
  private final Supplier<String> runIds;
  private final String bootId;
  private final Map<String, Job> jobs = new HashMap<>();
  private final DueQueue dueQueue = new DueQueue();

  /** The runs whose end is not on record yet; others than the loop's thread look at it. */
  private final Set<String> active = ConcurrentHashMap.newKeySet();

  private final RunPreparer ahead;
  private int writesUnderWay;
  private boolean writable = true;
  private @Nullable String trouble;
  private boolean closed;
  private boolean reloading;

  public Jobs(
      Clocks clocks,
      Presence presence,
      Commits commits,
      Runs runs,
      Timers timers,
      JobLog log,
      Supplier<String> runIds,
      String bootId) {
    this.clocks = clocks;
    this.presence = presence;
    this.commits = commits;
    this.runs = runs;
    this.endings = new Endings(clocks, timers, runs, this);
    this.log = log;
    this.runIds = runIds;
    this.bootId = bootId;
    this.ahead = new RunPreparer(runs, runIds, bootId);
  }

  public @Nullable Job find(String identity) {
    return jobs.get(identity);
  }

  public Map<String, Job> known() {
    return Collections.unmodifiableMap(jobs);
  }

  /** Takes in a job, with what is durable of it, and settles the runs it has. */
  public void add(Job job) {
    jobs.put(job.identity, job);
    job.state.active().forEach(run -> active.add(run.runId()));
    settle(job);
  }

  /** Takes over what the files say now. Nothing that runs is touched. */
  public void apply(Reload reload) {
    long now = clocks.wallMillis();
    ahead.letGo();
    reload
        .added()
        .forEach(
            (spec, state) -> {
              var job = new Job(spec, state);
              job.seenSinceMillis = now; // if it was here before, it was down meanwhile
              add(job);
            });
    for (JobSpec spec : reload.moved()) {
      known(spec.identity()).spec = spec;
    }
    for (JobSpec spec : reload.changed()) {
      change(known(spec.identity()), spec, reload.since(), now);
    }
    for (String identity : reload.removed()) {
      Job job = known(identity);
      job.spec = null;
      evaluate(job);
      forgetIfDone(job);
    }
  }

  private void change(Job job, JobSpec spec, long since, long now) {
    if (job.spec == null || (job.policy().suspend() && !spec.schedule().policy().suspend())) {
      job.seenSinceMillis = now; // back again: the rule for downtime applies
    }
    job.spec = spec;
    job.changedSince = since;
    evaluate(job);
  }

  private Job known(String identity) {
    return Objects.requireNonNull(jobs.get(identity), identity);
  }

  /** A run that the operator wants now. */
  public JobEvent runRequested() {
    return new JobEvent.RunRequested(runIds.get(), bootId, clocks.wallMillis());
  }

  /** Ends a run that goes on, or all of a job, because an operator wants it. */
  public void end(Request.EndRuns request, CompletableFuture<Answer> reply) {
    Job job = jobs.get(request.identity());
    List<String> meant =
        job == null
            ? List.of()
            : job.state.active().stream()
                .map(ActiveRun::runId)
                .filter(id -> request.runId() == null || request.runId().equals(id))
                .toList();
    if (job == null || meant.isEmpty()) {
      reply.complete(
          new Answer.Refused(
              request.runId() == null
                  ? request.identity() + " has no run that goes on"
                  : "run " + request.runId() + " does not go on"));
      return;
    }
    int signal = request.signal() == null ? 0 : request.signal().number();
    submit(
        job,
        new JobEvent.EndRequested(request.runId(), request.by(), signal, clocks.wallMillis()),
        reply);
  }

  /**
   * Ends every run that is going on: TERM, grace, KILL, all of it within the time given. Where that
   * cannot be written it is done all the same; how they ended is on record in their directories.
   */
  public void endAll(Duration within) {
    endings.hurry(within.dividedBy(2).toNanos());
    for (Job job : List.copyOf(jobs.values())) {
      for (ActiveRun run : job.state.active()) {
        if (run.ending() != null) {
          endings.sooner(job, run.runId());
        } else if (!writable && run.phase() != Phase.WAITING) {
          endings.begin(job, run.runId());
        }
      }
      if (!job.state.active().isEmpty() || job.moving != null) {
        submit(job, new JobEvent.StopRequested(clocks.wallMillis()), null);
      }
    }
  }

  /** KILLs every run that is going on: time is up. */
  public void killAll() {
    for (Job job : jobs.values()) {
      job.state.active().forEach(run -> endings.kill(job, run.runId()));
    }
  }

  /** Nothing of any run is there, as far as can be known while state cannot be written. */
  public boolean isAtRest() {
    return writable ? !anyActive() : left().isEmpty();
  }

  /** Runs that go on, or may. */
  public List<String> left() {
    return runs.going();
  }

  /**
   * Starts what is due; to be called whenever time has passed. Not more than a few at a time: the
   * intents of the first are durable before the last have been looked at.
   */
  public void turn() {
    if (writable && !closed) {
      long now = clocks.wallMillis();
      int left = AT_ONCE;
      for (Job job = dueQueue.peek();
          job != null && left > 0 && job.dueAt <= Math.floorDiv(now, 1000L);
          job = dueQueue.peek()) {
        evaluate(job);
        left--;
      }
      ahead.look(now, presence.sinceMillis(), dueQueue);
    }
  }

  /** The second at which there is something to do, {@link Job#NEVER} where nothing is to come. */
  public long nextTurn() {
    Job job = dueQueue.peek();
    return job == null || !writable || closed
        ? Job.NEVER
        : Math.min(job.dueAt, ahead.nextLook(job.dueAt, clocks.wallMillis()));
  }

  /** Looks at every job again: the clock was moved, the daemon was away, the disk is back. */
  public void evaluateAll() {
    ahead.letGo();
    for (Job job : List.copyOf(jobs.values())) {
      job.seenSinceMillis = 0; // a moment of a clock that was moved means nothing any more
      evaluate(job);
    }
  }

  /** From now on nothing new begins; what runs is still recorded. */
  public void close() {
    closed = true;
    ahead.letGo();
  }

  public boolean writable() {
    return writable;
  }

  /** Why state cannot be written; null where it can. */
  public @Nullable String trouble() {
    return trouble;
  }

  /** Nothing is on its way to the disk. */
  public boolean quiet() {
    return writesUnderWay == 0;
  }

  /** A start is under way whose intent is durable. */
  public boolean anyStarting() {
    return writable
        && jobs.values().stream()
            .flatMap(job -> job.state.active().stream())
            .anyMatch(run -> run.phase() == Phase.INTENDED);
  }

  public boolean anyActive() {
    return jobs.values().stream().anyMatch(job -> !job.state.active().isEmpty());
  }

  /** Something happened to a job; {@code reply} is told when it is durable. */
  public void submit(Job job, JobEvent event, @Nullable CompletableFuture<Answer> reply) {
    Job.Moving moving = job.moving();
    moving.waiting.add(new Job.Waiting(event, reply));
    if (!moving.committing) {
      move(job, moving);
    }
  }

  /** Finds out what is next for a job, and begins it if its time has come. */
  void evaluate(Job job) {
    job.dueAt = Job.NEVER;
    JobSpec spec = job.spec;
    boolean ready = job.moving == null && !job.unsettled && writable && !closed;
    if (spec != null && ready && job.changedSince != Job.NEVER) {
      // Whether the schedule is another one, the machine knows.
      String fingerprint = spec.schedule().fingerprint();
      submit(job, new JobEvent.PastDropped(fingerprint, job.changedSince, false), null);
      return;
    }
    if (spec != null && ready && !job.suspended()) {
      Presence.Moment moment = presence.look(clocks);
      long now = moment.wallMillis();
      long seenSince = Math.max(moment.sinceMillis(), job.seenSinceMillis);
      Periods.Next next = Periods.next(spec.schedule(), job.state, seenSince);
      if (next != null && next.due() <= Math.floorDiv(now, 1000L)) {
        dueQueue.remove(job);
        submit(
            job,
            new PeriodDue(
                next.nominal(),
                next.chosen(),
                next.due(),
                next.lateSeconds(),
                ahead.runId(job, next.nominal()),
                bootId,
                now),
            null);
        return;
      }
      job.dueAt = next == null ? Job.NEVER : next.due();
      tellWhetherHeld(job, spec, now);
    }
    dueQueue.update(job);
  }

  /** Says, once, that a clock which was far ahead has silenced the job. */
  private void tellWhetherHeld(Job job, JobSpec spec, long nowMillis) {
    long until = Periods.heldUntil(spec.schedule(), job.state, nowMillis);
    boolean held = until != CronCalendar.NONE;
    if (held && !job.held) {
      log.held(job, spec, until);
    }
    job.held = held;
  }

  private void move(Job job, Job.Moving moving) {
    if (!writable) {
      abandon(job, moving, "state cannot be written");
      return;
    }
    JobState state = job.state;
    boolean changed = false;
    var history = new ArrayList<HistoryEntry>(2);
    var effects = new ArrayList<JobEffect>(2);
    var events = new ArrayList<Job.Waiting>(2);
    for (Job.Waiting next = moving.waiting.poll(); next != null; next = moving.waiting.poll()) {
      Step step = JobMachine.step(state, job.policy(), next.event());
      state = step.state();
      changed |= step.changed();
      history.addAll(step.history());
      effects.addAll(step.effects());
      events.add(next);
    }
    var write = new Write(job, state, history, effects, events);
    if (changed) {
      moving.committing = true;
      job.dueAt = Job.NEVER;
      dueQueue.update(job);
      writesUnderWay++;
      commits.commit(write);
    } else {
      arrived(write);
    }
  }

  public void committed(Write write, CommitResult result) {
    writesUnderWay--;
    Job.Moving moving = write.job().moving();
    moving.committing = false;
    switch (result) {
      case CommitResult.Durable durable -> {
        become(write.job(), write.state());
        durable.droppedRuns().forEach(runs::drop);
        log.durable(write);
        arrived(write);
      }
      case CommitResult.Failed failed -> {
        if (failed.visible()) {
          // Its file says so from now on, to whoever starts next as well: it must not say less
          // later. What it intended is settled as after a restart.
          become(write.job(), write.state());
        }
        String reason = String.valueOf(failed.cause().getMessage());
        write.events().forEach(event -> refuse(event, reason));
        write.events().forEach(this::letGo);
        unwritable(reason);
        abandon(write.job(), moving, reason);
      }
    }
  }

  private void become(Job job, JobState state) {
    state.active().forEach(run -> active.add(run.runId()));
    for (ActiveRun before : job.state.active()) {
      if (state.active().stream().noneMatch(run -> run.runId().equals(before.runId()))) {
        active.remove(before.runId());
        runs.settled(before.runId());
      }
    }
    job.state = state;
  }

  /** From any thread: whether the end of this run is not on record yet. */
  public boolean isActive(String runId) {
    return active.contains(runId);
  }

  /** A step is durable: now its effects, then the events that have waited for it. */
  private void arrived(Write write) {
    Job job = write.job();
    write.effects().forEach(effect -> perform(job, effect));
    write.events().forEach(event -> answer(job, event));
    write.events().forEach(this::letGo);
    write.events().forEach(event -> noticed(job, event.event()));
    Job.Moving moving = job.moving();
    if (moving.committing) {
      return;
    }
    if (!moving.waiting.isEmpty()) {
      move(job, moving);
    } else if (moving.recovering.isEmpty()) {
      job.rest();
      job.unsettled = false;
      evaluate(job);
      forgetIfDone(job);
    }
  }

  /** A run that was made ready and is not launched now will not need it. */
  private void letGo(Job.Waiting event) {
    // One that its file has all the same, though not durably, keeps its directory.
    if (event.event() instanceof PeriodDue due && !isActive(due.runId())) {
      runs.discard(due.runId());
    }
  }

  /** The past of the schedule that the file has now is dropped, and that is durable. */
  private static void noticed(Job job, JobEvent event) {
    JobSpec spec = job.spec;
    if (event instanceof JobEvent.PastDropped dropped
        && spec != null
        && dropped.fingerprint().equals(spec.schedule().fingerprint())) {
      job.changedSince = Job.NEVER;
    }
  }

  private void perform(Job job, JobEffect effect) {
    switch (effect) {
      case JobEffect.Launch launch -> {
        JobSpec spec = job.spec;
        if (spec == null) {
          String reason = "the job was taken out of its file before it began";
          submitLater(
              job,
              new LaunchFailed(launch.run().runId(), "configuration", reason, clocks.wallMillis()));
        } else {
          runs.launch(spec, launch.run());
        }
      }
      case JobEffect.End end -> endings.begin(job, end.runId(), end.signal());
      case JobEffect.Alert alert -> runs.alert(job.identity, job.spec, alert.entry());
    }
  }

  private static void submitLater(Job job, JobEvent event) {
    job.moving().waiting.add(new Job.Waiting(event, null));
  }

  /** Something happened to a run that was launched or is being recovered. */
  public void happened(String identity, JobEvent event, String runId) {
    Job job = jobs.get(identity);
    if (job == null) {
      return; // its last run was settled already, and told of twice
    }
    Job.Moving moving = job.moving;
    boolean recovering = moving != null && moving.recovering.remove(runId);
    JobEvent told = event instanceof NeverBegan neverBegan ? asOfNow(job, neverBegan) : event;
    if (event instanceof JobEvent.Exited || event instanceof LaunchFailed) {
      endings.done(runId);
    }
    if (recovering && job.moving().recovering.isEmpty()) {
      submitLater(job, told);
      submit(job, new Recovered(bootId, clocks.wallMillis()), null);
    } else {
      submit(job, told, null);
    }
  }

  /**
   * What became of a run could not be found out for the disk's sake: until then nobody was there
   * who could have acted. From then on somebody was, also where the loop had no time to hear of it.
   */
  public void heldUp(String identity, long untilMillis) {
    Job job = jobs.get(identity);
    if (job != null) {
      long until = Math.min(untilMillis, clocks.wallMillis()); // the clock may have been set back
      job.seenSinceMillis = Math.max(job.seenSinceMillis, until);
    }
  }

  /** The machine may have slept since it was asked: how late the run is follows from now. */
  private JobEvent asOfNow(Job job, NeverBegan told) {
    long since = presence.look(clocks).sinceMillis();
    for (ActiveRun run : job.state.active()) {
      if (run.runId().equals(told.runId())) {
        return new NeverBegan(
            told.runId(), late(job, run, since), told.newRunId(), told.bootId(), told.at());
      }
    }
    return told;
  }

  private static long late(Job job, ActiveRun run, long sinceMillis) {
    long seenSince = Math.max(sinceMillis, job.seenSinceMillis);
    return Math.max(Math.floorDiv(seenSince - run.due() * 1000L, 1000L), PeriodDue.SEEN);
  }

  /** Finds out what became of the runs that the job's state knows of. */
  private void settle(Job job) {
    if (job.state.active().isEmpty()) {
      job.rest();
      job.unsettled = false;
      evaluate(job);
      return;
    }
    job.unsettled = true;
    Job.Moving moving = job.moving();
    long since = presence.sinceMillis();
    List<ActiveRun> begun =
        job.state.active().stream().filter(run -> run.phase() != Phase.WAITING).toList();
    begun.forEach(run -> moving.recovering.add(run.runId()));
    if (!begun.isEmpty() && waitsSinceAnotherBoot(job.state)) {
      // First: the end of the run that it waited for must not let it begin in this boot.
      submit(job, new Recovered(bootId, clocks.wallMillis()), null);
    }
    begun.forEach(run -> runs.recover(job.identity, job.spec, run, late(job, run, since)));
    if (begun.isEmpty()) {
      submit(job, new Recovered(bootId, clocks.wallMillis()), null);
    }
  }

  private boolean waitsSinceAnotherBoot(JobState state) {
    return state.active().stream()
        .anyMatch(run -> run.phase() == Phase.WAITING && !run.bootId().equals(bootId));
  }

  private void abandon(Job job, Job.Moving moving, String reason) {
    for (Job.Waiting waiting : moving.waiting) {
      refuse(waiting, reason);
    }
    job.rest();
    job.unsettled = true;
    job.dueAt = Job.NEVER;
    dueQueue.update(job);
  }

  /** Nothing is started until writing works again. */
  public void unwritable(String reason) {
    if (writable) {
      writable = false;
      ahead.letGo();
      trouble = reason;
      log.persistenceFailed(reason);
      commits.probe();
    }
  }

  /** Writing works again. What fell due meanwhile was not seen by anyone who could have acted. */
  public void writableAgain() {
    writable = true;
    trouble = null;
    presence.interrupt(clocks.wallMillis());
    log.persistenceRestored();
    for (Job job : List.copyOf(jobs.values())) {
      if (job.unsettled && job.moving == null) {
        settle(job);
      } else {
        evaluate(job);
      }
    }
  }

  /** While a reload is under way nothing is forgotten that it may be about to bring back. */
  public void reloading(boolean now) {
    reloading = now;
    if (!now) {
      List.copyOf(jobs.values()).forEach(this::forgetIfDone);
    }
  }

  private void forgetIfDone(Job job) {
    if (!reloading && job.spec == null && job.moving == null && job.state.active().isEmpty()) {
      dueQueue.remove(job);
      jobs.remove(job.identity);
    }
  }

  private static void refuse(Job.Waiting waiting, String reason) {
    CompletableFuture<Answer> reply = waiting.reply();
    if (reply != null) {
      reply.complete(new Answer.Refused(reason));
    }
  }

  private static void answer(Job job, Job.Waiting waiting) {
    CompletableFuture<Answer> reply = waiting.reply();
    if (reply == null) {
      return;
    }
    if (waiting.event() instanceof JobEvent.RunRequested request) {
      boolean accepted =
          job.state.active().stream().anyMatch(run -> run.runId().equals(request.runId()));
      reply.complete(
          accepted
              ? new Answer.Done("run " + request.runId(), request.runId())
              : new Answer.Refused(
                  stillActive(job.state) + ", and the job's policy is concurrency=forbid"));
    } else if (waiting.event() instanceof JobEvent.EndRequested request) {
      String runId = request.runId();
      reply.complete(new Answer.Done("stopping " + (runId == null ? job.identity : runId), runId));
    } else {
      reply.complete(new Answer.Done("done", null));
    }
  }

  private static String stillActive(JobState state) {
    return state.active().isEmpty()
        ? "another run was active" // it has ended in the same step
        : "run " + state.active().getFirst().runId() + " is still active";
  }
}
