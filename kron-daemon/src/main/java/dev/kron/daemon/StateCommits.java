package dev.kron.daemon;

import dev.kron.store.DiskException;
import dev.kron.store.GroupCommit;
import dev.kron.store.StateChange;
import dev.kron.store.StateDirectory;
import java.util.concurrent.Executor;
import java.util.function.Consumer;

/** The loop's way to the state directory. */
final class StateCommits implements Commits {
  private final StateDirectory directory;
  private final GroupCommit groupCommit;
  private final Executor workers;
  private final Consumer<Input> inbox;

  StateCommits(
      StateDirectory directory, GroupCommit groupCommit, Executor workers, Consumer<Input> inbox) {
    this.directory = directory;
    this.groupCommit = groupCommit;
    this.workers = workers;
    this.inbox = inbox;
  }

  @Override
  public void commit(Write write) {
    groupCommit.submit(
        new StateChange(write.state(), write.history()),
        result -> inbox.accept(new Input.Committed(write, result)));
  }

  @Override
  public void probe() {
    workers.execute(
        () -> {
          try {
            directory.probe();
            inbox.accept(new Input.Probed(null));
          } catch (DiskException e) {
            inbox.accept(new Input.Probed(String.valueOf(e.getMessage())));
          }
        });
  }
}
