package dev.kron.scheduler;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Tasks by the time at which they are to be looked at: a binary heap in two arrays, twelve bytes a
 * task, so that a turn costs what is due and not what is registered. Each task knows its place, so
 * that taking one out costs no search.
 */
final class TimerHeap {
  private @Nullable Task[] tasks = new @Nullable Task[16];
  private long[] wakeMillis = new long[16];
  private int size;

  void clear(int capacity) {
    for (int at = 0; at < size; at++) {
      Task task = tasks[at];
      if (task != null) {
        task.timerPlace = Task.NO_TIMER;
      }
    }
    tasks = new @Nullable Task[Math.max(16, capacity)];
    wakeMillis = new long[tasks.length];
    size = 0;
  }

  /** {@link Long#MAX_VALUE} when empty. */
  long earliestMillis() {
    return size == 0 ? Long.MAX_VALUE : wakeMillis[0];
  }

  /** Adds a task, or puts one that is in here where it belongs now. */
  void add(Task task) {
    remove(task);
    if (size == tasks.length) {
      tasks = Arrays.copyOf(tasks, size * 2);
      wakeMillis = Arrays.copyOf(wakeMillis, size * 2);
    }
    long wake = task.wakeMillis();
    size++;
    put(task, wake, risen(wake, size - 1));
  }

  private void put(@Nullable Task task, long wake, int at) {
    tasks[at] = task;
    wakeMillis[at] = wake;
    if (task != null) {
      task.timerPlace = at;
    }
  }

  /** The place above a free one where a task with the given time belongs; others make room. */
  private int risen(long wake, int place) {
    int at = place;
    while (at > 0 && wakeMillis[(at - 1) >>> 1] > wake) {
      int parent = (at - 1) >>> 1;
      put(tasks[parent], wakeMillis[parent], at);
      at = parent;
    }
    return at;
  }

  /** Takes out a task before its time, if it is in here. */
  void remove(Task task) {
    int place = task.timerPlace;
    if (place == Task.NO_TIMER) {
      return;
    }
    task.timerPlace = Task.NO_TIMER;
    size--;
    Task last = tasks[size];
    tasks[size] = null;
    if (place < size) {
      sink(last, wakeMillis[size], risen(wakeMillis[size], place));
    }
  }

  /** Takes out a task whose time has come, or null. */
  @Nullable Task poll(long nowMillis) {
    if (earliestMillis() > nowMillis || size == 0) {
      return null;
    }
    Task earliest = tasks[0];
    if (earliest != null) {
      remove(earliest);
    }
    return earliest;
  }

  private void sink(@Nullable Task task, long wake, int from) {
    int at = from;
    while (2 * at + 1 < size) {
      int child = 2 * at + 1;
      if (child + 1 < size && wakeMillis[child + 1] < wakeMillis[child]) {
        child++;
      }
      if (wake <= wakeMillis[child]) {
        break;
      }
      put(tasks[child], wakeMillis[child], at);
      at = child;
    }
    put(task, wake, at);
  }
}
