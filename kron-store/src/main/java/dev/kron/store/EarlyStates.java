package dev.kron.store;

import dev.kron.job.ActiveRun;
import dev.kron.job.JobState;
import dev.kron.store.StateFiles.Present;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * States that jobs will probably have soon, in temporary files whose content is durable already. A
 * change that turns out to be the expected one only has to give such a file its name. Before that
 * the file means nothing; the next start removes one that a killed daemon left behind.
 */
final class EarlyStates {
  private final StateFiles files;
  private final int historyLimit;
  private final Map<String, Early> written = new ConcurrentHashMap<>();

  /**
   * An expected state.
   *
   * @param present the file that it replaces; null if there is none
   * @param state the expected state, in which the new run's start is the second that it is due
   */
  record Early(
      @Nullable Present present, JobState state, Path temporary, List<String> droppedRuns) {
    /** The state that it replaces. */
    @Nullable JobState before() {
      return present == null ? null : present.state();
    }

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

  EarlyStates(StateFiles files, int historyLimit) {
    this.files = files;
    this.historyLimit = historyLimit;
  }

  /** Writes a state, and keeps it until it is taken or discarded. */
  void expect(JobState state) {
    Path file = files.of(state.identity());
    discard(state.identity());
    try {
      byte[] content = files.content(file);
      Present present = content == null ? null : Present.of(content);
      StateWriter writer =
          StateWriter.write(
              new StateChange(state, List.of()),
              present == null ? null : present.kept(),
              historyLimit);
      written.put(
          state.identity(),
          new Early(present, state, files.writeTemporary(file, writer), writer.droppedRuns()));
    } catch (DiskException | MalformedStateException | UnsupportedVersionException e) {
      // The change itself finds out, and says so.
    }
  }

  /** Whether it is still there, and its state's file is still the one that it was made from. */
  boolean isRight(Early early) throws DiskException {
    Path file = files.of(early.state().identity());
    Present present = early.present();
    boolean same =
        present == null
            ? !files.isThere(file)
            : Arrays.equals(present.kept().bytes, files.content(file));
    return same && files.isThere(early.temporary());
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
