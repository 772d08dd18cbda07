package dev.kron.daemon.jobs;

import dev.kron.daemon.log.Meters;
import dev.kron.notice.Problems;
import dev.kron.store.CommitResult;
import dev.kron.store.GroupCommit;
import dev.kron.store.StateChange;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The loop's way to the state directory. */
public final class StateCommits implements Commits {
  private final GroupCommit groupCommit;
  private final Consumer<JobInput> inbox;
  private final Meters meters;

  public StateCommits(GroupCommit groupCommit, Consumer<JobInput> inbox, Meters meters) {
    this.groupCommit = groupCommit;
    this.inbox = inbox;
    this.meters = meters;
  }

  @Override
  public void commit(Write write) {
    long began = System.nanoTime();
    groupCommit.submit(
        new StateChange(write.state(), write.history(), notices(write.problems())),
        write.isAwaited(),
        result -> {
          meters.stateWrite.addNanos(System.nanoTime() - began);
          if (result instanceof CommitResult.Failed) {
            meters.writeFailed();
          }
          inbox.accept(new JobInput.Committed(write, result));
        });
  }

  private static @Nullable String notices(@Nullable Problems problems) {
    return problems == null || problems.isEmpty() ? problems == null ? null : "" : problems.json();
  }
}
