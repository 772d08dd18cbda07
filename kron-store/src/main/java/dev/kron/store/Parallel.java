package dev.kron.store;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/** Does the same to many things with a few threads, and waits for all of it. */
final class Parallel {
  private Parallel() {}

  /**
   * The calling thread takes part; an executor that runs everything at once makes it sequential.
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

  /** A state that is half written because a thread was interrupted would help nobody. */
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
