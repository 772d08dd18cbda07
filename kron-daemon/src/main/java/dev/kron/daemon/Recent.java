package dev.kron.daemon;

import dev.kron.daemon.api.Control.Ended;
import dev.kron.job.HistoryEntry;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/** What ended last, of all jobs together; their whole histories stay on disk. */
final class Recent {
  private static final int CAPACITY = 1000;

  private final Deque<Ended> newestFirst = new ArrayDeque<>();

  synchronized void add(String identity, HistoryEntry entry) {
    if (newestFirst.size() == CAPACITY) {
      newestFirst.removeLast();
    }
    newestFirst.addFirst(new Ended(identity, entry));
  }

  /** Newest first. */
  synchronized List<Ended> all() {
    return new ArrayList<>(newestFirst);
  }
}
