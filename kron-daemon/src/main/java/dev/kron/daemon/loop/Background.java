package dev.kron.daemon.loop;

import java.util.concurrent.Executor;
import java.util.random.RandomGenerator;

/**
 * The work beside the loop. A daemon has threads for it; a simulation has none, and gives each part
 * of the daemon its turn itself. The daemon uses it through {@link Errands} alone.
 */
public interface Background extends Executor, AutoCloseable {

  /**
   * Does something that may have to wait for files of a user's own: however long that takes, what
   * is done for other users does not wait for it.
   */
  default void execute(String user, Runnable task) {
    execute(task);
  }

  /** Does something that has seconds of time; what others wait for goes before it. */
  default void ahead(String user, Runnable task) {
    execute(task);
  }

  /** Does something later, by the clock that nobody sets. */
  void after(long millis, Runnable task);

  /** Work of this kind begins; a test throws something. */
  default void reached(String place) {}

  /**
   * Before a command is started: waits a little where the loop is behind. A thousand commands that
   * all want the processors would leave it a thousandth of the time, and nothing that happens to
   * them is on record before it has its turn.
   */
  default void giveWay() {}

  /** No thread may be started: whoever holds the daemon drives all of it by hand. */
  boolean byHand();

  /** Tells the runs of this daemon from those of every other. */
  RandomGenerator random();

  /** What has not begun will not. */
  @Override
  void close();
}
