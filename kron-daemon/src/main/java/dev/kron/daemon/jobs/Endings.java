package dev.kron.daemon.jobs;

import dev.kron.daemon.loop.Clocks;
import dev.kron.daemon.loop.LoopTime;
import dev.kron.daemon.loop.Timers;
import dev.kron.job.JobEvent;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The way a run is ended: TERM, or the signal that was asked for, to its process group; after the
 * grace period KILL; then the report that not even KILL helped. Each period begins when the signal
 * before it has been sent, so that a machine that sleeps in between takes nothing of it away.
 */
public final class Endings {
  static final long GRACE_NANOS = 10_000_000_000L;
  private static final int SIGTERM = 15;
  private static final int SIGKILL = 9;

  private final Clocks clocks;
  private final Timers timers;
  private final Runs runs;
  private final List<Unendable> unendable = new ArrayList<>();

  /** The next step for each run that is being ended. */
  private final Map<String, Runnable> next = new HashMap<>();

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
    send(job, runId, signal == 0 ? SIGTERM : signal, () -> kill(job, runId));
  }

  /** Shortens the grace period of a run that was told to end before. */
  void sooner(Job job, String runId) {
    Long due = timers.due(key(runId));
    boolean unsent = due == null && next.containsKey(runId);
    if (!unsent && (due == null || due > clocks.bootNanos() + graceNanos)) {
      next.put(runId, () -> kill(job, runId));
      signalled(runId, clocks.bootNanos());
    }
  }

  void kill(Job job, String runId) {
    send(job, runId, SIGKILL, () -> giveUp(job, runId));
  }

  private void giveUp(Job job, String runId) {
    unendable.add(new Unendable(job, new JobEvent.Unendable(runId, clocks.wallMillis())));
    send(job, runId, SIGKILL, () -> kill(job, runId));
  }

  private void send(Job job, String runId, int signal, Runnable then) {
    timers.cancel(key(runId));
    next.put(runId, then);
    runs.signal(job.identity, runId, signal);
  }

  /** A signal to a run has been sent, or cannot be sent for now. */
  void signalled(String runId, long atBootNanos) {
    Runnable then = next.get(runId);
    if (then != null) {
      timers.set(key(runId), atBootNanos + graceNanos, then);
    }
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

  /** The run has ended or never will begin; its timers are dropped. */
  void done(String runId) {
    next.remove(runId);
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
