package dev.kron.daemon.loop;

import java.util.concurrent.Executor;
import java.util.random.RandomGenerator;

/**
 * The executor of work beside the loop. A daemon has threads for it; a simulation has none and runs
 * each piece itself. The daemon uses it through {@link Errands} only.
 */
public interface Background extends Executor, AutoCloseable {

  /**
   * Runs a task that may block on a user's own files; however long it takes, tasks of other users
   * do not wait for it.
   */
  default void execute(String user, Runnable task) {
    execute(task);
  }

  /** Runs a task that may take seconds; other tasks, on which somebody waits, go first. */
  default void ahead(String user, Runnable task) {
    execute(task);
  }

  /** Runs a task later, by the boot clock. */
  void after(long millis, Runnable task);

  /** Called when work of this kind begins; a test may throw here. */
  default void reached(String place) {}

  /**
   * Waits briefly before a command is started if the loop is behind. A thousand commands would
   * leave the loop a thousandth of the processors, and nothing that happens to them is recorded
   * before its turn.
   */
  default void giveWay() {}

  /** Whether no threads may be started, because a test or simulation drives the daemon by hand. */
  boolean byHand();

  /**
   * A source of random numbers that distinguishes the runs of this daemon from those of any other.
   */
  RandomGenerator random();

  /** Stops; tasks that have not begun will not. */
  @Override
  void close();
}
