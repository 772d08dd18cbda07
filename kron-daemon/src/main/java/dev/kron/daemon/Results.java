package dev.kron.daemon;

import dev.kron.daemon.api.Control.Result;
import dev.kron.job.HistoryEntry;
import dev.kron.store.DiskException;
import dev.kron.store.StateDirectory;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * How jobs ended lately, for lists. A job's history is read when somebody asks for the first time;
 * from then on what ends is added here. For any thread.
 */
final class Results {
  private static final int TREND = 10;

  private final Map<String, Result> known = new ConcurrentHashMap<>();

  /** Something ended; it is on disk already. */
  void add(String identity, HistoryEntry entry) {
    known.computeIfPresent(identity, (job, before) -> before.followedBy(entry));
  }

  /**
   * The last result of a job, null where there is none, or where it is not known.
   *
   * @param directory where to look for one that was not asked for before; null: nowhere
   */
  @Nullable Result find(String identity, @Nullable StateDirectory directory) {
    Result found =
        directory == null
            ? known.get(identity)
            : known.computeIfAbsent(identity, job -> read(directory, job));
    return found == null || found.trend().isEmpty() ? null : found;
  }

  private static Result read(StateDirectory directory, String identity) {
    Result result = new Result(null, "");
    try {
      List<HistoryEntry> history = directory.jobs().history(identity);
      for (HistoryEntry entry :
          history.subList(Math.max(0, history.size() - TREND), history.size())) {
        result = result.followedBy(entry);
      }
    } catch (DiskException e) {
      // Whoever asks for the history itself is told why.
    }
    return result;
  }
}
