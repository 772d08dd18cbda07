package dev.kron.store;

import dev.kron.cron.CronCalendar;
import dev.kron.job.ActiveRun;
import dev.kron.job.HistoryEntry;
import dev.kron.job.JobState;
import dev.kron.store.CommitResult.Durable;
import dev.kron.store.CommitResult.Failed;
import dev.kron.store.DiskException.Reason;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The state files of jobs, one each. A write replaces the whole file and carries over what only the
 * file contains: the history, and members that this version does not know.
 */
public final class JobStates {
  static final String SUFFIX = ".json";
  static final int LIMIT_BYTES = 16 << 20;

  private final Disk disk;
  private final Path directory;
  private final StateSettings settings;
  private final Arrivals arrivals;
  private final RunDirectories runs;
  private final AtomicFiles files;

  JobStates(
      Disk disk, Path directory, StateSettings settings, Arrivals arrivals, RunDirectories runs) {
    this.disk = disk;
    this.directory = directory;
    this.settings = settings;
    this.arrivals = arrivals;
    this.runs = runs;
    this.files = new AtomicFiles(disk);
  }

  /** The name of a job's state file: {@code <hex(sha256(identity))>.json}. */
  public static String fileName(String identity) {
    return Hashes.hex(identity) + SUFFIX;
  }

  /**
   * Writes many states with one fsync of the directory. Changes are independent: one that fails
   * does not affect the others. It blocks; see {@link GroupCommit}.
   *
   * @return one result for each change, in the same order
   */
  public synchronized List<CommitResult> commit(List<StateChange> changes) {
    requireDistinct(changes);
    CommitResult[] results = new CommitResult[changes.size()];
    @Nullable Prepared[] prepared = new @Nullable Prepared[changes.size()];
    Parallel.forEach(
        settings.workers(),
        settings.threads(),
        changes.size(),
        i -> {
          try {
            prepared[i] = prepare(changes.get(i));
          } catch (DiskException e) {
            results[i] = new Failed(e, false);
          }
        });
    recordArrivals(prepared, results);
    boolean renamed = false;
    for (int i = 0; i < results.length; i++) {
      Prepared ready = prepared[i];
      if (ready != null) {
        results[i] = rename(ready);
        renamed |= results[i] instanceof Durable;
        if (ready.first() && results[i] instanceof Durable) {
          arrivals.named(changes.get(i).state().identity());
        }
      }
    }
    if (renamed) {
      makeNamesDurable(results);
      recordFiles(changes, prepared, results);
    }
    return List.of(results);
  }

  private static void requireDistinct(List<StateChange> changes) {
    Set<String> identities = new HashSet<>();
    for (StateChange change : changes) {
      if (!identities.add(change.state().identity())) {
        throw new IllegalArgumentException("two states of " + change.state().identity());
      }
    }
  }

  /**
   * A new file with durable content that has not got its name yet.
   *
   * @param arrival the line to append to the arrivals log before the file gets its name; null if
   *     the log agrees already
   * @param newRuns the run directories that were created for it
   * @param first whether the job has no file yet, or none that the arrivals log knows of
   */
  private record Prepared(
      Path temporary,
      Path file,
      List<String> droppedRuns,
      @Nullable Arrival arrival,
      List<String> newRuns,
      boolean first) {}

  /**
   * Appends to the arrivals log what the new files change. The log takes precedence over state
   * files, so it must not keep an older value.
   */
  private void recordArrivals(@Nullable Prepared[] prepared, CommitResult[] results) {
    List<Arrival> changed = new ArrayList<>();
    for (Prepared ready : prepared) {
      if (ready != null && ready.arrival() != null) {
        changed.add(ready.arrival());
      }
    }
    try {
      arrivals.append(changed);
    } catch (DiskException e) {
      for (int i = 0; i < prepared.length; i++) {
        Prepared ready = prepared[i];
        if (ready != null && ready.arrival() != null) {
          files.discard(ready.temporary());
          ready.newRuns().forEach(runs::removeEmpty);
          prepared[i] = null;
          results[i] = new Failed(e, false);
        }
      }
    }
  }

  /** Notes the first files of jobs. From here on, a missing file means that the state was lost. */
  private void recordFiles(
      List<StateChange> changes, @Nullable Prepared[] prepared, CommitResult[] results) {
    List<Arrival> filed = new ArrayList<>();
    for (int i = 0; i < results.length; i++) {
      Prepared ready = prepared[i];
      if (ready != null && ready.first() && results[i] instanceof Durable) {
        filed.add(arrival(changes.get(i).state()));
      }
    }
    try {
      arrivals.appendFiled(filed);
    } catch (DiskException e) {
      for (int i = 0; i < results.length; i++) {
        Prepared ready = prepared[i];
        if (ready != null && ready.first() && results[i] instanceof Durable) {
          results[i] = new Failed(e, true);
        }
      }
    }
  }

  private Prepared prepare(StateChange change) throws DiskException {
    Path file = directory.resolve(fileName(change.state().identity()));
    Present present = present(file);
    Kept kept = present == null ? null : present.kept();
    StateWriter written = StateWriter.write(change, kept, settings.historyLimit());
    JobState before = present == null ? null : present.state();
    List<String> made = new ArrayList<>(1);
    try {
      makeDirectories(change.state(), before, made);
      Path temporary =
          files.writeTemporary(file, output -> output.write(written.bytes(), 0, written.length()));
      Arrival arrival = arrival(change.state(), before);
      boolean first =
          !change.state().fingerprint().isEmpty()
              && (before == null
                  || before.fingerprint().isEmpty()
                  || arrivals.isUnfiled(change.state().identity()));
      return new Prepared(temporary, file, written.droppedRuns(), arrival, made, first);
    } catch (DiskException e) {
      made.forEach(runs::removeEmpty);
      throw e;
    }
  }

