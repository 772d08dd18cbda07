package dev.kron.daemon.jobs;

import dev.kron.cron.CronCalendar;
import dev.kron.daemon.runs.NoteLines;
import dev.kron.job.HistoryEntry;
import dev.kron.store.DiskException;
import dev.kron.store.RunDirectories;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Alerts that were decided and may not have been raised. The note stands before the failure becomes
 * durable, and names the run by which the alert will be raised; so a daemon that finds the note and
 * the failure raises it, and the claim of that run keeps it from being raised twice. Both only hold
 * within one boot: a loss of power may bring a note back that was settled.
 */
final class OwedAlerts {
  static final String WORD = "alert";
  private static final int LIMIT_BYTES = 16 * 1024;

  private final RunDirectories directories;
  private final Supplier<String> runIds;
  private final String bootId;
  private final Map<Failure, String> owed = new ConcurrentHashMap<>();

  /** The notes that this daemon has made or taken over, and not settled. */
  private final Set<String> own = ConcurrentHashMap.newKeySet();

  /**
   * The failures that this daemon has noted itself: an earlier one may have noted the same, where
   * the end of a wait did not become durable. Null once all that earlier ones left is found.
   */
  private volatile @Nullable Set<Failure> noted = ConcurrentHashMap.newKeySet();

  /** Which entry of which history. */
  record Failure(String identity, long nominal, long completedAt, @Nullable String runId) {
    static Failure of(String identity, HistoryEntry entry) {
      return new Failure(identity, entry.nominal(), entry.completedAt(), entry.runId());
    }

    private static Failure of(NoteLines note) {
      String runId = note.text("run", "");
      return new Failure(
          note.text("identity", ""),
          note.number("period", CronCalendar.NONE),
          note.number("completed_at_ms", 0),
          runId.isEmpty() ? null : runId);
    }

    /** The boot comes last: a note that has it was written to its end. */
    private byte[] bytes(String bootId) {
      return new NoteLines.Draft()
          .line("identity", identity)
          .line("period", nominal)
          .line("completed_at_ms", completedAt)
          .line("run", runId == null ? "" : runId)
          .line("boot", bootId)
          .bytes();
    }
  }

  OwedAlerts(RunDirectories directories, Supplier<String> runIds, String bootId) {
    this.directories = directories;
    this.bootId = bootId;
    this.runIds = runIds;
  }

  /** Before the failure is durable. A step that could not be written may come here again. */
  void note(Failure failure) throws DiskException {
    Set<Failure> notedHere = noted;
    if (notedHere != null) {
      notedHere.add(failure);
    }
    String id = owed.computeIfAbsent(failure, key -> runIds.get());
    own.add(id);
    directories.owe(WORD, id, failure.bytes(bootId));
  }

  /** The run by which the alert is to be raised. */
  String take(Failure failure) {
    String id = owed.remove(failure);
    return id == null ? runIds.get() : id;
  }

  /** It was raised and is over, or never will be. */
  void settle(String id) throws DiskException {
    directories.settle(WORD, id);
    own.remove(id);
  }

  /** Takes over what earlier daemons noted; notes that prove nothing are settled. */
  Map<Failure, String> takeOver() throws DiskException {
    Map<Failure, String> found = new HashMap<>();
    for (String id : directories.owed(WORD)) {
      if (!own.contains(id)) {
        readOrSettle(id, found);
      }
    }
    Set<Failure> notedHere = noted;
    for (Failure failure : notedHere == null ? Set.<Failure>of() : notedHere) {
      String id = found.remove(failure);
      if (id != null) {
        settle(id);
      }
    }
    found.forEach(owed::putIfAbsent);
    return found;
  }

  /** Everything that earlier daemons left was looked at. */
  void foundAll() {
    noted = null;
  }

  /** Whether this daemon has taken over a note, and raises its alert in its own time. */
  boolean isOwn(String id) {
    return own.contains(id);
  }

  private void readOrSettle(String id, Map<Failure, String> found) throws DiskException {
    try {
      NoteLines note = NoteLines.of(directories.owed(WORD, id, LIMIT_BYTES));
      if (note.text("boot", "").equals(bootId)) {
        found.put(Failure.of(note), id);
      } else {
        settle(id); // of another boot, or never finished: nothing can be proved by it
      }
    } catch (NumberFormatException e) {
      settle(id); // not ours
    } catch (DiskException e) {
      if (e.reason() != DiskException.Reason.NOT_FOUND) {
        throw e;
      }
      // One of our own, settled meanwhile.
    }
  }

  /** An earlier daemon has raised it, and it goes on. */
  void adopt(Failure failure, String id) {
    owed.remove(failure);
    own.add(id);
  }

  void forget(Failure failure, String id) throws DiskException {
    owed.remove(failure);
    settle(id);
  }
}
