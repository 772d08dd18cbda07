package dev.kron.simulation;

import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/**
 * Events to come, in the order of time; those of the same moment come in the order in which they
 * were added.
 */
final class Agenda {
  private record Entry(long atNanos, long number, Runnable task) implements Comparable<Entry> {
    @Override
    public int compareTo(Entry other) {
      int byTime = Long.compare(atNanos, other.atNanos);
      return byTime != 0 ? byTime : Long.compare(number, other.number);
    }
  }

  private final PriorityQueue<Entry> entries = new PriorityQueue<>();
  private long numbers;

  void at(long nanos, Runnable task) {
    entries.add(new Entry(nanos, numbers++, task));
  }

  /** When the next thing happens, {@code Long.MAX_VALUE} where nothing will. */
  long next() {
    Entry first = entries.peek();
    return first == null ? Long.MAX_VALUE : first.atNanos;
  }

  /** Takes out what is next, if its time has come. */
  @Nullable Runnable poll(long nanos) {
    Entry first = entries.peek();
    if (first == null || first.atNanos > nanos) {
      return null;
    }
    entries.remove();
    return first.task;
  }

  void clear() {
    entries.clear();
  }
}
