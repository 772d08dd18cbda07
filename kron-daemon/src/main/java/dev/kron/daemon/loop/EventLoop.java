package dev.kron.daemon.loop;

import dev.kron.daemon.log.Meters;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The loop that handles inputs one after another, in order of arrival, on the one thread that owns
 * all state.
 */
public final class EventLoop<I> {
  /** The most inputs that are handled before gathered changes are written. */
  private static final int BATCH = 256;

  private static final long IDLE = Long.MIN_VALUE;

  private final BlockingQueue<Posted<I>> inbox = new LinkedBlockingQueue<>();
  private final Meters meters;
  private volatile long handlingSince = IDLE;

  /** The handler of inputs. */
  public interface Owner<I> {
    void handle(I input);

    /**
     * Does what time has made due. Null continues; anything else ends the daemon with this exit
     * code.
     */
    @Nullable Integer turn();

    /** The time for which there is nothing to do, unless an input arrives. */
    long nanosToWait();
  }

  public EventLoop(Meters meters) {
    this.meters = meters;
  }

  /** An input and its time of arrival. */
  private record Posted<I>(I input, long nanos) {}

  /** Posts an input; for any thread. */
  public void post(I input) {
    inbox.add(new Posted<>(input, System.nanoTime()));
  }

  /** The age of the oldest waiting input; for any thread. */
  public long lagNanos() {
    Posted<I> oldest = inbox.peek();
    long since = handlingSince;
    long now = System.nanoTime();
    long waiting = oldest == null ? 0 : now - oldest.nanos();
    return since == IDLE ? waiting : Math.max(waiting, now - since);
  }

  /** Whether there are inputs that were not handled yet. */
  public boolean hasInputs() {
    return !inbox.isEmpty();
  }

  /** Handles the present inputs once, without waiting. Null continues. */
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
   * Runs until the daemon is done, and returns its exit code. The writes of one turn are made
   * together.
   *
   * @param gather called before a turn: its writes are gathered from here on
   * @param gathered called after it
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
