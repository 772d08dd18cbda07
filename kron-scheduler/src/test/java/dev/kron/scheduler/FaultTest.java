package dev.kron.scheduler;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Whatever a callback, a listener, a log, a clock or a store throws, and at whichever of its calls:
 * the other tasks run, and {@code stop()} returns. A scenario is repeated with the first call
 * failing, then the second, until it has passed without a fault.
 */
@Timeout(120)
class FaultTest {
  private static final List<Supplier<Throwable>> THROWN =
      List.of(
          () -> new IllegalStateException("as planned"),
          () -> new StackOverflowError("as planned"),
          Fault.Unspeakable::new,
          Fault.UnspeakableError::new);

  private static Registration task(String name, Callback callback) {
    return new Registration(name, "* * * * *", callback, Duration.ofHours(1));
  }

  @Test
  void whateverIsThrownAtAnyCallHurtsNobodyElse() throws Exception {
    Set<String> places = new HashSet<>();
    for (Supplier<Throwable> thrown : THROWN) {
      int call = 0;
      Fault fault;
      do {
        fault = new Fault(++call, thrown.get());
        new Scenario(fault).play();
        places.add(fault.where);
      } while (!fault.where.isEmpty());
      assertTrue(call > 100, "only " + call + " calls");
    }
    assertEquals(
        Set.of(
            "",
            "callback",
            "clock",
            "listener",
            "log",
            "store.open",
            "store.load",
            "store.toString",
            "store.replaceAll",
            "store.replaceAll done",
            "store.update",
            "store.update done",
            "store.maintain",
            "store.check",
            "store.close",
            "interceptor"),
        places);
  }

  /** A disk that stays full, a listener that was never right. */
  @Test
  void whatAlwaysThrowsHurtsNobodyElseEither() throws Exception {
    for (Supplier<Throwable> thrown : THROWN) {
      for (String place :
          List.of(
              "callback", "listener", "log", "store.toString", "store.maintain", "store.check")) {
        Fault fault = new Fault(place, thrown.get());
        new Scenario(fault).play();
        assertEquals(place, fault.where);
      }
    }
  }

  /** A scheduler on a clock and a driver that are moved by hand. */
  private static final class Scenario implements SchedulerDriver {
    private static final long START = Instant.parse("2026-03-01T10:00:30Z").toEpochMilli();

    private final Fault fault;
    private final MemoryTaskStore store = MemoryTaskStore.create();
    private final DeclarativeScheduler scheduler;
    private final Deque<Run> begun = new ArrayDeque<>();
    private @Nullable Loop loop;
    private long nowMillis = START;
    private int runs;

    Scenario(Fault fault) {
      this.fault = fault;
      scheduler =
          DeclarativeScheduler.builder(fault.store(store))
              .clock(fault.clock(() -> nowMillis))
              .zone(ZoneOffset.UTC)
              .driver(this)
              .listener(event -> fault.here("listener"))
              .interceptor(
                  (run, callback) -> {
                    fault.here("interceptor");
                    callback.run();
                  })
              .build();
    }

    @SuppressWarnings("try")
    void play() throws Exception {
      try (AutoCloseable log = TestLogging.to(line -> fault.here("log"))) {
        initialize();
        for (int minute = 1; minute <= 3; minute++) {
          nowMillis = START + minute * 60_000L;
          settle();
          int spoiled =
              fault.where.equals("interceptor") ? 1 : 0; // it stands around the good one too
          assertTrue(runs + spoiled > minute, () -> runs + " runs after a fault in " + fault.where);
        }
        stop();
        initialize(); // it gave its store back
        stop();
      }
      store.contents().forEach(task -> assertEquals(null, task.runningUnder(), fault.where));
    }

    private void initialize() {
      List<Registration> registrations =
          List.of(
              task(
                  "bad",
                  () -> {
                    throw new Fault.Unspeakable();
                  }),
              task("faulty", () -> fault.here("callback")),
              task("good", () -> runs++));
      try {
        scheduler.initialize(registrations);
      } catch (SchedulerException once) {
        assertTrue(fault.where.startsWith("store") || fault.where.equals("clock"), fault.where);
        scheduler.initialize(registrations);
      }
      settle();
    }

