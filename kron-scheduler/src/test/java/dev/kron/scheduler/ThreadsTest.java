package dev.kron.scheduler;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The scheduler on real threads: who waits for whom, and who is turned away. */
@Timeout(60)
class ThreadsTest {
  private final ExecutorService callers = Executors.newCachedThreadPool();
  private final ConcurrentLinkedQueue<SchedulerEvent> events = new ConcurrentLinkedQueue<>();
  private final CountDownLatch started = new CountDownLatch(1);
  private final CountDownLatch release = new CountDownLatch(1);

  @AfterEach
  void releaseEverything() {
    release.countDown();
    callers.shutdownNow();
  }

  private static Registration task(String name, Callback callback) {
    return new Registration(name, "* * * * *", callback, Duration.ofHours(1));
  }

  private Registration blockingTask() {
    return task(
        "blocking",
        () -> {
          started.countDown();
          release.await();
        });
  }

  private DeclarativeScheduler scheduler(TaskStore store) {
    return DeclarativeScheduler.builder(store).listener(events::add).build();
  }

  private List<String> eventNames() {
    return events.stream().map(event -> event.getClass().getSimpleName()).toList();
  }

  @Test
  void callbacksRunOnVirtualThreadsNamedAfterTheirTask() throws InterruptedException {
    var seen = new ConcurrentLinkedQueue<Thread>();
    var done = new CountDownLatch(1);
    try (var scheduler = scheduler(MemoryTaskStore.create())) {
      scheduler.initialize(
          List.of(
              task(
                  "report",
                  () -> {
                    seen.add(Thread.currentThread());
                    done.countDown();
                  })));
      assertTrue(done.await(30, TimeUnit.SECONDS));
    }
    assertTrue(seen.element().isVirtual());
    assertEquals("report", seen.element().getName());
  }

  @Test
  void stopWaitsForRunningCallbacks() throws Exception {
    var scheduler = scheduler(MemoryTaskStore.create());
    scheduler.initialize(List.of(blockingTask()));
    started.await();
    Future<?> first = callers.submit(() -> scheduler.stop());
    Future<?> second = callers.submit(scheduler::close);
    awaitEvent("PollingStopRequested");
    assertFalse(first.isDone() || second.isDone());
    release.countDown();
    first.get(30, TimeUnit.SECONDS);
    second.get(30, TimeUnit.SECONDS);
    assertEquals(1, eventNames().stream().filter("SchedulerStopRequested"::equals).count());
    assertEquals("SchedulerStopped", eventNames().getLast());
  }

  @Test
  void anInterruptedStopStaysStopping() throws Exception {
    var store = MemoryTaskStore.create();
    var scheduler = scheduler(store);
    scheduler.initialize(List.of(blockingTask()));
    started.await();
    var interrupted = new AtomicBoolean();
    Thread waiting =
        Thread.ofPlatform()
            .start(
                () -> {
                  assertThrows(SchedulerInterruptedException.class, scheduler::stop);
                  interrupted.set(Thread.currentThread().isInterrupted());
                });
    awaitEvent("PollingStopRequested");
    waiting.interrupt();
    waiting.join();
    assertTrue(interrupted.get());
    release.countDown();
    scheduler.stop();
    assertEquals("SchedulerStopped", eventNames().getLast());
  }

