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
 * The notes of alerts that are decided and perhaps not raised. A note is written before the failure
 * becomes durable, and names the run of the alert's command. A daemon that finds both the note and
 * the failure raises the alert; the claim of that run keeps it from being raised twice. Both hold
 * within one boot only, since a loss of power may bring a removed note back.
 */
final class OwedAlerts {
  static final String WORD = "alert";
  private static final int LIMIT_BYTES = 16 * 1024;

  private final RunDirectories directories;
  private final Supplier<String> runIds;
  private final String bootId;
  private final Map<Failure, String> owed = new ConcurrentHashMap<>();

  /** The notes that this daemon has made or taken over, and not removed. */
  private final Set<String> own = ConcurrentHashMap.newKeySet();

  /**
   * The failures that this daemon has noted itself. An earlier daemon may have noted the same
   * failure, if the end of a wait did not become durable. Null once all notes of earlier daemons
   * are found.
   */
  private volatile @Nullable Set<Failure> noted = ConcurrentHashMap.newKeySet();

  /** A failure: one entry of one job's history. */
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

    /** The bytes of a note. The boot comes last, so a note that has it is complete. */
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

  /**
   * Writes the note of a failure that is not durable yet. A step that could not be written may come
   * here again.
   */
  void note(Failure failure) throws DiskException {
    Set<Failure> notedHere = noted;
    if (notedHere != null) {
      notedHere.add(failure);
    }
    String id = owed.computeIfAbsent(failure, key -> runIds.get());
    own.add(id);
    directories.owe(WORD, id, failure.bytes(bootId));
  }

  /** The id of the run of the alert's command. */
  String take(Failure failure) {
    String id = owed.remove(failure);
    return id == null ? runIds.get() : id;
  }

  /** Removes the note of an alert that is over, or never will be raised. */
  void settle(String id) throws DiskException {
    directories.settle(WORD, id);
    own.remove(id);
  }

  /** Takes over the notes of earlier daemons; those that prove nothing are removed. */
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

  /** All notes of earlier daemons were read. */
  void foundAll() {
    noted = null;
  }

  /** Whether this daemon has made or taken over a note, and raises its alert. */
  boolean isOwn(String id) {
    return own.contains(id);
  }

  private void readOrSettle(String id, Map<Failure, String> found) throws DiskException {
    try {
      NoteLines note = NoteLines.of(directories.owed(WORD, id, LIMIT_BYTES));
      if (note.text("boot", "").equals(bootId)) {
        found.put(Failure.of(note), id);
      } else {
        settle(id); // of another boot, or incomplete: it proves nothing
      }
    } catch (NumberFormatException e) {
      settle(id); // not a note
    } catch (DiskException e) {
      if (e.reason() != DiskException.Reason.NOT_FOUND) {
        throw e;
      }
      // One of this daemon's notes, removed meanwhile.
    }
  }

  /** Takes over an alert that an earlier daemon has raised, and that goes on. */
  void adopt(Failure failure, String id) {
    owed.remove(failure);
    own.add(id);
  }

  void forget(Failure failure, String id) throws DiskException {
    owed.remove(failure);
    settle(id);
  }
}
