package dev.kron.daemon.log;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The last events of the daemon's log, numbered, for clients that follow them.
 *
 * <p>Adding an event never waits for a reader: the event is put into its slot, and a separate
 * thread wakes the readers, for many events at a time. Readers take no lock that an adder needs,
 * since a reader may be preempted at any moment and the daemon would wait for it. A reader that
 * falls behind by more than the ring holds has lost events, and is told.
 */
public final class EventRing implements AutoCloseable {
  public static final int CAPACITY = 4096;
  private static final long TOGETHER_NANOS = 10_000_000L;
  private static final long TOGETHER_NANOS_A_READER = 1_000_000L;

  /**
   * An event.
   *
   * @param number counted from 1 since the daemon began
   * @param pairs key, value, key, value …; a pair whose value is null is left out
   */
  public record Event(
      long number,
      long atMillis,
      String level,
      String component,
      String name,
      List<@Nullable Object> pairs) {

    /** The value of a key as text; null if there is none. */
    public @Nullable String text(String key) {
      for (int i = 0; i < pairs.size(); i += 2) {
        Object value = pairs.get(i + 1);
        if (key.equals(pairs.get(i)) && value != null) {
          return value.toString();
        }
      }
      return null;
    }
  }

  private final String epoch;
  private final Object adding = new Object();
  private final AtomicReferenceArray<@Nullable Event> events = new AtomicReferenceArray<>(CAPACITY);
  private volatile long last;
  private volatile boolean fresh;
  private volatile boolean closed;
  private volatile @Nullable Thread waker;
  private volatile int waiting;

  /**
   * A ring.
   *
   * @param epoch names this daemon's life; numbers of another one mean nothing here
   */
  public EventRing(String epoch) {
    this.epoch = epoch;
  }

  public String epoch() {
    return epoch;
  }

  /** The id of an event, for clients that reconnect. */
  public String id(long number) {
    return epoch + "-" + number;
  }

  public void add(
      long atMillis, String level, String component, String name, @Nullable Object... pairs) {
    List<@Nullable Object> kept = Arrays.asList(pairs);
    synchronized (adding) {
      long number = last + 1;
      events.set(
          (int) (number % CAPACITY), new Event(number, atMillis, level, component, name, kept));
      last = number; // whoever sees the number finds the event
    }
    Thread present = waker;
    if (present != null && !fresh) {
      fresh = true;
      LockSupport.unpark(present);
    }
  }

  private void wake() {
    while (!closed) {
      if (!fresh) {
        LockSupport.park(this);
        continue;
      }
      // Readers are woken for several events at once, the more so the more readers there are:
      // commands that are starting need the processors too.
      LockSupport.parkNanos(TOGETHER_NANOS + waiting * TOGETHER_NANOS_A_READER);
      fresh = false;
      synchronized (this) {
        notifyAll();
      }
    }
    synchronized (this) {
      notifyAll();
    }
  }

  public long last() {
    return last;
  }

  public boolean isClosed() {
    return closed;
  }

  /**
   * The events after a number, at most so many, without waiting. If the first one is not the next
   * number, those before it are lost.
   */
  public List<Event> after(long number, int limit) {
    var found = new ArrayList<Event>();
    long until = last;
    long from = Math.max(number + 1, until - CAPACITY + 1);
    for (long i = Math.max(1, from); i <= until && found.size() < limit; i++) {
      Event event = events.get((int) (i % CAPACITY));
      if (event != null && event.number() == i) {
        found.add(event);
      } else {
        found.clear(); // the ring has come round meanwhile
      }
    }
    return found;
  }

  /** Waits until there is an event after the number, or the time has passed. */
  public synchronized void await(long number, long millis) throws InterruptedException {
    if (waker == null) {
      // The thread is started with the first reader.
      waker = Thread.ofPlatform().daemon().name("krond-events").start(this::wake);
    }
    long end = System.nanoTime() + millis * 1_000_000L;
    waiting++;
    try {
      while (last <= number && !closed) {
        long left = (end - System.nanoTime()) / 1_000_000L;
        if (left <= 0) {
          return;
        }
        wait(left);
      }
    } finally {
      waiting--;
    }
  }

  /** Releases every reader. */
  @Override
  public void close() {
    closed = true;
    Thread present = waker;
    if (present != null) {
      LockSupport.unpark(present);
    }
  }
}
