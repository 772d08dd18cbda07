package dev.kron.daemon.jobs;

import dev.kron.daemon.log.Meters;
import dev.kron.daemon.loop.Errands;
import dev.kron.store.CommitResult;
import dev.kron.store.DiskException;
import dev.kron.store.GroupCommit;
import dev.kron.store.StateChange;
import dev.kron.store.StateDirectory;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The loop's way to the state directory. */
public final class StateCommits implements Commits {
  private final StateDirectory directory;
  private final GroupCommit groupCommit;
  private final Errands errands;
  private final Consumer<JobInput> inbox;
  private final Consumer<@Nullable String> probed;
  private final Meters meters;

  /**
   * @param probed told why writing still does not work, null where it works
   */
  public StateCommits(
      StateDirectory directory,
      GroupCommit groupCommit,
      Errands errands,
      Consumer<JobInput> inbox,
      Consumer<@Nullable String> probed,
      Meters meters) {
    this.meters = meters;
    this.directory = directory;
    this.groupCommit = groupCommit;
    this.errands = errands;
    this.inbox = inbox;
    this.probed = probed;
  }

  @Override
  public void commit(Write write) {
    long began = System.nanoTime();
    groupCommit.submit(
        new StateChange(write.state(), write.history()),
        write.isAwaited(),
        result -> {
          meters.stateWrite.addNanos(System.nanoTime() - began);
          if (result instanceof CommitResult.Failed) {
            meters.writeFailed();
          }
          inbox.accept(new JobInput.Committed(write, result));
        });
  }

  @Override
  public void probe() {
    errands.execute(
        Errands.Place.PROBE_DISK,
        () -> {
          try {
            directory.probe();
            probed.accept(null);
          } catch (DiskException e) {
            probed.accept(String.valueOf(e.getMessage()));
          }
        },
        thrown -> probed.accept(Errands.reason(thrown)));
  }
}
