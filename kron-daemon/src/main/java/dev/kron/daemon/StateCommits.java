package dev.kron.daemon;

import dev.kron.daemon.api.Meters;
import dev.kron.store.CommitResult;
import dev.kron.store.DiskException;
import dev.kron.store.GroupCommit;
import dev.kron.store.StateChange;
import dev.kron.store.StateDirectory;
import java.util.function.Consumer;

/** The loop's way to the state directory. */
final class StateCommits implements Commits {
  private final StateDirectory directory;
  private final GroupCommit groupCommit;
  private final Errands errands;
  private final Consumer<Input> inbox;
  private final Meters meters;

  StateCommits(
      StateDirectory directory,
      GroupCommit groupCommit,
      Errands errands,
      Consumer<Input> inbox,
      Meters meters) {
    this.meters = meters;
    this.directory = directory;
    this.groupCommit = groupCommit;
    this.errands = errands;
    this.inbox = inbox;
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
          inbox.accept(new Input.Committed(write, result));
        });
  }

  @Override
  public void probe() {
    errands.execute(
        Errands.Place.PROBE_DISK,
        () -> {
          try {
            directory.probe();
            inbox.accept(new Input.Probed(null));
          } catch (DiskException e) {
            inbox.accept(new Input.Probed(String.valueOf(e.getMessage())));
          }
        },
        thrown -> inbox.accept(new Input.Probed(Errands.reason(thrown))));
  }
}
