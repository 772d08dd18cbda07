package dev.kron.daemon.warmup;

import dev.kron.daemon.jobs.Commits;
import dev.kron.daemon.jobs.Job;
import dev.kron.daemon.jobs.JobInput;
import dev.kron.daemon.jobs.JobLaunches;
import dev.kron.daemon.jobs.JobLog;
import dev.kron.daemon.jobs.Jobs;
import dev.kron.daemon.jobs.NewRuns;
import dev.kron.daemon.jobs.Runs;
import dev.kron.daemon.jobs.Write;
import dev.kron.daemon.log.EventLog;
import dev.kron.daemon.loop.Clocks;
import dev.kron.daemon.loop.LoopTime;
import dev.kron.daemon.loop.Presence;
import dev.kron.daemon.loop.Timers;
import dev.kron.daemon.loop.Writability;
import dev.kron.daemon.runs.Launches;
import dev.kron.daemon.runs.Outputs;
import dev.kron.daemon.runs.RunNote;
import dev.kron.job.ActiveRun;
import dev.kron.job.HistoryEntry;
import dev.kron.job.JobEvent;
import dev.kron.job.JobSpec;
import dev.kron.job.JobState;
import dev.kron.process.Launch;
import dev.kron.process.LaunchResult;
import dev.kron.process.Processes;
import dev.kron.process.Run;
import dev.kron.process.RunStatus;
import dev.kron.schedule.Schedule;
import dev.kron.store.GroupCommit;
import dev.kron.store.LinuxDisk;
import dev.kron.store.LockHeldException;
import dev.kron.store.RunIds;
import dev.kron.store.StateChange;
import dev.kron.store.StateDirectory;
import dev.kron.store.StateRefusedException;
import dev.kron.store.StateSettings;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Goes through all that a run needs, on a stage of its own, while nothing is due yet: in a JVM
 * whatever is done for the first time takes a hundred times as long, and the first job of the day
 * would begin a tenth of a second late.
 *
 * <p>The daemon's own code plays: steps of many jobs to state files that nobody syncs, in a
 * directory that is removed again, and {@code /bin/true} through keepers. Nothing relies on it;
 * where something goes wrong the first job is a little later.
 */
public final class Rehearsal implements AutoCloseable {
  /** Enough for the compiler to take notice. */
  private static final int JOBS = 250;

  /** By then the services have begun. */
  private static final long AFTER_MILLIS = 1_000;

  private static final long LEAVE_MILLIS = 3_000;
  private static final int LOOKS = 200;
  private static final long LOOK_NANOS = 10_000_000;

  private final Path place;
  private final Clocks clocks;
  private final Processes processes;
  private final JobLaunches launches;
  private final Outputs outputs;
  private final Supplier<String> runIds;
  private final CountDownLatch leaving = new CountDownLatch(1);
  private @Nullable Thread thread;

  /**
   * @param place where the stage is put up, for as long as it is needed
   */
  public Rehearsal(
      Path place,
      Clocks clocks,
      Processes processes,
      JobLaunches launches,
      Outputs outputs,
      RandomGenerator random) {
    this.place = place;
    this.clocks = clocks;
    this.processes = processes;
    this.launches = launches;
    this.outputs = outputs;
    var ids = new RunIds(random);
    this.runIds = () -> ids.next(clocks.wallMillis());
  }

  /** On a thread of its own, in a moment. */
  public void start() {
    thread =
        Thread.ofPlatform()
            .daemon()
            .name("krond-rehearsal")
            .start(
                () -> {
                  if (!isLeavingWithin(AFTER_MILLIS)) {
                    play();
                  }
                });
  }

