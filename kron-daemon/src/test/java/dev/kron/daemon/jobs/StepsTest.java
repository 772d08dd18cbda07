package dev.kron.daemon.jobs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kron.daemon.HandClocks;
import dev.kron.daemon.log.EventLog;
import dev.kron.daemon.loop.Answer;
import dev.kron.daemon.loop.LoopTime;
import dev.kron.daemon.loop.Presence;
import dev.kron.daemon.loop.Timers;
import dev.kron.daemon.loop.Writability;
import dev.kron.job.ActiveRun;
import dev.kron.job.ActiveRun.Ending;
import dev.kron.job.ActiveRun.Phase;
import dev.kron.job.HistoryEntry;
import dev.kron.job.JobEvent;
import dev.kron.job.JobEvent.Exited;
import dev.kron.job.JobEvent.Launched;
import dev.kron.job.JobSpec;
import dev.kron.job.JobState;
import dev.kron.job.Outcome;
import dev.kron.schedule.Schedule;
import dev.kron.store.CommitResult;
import dev.kron.store.DiskException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A job moves in single steps, each on disk before its effects; disk and processes by hand. */
class StepsTest {
  private static final String BOOT = "boot-2";

  private final HandClocks clocks = new HandClocks("2026-05-10T11:59:30Z");
  private final EventLog log =
      new EventLog(
          OutputStream.nullOutputStream(), EventLog.Format.TEXT, EventLog.Level.INFO, clocks::now);
  private final Disk disk = new Disk();
  private final Processes processes = new Processes();
  private final Timers timers = new Timers();
  private int runIds;
  private final Presence presence = new Presence(clocks.wallMillis(), clocks.bootNanos());
  private final Writability writability = new Writability(clocks, timers, () -> disk.probes++, log);
  private final Jobs jobs =
      new Jobs(
          new LoopTime(clocks, timers, presence),
          writability,
          disk,
          processes,
          new JobLog(log),
          new NewRuns(() -> "run-" + ++runIds, BOOT));

  private static final class Disk implements Commits {
    final Deque<Write> writes = new ArrayDeque<>();
    int probes;

    @Override
    public void commit(Write write) {
      writes.add(write);
    }
  }

  private static final class Processes implements Runs {
    final List<String> calls = new ArrayList<>();
    Consumer<String> signalled = runId -> {};

    @Override
    public void launch(JobSpec spec, ActiveRun run) {
      calls.add("launch " + run.runId());
    }

    @Override
    public void recover(String identity, @Nullable JobSpec spec, ActiveRun run, long lateSeconds) {
      calls.add("recover " + run.runId());
    }

    @Override
    public void signal(String identity, String runId, int signal) {
      calls.add("signal " + signal + " " + runId);
      signalled.accept(runId);
    }

    @Override
    public void drop(String runId) {
      calls.add("drop " + runId);
    }

    @Override
    public void alert(String identity, @Nullable JobSpec spec, HistoryEntry entry) {
      calls.add("alert " + entry.outcome());
    }
  }

  @BeforeEach
  void tell() {
    writability.tell(jobs);
    processes.signalled = this::signalled;
  }

  @AfterEach
  void close() {
    log.close();
  }

  private Job add(String schedule, ActiveRun... active) {
    return addNamed("job", schedule, active);
  }

  private Job addNamed(String name, String schedule, ActiveRun... active) {
    JobSpec spec =
        JobSpec.builder("/etc/krond.d/a", name, Schedule.parse(schedule), List.of("/bin/true"))
            .build();
    JobState first =
        JobState.unseen(spec.identity())
            .withSchedule(spec.schedule().fingerprint(), Math.floorDiv(clocks.wallMillis(), 1000L));
    JobState state =
        first.toBuilder()
            .lastOutcome(null)
            .active(List.of(active))
            .pastLost(false)
            .suspended(false)
            .build();
    Job job = new Job(spec, state);
    jobs.add(job);
    return job;
  }

  private static ActiveRun run(String runId, String period, Phase phase, @Nullable Ending ending) {
    long second = Instant.parse(period).getEpochSecond();
    return ActiveRun.builder(runId)
        .nominal(second)
        .chosen(second)
        .due(second)
        .phase(phase)
        .ending(ending)
        .bootId("boot-1")
        .pid(7)
        .startTicks(7)
        .startedAt(second * 1000)
        .build();
  }

