package dev.kron.store;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/** A loop over many items with a few threads that waits for all of them. */
final class Parallel {
  private Parallel() {}

  /**
   * Calls the action for each index. The calling thread takes part; an executor that runs tasks on
   * the calling thread makes the loop sequential.
   */
  static void forEach(Executor executor, int threads, int count, IntConsumer action) {
    AtomicInteger next = new AtomicInteger();
    AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
    int helpers = Math.min(threads, count) - 1;
    CountDownLatch done = new CountDownLatch(Math.max(0, helpers));
    Runnable work =
        () -> {
          for (int i = next.getAndIncrement(); i < count; i = next.getAndIncrement()) {
            try {
              action.accept(i);
            } catch (Throwable e) {
              failure.compareAndSet(null, e);
            }
          }
        };
    for (int i = 0; i < helpers; i++) {
      executor.execute(
          () -> {
            work.run();
            done.countDown();
          });
    }
    work.run();
    awaitUninterruptibly(done);
    Throwable thrown = failure.get();
    if (thrown != null) {
      throw new IllegalStateException("work on one of " + count + " items failed", thrown);
    }
  }

  /** Waits without heeding interrupts: a half-written state would help nobody. */
  private static void awaitUninterruptibly(CountDownLatch latch) {
    boolean interrupted = false;
    while (true) {
      try {
        latch.await();
        break;
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
