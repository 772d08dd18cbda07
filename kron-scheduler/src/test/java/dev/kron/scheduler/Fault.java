package dev.kron.scheduler;

import java.io.IOException;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * Something that is thrown at one call, counted over everything that a scheduler calls, or at all
 * calls of one kind.
 */
final class Fault {
  private final int atCall;
  private final String always;
  private final Throwable thrown;
  private final AtomicInteger calls = new AtomicInteger();

  /** Where it was thrown; empty if it was not. */
  volatile String where = "";

  Fault(int atCall, Throwable thrown) {
    this(atCall, "", thrown);
  }

  /** A fault at every call of a kind. */
  Fault(String always, Throwable thrown) {
    this(-1, always, thrown);
  }

  private Fault(int atCall, String always, Throwable thrown) {
    this.atCall = atCall;
    this.always = always;
    this.thrown = thrown;
  }

  /** An exception that cannot even be talked about. */
  static final class Unspeakable extends RuntimeException {
    private static final long serialVersionUID = 1L;

    @Override
    public String getMessage() {
      throw new IllegalStateException("no message");
    }

    @Override
    @SuppressWarnings("OverrideThrowableToString")
    public String toString() {
      throw new IllegalStateException("no text");
    }
  }

  /** The same, as an error. */
  static final class UnspeakableError extends Error {
    private static final long serialVersionUID = 1L;

    @Override
    public String getMessage() {
      throw new AssertionError("no message");
    }

    @Override
    @SuppressWarnings("OverrideThrowableToString")
    public String toString() {
      throw new AssertionError("no text");
    }
  }

  void here(String place) {
    if (calls.incrementAndGet() == atCall || place.equals(always)) {
      where = place;
      throw Fault.<RuntimeException>unchecked(thrown);
    }
  }

  @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
  private static <E extends Throwable> E unchecked(Throwable thrown) throws E {
    throw (E) thrown;
  }

  Clock clock(LongSupplier millis) {
    return new Clock() {
      @Override
      public long millis() {
        here("clock");
        return millis.getAsLong();
      }

      @Override
      public Instant instant() {
        return Instant.ofEpochMilli(millis());
      }

      @Override
      public ZoneId getZone() {
        return ZoneOffset.UTC;
      }

      @Override
      public Clock withZone(ZoneId zone) {
        return this;
      }
    };
  }

  /** A store that fails before or after it has done what it was asked to. */
  TaskStore store(MemoryTaskStore store) {
    return new TaskStore() {
      @Override
      public Session open() throws IOException {
        here("store.open");
        return session(store.open());
      }

      @Override
      public String toString() {
        here("store.toString");
        return "the store";
      }
    };
  }

  private TaskStore.Session session(TaskStore.Session session) {
    return new TaskStore.Session() {
      @Override
      public List<TaskState> load() throws IOException {
        here("store.load");
        return session.load();
      }

      @Override
      public void replaceAll(Collection<TaskState> tasks) throws IOException {
        here("store.replaceAll");
        session.replaceAll(tasks);
        here("store.replaceAll done");
      }

      @Override
      public void update(Collection<TaskState> changed) throws IOException {
        here("store.update");
        session.update(changed);
        here("store.update done");
      }

      @Override
      public void maintain(Supplier<Collection<TaskState>> all) throws IOException {
        here("store.maintain");
      }

      @Override
      public void check() throws IOException {
        here("store.check");
        session.check();
      }

      @Override
      public void close() throws IOException {
        session.close();
        here("store.close");
      }
    };
  }
}