  private Write durable() {
    Write write = disk.writes.remove();
    jobs.committed(write, new CommitResult.Durable(List.of()));
    return write;
  }

  private void pass(Duration time) {
    clocks.pass(time);
    jobs.turn();
  }

  @Test
  void nothingIsLaunchedBeforeItsIntentIsOnDisk() {
    Job job = add("* * * * *");
    pass(Duration.ofSeconds(30));
    assertEquals(1, disk.writes.size());
    assertEquals(List.of(), processes.calls);
    assertEquals(List.of(), job.state.active(), "the job is never ahead of its file");
    durable();
    assertEquals(List.of("launch run-1"), processes.calls);
    assertEquals("run-1", job.state.active().getFirst().runId());
  }

  @Test
  void whatCouldNotBeWrittenDidNotHappenAndNothingNewBegins() {
    Job job = add("* * * * *");
    pass(Duration.ofSeconds(30));
    jobs.committed(
        disk.writes.remove(),
        new CommitResult.Failed(
            new DiskException("write", Path.of("state"), DiskException.Reason.NO_SPACE), false));
    assertEquals(List.of(), processes.calls);
    assertEquals(List.of(), job.state.active());
    assertEquals(1, disk.probes);
    pass(Duration.ofMinutes(3));
    assertEquals(0, disk.writes.size());
    writability.probed(null);
    Write write = durable();
    assertEquals(Outcome.MISSED, write.history().getFirst().outcome());
    assertEquals(List.of("alert MISSED"), processes.calls, "late, and without a deadline missed");
  }

  @Test
  void aBusySecondMissesNothingHoweverLongItTakes() {
    for (int i = 0; i < 1000; i++) {
      addNamed("job" + i, "0 12 * * *");
    }
    pass(Duration.ofSeconds(30));
    for (int seconds = 0; seconds < 40 && processes.calls.size() < 1000; seconds++) {
      while (!disk.writes.isEmpty()) {
        assertEquals(List.of(), durable().history(), "nothing is missed");
      }
      pass(Duration.ofSeconds(1));
    }
    assertEquals(1000, processes.calls.stream().filter(call -> call.startsWith("launch")).count());
  }

  @Test
  void aRunThatNotEvenKillEndsMakesThePeriodThatReplacesItMissed() {
    Job job = add("* * * * * @policy(concurrency=replace)");
    pass(Duration.ofSeconds(30));
    durable();
    jobs.happened(job.identity, new Launched("run-1", 5, 5), "run-1");
    durable();
    pass(Duration.ofSeconds(60));
    assertEquals(List.of("launch run-1"), processes.calls, "the decision is not durable yet");
    durable();
    assertEquals("signal 15 run-1", processes.calls.getLast());
    elapse(Duration.ofSeconds(9));
    assertEquals("signal 15 run-1", processes.calls.getLast());
    elapse(Duration.ofSeconds(1));
    assertEquals("signal 9 run-1", processes.calls.getLast());
    elapse(Duration.ofSeconds(10));
    HistoryEntry missed = durable().history().getFirst();
    assertEquals(Outcome.MISSED, missed.outcome());
    assertEquals("run run-1, which it replaces, could not be ended", missed.reason());
    assertEquals(List.of("run-1"), job.state.active().stream().map(ActiveRun::runId).toList());
    assertEquals(1, processes.calls.stream().filter(c -> c.startsWith("launch")).count());
  }

  private void signalled(String runId) {
    jobs.endings().signalled(runId, clocks.bootNanos());
  }

  @Test
  void theTimeToEndBeginsWithTheSignalThoughTheMachineSleepsBeforeThatIsSent() {
    processes.signalled = runId -> {};
    Job job = add("* * * * *");
    pass(Duration.ofSeconds(30));
    durable();
    jobs.happened(job.identity, new Launched("run-1", 5, 5), "run-1");
    durable();
    jobs.submit(job, new JobEvent.EndRequested("run-1", "root", 0, clocks.wallMillis()), null);
    durable();
    assertEquals("signal 15 run-1", processes.calls.getLast());
    elapse(Duration.ofHours(1));
    signalled("run-1");
    elapse(Duration.ofSeconds(9));
    assertEquals("signal 15 run-1", processes.calls.getLast());
    elapse(Duration.ofSeconds(1));
    assertEquals("signal 9 run-1", processes.calls.getLast());
    elapse(Duration.ofHours(1));
    assertEquals("signal 9 run-1", processes.calls.getLast());
    assertEquals(List.of(), jobs.endings().takeUnendable(), "KILL is on its way");
  }

