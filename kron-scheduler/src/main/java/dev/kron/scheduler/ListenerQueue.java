package dev.kron.scheduler;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Tells one listener, in order, on a thread of its own, so that a listener that is slow or never
 * returns holds up nobody else. The thread is there while there is something to tell. What does not
 * fit into the queue is dropped, counted and said.
 */
final class ListenerQueue implements SchedulerListener {
  private static final SafeLog LOG = SafeLog.of(DeclarativeScheduler.class);

  /** The events of a hundred thousand runs. */
  private static final int CAPACITY = 250_000;

  private final SchedulerListener listener;
  private final ThreadPoolExecutor thread;
  private final AtomicLong dropped = new AtomicLong();
  private volatile boolean dropping;

  ListenerQueue(SchedulerListener listener, String threadName) {
    this(listener, threadName, CAPACITY);
  }

  ListenerQueue(SchedulerListener listener, String threadName, int capacity) {
    this.listener = listener;
    thread =
        new ThreadPoolExecutor(
            1,
            1,
            1,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(capacity),
            Thread.ofPlatform().name(threadName).daemon().factory());
    thread.allowCoreThreadTimeOut(true);
  }

  @Override
  public void on(SchedulerEvent event) {
    try {
      thread.execute(() -> tell(event));
    } catch (Throwable full) {
      dropped.incrementAndGet();
      if (!dropping) {
        dropping = true;
        LOG.warn("A listener does not keep up: events are dropped until it does");
      }
    }
  }

  private void tell(SchedulerEvent event) {
    listener.on(event);
    if (dropping && thread.getQueue().size() <= 1) { // somebody may be waiting in flush
      dropping = false;
      LOG.warn("A listener keeps up again; {} events were dropped so far", dropped.get());
    }
  }

  long dropped() {
    return dropped.get();
  }

  /** Waits for the listener to have been told everything so far, but not for long. */
  void flush(long millis) throws InterruptedException {
    CountDownLatch told = new CountDownLatch(1);
    try {
      thread.execute(told::countDown);
    } catch (Throwable full) {
      return; // it has long been behind
    }
    told.await(millis, TimeUnit.MILLISECONDS);
  }
}
