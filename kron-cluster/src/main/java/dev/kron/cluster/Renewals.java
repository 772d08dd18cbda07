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
  }

  /**
   * Begins to renew a lease that was confirmed just now.
   *
   * @param whenLapsed called, by a thread of its own, each time the lease is over
   */
  public static Renewals of(
      Terms terms, Lease lease, Renewal renewal, Runnable whenLapsed, String name) {
    Renewals renewals = new Renewals(terms, lease, renewal, whenLapsed, name);
    renewals.thread.start();
    Thread.ofPlatform().name(name + "-watch").daemon().start(renewals::watch);
    return renewals;
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
          whenLapsed.run();
        }
        held = false;
        LockSupport.parkNanos(this, 100_000_000L);
      } else {
        held = true;
        LockSupport.parkNanos(this, Math.min(left, terms.renewal().toNanos()));
      }
    }
  }

  @Override
  public void close() {
    closed = true;
    LockSupport.unpark(thread);
    try {
      thread.join(5000);
    } catch (InterruptedException enough) {
      Thread.currentThread().interrupt();
    }
  }
}
