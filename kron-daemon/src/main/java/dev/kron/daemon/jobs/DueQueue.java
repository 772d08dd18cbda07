package dev.kron.daemon.jobs;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Jobs by the second they are next due. A binary heap over the jobs themselves, which know their
 * place in it, so that a hundred thousand waiting jobs cost one reference each and a changed due
 * time is moved rather than searched for.
 */
final class DueQueue {
  private final List<Job> heap = new ArrayList<>();

  /**
   * Puts a job in, or moves it, according to its {@link Job#dueAt}; {@link Job#NEVER} takes it out.
   */
  void update(Job job) {
    if (job.dueAt == Job.NEVER) {
      remove(job);
      return;
    }
    if (job.queueIndex < 0) {
      heap.add(job);
      job.queueIndex = heap.size() - 1;
    }
    up(job.queueIndex);
    down(job.queueIndex);
  }

  void remove(Job job) {
    int index = job.queueIndex;
    if (index < 0) {
      return;
    }
    job.queueIndex = -1;
    Job last = heap.removeLast();
    if (index < heap.size()) {
      place(last, index);
      up(index);
      down(last.queueIndex);
    }
  }

  /** The job that is due first. */
  @Nullable Job peek() {
    return heap.isEmpty() ? null : heap.getFirst();
  }

  /** The jobs that are due in these seconds, both included. */
  List<Job> dueWithin(long from, long until) {
    List<Job> due = new ArrayList<>();
    collect(0, from, until, due);
    return due;
  }

  /** A job is never due before the one above it, so only the top of the heap is looked at. */
  private void collect(int index, long from, long until, List<Job> due) {
    if (index < heap.size() && heap.get(index).dueAt <= until) {
      if (heap.get(index).dueAt >= from) {
        due.add(heap.get(index));
      }
      collect(2 * index + 1, from, until, due);
      collect(2 * index + 2, from, until, due);
    }
  }

  private void up(int index) {
    Job job = heap.get(index);
    while (index > 0) {
      int parent = (index - 1) / 2;
      if (!before(job, heap.get(parent))) {
        break;
      }
      place(heap.get(parent), index);
      index = parent;
    }
    place(job, index);
  }

  private void down(int index) {
    Job job = heap.get(index);
    while (true) {
      int child = 2 * index + 1;
      if (child >= heap.size()) {
        break;
      }
      if (child + 1 < heap.size() && before(heap.get(child + 1), heap.get(child))) {
        child++;
      }
      if (!before(heap.get(child), job)) {
        break;
      }
      place(heap.get(child), index);
      index = child;
    }
    place(job, index);
  }

  /** By due time, then by identity: two daemons with the same jobs take them in the same order. */
  private static boolean before(Job a, Job b) {
    return a.dueAt != b.dueAt ? a.dueAt < b.dueAt : a.compareTo(b) < 0;
  }

  private void place(Job job, int index) {
    heap.set(index, job);
    job.queueIndex = index;
  }
}
