package dev.kron.daemon.jobs;

import dev.kron.daemon.loop.Clocks;
import dev.kron.daemon.loop.LoopTime;
import dev.kron.daemon.loop.Timers;
import dev.kron.job.JobEvent;
import java.util.ArrayList;
import java.util.List;

/**
 * The way a run is ended: TERM, or the signal that was asked for, to its process group; after the
 * grace period KILL; then the report that not even KILL helped.
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

  /** Limits the grace period of all runs that are told to end from now on. */
  void hurry(long nanos) {
    graceNanos = Math.min(graceNanos, nanos);
  }

  void begin(Job job, String runId) {
    begin(job, runId, 0);
  }

  /**
   * @param signal the first signal; 0: TERM
   */
  void begin(Job job, String runId, int signal) {
    runs.signal(job.identity, runId, signal == 0 ? SIGTERM : signal);
    later(runId, () -> kill(job, runId));
  }

  /** Shortens the grace period of a run that was told to end before. */
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

  /** The runs that were found to be unendable since the last call. */
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

  /** The run has ended; its timers are dropped. */
  void done(String runId) {
    timers.cancel(key(runId));
    timers.cancel(timeoutKey(runId));
  }

  /** The key of the timer for a run's timeout. */
  public static String timeoutKey(String runId) {
    return "timeout:" + runId;
  }

  private static String key(String runId) {
    return "end:" + runId;
  }
}