  /**
   * Creates the directories of new runs before their intents. From here on, an intent without a
   * directory is damage and never a new run.
   */
  private void makeDirectories(JobState state, @Nullable JobState before, List<String> made)
      throws DiskException {
    for (ActiveRun run : state.active()) {
      if (isIntended(run)
          && (before == null
              || before.active().stream()
                  .noneMatch(one -> isIntended(one) && one.runId().equals(run.runId())))
          && runs.make(run.runId())) {
        made.add(run.runId());
      }
    }
  }

  private static boolean isIntended(ActiveRun run) {
    return run.phase() == ActiveRun.Phase.INTENDED && RunIds.isRunId(run.runId());
  }

  private static @Nullable Arrival arrival(JobState state, @Nullable JobState before) {
    if (state.fingerprint().isEmpty()
        || (before != null
            && before.since() == state.since()
            && before.pastLost() == state.pastLost()
            && before.fingerprint().equals(state.fingerprint()))) {
      return null;
    }
    return arrival(state);
  }

  static Arrival arrival(JobState state) {
    return new Arrival(state.identity(), state.fingerprint(), state.since(), state.pastLost());
  }

  private CommitResult rename(Prepared ready) {
    try {
      files.renameOrDelete(ready.temporary(), ready.file());
      return new Durable(ready.droppedRuns());
    } catch (DiskException e) {
      ready.newRuns().forEach(runs::removeEmpty);
      return new Failed(e, false);
    }
  }

  private void makeNamesDurable(CommitResult[] results) {
    try {
      disk.syncDirectory(directory);
    } catch (DiskException e) {
      for (int i = 0; i < results.length; i++) {
        if (results[i] instanceof Durable) {
          results[i] = new Failed(e, true);
        }
      }
    }
  }

  private record Present(JobState state, Kept kept) {}

  /** The contents of the file to be replaced; null if nothing of it is to be kept. */
  private @Nullable Present present(Path file) throws DiskException {
    byte[] content;
    try {
      content = readSmall(file);
    } catch (DiskException e) {
      // The file was damaged while the daemon ran: the state in memory is the better one.
      return switch (e.reason()) {
        case NOT_FOUND, INPUT_OUTPUT, SYMBOLIC_LINK, NOT_A_FILE, TOO_LARGE -> null;
        default -> throw e;
      };
    }
    Kept kept = new Kept(content);
    try {
      return new Present(StateReader.read(content, content.length, kept), kept);
    } catch (MalformedStateException | UnsupportedVersionException e) {
      keepAside(file, content);
      return null;
    }
  }

  /**
   * Keeps a copy of a damaged file. It is a copy because the file itself must stay until the new
   * one replaces it.
   */
  private void keepAside(Path file, byte[] content) throws DiskException {
    Path copy = new QuarantineNames(disk, settings.clock()).nameFor(file);
    try (Disk.Output output = disk.create(copy)) {
      output.write(content, 0, content.length);
      output.sync();
    }
  }

  private byte[] readSmall(Path file) throws DiskException {
    byte[] buffer = new byte[4096];
    int length = disk.read(file, 0, buffer);
    return length < buffer.length ? Arrays.copyOf(buffer, length) : files.read(file, LIMIT_BYTES);
  }

  /**
   * The state on disk of a job that returns to a running daemon; empty if there is none. If its
   * file cannot be read, the state only says that the past is lost.
   */
  public Optional<JobState> find(String identity) throws DiskException {
    Path file = directory.resolve(fileName(identity));
    try {
      byte[] content = readSmall(file);
      return Optional.of(StateReader.read(content, content.length, null));
    } catch (DiskException e) {
      if (e.reason() == Reason.NOT_FOUND) {
        return Optional.empty();
      }
      throw e;
    } catch (MalformedStateException | UnsupportedVersionException e) {
      return Optional.of(JobState.arrived(identity, "", CronCalendar.NONE, true));
    }
  }

  /**
   * What a state file tells of a job's past.
   *
   * @param history oldest first, without entries that this version cannot read
   * @param earlierSuccess epoch millisecond of the last success before that, 0: none is known
   */
  public record Told(List<HistoryEntry> history, long earlierSuccess) {
    static final Told NOTHING = new Told(List.of(), 0);

    /** Epoch millisecond of the last success, 0: none is known. */
    public long lastSuccess() {
      for (HistoryEntry entry : history.reversed()) {
        if (entry.success()) {
          return entry.completedAt();
        }
      }
      return earlierSuccess;
    }
  }

  /** A job's history, oldest first; empty where the job has no state. */
  public List<HistoryEntry> history(String identity) throws DiskException {
    return told(identity).history();
  }

  /** A job's past, as far as its state tells it; nothing where the job has no state. */
  public Told told(String identity) throws DiskException {
    Path file = directory.resolve(fileName(identity));
    byte[] content;
    try {
      content = readSmall(file);
    } catch (DiskException e) {
      if (e.reason() == Reason.NOT_FOUND) {
        return Told.NOTHING;
      }
      throw e;
    }
    Kept kept = new Kept(content);
    try {
      var _ = StateReader.read(content, content.length, kept);
    } catch (MalformedStateException | UnsupportedVersionException e) {
      throw new DiskException("read", file, Reason.OTHER, "damaged: " + e.getMessage());
    }
    List<HistoryEntry> entries = new ArrayList<>(kept.history.size());
    for (Kept.Slice slice : kept.history) {
      try {
        entries.add(HistoryReader.read(content, slice));
      } catch (MalformedStateException e) {
        // The entry stays in the file for versions that can read it.
      }
    }
    return new Told(entries, kept.earlierSuccess);
  }
}