  @Test
  void whatIsToldOfOneRunSignalsNoOtherThatIsBeingEnded() {
    Job job = add("* * * * * @policy(concurrency=allow)");
    for (String run : List.of("run-1", "run-2")) {
      pass(Duration.ofSeconds(run.equals("run-1") ? 30 : 60));
      durable();
      jobs.happened(job.identity, new Launched(run, 5, 5), run);
      durable();
    }
    jobs.submit(job, new JobEvent.EndRequested("run-1", "root", 0, clocks.wallMillis()), null);
    durable();
    jobs.happened(job.identity, new Exited("run-2", 0, null, null, clocks.wallMillis()), "run-2");
    while (!disk.writes.isEmpty()) {
      durable();
    }
    assertEquals(1, processes.calls.stream().filter("signal 15 run-1"::equals).count());
  }

  @Test
  void aSignalThatWasSentToARunThatIsOverMeansNothing() {
    Job job = add("0 12 * * *", run("run-9", "2026-05-10T12:00:00Z", Phase.STARTED, null));
    jobs.submit(job, new JobEvent.EndRequested("run-9", "root", 0, clocks.wallMillis()), null);
    durable();
    jobs.happened(job.identity, new Exited("run-9", 0, null, null, clocks.wallMillis()), "run-9");
    durable();
    signalled("run-9");
    int calls = processes.calls.size();
    elapse(Duration.ofMinutes(1));
    assertEquals(calls, processes.calls.size());
  }

  @Test
  void aDaemonThatLeavesKnowsWhetherAnythingIsOnItsWayToTheDisk() {
    add("* * * * *");
    assertTrue(jobs.quiet());
    pass(Duration.ofSeconds(30));
    assertFalse(jobs.quiet());
    durable();
    assertTrue(jobs.quiet());
  }

  @Test
  void aRunWhoseKeeperCameTooLateIsLaunchedAgainWhereItsJobIsInAFile() {
    ActiveRun due = run("run-8", "2026-05-10T11:58:00Z", Phase.INTENDED, null);
    ActiveRun waits = run("run-9", "2026-05-10T11:59:00Z", Phase.WAITING, null);
    Job job = add("0 12 * * *", due, waits);
    while (!disk.writes.isEmpty()) {
      durable();
    }
    processes.calls.clear();
    for (String run : List.of("run-7", "run-8", "run-9")) {
      jobs.launchAgain(job, run);
    }
    assertEquals(List.of("launch run-8"), processes.calls);
    assertEquals(0, disk.writes.size());
    job.spec = null; // in no file any more
    jobs.launchAgain(job, "run-8");
    assertTrue(durable().state().active().stream().noneMatch(it -> it.runId().equals("run-8")));
    assertFalse(processes.calls.subList(1, processes.calls.size()).contains("launch run-8"));
  }

  private void elapse(Duration time) {
    clocks.pass(time);
    timers.run(clocks.bootNanos());
    jobs.turn();
  }

  @Test
  void eventsOfAJobWaitForTheStepBeforeThem() {
    Job job = add("* * * * *");
    pass(Duration.ofSeconds(30));
    durable();
    jobs.happened(job.identity, new Launched("run-1", 5, 5), "run-1");
    jobs.happened(job.identity, new Exited("run-1", 0, null, null, clocks.wallMillis()), "run-1");
    assertEquals(1, disk.writes.size());
    durable();
    assertEquals(1, disk.writes.size());
    durable();
    assertEquals(Outcome.EXECUTED, job.state.lastOutcome());
  }

