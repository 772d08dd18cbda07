package dev.kron.process;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/**
 * One thread that hears of all commands that report that they are ready. It is started when the
 * first run is listened to.
 *
 * <p>Those who report may be hostile: of each of them little is read at a time, and while somebody
 * has more to say than that, the thread rests in between.
 */
final class ReadinessListener implements AutoCloseable {
  /** The most reads of one source before others have their turn. */
  private static final int READS = 4;

  private static final long REST_NANOS = 5_000_000;

  private final Map<Run, Listened> runs = new HashMap<>(); // guards itself and all that follows
  private final Map<Long, Listened> tokens = new HashMap<>();
  private @Nullable Epoll epoll;
  private @Nullable Thread thread;
  private long lastToken = Epoll.WAKE_UP;
  private volatile boolean closed;

  /** A run that is listened to. */
  private static final class Listened {
    final long token;
    final ReadySource source;
    Readiness.Listener listener;
    boolean ready;
    boolean open = true;

    Listened(long token, ReadySource source, Readiness.Listener listener) {
      this.token = token;
      this.source = source;
      this.listener = listener;
    }
  }

  /**
   * Listens to a run. If it is listened to already, what has come is looked at now, and what was
   * heard before is told again.
   *
   * @param belongs whether a process, given by its pid, belongs to the run
   */
  void listen(Run run, Readiness how, IntPredicate belongs, Readiness.Listener listener)
      throws IOException {
    boolean ready;
    synchronized (runs) {
      if (closed) {
        return;
      }
      Listened present = runs.get(run);
      if (present == null) {
        open(run, how, belongs, listener);
        return;
      }
      present.listener = listener;
      try (Libc libc = new Libc()) {
        read(libc, present);
      }
      ready = present.ready;
    }
    if (ready) {
      listener.ready();
    }
  }

  private void open(Run run, Readiness how, IntPredicate belongs, Readiness.Listener listener)
      throws IOException {
    try (Libc libc = new Libc()) {
      Epoll set = started();
      ReadySource source =
          switch (how) {
            case Readiness.Descriptor _ -> ReadyPipe.open(libc, run);
            case Readiness.Socket(String name) -> NotifySocket.open(libc, name, belongs);
          };
      var heard = new Listened(++lastToken, source, listener);
      int error = set.add(libc, heard.source.descriptor(), heard.token, Epoll.IN);
      if (error < 0) {
        libc.close(heard.source.descriptor());
        throw new IOException("epoll_ctl: " + Libc.message(-error));
      }
      runs.put(run, heard);
      tokens.put(heard.token, heard);
    }
  }

  private Epoll started() {
    Epoll set = epoll;
    if (set == null) {
      set = new Epoll();
      epoll = set;
      Epoll waited = set;
      thread = Thread.ofPlatform().name("krond-ready").daemon().start(() -> run(waited));
    }
    return set;
  }

  /** Listens to a run no more. */
  void stop(Run run) {
    synchronized (runs) {
      Listened heard = runs.remove(run);
      if (heard != null) {
        try (Libc libc = new Libc()) {
          shut(libc, heard);
        }
      }
    }
  }

  private void shut(Libc libc, Listened heard) {
    tokens.remove(heard.token);
    if (heard.open && epoll != null) {
      heard.open = false;
      epoll.remove(libc, heard.source.descriptor());
      libc.close(heard.source.descriptor());
    }
  }

  private void run(Epoll set) {
    try (Libc libc = new Libc()) {
      MemorySegment events = Epoll.events(libc);
      while (!closed) {
        var turn = new Turn();
        try {
          set.await(libc, events, Epoll.FOREVER, turn::look);
        } catch (RuntimeException | Error e) {
          // It listens to everybody: one failed turn must not end it.
          Thread own = Thread.currentThread();
          own.getUncaughtExceptionHandler().uncaughtException(own, e);
          turn.busy = true;
        }
        if (turn.busy && !closed) {
          LockSupport.parkNanos(REST_NANOS);
        }
      }
      set.close(libc);
    }
  }

  /** One return from the wait. */
  private final class Turn {
    boolean busy;

    void look(long token) {
      Readiness.Listener told = null;
      synchronized (runs) {
        Listened heard = tokens.get(token);
        if (heard == null || !heard.open) {
          return;
        }
        boolean before = heard.ready;
        try (Libc libc = new Libc()) {
          busy |= read(libc, heard);
        }
        told = heard.ready && !before ? heard.listener : null;
      }
      if (told != null) {
        told.ready();
      }
    }
  }

  /** Reads a little; returns whether there may be more. */
  private boolean read(Libc libc, Listened heard) {
    for (int i = 0; heard.open && i < READS; i++) {
      switch (heard.source.read(libc, heard.listener)) {
        case NOTHING -> {
          return false;
        }
        case MORE -> {}
        case NONSENSE -> shut(libc, heard);
        case READY -> {
          heard.ready = true;
          if (!heard.source.staysOpen()) {
            shut(libc, heard);
          }
        }
      }
    }
    return heard.open;
  }

  @Override
  public void close() {
    Thread own;
    synchronized (runs) {
      closed = true;
      own = thread;
      try (Libc libc = new Libc()) {
        runs.values().forEach(heard -> shut(libc, heard));
        runs.clear();
        if (epoll != null) {
          epoll.wake(libc);
        }
      }
    }
    if (own != null && !own.equals(Thread.currentThread())) {
      try {
        own.join();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
