package dev.kron.daemon.jobs;

import dev.kron.daemon.loop.Clocks;
import dev.kron.daemon.loop.LoopTime;
import dev.kron.daemon.loop.Timers;
import dev.kron.job.JobEvent;
import java.util.ArrayList;
import java.util.List;

/**
 * Ends runs: TERM, or what was asked for, to the process group, grace, KILL, and the word that not
 * even that helped.
 */
public final class Endings {
  static final long GRACE_NANOS = 10_000_000_000L;
  private static final int SIGTERM = 15;
  private static final int SIGKILL = 9;

  private final Clocks clocks;
  private final Timers timers;
  private final Runs runs;
  private final List<Unendable> unendable = new ArrayList<>();
  private long graceNanos = GRACE_NANOS;

  /** A run that not even KILL has ended. */
  record Unendable(Job job, JobEvent.Unendable unendable) {}

  Endings(LoopTime time, Runs runs) {
    this.clocks = time.clocks();
    this.timers = time.timers();
    this.runs = runs;
  }

  /** From now on no more time than this is given to a run that is told to end. */
  void hurry(long nanos) {
    graceNanos = Math.min(graceNanos, nanos);
  }

  void begin(Job job, String runId) {
    begin(job, runId, 0);
  }

  /**
   * @param signal to begin with, 0: TERM
   */
  void begin(Job job, String runId, int signal) {
    runs.signal(job.identity, runId, signal == 0 ? SIGTERM : signal);
    later(runId, () -> kill(job, runId));
  }

  /** There may be less time for a run that was told to end before. */
  void sooner(Job job, String runId) {
    Long due = timers.due(key(runId));
    if (due == null || due > clocks.bootNanos() + graceNanos) {
      later(runId, () -> kill(job, runId));
    }
  }

  void kill(Job job, String runId) {
    runs.signal(job.identity, runId, SIGKILL);
    later(runId, () -> giveUp(job, runId));
  }

  private void giveUp(Job job, String runId) {
    unendable.add(new Unendable(job, new JobEvent.Unendable(runId, clocks.wallMillis())));
    runs.signal(job.identity, runId, SIGKILL);
    later(runId, () -> kill(job, runId));
  }

  /** The runs that turned out since the last call. */
  List<Unendable> takeUnendable() {
    if (unendable.isEmpty()) {
      return List.of();
    }
    List<Unendable> taken = List.copyOf(unendable);
    unendable.clear();
    return taken;
  }

  private void later(String runId, Runnable action) {
    timers.set(key(runId), clocks.bootNanos() + graceNanos, action);
  }

  /** The run has ended: nothing of it is left to wait for. */
  void done(String runId) {
    timers.cancel(key(runId));
    timers.cancel(timeoutKey(runId));
  }

  /** Under which the timer runs that says when a run has used up its time. */
  public static String timeoutKey(String runId) {
    return "timeout:" + runId;
  }

  private static String key(String runId) {
    return "end:" + runId;
  }
}
