package dev.kron.daemon;

import dev.kron.daemon.api.Control.Result;
import dev.kron.daemon.loop.Errands;
import dev.kron.job.HistoryEntry;
import dev.kron.store.DiskException;
import dev.kron.store.JobStates;
import dev.kron.store.StateDirectory;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The last results of jobs, for lists. A job's history is read at the first request; later results
 * are added here. May be used on any thread.
 */
final class Results {
  /** So many are read by whoever asks. */
  private static final int FEW = 4;

  /** How many histories are read beside the loop before other work has its turn. */
  private static final int SOME = 64;

  private final Map<String, Result> known = new ConcurrentHashMap<>();

  /** The jobs whose histories are to be read beside the loop, oldest first. */
  private final Queue<String> wanted = new ArrayDeque<>();

  private long asked;
  private long answered;
  private boolean reading;

  /** Adds an entry that is on disk already. */
  void add(String identity, HistoryEntry entry) {
    known.computeIfPresent(identity, (job, before) -> before.followedBy(entry));
  }

  /**
   * The last result of a job; null if there is none, or it is not known.
   *
   * @param directory where to read an unknown one; null: it is not read
   */
  @Nullable Result find(String identity, @Nullable StateDirectory directory) {
    Result found =
        directory == null
            ? known.get(identity)
            : known.computeIfAbsent(identity, job -> read(directory, job));
    return found == null || found.trend().isEmpty() ? null : found;
  }

  /**
   * Reads the results that are not known: a few at once, many beside the loop.
   *
   * @return whether all are known; false: it takes longer, and goes on
   */
  boolean learn(
      List<String> identities, StateDirectory directory, Errands errands, long patienceMillis) {
    List<String> unknown = identities.stream().filter(job -> !known.containsKey(job)).toList();
    if (unknown.size() <= FEW) {
      unknown.forEach(job -> find(job, directory));
      return true;
    }
    long last;
    synchronized (this) {
      wanted.addAll(unknown);
      asked += unknown.size();
      last = asked;
      if (!reading) {
        reading = true;
        readOn(directory, errands);
      }
    }
    return isAnswered(last, patienceMillis);
  }

  private synchronized boolean isAnswered(long number, long patienceMillis) {
    long end = System.nanoTime() + patienceMillis * 1_000_000L;
    try {
      while (answered < number) {
        long left = (end - System.nanoTime()) / 1_000_000L;
        if (left <= 0) {
          return false;
        }
        wait(left);
      }
      return true;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  private void readOn(StateDirectory directory, Errands errands) {
    errands.ahead(
        "",
        Errands.Place.READ_RESULTS,
        () -> readSome(directory, errands),
        thrown -> readSome(directory, errands));
  }

  private void readSome(StateDirectory directory, Errands errands) {
    List<String> some = new ArrayList<>(SOME);
    synchronized (this) {
      while (some.size() < SOME && !wanted.isEmpty()) {
        some.add(wanted.remove());
      }
    }
    some.forEach(job -> find(job, directory));
    synchronized (this) {
      answered += some.size();
      notifyAll();
      reading = !wanted.isEmpty();
      if (reading) {
        readOn(directory, errands);
      }
    }
  }

  private static Result read(StateDirectory directory, String identity) {
    Result result = Result.NONE;
    try {
      JobStates.Told told = directory.jobs().told(identity);
      result = Result.after(told.earlierSuccess());
      for (HistoryEntry entry : told.history()) {
        result = result.followedBy(entry);
      }
    } catch (DiskException e) {
      // Whoever asks for the history itself is told why.
    }
    return result;
  }
}
