package dev.kron.daemon.jobs;

import dev.kron.daemon.loop.Answer;
import dev.kron.daemon.loop.Clocks;
import dev.kron.daemon.loop.LoopTime;
import dev.kron.daemon.loop.Presence;
import dev.kron.daemon.loop.Writability;
import dev.kron.job.ActiveRun;
import dev.kron.job.ActiveRun.Phase;
import dev.kron.job.FleetRules;
import dev.kron.job.JobEffect;
import dev.kron.job.JobEvent;
import dev.kron.job.JobEvent.LaunchFailed;
import dev.kron.job.JobEvent.NeverBegan;
import dev.kron.job.JobEvent.PeriodDue;
import dev.kron.job.JobEvent.Recovered;
import dev.kron.job.JobSpec;
import dev.kron.job.JobState;
import dev.kron.notice.Problems;
import dev.kron.store.CommitResult;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The jobs and how they move. Only the loop's thread calls it, and nothing in it waits.
 *
 * <p>A job moves in single steps: the machine says what an event means, the meaning goes to the
 * disk, and only when it is there do the effects begin and the next event gets its turn. So a job
 * is never ahead of its file, and a step that could not be written has simply not happened; what
 * really became of its runs is then found out from their directories, as after a restart. Steps of
 * many jobs share a commit, which the store sees to.
 *
 * <p>One file, though a long one: the steps of a job are read best in one place.
 */
public final class Jobs implements Writability.Listener {
  private static final int AT_ONCE = 64;

  private final Clocks clocks;
  private final Presence presence;
  private final Writability writability;
  private final Commits commits;
  private final Runs runs;
  private final Endings endings;
  private final JobLog log;
  private final NewRuns newRuns;
  private final JobTable table = new JobTable();
  private final RunPreparer ahead;
  private final JobChains chains;
  private final JobPeriods periods;
  private final JobNotices notices;
  private final JobClocks watches;
  private FleetRuns fleet = FleetRuns.NONE;
  private int writesUnderWay;
  private boolean closed;
  private boolean ending;
  private boolean reloading;

  public Jobs(
      LoopTime time,
      Writability writability,
      Commits commits,
      Runs runs,
      JobLog log,
      NewRuns newRuns) {
    this(time, writability, commits, runs, log, newRuns, new JobNotices(time));
  }

  public Jobs(
      LoopTime time,
      Writability writability,
      Commits commits,
      Runs runs,
      JobLog log,
      NewRuns newRuns,
      JobNotices notices) {
    this.notices = notices;
    this.watches = new JobClocks(time, notices);
    this.clocks = time.clocks();
    this.presence = time.presence();
    this.writability = writability;
    this.commits = commits;
    this.runs = runs;
    this.endings = new Endings(time, runs);
    this.log = log;
    this.newRuns = newRuns;
    this.ahead = new RunPreparer(runs, newRuns);
    this.periods = new JobPeriods(time, ahead, newRuns, log);
    this.chains = new JobChains(table, newRuns, log);
  }

  Endings endings() {
    return endings;
  }

  /** The fleet that this machine is in from now on. */
  public void fleet(FleetRuns now) {
    fleet = now;
  }

  FleetRuns fleet() {
    return fleet;
  }

  /** A claimed run whose keeper came too late may begin after all. */
  public void launchAgain(Job job, String runId) {
    JobSpec spec = job.spec;
    for (ActiveRun run : job.state.active()) {
      if (run.runId().equals(runId) && run.phase() != Phase.WAITING) {
        if (spec == null) {
          submit(job, neverBegan(runId), null);
        } else {
          runs.launch(spec, run);
        }
      }
    }
  }

  /** A claimed run is not to begin here. */
  public JobEvent neverBegan(String runId) {
    return new NeverBegan(runId, PeriodDue.SEEN, "", newRuns.bootId(), clocks.wallMillis());
  }

