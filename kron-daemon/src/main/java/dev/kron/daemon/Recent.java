package dev.kron.daemon;

import dev.kron.daemon.api.Control.Ended;
import dev.kron.daemon.api.Control.Result;
import dev.kron.daemon.loop.Errands;
import dev.kron.daemon.runs.RunNote;
import dev.kron.job.HistoryEntry;
import dev.kron.store.DiskException;
import dev.kron.store.StateDirectory;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The runs of all jobs that ended last; the whole histories stay on disk. Runs that ended before
 * this daemon began are read at the first request, from the histories of the jobs that ran last.
 */
final class Recent {
  private static final int CAPACITY = 1000;
  private static final int EARLIER_RUNS = 200;

  private final Deque<Ended> newestFirst = new ArrayDeque<>();
  private final Results results = new Results();
  private @Nullable List<Ended> earlier;

  /** The last result of one job, see {@link Results#find}. */
  @Nullable Result result(String identity, @Nullable StateDirectory directory) {
    return results.find(identity, directory);
  }

  /** See {@link Results#learn}. */
  boolean learn(
      List<String> identities, StateDirectory directory, Errands errands, long patienceMillis) {
    return results.learn(identities, directory, errands, patienceMillis);
  }

  synchronized void add(String identity, HistoryEntry entry) {
    results.add(identity, entry);
    if (newestFirst.size() == CAPACITY) {
      newestFirst.removeLast();
    }
    newestFirst.addFirst(new Ended(identity, entry));
  }

  /** The runs that ended last, newest first. */
  List<Ended> all(StateDirectory directory) {
    List<Ended> before = earlier(directory);
    synchronized (this) {
      var all = new ArrayList<>(newestFirst);
      // What this daemon has recorded by the first look stands in both.
      Set<String> present = new HashSet<>();
      newestFirst.forEach(ended -> present.add(key(ended)));
      before.stream().filter(ended -> !present.contains(key(ended))).forEach(all::add);
      return all.subList(0, Math.min(CAPACITY, all.size()));
    }
  }

  private static String key(Ended ended) {
    String runId = ended.entry().runId();
    return runId == null ? ended.identity() + " " + ended.entry().nominal() : runId;
  }

  private List<Ended> earlier(StateDirectory directory) {
    synchronized (this) {
      if (earlier != null) {
        return earlier;
      }
    }
    List<Ended> found = read(directory);
    synchronized (this) {
      earlier = found;
      return found;
    }
  }

  private static List<Ended> read(StateDirectory directory) {
    var found = new ArrayList<Ended>();
    try {
      List<String> runs = directory.runs().list();
      Set<String> identities = new LinkedHashSet<>();
      for (String runId : runs.reversed().subList(0, Math.min(EARLIER_RUNS, runs.size()))) {
        identities.add(RunNote.read(directory.runs(), runId).identity());
      }
      identities.remove("");
      for (String identity : identities) {
        for (HistoryEntry entry : directory.jobs().history(identity)) {
          found.add(new Ended(identity, entry));
        }
      }
    } catch (DiskException e) {
      // As far as it could be read.
    }
    found.sort(Comparator.<Ended>comparingLong(ended -> ended.entry().completedAt()).reversed());
    return List.copyOf(found.subList(0, Math.min(CAPACITY, found.size())));
  }
}