  @Test
  void onlyOneOfManyConcurrentInitializationsProceeds() throws Exception {
    var scheduler = scheduler(MemoryTaskStore.create());
    var go = new CountDownLatch(1);
    List<Future<?>> calls = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      calls.add(
          callers.submit(
              () -> {
                go.await();
                scheduler.initialize(List.of());
                return null;
              }));
    }
    go.countDown();
    int succeeded = 0;
    for (Future<?> call : calls) {
      try {
        call.get(30, TimeUnit.SECONDS);
        succeeded++;
      } catch (ExecutionException refused) {
        assertInstanceOf(SchedulerAlreadyActiveException.class, refused.getCause());
      }
    }
    assertEquals(1, succeeded);
    scheduler.stop();
  }

  /** A store whose opening takes as long as a test wants. */
  private final class SlowStore implements TaskStore {
    private final TaskStore store = MemoryTaskStore.create();

    @Override
    public Session open() throws IOException {
      started.countDown();
      try {
        release.await();
      } catch (InterruptedException unexpected) {
        throw new IOException(unexpected);
      }
      return store.open();
    }
  }

  @Test
  void stopDuringInitializeLetsItFinishFirst() throws Exception {
    var scheduler = scheduler(new SlowStore());
    var ran = new AtomicInteger();
    Future<?> initialize =
        callers.submit(() -> scheduler.initialize(List.of(task("a", ran::incrementAndGet))));
    started.await();
    var refused =
        assertThrows(SchedulerAlreadyActiveException.class, () -> scheduler.initialize(List.of()));
    assertEquals("initializing", refused.currentState());
    assertEquals(
        "Cannot initialize scheduler: scheduler is already initializing", refused.getMessage());
    Future<?> stop = callers.submit(() -> scheduler.stop());
    assertThrows(
        java.util.concurrent.TimeoutException.class, () -> stop.get(50, TimeUnit.MILLISECONDS));
    release.countDown();
    initialize.get(30, TimeUnit.SECONDS);
    stop.get(30, TimeUnit.SECONDS);
    assertTrue(eventNames().contains("SchedulerInitializationCompleted"));
    assertEquals("SchedulerStopped", eventNames().getLast());
  }

  @Test
  void initializeDuringAStopWaitsItsTurn() throws Exception {
    var scheduler = scheduler(MemoryTaskStore.create());
    scheduler.initialize(List.of(blockingTask()));
    started.await();
    Future<?> stop = callers.submit(() -> scheduler.stop());
    awaitEvent("PollingStopRequested");
    Future<?> initialize = callers.submit(() -> scheduler.initialize(List.of()));
    assertThrows(
        java.util.concurrent.TimeoutException.class,
        () -> initialize.get(50, TimeUnit.MILLISECONDS));
    release.countDown();
    stop.get(30, TimeUnit.SECONDS);
    initialize.get(30, TimeUnit.SECONDS);
    scheduler.stop();
    assertEquals(2, eventNames().stream().filter("SchedulerStopped"::equals).count());
  }

  @Test
  void aCallbackThatWouldWaitForItselfIsTold() throws InterruptedException {
    var refused = new ConcurrentLinkedQueue<Throwable>();
    var done = new CountDownLatch(1);
    try (var scheduler = scheduler(MemoryTaskStore.create())) {
      scheduler.initialize(
          List.of(
              task(
                  "a",
                  () -> {
                    refused.add(assertThrows(SchedulerReentrancyException.class, scheduler::stop));
                    refused.add(
                        assertThrows(
                            SchedulerAlreadyActiveException.class,
                            () -> scheduler.initialize(List.of())));
                    done.countDown();
                  })));
      assertTrue(done.await(30, TimeUnit.SECONDS));
    }
    assertTrue(
        String.valueOf(refused.element().getMessage()).contains("the callback of task \"a\""),
        refused.element().getMessage());
  }

  @Test
  void aListenerThatThrowsHurtsNobody() throws InterruptedException {
    var done = new CountDownLatch(1);
    try (var scheduler =
        DeclarativeScheduler.builder(MemoryTaskStore.create())
            .listener(
                event -> {
                  throw new IllegalStateException("listener");
                })
            .build()) {
      scheduler.initialize(List.of(task("a", done::countDown)));
      assertTrue(done.await(30, TimeUnit.SECONDS));
    }
  }

  @Test
  void startsNothingWhileStateCannotBeWrittenAndGoesOnByItself() throws InterruptedException {
    var store = new FailingStore();
    store.failsOnceReplaced.set(true);
    var ran = new CountDownLatch(1);
    try (var scheduler = DeclarativeScheduler.create(store)) {
      scheduler.initialize(List.of(task("a", ran::countDown)));
      assertTrue(store.failed.await(30, TimeUnit.SECONDS));
      assertEquals(1, ran.getCount());
      store.fails.set(false);
      assertTrue(ran.await(30, TimeUnit.SECONDS));
    }
  }

  @Test
  void aFailedInitializationLeavesWhatWasRemembered() {
    var store = new FailingStore();
    var scheduler = scheduler(store);
    scheduler.initialize(
        List.of(new Registration("a", "0 0 1 1 *", () -> {}, Duration.ofHours(1))));
    scheduler.stop();
    var before = store.contents();
    store.fails.set(true);
    var error =
        assertThrows(
            TaskStoreException.class,
            () ->
                scheduler.initialize(
                    List.of(new Registration("b", "0 0 1 1 *", () -> {}, Duration.ZERO))));
    assertEquals(
        "No space left on device",
        String.valueOf(Objects.requireNonNull(error.getCause()).getMessage()));
    assertEquals(before, store.contents());
    assertEquals("SchedulerInitializationFailed", eventNames().getLast());
    store.fails.set(false);
    scheduler.initialize(List.of());
    scheduler.stop();
  }

  @Test
  void aStopThatCannotWriteSaysSoAndStops() throws Exception {
    var store = new FailingStore();
    var scheduler = scheduler(store);
    var runs = new AtomicInteger();
    Registration task =
        new Registration(
            "a",
            "* * * * *",
            () -> {
              started.countDown();
              release.await();
              runs.incrementAndGet();
            },
            Duration.ofHours(1));
    scheduler.initialize(List.of(task));
    started.await();
    store.fails.set(true);
    release.countDown();
    var error = assertThrows(TaskStoreException.class, scheduler::stop);
    assertTrue(String.valueOf(error.getMessage()).startsWith("The scheduler has stopped, but "));
    assertEquals("SchedulerStopped", eventNames().getLast());
    store.fails.set(false);
    scheduler.initialize(List.of(task));
    scheduler.stop();
    assertTrue(
        store.contents().getFirst().lastSuccessAt() != null,
        "the same instance remembers how it ended");
  }

  @Test
  void noticesWithinSecondsThatTheClockWasSet() throws InterruptedException {
    var offset = new AtomicReference<>(Duration.ZERO);
    Clock settable =
        new Clock() {
          @Override
          public Instant instant() {
            return Instant.parse("2026-03-01T10:00:30Z").plus(offset.get());
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
    var ran = new CountDownLatch(1);
    try (var scheduler =
        DeclarativeScheduler.builder(MemoryTaskStore.create())
            .clock(settable)
            .zone(ZoneOffset.UTC)
            .build()) {
      scheduler.initialize(
          List.of(new Registration("a", "0 0 * * *", ran::countDown, Duration.ZERO)));
      offset.set(Duration.ofHours(14));
      assertTrue(ran.await(30, TimeUnit.SECONDS));
    }
  }

  @Test
  void leavesNoThreadBehind() throws InterruptedException {
    var scheduler = scheduler(MemoryTaskStore.create());
    scheduler.initialize(List.of());
    List<Thread> own =
        Thread.getAllStackTraces().keySet().stream()
            .filter(thread -> thread.getName().equals("kron-scheduler"))
            .toList();
    assertFalse(own.isEmpty());
    assertFalse(own.stream().anyMatch(Thread::isDaemon), "it keeps the process alive");
    scheduler.stop();
    for (Thread thread : own) {
      thread.join(30_000);
      assertFalse(thread.isAlive());
    }
  }

  private void awaitEvent(String name) {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
    while (!eventNames().contains(name)) {
      assertTrue(System.nanoTime() < deadline, () -> name + " did not come: " + eventNames());
      Thread.onSpinWait();
    }
  }
}
