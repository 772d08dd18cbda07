package dev.kron.daemon.loop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** What one user's work waits for, nobody else's does. */
final class LanesTest {
  private static final int WIDTH = 3;

  @Test
  void aUserWhoseWorkHangsHoldsUpNobodyElse() throws Exception {
    var answers = new CountDownLatch(1);
    var began = new Semaphore(0);
    var done = new CountDownLatch(20);
    var most = new AtomicInteger();
    var running = new AtomicInteger();
    try (var lanes = new Lanes("test-", WIDTH)) {
      for (int i = 0; i < 20; i++) {
        lanes.execute(
            "mallory",
            () -> {
              most.accumulateAndGet(running.incrementAndGet(), Math::max);
              began.release();
              try {
                answers.await();
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              }
              running.decrementAndGet();
              done.countDown();
            });
      }
      assertTrue(began.tryAcquire(WIDTH, 30, TimeUnit.SECONDS));
      var others = new CountDownLatch(2 * WIDTH);
      for (int i = 0; i < 2 * WIDTH; i++) {
        lanes.execute("root", others::countDown);
      }
      assertTrue(others.await(30, TimeUnit.SECONDS), "root waits for mallory");
      assertEquals(20, done.getCount());
      answers.countDown();
      assertTrue(done.await(30, TimeUnit.SECONDS));
      assertEquals(WIDTH, most.get());
    }
  }
}