  @Test
  void aRunThatNeverBeganIsAsLateAsItIsWhenThatIsKnownNotWhenItWasAsked() {
    clocks.pass(Duration.ofSeconds(40));
    presence.observe(clocks);
    Job job =
        add(
            "* * * * * @policy(deadline=1m)",
            run("run-9", "2026-05-10T12:00:00Z", Phase.INTENDED, null));
    assertEquals(List.of("recover run-9"), processes.calls);
    clocks.pass(Duration.ofMinutes(7)); // the machine sleeps
    presence.observe(clocks);
    jobs.happened(
        job.identity,
        new JobEvent.NeverBegan("run-9", 10, "run-10", BOOT, clocks.wallMillis()),
        "run-9");
    Write write = durable();
    assertEquals(Outcome.MISSED, write.history().getFirst().outcome());
    assertEquals(
        "never began; 430 s late when the daemon was there again, the deadline is 60 s",
        write.history().getFirst().reason());
  }

  @Test
  void aRunThatCouldNotBeClaimedIsAsLateAsItIsWhenItIsTriedAgain() {
    Job job = add("* * * * * @policy(deadline=1m)");
    pass(Duration.ofSeconds(30));
    durable();
    clocks.pass(Duration.ofMinutes(7)); // the machine sleeps
    presence.observe(clocks);
    jobs.happened(
        job.identity,
        new JobEvent.NeverBegan(
            "run-1", JobEvent.PeriodDue.SEEN, "run-10", BOOT, clocks.wallMillis()),
        "run-1");
    assertEquals(Outcome.MISSED, durable().history().getFirst().outcome());
  }

  @Test
  void aJobWhoseRunCouldNotBeSettledForAFullDiskStartsNoBurst() {
    clocks.pass(Duration.ofSeconds(40));
    presence.observe(clocks);
    Job job =
        add(
            "* * * * * @policy(deadline=1h)",
            run("run-9", "2026-05-10T12:00:00Z", Phase.INTENDED, null));
    for (int second = 0; second < 300; second++) {
      clocks.pass(Duration.ofSeconds(1));
      presence.observe(clocks);
    }
    jobs.heldUp(job.identity, clocks.wallMillis());
    jobs.happened(job.identity, new Exited("run-9", null, null, "", clocks.wallMillis()), "run-9");
    durable();
    durable();
    assertEquals(
        Instant.parse("2026-05-10T12:05:00Z").getEpochSecond(),
        job.state.active().getFirst().nominal());
  }

  @Test
  void whatFallsDueWhileTheLoopIsBusyIsNotLateForADiskThatHealedBefore() {
    Job job =
        add(
            "* * * * * @policy(deadline=0s)",
            run("run-9", "2026-05-10T12:00:00Z", Phase.INTENDED, null));
    long healed = clocks.wallMillis();
    for (int second = 0; second < 100; second++) {
      clocks.pass(Duration.ofSeconds(1));
      presence.observe(clocks);
    }
    jobs.heldUp(job.identity, healed);
    jobs.happened(job.identity, new Exited("run-9", null, null, "", clocks.wallMillis()), "run-9");
    durable();
    assertEquals(1, disk.writes.size());
    assertEquals(List.of(), durable().history(), "nothing is missed");
    assertEquals(1, job.state.active().size());
  }

  @Test
  void whoAsksForARunWhileTheLastOneEndsIsToldWhyItWasRefused() throws Exception {
    Job job = add("* * * * *");
    pass(Duration.ofSeconds(30));
    durable();
    jobs.happened(job.identity, new Launched("run-1", 5, 5), "run-1");
    var reply = new CompletableFuture<Answer>();
    jobs.submit(job, jobs.runRequested(), reply);
    jobs.happened(job.identity, new Exited("run-1", 0, null, null, clocks.wallMillis()), "run-1");
    durable();
    durable();
    assertEquals(List.of(), job.state.active());
    assertEquals(
        "another run was active, and the job's policy is concurrency=forbid",
        assertInstanceOf(Answer.Refused.class, reply.get()).reason());
  }

  @Test
  void aRunThatWaitedDoesNotBeginAfterARestartOfTheMachine() {
    Job job =
        add(
            "0 0 * * * @policy(concurrency=replace)",
            run("old", "2026-05-09T00:00:00Z", Phase.STARTED, Ending.REPLACED),
            run("new", "2026-05-10T00:00:00Z", Phase.WAITING, null));
    jobs.happened(
        job.identity, new Exited("old", null, null, "unknown", clocks.wallMillis()), "old");
    List<Outcome> outcomes = new ArrayList<>();
    while (!disk.writes.isEmpty()) {
      durable().history().forEach(entry -> outcomes.add(entry.outcome()));
    }
    assertEquals(List.of(Outcome.MISSED, Outcome.EXECUTED), outcomes);
    assertEquals(List.of(), job.state.active());
    assertEquals(0, processes.calls.stream().filter(c -> c.startsWith("launch")).count());
  }

