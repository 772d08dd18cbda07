package dev.kron.store;

import dev.kron.job.ActiveRun;
import dev.kron.job.JobState;
import dev.kron.store.DiskException.Reason;
import dev.kron.store.StateFiles.Present;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/**
 * States that jobs will probably have soon, in temporary files whose content is durable already. A
 * change that turns out to be the expected one only has to give such a file its name. Before that
 * the file means nothing; the next start removes one that a killed daemon left behind.
 */
final class EarlyStates {
  /** How long nothing is written early after the disk was full. */
  private static final Duration SCARCE = Duration.ofMinutes(1);

  private final StateFiles files;
  private final StateSettings settings;
  private final Map<String, Early> written = new ConcurrentHashMap<>();

  /** When the disk was last full. */
  private volatile Instant full = Instant.MIN;

  /**
   * An expected state. The file that it replaces is not kept: ten thousand may wait, and a history
   * may be long.
   *
   * @param before the state that it replaces; null if there is none
   * @param replaced the hash of the file that it replaces; null if there is none
   * @param state the expected state, in which the new run's start is the second that it is due
   */
  record Early(
      @Nullable JobState before,
      @Nullable String replaced,
      JobState state,
      Path temporary,
      List<String> droppedRuns) {
    private boolean is(StateChange change) {
      return change.entries().isEmpty()
          && change.notices() == null
          && state.equals(withExpectedStarts(change.state()));
    }

    /** The start of a run is known only when it comes; what its file says until then is enough. */
    private JobState withExpectedStarts(JobState actual) {
      List<ActiveRun> active = new ArrayList<>(actual.active().size());
      for (ActiveRun run : actual.active()) {
        long expected = run.startedAt();
        for (ActiveRun own : state.active()) {
          if (own.runId().equals(run.runId())) {
            expected = own.startedAt();
          }
        }
        active.add(expected == run.startedAt() ? run : run.toBuilder().startedAt(expected).build());
      }
      return actual.withActive(active);
    }
  }

  EarlyStates(StateFiles files, StateSettings settings) {
    this.files = files;
    this.settings = settings;
  }

  /**
   * Writes a state, and keeps it until it is taken or discarded. Where there is no room for it,
   * there is none for the others either: commands and other changes need it.
   */
  void expect(JobState state) {
    Path file = files.of(state.identity());
    discard(state.identity());
    if (Duration.between(full, settings.clock().instant()).abs().compareTo(SCARCE) < 0) {
      return;
    }
    try {
      byte[] content = files.content(file);
      Present present = content == null ? null : Present.of(content);
      StateWriter writer =
          StateWriter.write(
              new StateChange(state, List.of()),
              present == null ? null : present.kept(),
              settings.historyLimit());
      written.put(
          state.identity(),
          new Early(
              present == null ? null : present.state(),
              hash(content),
              state,
              files.writeTemporary(file, writer),
              writer.droppedRuns()));
    } catch (DiskException e) {
      // The change itself finds out, and says so.
      if (e.reason() == Reason.NO_SPACE) {
        full = settings.clock().instant();
        var _ = discardAll();
      }
    } catch (MalformedStateException | UnsupportedVersionException e) {
      // The change itself finds out, and says so.
    }
  }

  /** Whether it is still there, and its state's file is still the one that it was made from. */
  boolean isRight(Early early) {
    Path file = files.of(early.state().identity());
    try {
      boolean same =
          early.replaced() == null
              ? !files.isThere(file)
              : early.replaced().equals(hash(files.content(file)));
      return same && files.isThere(early.temporary());
    } catch (DiskException e) {
      return false; // what cannot be read any more is replaced as by any change
    }
  }

  private static @Nullable String hash(byte @Nullable [] content) {
    return content == null ? null : Hashes.hex(content);
  }

  /** Removes what was written for a job. */
  void discard(String identity) {
    discard(written.remove(identity));
  }

  void discard(@Nullable Early early) {
    if (early != null) {
      files.discard(early.temporary());
    }
  }

  private boolean discardAll() {
    boolean any = !written.isEmpty();
    List.copyOf(written.keySet()).forEach(this::discard);
    return any;
  }

  /**
   * Removes all that was written, as its room is needed.
   *
   * @param taken the ones that were taken
   * @param unused which of them are still of no use
   * @return whether there was anything
   */
  boolean discardAll(@Nullable Early[] taken, IntPredicate unused) {
    boolean any = discardAll();
    for (int i = 0; i < taken.length; i++) {
      if (taken[i] != null && unused.test(i)) {
        discard(taken[i]);
        any = true;
      }
    }
    return any;
  }

  /**
   * Takes what was written for these changes; null where nothing was, or something else. One at
   * least is null: the change that is written now shows that there is room, which the runs of the
   * others need as well.
   */
  @Nullable Early[] take(List<StateChange> changes) {
    @Nullable Early[] taken = new @Nullable Early[changes.size()];
    boolean all = true;
    for (int i = 0; i < taken.length; i++) {
      StateChange change = changes.get(i);
      Early early = written.remove(change.state().identity());
      if (early != null && early.is(change)) {
        taken[i] = early;
      } else {
        discard(early);
        all = false;
      }
    }
    if (all && taken.length > 0) {
      discard(taken[0]);
      taken[0] = null;
    }
    return taken;
  }
}
