package dev.kron.store;

import static java.util.Objects.requireNonNull;

import dev.kron.cron.CronCalendar;
import dev.kron.job.ActiveRun;
import dev.kron.job.HistoryEntry;
import dev.kron.job.JobState;
import dev.kron.store.CommitResult.Durable;
import dev.kron.store.CommitResult.Failed;
import dev.kron.store.DiskException.Reason;
import dev.kron.store.EarlyStates.Early;
import dev.kron.store.StateFiles.Present;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;
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
  private final StateFiles present;
  private final EarlyStates early;

  JobStates(
      Disk disk, Path directory, StateSettings settings, Arrivals arrivals, RunDirectories runs) {
    this.disk = disk;
    this.directory = directory;
    this.settings = settings;
    this.arrivals = arrivals;
    this.runs = runs;
    this.files = new AtomicFiles(disk);
    this.present = new StateFiles(disk, directory, settings, files);
    this.early = new EarlyStates(present, settings);
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
    @Nullable Early[] written = early.take(changes);
    forEach(i -> written[i] == null, i -> prepare(changes.get(i)), prepared, results);
    if (noneFailed(results)) {
      forEach(
          i -> written[i] != null,
          i -> prepare(changes.get(i), requireNonNull(written[i])),
          prepared,
          results);
    }
    if (!noneFailed(results) && early.discardAll(written, i -> prepared[i] == null)) {
      Arrays.fill(results, null); // the room that this has made may be enough
      forEach(i -> prepared[i] == null, i -> prepare(changes.get(i)), prepared, results);
    }
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

  private static boolean noneFailed(CommitResult[] results) {
    return Arrays.stream(results).allMatch(Objects::isNull);
  }

  /** The way to a state in a temporary file. */
  private interface Preparing {
    Prepared prepare(int index) throws DiskException;
  }

  private void forEach(
      IntPredicate which, Preparing action, @Nullable Prepared[] prepared, CommitResult[] results) {
    int[] indices = IntStream.range(0, results.length).filter(which).toArray();
    Parallel.forEach(
        settings.workers(),
        settings.threads(),
        indices.length,
        i -> {
          try {
            prepared[indices[i]] = action.prepare(indices[i]);
          } catch (DiskException e) {
            results[indices[i]] = new Failed(e, false);
          }
        });
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
    Path file = present.of(change.state().identity());
    Present before = present.present(file);
    StateWriter written =
        StateWriter.write(change, before == null ? null : before.kept(), settings.historyLimit());
    return prepared(
        change.state(),
        before == null ? null : before.state(),
        written.droppedRuns(),
        () -> present.writeTemporary(file, written));
  }

  /** Takes what was written earlier, if it is still right. */
  private Prepared prepare(StateChange change, Early written) throws DiskException {
    if (!early.isRight(written)) {
      early.discard(written);
      return prepare(change);
    }
    try {
      return prepared(change.state(), written.before(), written.droppedRuns(), written::temporary);
    } catch (DiskException e) {
      early.discard(written);
      throw e;
    }
  }

  /** The way to a temporary file. */
  private interface Temporary {
    Path path() throws DiskException;
  }

  private Prepared prepared(
      JobState state, @Nullable JobState before, List<String> droppedRuns, Temporary temporary)
      throws DiskException {
    List<String> made = new ArrayList<>(1);
    try {
      makeDirectories(state, before, made);
      Arrival arrival = arrival(state, before);
      boolean first =
          !state.fingerprint().isEmpty()
              && (before == null
                  || before.fingerprint().isEmpty()
                  || arrivals.isUnfiled(state.identity()));
      return new Prepared(
          temporary.path(), present.of(state.identity()), droppedRuns, arrival, made, first);
    } catch (DiskException e) {
      made.forEach(runs::removeEmpty);
      throw e;
    }
  }

  /**
   * Writes states that jobs will probably have soon into temporary files, so that {@link #commit}
   * only has to give them their names. One that cannot be written now is written then.
   */
  public synchronized void expect(List<JobState> states) {
    Parallel.forEach(
        settings.workers(), settings.threads(), states.size(), i -> early.expect(states.get(i)));
  }

  /** Removes what was written for a job whose state does not become the expected one. */
  public synchronized void forgetExpected(String identity) {
    early.discard(identity);
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

  /**
   * The state on disk of a job that returns to a running daemon; empty if there is none. If its
   * file cannot be read, the state only says that the past is lost.
   */
  public Optional<JobState> find(String identity) throws DiskException {
    Path file = present.of(identity);
    try {
      byte[] content = present.read(file);
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
    Path file = present.of(identity);
    byte[] content;
    try {
      content = present.read(file);
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