  @Test
  void anEditThatIsTakenBackWhileItIsBeingWrittenIsTakenBack() {
    Job job = add("0 6 * * *");
    JobSpec first = Objects.requireNonNull(job.spec);
    JobSpec other =
        JobSpec.builder("/etc/krond.d/a", "job", Schedule.parse("0 7 * * *"), List.of("/bin/true"))
            .build();
    for (JobSpec spec : List.of(other, first)) {
      new Reload(Map.of(), List.of(spec), List.of(), List.of(), 5)
          .applyTo(jobs, clocks.wallMillis());
    }
    while (!disk.writes.isEmpty()) {
      durable();
    }
    assertEquals(first.schedule().fingerprint(), job.state.fingerprint());
  }

  @Test
  void anEditWhileTheDiskIsFullNeverRunsThePastEither() {
    Job job = add("0 18 * * *");
    job.state = job.state.withSchedule("before", 0); // known for years
    pass(Duration.ofSeconds(30));
    jobs.submit(job, new JobEvent.Suspended(), null);
    jobs.committed(
        disk.writes.remove(),
        new CommitResult.Failed(
            new DiskException("write", Path.of("state"), DiskException.Reason.NO_SPACE), false));
    JobSpec edited =
        JobSpec.builder(
                "/etc/krond.d/a",
                "job",
                Schedule.parse("0 6 * * * @policy(deadline=24h)"),
                List.of("/bin/true"))
            .build();
    long now = Math.floorDiv(clocks.wallMillis(), 1000L);
    new Reload(Map.of(), List.of(edited), List.of(), List.of(), now)
        .applyTo(jobs, clocks.wallMillis());
    writability.probed(null);
    while (!disk.writes.isEmpty()) {
      durable();
    }
    assertEquals(List.of(), processes.calls);
    assertEquals(now, job.state.since());
    assertEquals(
        "2026-05-11T06:00:00Z",
        Instant.ofEpochSecond(jobs.nextTurn() + RunPreparer.CROWD_SECONDS).toString());
  }

  @Test
  void anEditThatMeansTheSameWritesNothing() {
    Job job = add("0 6 * * *");
    JobSpec same =
        JobSpec.builder("/etc/krond.d/a", "job", Schedule.parse("0 6 * * *"), List.of("/bin/false"))
            .build();
    new Reload(Map.of(), List.of(same), List.of(), List.of(), 5).applyTo(jobs, clocks.wallMillis());
    assertEquals(0, disk.writes.size());
    assertEquals(same, job.spec);
    assertEquals(
        "2026-05-11T06:00:00Z",
        Instant.ofEpochSecond(jobs.nextTurn() + RunPreparer.CROWD_SECONDS).toString());
  }

  @Test
  void aJobThatAReloadBringsBackMayEndItsLastRunMeanwhile() {
    Job job = add("* * * * *");
    JobSpec spec = Objects.requireNonNull(job.spec);
    pass(Duration.ofSeconds(30));
    durable();
    new Reload(Map.of(), List.of(), List.of(job.identity), List.of(), 5)
        .applyTo(jobs, clocks.wallMillis());
    jobs.reloading(true); // the files have been read, and the job is in them again
    jobs.happened(job.identity, new Exited("run-1", 0, null, null, clocks.wallMillis()), "run-1");
    durable();
    new Reload(Map.of(), List.of(spec), List.of(), List.of(), 5).applyTo(jobs, clocks.wallMillis());
    jobs.reloading(false);
    assertEquals(spec, Objects.requireNonNull(jobs.find(job.identity)).spec);
  }

  @Test
  void aRunThatHasEndedLeavesNoTimerBehind() {
    Job job = add("* * * * *");
    pass(Duration.ofSeconds(30));
    durable();
    timers.set(Endings.timeoutKey("run-1"), clocks.bootNanos() + 1, () -> {});
    assertNotNull(timers.next());
    jobs.happened(job.identity, new Exited("run-1", 0, null, null, clocks.wallMillis()), "run-1");
    durable();
    assertEquals(0, timers.size());
    assertTrue(jobs.quiet());
  }
}
