package dev.kron.cli.online;

import dev.kron.cli.output.Output;
import dev.kron.cli.output.Surroundings;
import dev.kron.cli.output.Times;
import java.io.IOException;

/** Waits a little, and shows on a terminal that it does. */
final class Progress implements AutoCloseable {
  private static final long SHORTEST_MILLIS = 50;
  private static final long LONGEST_MILLIS = 500;

  private final Output err;
  private final long began = System.nanoTime();
  private long pauseMillis = SHORTEST_MILLIS;
  private boolean shown;

  Progress(Surroundings surroundings) {
    this.err = surroundings.err();
  }

  void show(String what) throws IOException {
    if (err.terminal()) {
      err.rewrite(what + ", " + Times.span((System.nanoTime() - began) / 1_000_000_000L));
      shown = true;
    }
    try {
      Thread.sleep(pauseMillis);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    pauseMillis = Math.min(LONGEST_MILLIS, pauseMillis * 2);
  }

  @Override
  public void close() throws IOException {
    if (shown) {
      err.rewrite("");
    }
  }
}