  /** An id that no run has had. */
  public String newRunId() {
    return newRuns.nextId();
  }

  /** A run that the fleet has given this machine. */
  public ActiveRun.Builder claimed(String runId) {
    return ActiveRun.builder(runId).bootId(newRuns.bootId()).startedAt(clocks.wallMillis());
  }

  /** A link that the fleet has given this machine. */
  public JobEvent linkDue(FleetRuns.Link link) {
    return new JobEvent.LinkDue(
        link.owed(), link.by(), link.runId(), newRuns.bootId(), clocks.wallMillis());
  }

  /** Epoch millis until which nobody is told of a job; 0: it is not muted. */
  public long mutedUntil(String identity, long nowMillis) {
    Problems open = notices.of(identity);
    return open.isMuted(nowMillis) ? open.mutedUntilMillis() : 0;
  }

  public JobClocks watches() {
    return watches;
  }

  JobNotices notices() {
    return notices;
  }

  public @Nullable Job find(String identity) {
    return table.find(identity);
  }

  public Map<String, Job> known() {
    return table.known();
  }

  /** Adds a job with its durable state, and finds out what became of its runs. */
  public void add(Job job) {
    table.add(job);
    settle(job);
  }

  /** A reload has added or removed a job. */
  void inFile(String identity, boolean there) {
    log.inFile(identity, there);
  }

  /** Drops the preparations that were made for the files as they were before. */
  void letGoOfPrepared() {
    ahead.letGo();
  }

  /** The event for a run that the operator wants now. */
  public JobEvent runRequested() {
    return new JobEvent.RunRequested(newRuns.nextId(), newRuns.bootId(), clocks.wallMillis());
  }

  /**
   * Starts what is due; to be called whenever time has passed. Not more than a few at a time: the
   * intents of the first are durable before the last have been looked at.
   */
  public void turn() {
    endings.takeUnendable().forEach(event -> submit(event.job(), event.unendable(), null));
    if (writability.isWritable()) {
      notices.takeDue().forEach(this::touch);
    }
    if (writability.isWritable() && !closed) {
      long now = clocks.wallMillis();
      chains.take(now, fleet).forEach(told -> submit(told.job(), told.event(), null));
      int left = AT_ONCE;
      for (Job job = table.dueQueue().peek();
          job != null && left > 0 && job.dueAt <= Math.floorDiv(now, 1000L);
          job = table.dueQueue().peek()) {
        evaluate(job);
        left--;
      }
      ahead.look(now, presence.sinceMillis(), table.dueQueue());
    }
  }

  /** The second at which there is something to do; {@link Job#NEVER} if nothing is to come. */
  public long nextTurn() {
    Job job = table.dueQueue().peek();
    if (chains.hasWork() && writability.isWritable() && !closed) {
      return 0;
    }
    return job == null || !writability.isWritable() || closed
        ? Job.NEVER
        : Math.min(job.dueAt, ahead.nextLook(job.dueAt, clocks.wallMillis()));
  }

  /** Looks at the clocks; after an absence, looks at every job again. */
  public void lookAround() {
    Optional<Presence.Absence> absence = presence.observe(clocks);
    if (absence.isPresent()) {
      for (; absence.isPresent(); absence = presence.observe(clocks)) {
        log.away(absence.get());
      }
      evaluateAll();
    }
  }

  /** Writes changed notices of a job to which nothing else happened. */
  private void touch(String identity) {
    Job job = table.find(identity);
    if (job == null) {
      notices.drop(identity);
    } else if (!job.moving().committing) { // otherwise with the next step
      move(job, job.moving());
    }
  }

  /** Looks at every job again: the clock was moved, the daemon was away, the disk is back. */
  public void evaluateAll() {
    ahead.letGo();
    notices.rearm();
    for (Job job : table.all()) {
      job.seenSinceMillis = 0; // a moment of the clock before it was set means nothing now
      evaluate(job);
    }
  }