  private boolean isLeavingWithin(long millis) {
    try {
      return leaving.await(millis, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      return true;
    }
  }

  /** It clears away what it has made. */
  @Override
  public void close() {
    leaving.countDown();
    if (thread != null) {
      try {
        thread.join(LEAVE_MILLIS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** Returns when it is over. */
  void play() {
    Path stage = null;
    try {
      stage = Files.createTempDirectory(place, "krond-rehearsal");
      play(stage);
    } catch (IOException
        | StateRefusedException
        | LockHeldException
        | Launches.Refused
        | RuntimeException e) {
      // A full disk, or a daemon that leaves already: then the first job has to do without.
    } finally {
      if (stage != null) {
        clear(stage);
      }
    }
  }

  private void play(Path stage)
      throws StateRefusedException, LockHeldException, IOException, Launches.Refused {
    var settings = StateSettings.standard(1, clocks::wallTime);
    try (StateDirectory directory =
        StateDirectory.open(stage, new UnsyncedDisk(new LinuxDisk()), settings, "a rehearsal")) {
      Run now = begin(directory, false);
      Run prepared = begin(directory, true);
      steps(directory);
      awaitEnd(now);
      awaitEnd(prepared);
    }
  }

  /** In both ways in which runs begin. */
  private Run begin(StateDirectory directory, boolean prepared)
      throws IOException, Launches.Refused {
    JobSpec spec = spec(0);
    ActiveRun active = active(runIds.get());
    Run run = new Run(active.runId(), directory.runs().create(active.runId()));
    Launch launch = launches.of(spec, active, run);
    RunNote note = RunNote.of(spec, active);
    note.write(directory.runs(), run.id(), launches.note(launch, spec));
    outputs.follow(run, note);
    LaunchResult _ = prepared ? processes.prepare(launch).start() : processes.launch(launch);
    return run;
  }

  private void awaitEnd(Run run) throws IOException {
    RunStatus status = processes.status(run);
    for (int i = 0; i < LOOKS && !isOver(status); i++) {
      LockSupport.parkNanos(LOOK_NANOS);
      status = processes.status(run);
    }
    outputs.finish(run);
  }

  private static boolean isOver(RunStatus status) {
    return !(status instanceof RunStatus.Unclaimed || status instanceof RunStatus.Running);
  }

  /** What the loop does with each job from its second to its end. */
  private void steps(StateDirectory directory) {
    var log =
        new EventLog(
            OutputStream.nullOutputStream(),
            EventLog.Format.TEXT,
            EventLog.Level.INFO,
            clocks::wallTime,
            false,
            null);
    try (var commit = new GroupCommit(directory.jobs())) {
      var committed = new Committed(commit);
      var presence = new Presence(clocks.wallMillis(), clocks.bootNanos());
      var time = new LoopTime(clocks, new Timers(), presence);
      var jobs =
          new Jobs(
              time,
              new Writability(clocks, time.timers(), () -> {}, log),
              committed,
              new Nowhere(),
              new JobLog(log),
              new NewRuns(runIds, processes.bootId()));
      for (int i = 0; i < JOBS; i++) {
        JobSpec spec = spec(i);
        JobState state =
            JobState.arrived(
                spec.identity(), spec.schedule().fingerprint(), clocks.wallMillis() / 1000, false);
        var job = new Job(spec, state);
        jobs.add(job);
        ActiveRun run = active(runIds.get());
        long now = clocks.wallMillis();
        List<JobEvent> events =
            List.of(
                new JobEvent.PeriodDue(
                    run.nominal(),
                    run.chosen(),
                    run.due(),
                    JobEvent.PeriodDue.SEEN,
                    run.runId(),
                    run.bootId(),
                    now),
                new JobEvent.Launched(run.runId(), 1, 1),
                new JobEvent.Exited(run.runId(), 0, null, null, now));
        for (JobEvent event : events) {
          jobs.submit(job, event, null);
          committed.tell(jobs);
        }
      }
    }
    log.close();
  }

  private static JobSpec spec(int number) {
    return JobSpec.builder(
            "/rehearsal", "job" + number, Schedule.parse("0 0 1 1 *"), List.of("/bin/true"))
        .build();
  }

  private ActiveRun active(String runId) {
    long second = Math.floorDiv(clocks.wallMillis(), 1000L);
    return ActiveRun.builder(runId)
        .nominal(second)
        .chosen(second)
        .due(second)
        .bootId(processes.bootId())
        .startedAt(second * 1000)
        .build();
  }

  private static void clear(Path stage) {
    try (var files = Files.walk(stage)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(file);
      }
    } catch (IOException | UncheckedIOException e) {
      // A few small files stay in the directory for such.
    }
  }

  /** Commits on the thread that asks. */
  private static final class Committed implements Commits {
    private final GroupCommit commit;
    private final Queue<JobInput.Committed> results = new ArrayDeque<>();

    Committed(GroupCommit commit) {
      this.commit = commit;
    }

    @Override
    public void commit(Write write) {
      commit.submit(
          new StateChange(write.state(), write.history()),
          write.isAwaited(),
          result -> results.add(new JobInput.Committed(write, result)));
    }

    void tell(Jobs jobs) {
      while (commit.drain() > 0) {
        for (JobInput.Committed next = results.poll(); next != null; next = results.poll()) {
          jobs.committed(next.write(), next.result());
        }
      }
    }
  }

  /** Nothing is started here. */
  private static final class Nowhere implements Runs {
    @Override
    public void launch(JobSpec spec, ActiveRun run) {}

    @Override
    public void recover(String identity, @Nullable JobSpec spec, ActiveRun run, long lateSeconds) {}

    @Override
    public void signal(String identity, String runId, int signal) {}

    @Override
    public void drop(String runId) {}

    @Override
    public void alert(String identity, @Nullable JobSpec spec, HistoryEntry entry) {}
  }
}
