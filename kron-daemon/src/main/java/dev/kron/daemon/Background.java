package dev.kron.daemon;

import java.util.concurrent.Executor;
import java.util.random.RandomGenerator;

/**
 * What goes on beside the loop. A daemon has threads for it; a simulation has none, and gives each
 * part of the daemon its turn itself.
 */
public interface Background extends Executor, AutoCloseable {
  /** Does something that has seconds of time; what others wait for goes before it. */
  default void ahead(Runnable task) {
    execute(task);
  }

  /** Does something later, by the clock that nobody sets. */
  void after(long millis, Runnable task);

  /** No thread may be started: whoever holds the daemon drives all of it by hand. */
  boolean byHand();

  /** Tells the runs of this daemon from those of every other. */
  RandomGenerator random();

  /** What has not begun will not. */
  @Override
  void close();
}