  /** The boot is on record, so {@code @boot} jobs may be due. */
  public void bootNoted() {
    table.all().forEach(this::evaluate);
  }

  /** From now on nothing new begins; what runs is still recorded. */
  public void close() {
    closed = true;
    ahead.letGo();
  }

  public boolean isClosed() {
    return closed;
  }

  /** From now on everything ends, what a fleet has just given to this machine too. */
  void end() {
    ending = true;
  }

  /** Whether everything ends with the daemon. */
  public boolean isEnding() {
    return ending;
  }

  /** Nothing is on its way to the disk. */
  public boolean quiet() {
    return writesUnderWay == 0;
  }

  /** A start is under way: its intent is durable, or a fleet was asked for it. */
  public boolean anyStarting() {
    return writability.isWritable() && (table.anyStarting() || fleet.isBeginning());
  }

  public boolean anyActive() {
    return table.anyActive();
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
    boolean ready = job.moving == null && !job.unsettled && writability.isWritable() && !closed;
    chains.look(job);
    watches.look(job);
    JobEvent due = ready ? periods.takeDue(job, spec) : null;
    if (due == null) {
      table.dueQueue().update(job);
    } else {
      table.dueQueue().remove(job);
      submit(job, due, null);
    }
  }

  private void move(Job job, Job.Moving moving) {
    if (!writability.isWritable()) {
      abandon(job, moving, "state cannot be written");
      return;
    }
    Write step = Write.of(job, moving);
    Write write = step.with(notices.after(step));
    if (write.changes()) {
      moving.committing = true;
      job.dueAt = Job.NEVER;
      table.dueQueue().update(job);
      writesUnderWay++;
      commits.commit(write);
    } else {
      notices.unchanged(job.identity);
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
        log.durable(write, notices.of(write.job().identity));
        notices.durable(write);
        watches.durable(write);
        tellFleet(write);
        arrived(write);
      }
      case CommitResult.Failed failed -> {
        if (failed.visible()) {
          // From now on its file says so to the next daemon as well, and must not say less
          // later. What it intended is settled as after a restart.
          become(write.job(), write.state());
          notices.visible(write.job().identity, write.problems());
        }
        String reason = String.valueOf(failed.cause().getMessage());
        write.events().forEach(event -> JobAnswers.refuse(event, reason));
        write.events().forEach(this::letGo);
        notices.failed(write.job().identity, reason);
        writability.failed(reason);
        abandon(write.job(), moving, reason);
      }
    }
  }

  private void tellFleet(Write write) {
    if (FleetRules.isOfFleet(write.job().identity)) {
      write.history().forEach(entry -> fleet.ended(write.job().identity, entry));
    }
  }

  private void become(Job job, JobState state) {
    table.become(job, state).forEach(run -> runs.settled(run.runId()));
  }

  /** From any thread: whether the end of this run is not on record yet. */
  public boolean isActive(String runId) {
    return table.isActive(runId);
  }

  /** A step is durable: now its effects, then the events that have waited for it. */
  private void arrived(Write write) {
    Job job = write.job();
    write.effects().forEach(effect -> perform(job, effect));
    write.events().forEach(event -> JobAnswers.done(job, event));
    write.events().forEach(this::letGo);
    write.events().forEach(event -> job.noticed(event.event()));
    chains.durable(write).forEach(told -> submit(told.job(), told.event(), null));
    Job.Moving moving = job.moving();
    if (moving.committing) {
      return;
    }
    if (!moving.waiting.isEmpty() || notices.isWished(job.identity)) {
      move(job, moving);
    } else if (moving.recovering.isEmpty()) {
      job.rest();
      job.unsettled = false;
      evaluate(job);
      forgetIfDone(job);
    }
  }

  /** Drops the preparation of a run that is not launched. */
  private void letGo(Job.Waiting event) {
    // One that its file has all the same, though not durably, keeps its directory.
    if (event.event() instanceof PeriodDue due && !isActive(due.runId())) {
      runs.discard(due.runId());
    }
  }

  private void perform(Job job, JobEffect effect) {
    switch (effect) {
      case JobEffect.Launch launch -> {
        JobSpec spec = job.spec;
        if (spec == null) {
          String reason = "the job was taken out of its file before it began";
          job.happensNext(
              new LaunchFailed(launch.run().runId(), "configuration", reason, clocks.wallMillis()));
        } else {
          runs.launch(spec, launch.run());
        }
      }
      case JobEffect.End end -> endings.begin(job, end.runId(), end.signal());
      case JobEffect.Alert alert -> runs.alert(job.identity, job.spec, alert.entry());
    }
  }

  /** Something happened to a run that was launched or is being recovered. */
  public void happened(String identity, JobEvent event, String runId) {
    Job job = table.find(identity);
    if (job == null) {
      return; // its last run ended already, and was reported twice
    }
    Job.Moving moving = job.moving;
    boolean recovering = moving != null && moving.recovering.remove(runId);
    JobEvent told =
        event instanceof NeverBegan neverBegan ? periods.asOfNow(job, neverBegan) : event;
    if (event instanceof JobEvent.Exited
        || event instanceof LaunchFailed
        || event instanceof NeverBegan) {
      endings.done(runId);
    }
    if (recovering && job.moving().recovering.isEmpty()) {
      job.happensNext(told);
      submit(job, new Recovered(newRuns.bootId(), clocks.wallMillis()), null);
    } else {
      submit(job, told, null);
    }
  }

  /**
   * The fate of a run could not be found out because of the disk. Until that moment the daemon
   * could not have acted for the job; from then on it could, even if the loop hears of it later.
   */
  public void heldUp(String identity, long untilMillis) {
    Job job = table.find(identity);
    if (job != null) {
      long until = Math.min(untilMillis, clocks.wallMillis()); // the clock may have been set back
      job.seenSinceMillis = Math.max(job.seenSinceMillis, until);
    }
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
      // This comes first: the end of the run that it waited for must not let it begin in this boot.
      submit(job, new Recovered(newRuns.bootId(), clocks.wallMillis()), null);
    }
    begun.forEach(
        run -> runs.recover(job.identity, job.spec, run, JobPeriods.late(job, run, since)));
    if (begun.isEmpty()) {
      submit(job, new Recovered(newRuns.bootId(), clocks.wallMillis()), null);
    }
  }

  private boolean waitsSinceAnotherBoot(JobState state) {
    return state.active().stream()
        .anyMatch(run -> run.phase() == Phase.WAITING && !run.bootId().equals(newRuns.bootId()));
  }

  private void abandon(Job job, Job.Moving moving, String reason) {
    for (Job.Waiting waiting : moving.waiting) {
      JobAnswers.refuse(waiting, reason);
    }
    job.rest();
    job.unsettled = true;
    job.dueAt = Job.NEVER;
    table.dueQueue().update(job);
  }

  @Override
  public void unwritable() {
    ahead.letGo();
  }

  /** The disk takes writes again. Periods that fell due meanwhile count as not seen. */
  @Override
  public void writableAgain() {
    presence.interrupt(clocks.wallMillis());
    notices.handOverAll();
    notices.rearm();
    for (Job job : table.all()) {
      if (job.unsettled && job.moving == null) {
        settle(job);
      } else {
        evaluate(job);
      }
    }
  }

  /** Sets whether a reload is under way. Meanwhile no job is forgotten that it may bring back. */
  public void reloading(boolean now) {
    reloading = now;
    if (!now) {
      table.all().forEach(this::forgetIfDone);
    }
  }

  void forgetIfDone(Job job) {
    boolean idle = job.spec == null && job.moving == null && !job.state.isUnfinished();
    if (idle && !reloading && !notices.owes(job.identity)) {
      table.remove(job);
    }
  }
}
