package dev.kron.cluster;

import java.io.IOException;
import java.util.concurrent.locks.LockSupport;

/**
 * The thread that renews an instance's lease, and says when it could not be in time. It has nothing
 * else to wait for, and does not depend on anything that callbacks or schedules do.
 */
public final class Renewals implements AutoCloseable {
  private final Terms terms;
  private final Lease lease;
  private final Renewal renewal;
  private final Runnable whenLapsed;
  private final Thread thread;
  private final Thread watcher;
  private volatile boolean closed;

  /** Renews once, or throws. */
  @FunctionalInterface
  public interface Renewal {
    void renew() throws IOException;
  }

  private Renewals(Terms terms, Lease lease, Renewal renewal, Runnable whenLapsed, String name) {
    this.terms = terms;
    this.lease = lease;
    this.renewal = renewal;
    this.whenLapsed = whenLapsed;
    thread = Thread.ofPlatform().name(name).daemon().unstarted(this::run);
    watcher = Thread.ofPlatform().name(name + "-watch").daemon().unstarted(this::watch);
  }

  /**
   * Begins to renew a lease that was confirmed just now.
   *
   * @param whenLapsed called, by a thread of its own, each time the lease is over
   */
  public static Renewals of(
      Terms terms, Lease lease, Renewal renewal, Runnable whenLapsed, String name) {
    Renewals renewals = new Renewals(terms, lease, renewal, whenLapsed, name);
    try {
      renewals.thread.start();
      renewals.watcher.start();
      return renewals;
    } catch (Throwable noThread) {
      renewals.closed = true; // a lease that is renewed without a watch would be one for ever
      throw noThread;
    }
  }

  private void run() {
    while (!closed) {
      LockSupport.parkNanos(this, terms.renewal().toNanos());
      Thread.interrupted();
      if (!closed) {
        renewOnce();
      }
    }
  }

  private void renewOnce() {
    long sentNanos = System.nanoTime();
    try {
      renewal.renew();
      lease.confirmed(sentNanos);
    } catch (Throwable notNow) {
      // The watch sees it if it goes on; the next renewal may succeed.
    }
  }

  /** Runs beside the renewals, as one of them may wait for an answer just when the lease ends. */
  private void watch() {
    boolean held = true;
    while (!closed) {
      long left = lease.nanosLeft(System.nanoTime());
      if (left <= 0) {
        if (held) {
          tellLapsed();
        }
        held = false;
        LockSupport.parkNanos(this, 100_000_000L);
      } else {
        held = true;
        LockSupport.parkNanos(this, Math.min(left, terms.renewal().toNanos()));
      }
    }
  }

  /** The watch goes on whatever they make of it: the next lease can be over too. */
  private void tellLapsed() {
    try {
      whenLapsed.run();
    } catch (Throwable theirs) {
      // They have nobody else to tell.
    }
  }

  @Override
  public void close() {
    closed = true;
    LockSupport.unpark(thread);
    LockSupport.unpark(watcher);
    try {
      thread.join(5000);
    } catch (InterruptedException enough) {
      Thread.currentThread().interrupt();
    }
  }
}
