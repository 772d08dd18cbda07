package dev.kron.scheduler;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/** The runs that may not take as long as they like, by the time at which to look at them. */
final class Deadlines {
  private static final long NANOS_PER_MILLI = 1_000_000;

  private final Map<TaskRun, Entry> entries = new HashMap<>();
  private final TreeSet<Entry> byTime =
      new TreeSet<>(Comparator.comparingLong(Entry::nanos).thenComparingLong(Entry::order));
  private long order;

  private record Entry(TaskRun run, Duration timeout, long nanos, long order) {}

  void add(TaskRun run, long nowNanos) {
    Duration timeout = run.task.registration.options().timeout();
    if (timeout != null) {
      put(run, timeout, nowNanos + TaskRun.nanos(timeout));
    }
  }

  private void put(TaskRun run, Duration timeout, long nanos) {
    Entry entry = new Entry(run, timeout, nanos, order++);
    entries.put(run, entry);
    byTime.add(entry);
  }

  void remove(TaskRun run) {
    Entry entry = entries.remove(run);
    if (entry != null) {
      byTime.remove(entry);
    }
  }

  /** Takes out the runs whose time is over; those that got their thread late have some left. */
  List<TaskRun> reached(long nowNanos) {
    List<TaskRun> reached = new ArrayList<>();
    while (!byTime.isEmpty() && byTime.first().nanos() <= nowNanos) {
      Entry first = byTime.first();
      remove(first.run());
      long left = first.run().nanosLeft(nowNanos, first.timeout());
      if (left > 0) {
        put(first.run(), first.timeout(), nowNanos + left);
      } else {
        reached.add(first.run());
      }
    }
    return reached;
  }

  /** The time until the next one, rounded up; {@link Long#MAX_VALUE} if there is none. */
  long millisLeft(long nowNanos) {
    if (byTime.isEmpty()) {
      return Long.MAX_VALUE;
    }
    long left = Math.max(0, byTime.first().nanos() - nowNanos);
    return (left + NANOS_PER_MILLI - 1) / NANOS_PER_MILLI;
  }
}
