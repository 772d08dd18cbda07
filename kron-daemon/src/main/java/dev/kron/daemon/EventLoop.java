package dev.kron.daemon;

import dev.kron.daemon.api.Meters;
import dev.kron.store.GroupCommit;
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

  private static final long IDLE = Long.MIN_VALUE;

  private final BlockingQueue<Posted> inbox = new LinkedBlockingQueue<>();
  private final Meters meters;
  private volatile long handlingSince = IDLE;

  EventLoop(Meters meters) {
    this.meters = meters;
  }

  /** An input and when it came. */
  private record Posted(Input input, long nanos) {}

  /** From any thread: something happened. */
  void post(Input input) {
    inbox.add(new Posted(input, System.nanoTime()));
  }

  /** For how long the oldest input has been waiting; from any thread. */
  long lagNanos() {
    Posted oldest = inbox.peek();
    long since = handlingSince;
    long now = System.nanoTime();
    long waiting = oldest == null ? 0 : now - oldest.nanos();
    return since == IDLE ? waiting : Math.max(waiting, now - since);
  }

  /** Something came in that was not looked at. */
  boolean hasInputs() {
    return !inbox.isEmpty();
  }

  /** One turn with what has come in, and no waiting. Null: go on. */
  @Nullable Integer turn(Krond krond) {
    List<Posted> batch = new ArrayList<>();
    inbox.drainTo(batch, BATCH);
    handle(krond, batch);
    return krond.turn();
  }

  private void handle(Krond krond, List<Posted> batch) {
    for (Posted posted : batch) {
      meters.loopLag.addNanos(System.nanoTime() - posted.nanos());
      krond.handle(posted.input());
    }
  }

  /**
   * Runs until the daemon is done, and gives its exit code. What one turn has to write is written
   * together.
   */
  int run(Krond krond, GroupCommit commit) throws InterruptedException {
    List<Posted> batch = new ArrayList<>(BATCH);
    while (true) {
      Posted first = inbox.poll(krond.nanosToWait(), TimeUnit.NANOSECONDS);
      commit.gather();
      try {
        if (first != null) {
          handlingSince = first.nanos();
          batch.add(first);
          inbox.drainTo(batch, BATCH - 1);
          handle(krond, batch);
          batch.clear();
        }
        Integer exitCode = krond.turn();
        handlingSince = IDLE;
        if (exitCode != null) {
          return exitCode;
        }
      } finally {
        commit.gathered();
      }
    }
  }
}
