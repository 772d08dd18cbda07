package dev.kron.cli.online;

import dev.kron.cli.output.Output;
import dev.kron.cli.output.Surroundings;
import dev.kron.cli.output.Times;
import java.io.IOException;

/**
 * Waits a little, and shows on a terminal that it does. Whoever interrupts it finds a clean line.
 */
final class Progress implements AutoCloseable {
  private static final long SHORTEST_MILLIS = 50;
  private static final long LONGEST_MILLIS = 500;

  private final Output err;
  private final long began = System.nanoTime();
  private long pauseMillis = SHORTEST_MILLIS;
  private boolean shown;
  private boolean over;
  private final Thread interrupted = new Thread(this::clear);

  Progress(Surroundings surroundings) {
    this.err = surroundings.err();
  }

  void show(String what) throws IOException {
    if (err.terminal()) {
      rewrite(what + ", " + Times.span((System.nanoTime() - began) / 1_000_000_000L));
    }
    try {
      Thread.sleep(pauseMillis);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    pauseMillis = Math.min(LONGEST_MILLIS, pauseMillis * 2);
  }

  private synchronized void rewrite(String text) throws IOException {
    if (!shown) {
      shown = true;
      Runtime.getRuntime().addShutdownHook(interrupted);
    }
    if (!over) {
      err.rewrite(text);
    }
  }

  private synchronized void clear() {
    over = true;
    try {
      err.rewrite("");
    } catch (IOException e) {
      // Nobody looks any more.
    }
  }

  @Override
  public void close() {
    if (shown) {
      clear();
      try {
        Runtime.getRuntime().removeShutdownHook(interrupted);
      } catch (IllegalStateException e) {
        // It is running.
      }
    }
  }
}