    private void stop() {
      try {
        scheduler.stop();
      } catch (TaskStoreException notWritten) {
        assertTrue(fault.where.startsWith("store"), fault.where);
      }
    }

    /** Turns the loop as a thread does, for as long as a pause of the store may last. */
    private void settle() {
      for (int i = 0; i < 12; i++) {
        nowMillis += 250;
        turn();
      }
    }

    private void turn() {
      if (loop != null && loop.turn() == Loop.FINISHED) {
        loop = null;
      }
      for (Run run = begun.poll(); run != null; run = begun.poll()) {
        Throwable failure = null;
        try {
          run.execute();
        } catch (Throwable thrown) {
          failure = thrown;
        }
        run.ended(failure);
      }
    }

    @Override
    public void drive(Loop driven) {
      loop = driven;
    }

    @Override
    public void wake() {}

    @Override
    public void begin(Run run) {
      begun.add(run);
    }

    @Override
    public void await(CompletionStage<?> done) {
      for (int turns = 0; !done.toCompletableFuture().isDone(); turns++) {
        assertTrue(turns < 100, () -> "waits for ever after a fault in " + fault.where);
        turn();
      }
    }
  }

  /** A time before 1970 is a time: the thread rests, and looks once a second. */
  @Test
  void aClockBefore1970DoesNotKeepTheThreadBusy() throws InterruptedException {
    var reads = new AtomicInteger();
    var offsetMillis = new AtomicLong(Instant.parse("1960-03-01T10:00:30Z").toEpochMilli());
    var ran = new CountDownLatch(1);
    var fault = new Fault(-1, new AssertionError());
    try (var scheduler =
        DeclarativeScheduler.builder(MemoryTaskStore.create())
            .clock(
                fault.clock(
                    () -> {
                      reads.incrementAndGet();
                      return offsetMillis.get();
                    }))
            .zone(ZoneOffset.UTC)
            .build()) {
      scheduler.initialize(List.of());
      scheduler.stop();
      scheduler.initialize(
          List.of(new Registration("a", "0 0 * * *", ran::countDown, Duration.ZERO)));
      offsetMillis.addAndGet(Duration.ofHours(14).toMillis());
      assertTrue(ran.await(30, TimeUnit.SECONDS));
      assertTrue(reads.get() < 1000, () -> reads + " readings");
    }
  }

  @Test
  void aClockBeyondMillisecondsShowsTheNearestTimeThatThereIs() {
    Clock last = Clock.fixed(Instant.MAX, ZoneOffset.UTC);
    Clock first = Clock.fixed(Instant.MIN, ZoneOffset.UTC);
    assertEquals(SafeClock.LAST_MILLIS, new SafeClock(last).millis());
    assertEquals(SafeClock.FIRST_MILLIS, new SafeClock(first).millis());
  }

  /** The same on real threads, where a thread may die; a store that failed is let rest too long. */
  @Test
  void theThreadsOutliveWhateverIsThrown() throws Exception {
    for (Supplier<Throwable> thrown : THROWN) {
      int call = 0;
      Fault fault;
      do {
        fault = new Fault(++call, thrown.get());
        playOnThreads(fault);
      } while (!fault.where.isEmpty());
    }
  }

  @SuppressWarnings("try")
  private static void playOnThreads(Fault fault) throws Exception {
    var ran = new CountDownLatch(1);
    List<Registration> registrations =
        List.of(
            task(
                "bad",
                () -> {
                  throw new Fault.UnspeakableError();
                }),
            task("faulty", () -> fault.here("callback")),
            task("good", ran::countDown));
    try (AutoCloseable log = TestLogging.to(line -> fault.here("log"));
        var scheduler =
            DeclarativeScheduler.builder(MemoryTaskStore.create())
                .clock(fault.clock(System::currentTimeMillis))
                .listener(event -> fault.here("listener"))
                .build()) {
      try {
        scheduler.initialize(registrations);
      } catch (SchedulerException once) {
        assertEquals("clock", fault.where);
        scheduler.initialize(registrations);
      }
      assertTrue(ran.await(20, TimeUnit.SECONDS), () -> "hangs after a fault in " + fault.where);
    }
  }
}
