package dev.kron.daemon;

import dev.kron.cron.CronCalendar;
import dev.kron.daemon.api.Control.Load;
import dev.kron.daemon.api.JobView;
import dev.kron.daemon.api.Snapshot;
import dev.kron.daemon.loop.Errands;
import dev.kron.job.JobSpec;
import dev.kron.schedule.DueTimes;
import dev.kron.schedule.Schedule;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The number of starts in the next 24 hours. They are counted on request, beside the loop, a few
 * milliseconds at a time. The result is kept until the jobs change or the next quarter of an hour
 * begins.
 */
final class LoadForecast {
  private static final int STEP_SECONDS = 900;
  private static final int STEPS = 96;

  /** The length of a piece of work, and of the pause after it. */
  private static final long SLICE_NANOS = 10_000_000L;

  private static final long PAUSE_MILLIS = 10;

  /** How long the first request waits; a few jobs are counted by then. */
  private static final long PATIENCE_MILLIS = 300;

  /** The number of periods between two looks at the time. */
  private static final int AT_ONCE = 64;

  private final Errands errands;
  private @Nullable Count last;
  private @Nullable Count underWay;

  LoadForecast(Errands errands) {
    this.errands = errands;
  }

  /** The count so far: of all jobs, perhaps an old one, or of the first jobs. */
  synchronized Load load(Snapshot snapshot) {
    long from = Math.floorDiv(snapshot.wallMillis(), STEP_SECONDS * 1000L) * STEP_SECONDS;
    List<JobSpec> specs =
        snapshot.jobs().stream()
            .filter(job -> job.spec() != null && !job.suspended())
            .map(JobView::spec)
            .toList();
    Count present = last;
    if (underWay == null && (present == null || !present.isOf(from, specs))) {
      var begun = new Count(from, specs, snapshot.wallMillis());
      underWay = begun;
      errands.ahead("", Errands.Place.COUNT_STARTS, () -> go(begun), thrown -> drop());
      present = waitFor(begun);
    }
    Count told = present != null ? present : underWay;
    return told == null ? new Load(from, zeros(), zeros(), 0, false) : told.told();
  }

  private @Nullable Count waitFor(Count count) {
    long end = System.nanoTime() + PATIENCE_MILLIS * 1_000_000L;
    try {
      while (underWay == count) {
        long left = (end - System.nanoTime()) / 1_000_000L;
        if (left <= 0) {
          break;
        }
        wait(left);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return last;
  }

  private void go(Count count) {
    if (count.goOn()) {
      errands.after(PAUSE_MILLIS, Errands.Place.COUNT_STARTS, () -> go(count), thrown -> drop());
      return;
    }
    synchronized (this) {
      last = count;
      underWay = null;
      notifyAll();
    }
  }

  private synchronized void drop() {
    underWay = null;
    notifyAll();
  }

  private static List<Long> zeros() {
    return Arrays.stream(new long[STEPS]).boxed().toList();
  }

  /** One count of all jobs. */
  private static final class Count {
    private final long from;
    private final long to;
    private final List<JobSpec> specs;
    private final long beganAtMillis;
    private final long[] chosen = new long[STEPS];
    private final long[] nominal = new long[STEPS];
    private int index;
    private long at;
    private DueTimes.@Nullable Due due;
    private boolean inJob;
    private boolean complete;

    Count(long from, List<JobSpec> specs, long beganAtMillis) {
      this.from = from;
      this.to = from + (long) STEPS * STEP_SECONDS;
      this.specs = specs;
      this.beganAtMillis = beganAtMillis;
    }

    /** Whether a new count would give the same. */
    boolean isOf(long otherFrom, List<JobSpec> others) {
      return from == otherFrom && specs.equals(others);
    }

    synchronized Load told() {
      return new Load(
          from,
          Arrays.stream(chosen).boxed().toList(),
          Arrays.stream(nominal).boxed().toList(),
          beganAtMillis,
          complete);
    }

    /** Counts for a moment; returns whether something is left. */
    synchronized boolean goOn() {
      long end = System.nanoTime() + SLICE_NANOS;
      while (index < specs.size()) {
        if (System.nanoTime() > end) {
          return true;
        }
        JobSpec spec = specs.get(index);
        if (!count(spec.schedule(), spec)) {
          index++;
          inJob = false;
        }
      }
      complete = true;
      return false;
    }

    /** Counts some periods of a job; returns whether there are more. */
    private boolean count(Schedule schedule, JobSpec spec) {
      boolean plain = schedule.window().seconds() == 0 && schedule.constraints().isEmpty();
      DueTimes dueTimes = DueTimes.of(schedule, spec.seed());
      if (!inJob) {
        inJob = true;
        at = schedule.next(from - 1);
        due = plain ? null : dueTimes.firstAfter(from - 1);
      }
      for (int i = 0; i < AT_ONCE && isWithin(at); i++) {
        nominal[step(at)]++;
        if (plain) {
          chosen[step(at)]++;
        }
        at = schedule.next(at);
      }
      DueTimes.Due present = due;
      for (int i = 0; i < AT_ONCE && present != null && present.dueEpochSecond() < to; i++) {
        if (!present.decision().unschedulable()) {
          chosen[step(present.dueEpochSecond())]++;
        }
        present = dueTimes.following(present);
      }
      due = present;
      return isWithin(at) || (present != null && present.dueEpochSecond() < to);
    }

    private boolean isWithin(long second) {
      return second != CronCalendar.NONE && second < to;
    }

    private int step(long second) {
      return (int) ((second - from) / STEP_SECONDS);
    }
  }
}
