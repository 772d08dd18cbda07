package dev.kron.cli;

import dev.kron.schedule.DueTimes;
import dev.kron.schedule.DueTimes.Due;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/** The periods of many jobs in the order they are due, made one at a time. */
final class Upcoming implements Iterator<Due> {
  private final PriorityQueue<Cursor> cursors;

  /** A job and the period of it that comes next. */
  private record Cursor(DueTimes times, Due due) implements Comparable<Cursor> {
    @Override
    public int compareTo(Cursor other) {
      int order = Long.compare(due.dueEpochSecond(), other.due.dueEpochSecond());
      return order != 0
          ? order
          : due.decision().identity().compareTo(other.due.decision().identity());
    }
  }

  private Upcoming(PriorityQueue<Cursor> cursors) {
    this.cursors = cursors;
  }

  /** The runs due after a moment, earliest first, then by identity, then by nominal time. */
  static Iterator<Due> after(List<ExplainedSubject> subjects, long epochSecond) {
    PriorityQueue<Cursor> cursors = new PriorityQueue<>(Math.max(1, subjects.size()));
    for (ExplainedSubject subject : subjects) {
      DueTimes times = DueTimes.of(subject.schedule(), subject.identity());
      enqueue(cursors, times, times.firstAfter(epochSecond));
    }
    return new Upcoming(cursors);
  }

  private static void enqueue(PriorityQueue<Cursor> cursors, DueTimes times, @Nullable Due due) {
    if (due != null) {
      cursors.add(new Cursor(times, due));
    }
  }

  @Override
  public boolean hasNext() {
    return !cursors.isEmpty();
  }

  @Override
  public Due next() {
    Cursor first = cursors.poll();
    if (first == null) {
      throw new NoSuchElementException();
    }
    enqueue(cursors, first.times(), first.times().following(first.due()));
    return first.due();
  }
}
