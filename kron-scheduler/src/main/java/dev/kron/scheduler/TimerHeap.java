package dev.kron.scheduler;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Tasks by the time at which they are to be looked at: a binary heap in two arrays, twelve bytes a
 * task, so that a turn costs what is due and not what is registered.
 */
final class TimerHeap {
  private @Nullable Task[] tasks = new @Nullable Task[16];
  private long[] wakeMillis = new long[16];
  private int size;

  void clear(int capacity) {
    tasks = new @Nullable Task[Math.max(16, capacity)];
    wakeMillis = new long[tasks.length];
    size = 0;
  }

  /** {@link Long#MAX_VALUE} when empty. */
  long earliestMillis() {
    return size == 0 ? Long.MAX_VALUE : wakeMillis[0];
  }

  void add(Task task) {
    if (size == tasks.length) {
      tasks = Arrays.copyOf(tasks, size * 2);
      wakeMillis = Arrays.copyOf(wakeMillis, size * 2);
    }
    long wake = task.wakeMillis();
    int at = size++;
    while (at > 0) {
      int parent = (at - 1) >>> 1;
      if (wakeMillis[parent] <= wake) {
        break;
      }
      tasks[at] = tasks[parent];
      wakeMillis[at] = wakeMillis[parent];
      at = parent;
    }
    tasks[at] = task;
    wakeMillis[at] = wake;
  }

  /** Takes out a task before its time, if it is in here. */
  void remove(Task task) {
    for (int at = 0; at < size; at++) {
      if (tasks[at] == task) {
        size--;
        Task last = tasks[size];
        tasks[size] = null;
        if (at < size && last != null) {
          rebuildWith(last, at);
        }
        return;
      }
    }
  }

  /** Puts the task into a place that became free, and whatever has to move where it belongs. */
  private void rebuildWith(Task last, int place) {
    long wake = wakeMillis[size];
    int at = place;
    while (at > 0 && wakeMillis[(at - 1) >>> 1] > wake) {
      tasks[at] = tasks[(at - 1) >>> 1];
      wakeMillis[at] = wakeMillis[(at - 1) >>> 1];
      at = (at - 1) >>> 1;
    }
    sink(last, wake, at);
  }

  /** Takes out a task whose time has come, or null. */
  @Nullable Task poll(long nowMillis) {
    if (earliestMillis() > nowMillis || size == 0) {
      return null;
    }
    Task earliest = tasks[0];
    size--;
    Task last = tasks[size];
    tasks[size] = null;
    if (size > 0) {
      sink(last, wakeMillis[size], 0);
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
      tasks[at] = tasks[child];
      wakeMillis[at] = wakeMillis[child];
      at = child;
    }
    tasks[at] = task;
    wakeMillis[at] = wake;
  }
}
