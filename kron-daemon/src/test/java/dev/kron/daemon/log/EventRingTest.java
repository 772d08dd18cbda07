package dev.kron.daemon.log;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

class EventRingTest {
  private static final long BOUND_NANOS = TimeUnit.SECONDS.toNanos(30);

  @Test
  void whoWakesReadersRestsUntilThereIsSomethingNew() throws Exception {
    try (var ring = new EventRing("e")) {
      ring.await(0, 1);
      Thread waker = waker(ring);
      ring.add(1, "info", "daemon", "first");
      ring.await(0, 30_000);
      assertEquals(1, ring.after(0, 10).size());
      long end = System.nanoTime() + BOUND_NANOS;
      while (waker.getState() != Thread.State.WAITING && System.nanoTime() < end) {
        LockSupport.parkNanos(1_000_000);
      }
      assertEquals(Thread.State.WAITING, waker.getState(), "looks at the clock no more");
      ring.add(2, "info", "daemon", "second");
      ring.await(1, 30_000);
      assertEquals("second", ring.after(1, 10).getFirst().name());
    }
  }

  /** The thread that waits on this ring, or wakes those who do. */
  private static Thread waker(EventRing ring) {
    long end = System.nanoTime() + BOUND_NANOS;
    while (System.nanoTime() < end) {
      for (Thread thread : Thread.getAllStackTraces().keySet()) {
        if (LockSupport.getBlocker(thread) == ring) {
          return thread;
        }
      }
      LockSupport.parkNanos(1_000_000);
    }
    throw new AssertionError("no thread wakes readers");
  }
}
