package dev.kron.daemon.loop;

import dev.kron.daemon.log.Meters;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Takes inputs one after another, in the order they came, on the one thread that owns the jobs. */
public final class EventLoop<I> {
  /** At most this many inputs are taken before what gathered is written. */
  private static final int BATCH = 256;

  private static final long IDLE = Long.MIN_VALUE;

  private final BlockingQueue<Posted<I>> inbox = new LinkedBlockingQueue<>();
  private final Meters meters;
  private volatile long handlingSince = IDLE;

  /** The one who knows what inputs mean. */
  public interface Owner<I> {
    void handle(I input);

    /** Does what time has made due; null: go on, otherwise the daemon is done, with this code. */
    @Nullable Integer turn();

    /** How long nothing is to be done, unless something comes in. */
    long nanosToWait();
  }

  public EventLoop(Meters meters) {
    this.meters = meters;
  }

  /** An input and when it came. */
  private record Posted<I>(I input, long nanos) {}

  /** From any thread: something happened. */
  public void post(I input) {
    inbox.add(new Posted<>(input, System.nanoTime()));
  }

  /** For how long the oldest input has been waiting; from any thread. */
  public long lagNanos() {
    Posted<I> oldest = inbox.peek();
    long since = handlingSince;
    long now = System.nanoTime();
    long waiting = oldest == null ? 0 : now - oldest.nanos();
    return since == IDLE ? waiting : Math.max(waiting, now - since);
  }

  /** Something came in that was not looked at. */
  public boolean hasInputs() {
    return !inbox.isEmpty();
  }

  /** One turn with what has come in, and no waiting. Null: go on. */
  public @Nullable Integer turn(Owner<I> owner) {
    List<Posted<I>> batch = new ArrayList<>();
    inbox.drainTo(batch, BATCH);
    handle(owner, batch);
    return owner.turn();
  }

  private void handle(Owner<I> owner, List<Posted<I>> batch) {
    for (Posted<I> posted : batch) {
      long began = System.nanoTime();
      meters.loopLag.addNanos(began - posted.nanos());
      owner.handle(posted.input());
      meters.loopHold.addNanos(System.nanoTime() - began);
    }
  }

  /**
   * Runs until the daemon is done, and gives its exit code. What one turn has to write is written
   * together.
   *
   * @param gather before a turn: what it has to write is gathered from here on
   * @param gathered after it
   */
  public int run(Owner<I> owner, Runnable gather, Runnable gathered) throws InterruptedException {
    List<Posted<I>> batch = new ArrayList<>(BATCH);
    while (true) {
      Posted<I> first = inbox.poll(owner.nanosToWait(), TimeUnit.NANOSECONDS);
      gather.run();
      try {
        if (first != null) {
          handlingSince = first.nanos();
          batch.add(first);
          inbox.drainTo(batch, BATCH - 1);
          handle(owner, batch);
          batch.clear();
        }
        Integer exitCode = owner.turn();
        handlingSince = IDLE;
        if (exitCode != null) {
          return exitCode;
        }
      } finally {
        gathered.run();
      }
    }
  }
}
