package dev.kron.daemon.fleet;

import dev.kron.daemon.loop.Errands;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/** A thread of its own for one of the connections: what is asked there may take seconds. */
final class Wire {
  private final BlockingQueue<Runnable> tasks = new LinkedBlockingQueue<>();
  private volatile boolean closed;

  Wire(Errands errands, String name) {
    errands.tend(
        name,
        () -> {
          tasks.take().run();
          return !closed || !tasks.isEmpty();
        });
  }

  void execute(Runnable task) {
    tasks.add(task);
  }

  /** Ends the thread after this, whatever else is asked. */
  void close(Runnable last) {
    tasks.add(
        () -> {
          closed = true;
          last.run();
        });
  }
}
