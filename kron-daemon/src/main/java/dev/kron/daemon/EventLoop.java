package dev.kron.daemon;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Takes inputs one after another, in the order they came, on the one thread that owns the jobs. */
final class EventLoop {
  /** At most this many inputs are taken before what gathered is written. */
  private static final int BATCH = 256;

  private final BlockingQueue<Input> inbox = new LinkedBlockingQueue<>();

  /** From any thread: something happened. */
  void post(Input input) {
    inbox.add(input);
  }

  /** Something came in that was not looked at. */
  boolean hasInputs() {
    return !inbox.isEmpty();
  }

  /** One turn with what has come in, and no waiting. Null: go on. */
  @Nullable Integer turn(Krond krond) {
    List<Input> batch = new ArrayList<>();
    inbox.drainTo(batch, BATCH);
    batch.forEach(krond::handle);
    return krond.turn();
  }

  /** Runs until the daemon is done, and gives its exit code. */
  int run(Krond krond) throws InterruptedException {
    List<Input> batch = new ArrayList<>(BATCH);
    while (true) {
      Input first = inbox.poll(krond.nanosToWait(), TimeUnit.NANOSECONDS);
      if (first != null) {
        batch.add(first);
        inbox.drainTo(batch, BATCH - 1);
        batch.forEach(krond::handle);
        batch.clear();
      }
      Integer exitCode = krond.turn();
      if (exitCode != null) {
        return exitCode;
      }
    }
  }
}
