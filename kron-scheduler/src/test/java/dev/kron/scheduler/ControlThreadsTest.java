package dev.kron.scheduler;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kron.scheduler.SchedulerEvent.TaskRunCompleted;
import dev.kron.scheduler.SchedulerEvent.TaskRunFailed;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.FutureTask;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Control of single tasks, timeouts and executors on real threads and files. */
@Timeout(60)
class ControlThreadsTest {
  private final CountDownLatch started = new CountDownLatch(1);
  private final CountDownLatch release = new CountDownLatch(1);
  private final List<SchedulerEvent> events = Collections.synchronizedList(new ArrayList<>());

  /** Due in no test of this class. */
  private static Registration yearly(String name, Callback callback) {
    return new Registration(name, "0 0 29 2 *", callback, Duration.ofHours(1));
  }

  private DeclarativeScheduler scheduler(TaskStore store) {
    return DeclarativeScheduler.builder(store).listener(events::add).build();
  }

  private List<TaskRunFailed> failures() {
    return events.stream()
        .filter(TaskRunFailed.class::isInstance)
        .map(TaskRunFailed.class::cast)
        .toList();
  }

  @Test
  void aPauseIsOnDiskWhenItReturns(@TempDir Path directory) throws Exception {
    Path file = directory.resolve("tasks.json");
    Path copy = Files.createDirectories(directory.resolve("copy"));
    try (var scheduler = scheduler(FileTaskStore.at(file))) {
      scheduler.initialize(List.of(yearly("a", () -> {})));
      assertTrue(scheduler.pause("a"));
      try (var files = Files.list(directory)) { // what a crash would leave
        for (Path each : files.filter(Files::isRegularFile).toList()) {
          Files.copy(each, copy.resolve(each.getFileName()));
        }
      }
    }
    // A torn batch behind it takes nothing back.
    try (var files = Files.list(copy)) {
      Path journal =
          files.filter(each -> each.toString().contains("journal")).findFirst().orElseThrow();
      Files.writeString(
          journal, Files.readString(journal) + "{\"name\":\"a\",\"cronExpression\":\"0 0 29 2");
    }
    try (var scheduler = scheduler(FileTaskStore.at(copy.resolve("tasks.json")))) {
      scheduler.initialize(List.of(yearly("a", () -> {})));
      assertTrue(scheduler.tasks().getFirst().pausedSince() != null);
      assertTrue(scheduler.resume("a"));
    }
    assertFalse(Files.readString(copy.resolve("tasks.json")).contains("pausedAt"));
  }

  @Test
  void whatCannotBeWrittenDoesNotHappen() {
    var store = new FailingStore();
    try (var scheduler = scheduler(store)) {
      scheduler.initialize(List.of(yearly("a", started::countDown)));
      store.fails.set(true);
      assertThrows(TaskStoreException.class, () -> scheduler.pause("a"));
      assertEquals(null, scheduler.tasks().getFirst().pausedSince());
      assertThrows(TaskStoreException.class, () -> scheduler.runNow("a"));
      assertEquals(1, started.getCount());
      store.fails.set(false);
      assertTrue(scheduler.pause("a"));
      assertTrue(scheduler.runNow("a"));
    }
    assertEquals(0, started.getCount());
    assertTrue(store.contents().getFirst().pausedAt() != null);
  }

  @Test
  void aStopWithALimitInterruptsAndReports() throws InterruptedException {
    var interrupted = new CountDownLatch(1);
    var scheduler = scheduler(MemoryTaskStore.create());
    scheduler.initialize(
        List.of(
            yearly(
                "obedient",
                () -> {
                  started.countDown();
                  new CountDownLatch(1).await();
                }),
            yearly(
                "stubborn",
                () -> {
                  while (release.getCount() > 0) {
                    try {
                      release.await();
                    } catch (InterruptedException ignored) {
                      interrupted.countDown();
                    }
                  }
                })));
    scheduler.runNow("obedient");
    scheduler.runNow("stubborn");
    started.await();
    StopReport report = scheduler.stop(Duration.ofMillis(10));
    assertEquals(List.of("obedient", "stubborn"), report.interrupted());
    assertTrue(report.stillRunning().contains("stubborn"), report.toString());
    assertTrue(interrupted.await(30, TimeUnit.SECONDS));
    assertThrows(SchedulerNotActiveException.class, () -> scheduler.runNow("obedient"));
    assertEquals(2, scheduler.tasks().size(), "it is still stopping");
    release.countDown();
    scheduler.stop();
    assertEquals(List.of(), scheduler.tasks());
    assertInstanceOf(InterruptedException.class, failures().getFirst().cause());
    assertEquals(1, failures().size(), "the other one ended well after all");
  }

  @Test
  void aTimeoutInterruptsTheCallback() throws InterruptedException {
    try (var scheduler = scheduler(MemoryTaskStore.create())) {
      scheduler.initialize(
          List.of(
              Registration.builder()
                  .name("a")
                  .cronExpression("0 0 29 2 *")
                  .callback(
                      () -> {
                        try {
                          new CountDownLatch(1).await();
                        } catch (InterruptedException swallowed) {
                          started.countDown(); // and returns as if nothing had been
                        }
                      })
                  .timeout(Duration.ofMillis(20))
                  .build()));
      scheduler.runNow("a");
      assertTrue(started.await(30, TimeUnit.SECONDS));
    }
    assertInstanceOf(TaskTimeoutException.class, failures().getFirst().cause());
    assertTrue(failures().getFirst().duration().compareTo(Duration.ofMillis(20)) >= 0);
  }

  @Test
  void theHostsExecutorRunsTheCallbacksAndKeepsItsThreadsClean() throws InterruptedException {
    var seen = new ConcurrentLinkedQueue<Thread>();
    var flags = new ConcurrentLinkedQueue<Boolean>();
    var ran = new CountDownLatch(2);
    try (var pool = Executors.newFixedThreadPool(1);
        var scheduler =
            DeclarativeScheduler.builder(MemoryTaskStore.create())
                .executor(pool)
                .listener(events::add)
                .build()) {
      Callback callback =
          () -> {
            seen.add(Thread.currentThread());
            flags.add(Thread.currentThread().isInterrupted());
            ran.countDown();
            release.await();
          };
      Registration.Builder registration =
          Registration.builder()
              .cronExpression("0 0 29 2 *")
              .callback(callback)
              .timeout(Duration.ofMillis(400));
      scheduler.initialize(List.of(registration.name("a").build(), registration.name("b").build()));
      scheduler.runNow("a");
      scheduler.runNow("b"); // waits for the thread: that is not its own time
      assertTrue(ran.await(30, TimeUnit.SECONDS));
    }
    assertEquals(1, java.util.Set.copyOf(seen).size());
    assertEquals(List.of(false, false), List.copyOf(flags));
    assertEquals(2, failures().size());
    assertTrue(
        failures().stream().allMatch(each -> each.duration().toMillis() >= 400),
        () -> failures().toString());
  }

  @Test
  void theHostsFactoryMakesTheThreads() throws InterruptedException {
    var names = new ConcurrentLinkedQueue<String>();
    var ran = new CountDownLatch(1);
    try (var scheduler =
        DeclarativeScheduler.builder(MemoryTaskStore.create())
            .threadFactory(Thread.ofPlatform().name("mine-", 0).factory())
            .build()) {
      scheduler.initialize(
          List.of(
              yearly(
                  "a",
                  () -> {
                    names.add(Thread.currentThread().getName());
                    ran.countDown();
                  })));
      scheduler.runNow("a");
      assertTrue(ran.await(30, TimeUnit.SECONDS));
    }
    assertEquals(List.of("mine-0"), List.copyOf(names));
  }

  @Test
  void anExecutorThatRejectsOrUsesTheCallingThreadLetsTheRunFail() {
    for (var executor :
        List.<java.util.concurrent.Executor>of(
            command -> command.run(),
            command -> new FutureTask<>(command, null).run(), // which keeps what it throws
            command -> {
              throw new RejectedExecutionException("full");
            })) {
      events.clear();
      try (var scheduler =
          DeclarativeScheduler.builder(MemoryTaskStore.create())
              .executor(executor)
              .listener(events::add)
              .build()) {
        scheduler.initialize(List.of(yearly("a", started::countDown)));
        scheduler.runNow("a");
      }
      assertInstanceOf(RejectedExecutionException.class, failures().getFirst().cause());
    }
    assertEquals(1, started.getCount());
  }

  @Test
  void anExecutorThatLetsWhoeverGivesItWorkWaitHoldsUpNothingElse() throws InterruptedException {
    var full = new CountDownLatch(1);
    var ended = new CountDownLatch(1);
    var ran = new CountDownLatch(2);
    var scheduler =
        DeclarativeScheduler.builder(MemoryTaskStore.create())
            .executor(
                command -> {
                  if (started.getCount() == 0) {
                    full.countDown();
                    awaitQuietly(release);
                  }
                  Thread.ofVirtual().start(command);
                })
            .listener(events::add)
            .listener(
                event -> {
                  if (event instanceof TaskRunFailed) {
                    ended.countDown();
                  }
                })
            .build();
    Registration.Builder registration = Registration.builder().cronExpression("0 0 29 2 *");
    scheduler.initialize(
        List.of(
            registration
                .name("first")
                .callback(
                    () -> {
                      started.countDown();
                      new CountDownLatch(1).await();
                    })
                .timeout(Duration.ofMillis(200))
                .build(),
            yearly("second", ran::countDown),
            yearly("third", ran::countDown)));
    assertTrue(scheduler.runNow("first"));
    started.await();
    assertTrue(scheduler.runNow("second"));
    full.await();
    assertTrue(ended.await(30, TimeUnit.SECONDS), "the first one's timeout comes all the same");
    assertTrue(scheduler.runNow("third"));
    assertTrue(scheduler.pause("first"));
    assertEquals(List.of("second", "third"), scheduler.stop(Duration.ofMillis(10)).interrupted());
    release.countDown();
    scheduler.stop();
    assertEquals(
        2, ran.getCount() + events.stream().filter(TaskRunCompleted.class::isInstance).count());
  }

  /** Otherwise the run would end twice, and the task would overlap itself. */
  @Test
  void anExecutorThatThrowsAlthoughItTookTheCallbackRunsItOnce() {
    var runs = new AtomicInteger();
    try (var scheduler =
        DeclarativeScheduler.builder(MemoryTaskStore.create())
            .executor(
                command -> {
                  Thread.ofVirtual().start(command);
                  awaitQuietly(started);
                  command.run();
                  throw new IllegalStateException("after all");
                })
            .listener(events::add)
            .build()) {
      scheduler.initialize(
          List.of(
              yearly(
                  "a",
                  () -> {
                    runs.incrementAndGet();
                    started.countDown();
                    release.await();
                  })));
      assertTrue(scheduler.runNow("a"));
      assertFalse(scheduler.runNow("a"), "it is running");
      release.countDown();
    }
    assertEquals(1, runs.get());
    assertEquals(List.of(), failures());
    assertEquals(1, events.stream().filter(TaskRunCompleted.class::isInstance).count());
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException enough) {
      Thread.currentThread().interrupt();
    }
  }

  @Test
  void aStopWithoutALimitStopsNothingAndAnyLimitIsOne() {
    var scheduler = scheduler(MemoryTaskStore.create());
    scheduler.initialize(List.of(yearly("a", release::await)));
    assertThrows(NullPointerException.class, () -> stopWithout(scheduler));
    assertTrue(scheduler.runNow("a"), "it runs on");
    var report = scheduler.stop(Duration.ofSeconds(Long.MIN_VALUE));
    assertEquals(List.of("a"), report.interrupted());
    scheduler.stop();
  }

  @SuppressWarnings("NullAway") // callers are Java programs of all kinds
  private static void stopWithout(DeclarativeScheduler scheduler) {
    scheduler.stop(null);
  }

  /** A memory of a time that never was must not silence a task with a window. */
  @Test
  void anOccurrenceFarAheadIsAnErrorOfTheClock() {
    Instant now = Instant.now();
    var remembered =
        new TaskState(
            "a",
            "* * * * *",
            Duration.ofMinutes(1),
            now,
            now,
            null,
            null,
            null,
            0,
            Instant.parse("9000-01-01T00:00:00Z"),
            null);
    try (var scheduler = scheduler(MemoryTaskStore.of(List.of(remembered)))) {
      scheduler.initialize(
          List.of(
              Registration.builder()
                  .name("a")
                  .cronExpression("* * * * *")
                  .callback(() -> {})
                  .window(Duration.ofMinutes(5))
                  .build()));
      Instant next = Objects.requireNonNull(scheduler.tasks().getFirst().next());
      assertTrue(next.isBefore(now.plus(Duration.ofHours(1))), next.toString());
    }
  }

  @Test
  void viewsAreWholeWhateverTheLoopDoes() {
    var stopped = new AtomicBoolean();
    try (var scheduler = DeclarativeScheduler.create(MemoryTaskStore.create())) {
      scheduler.initialize(List.of(yearly("a", () -> {})));
      Thread busy =
          Thread.ofPlatform()
              .start(
                  () -> {
                    while (!stopped.get()) {
                      scheduler.runNow("a");
                    }
                  });
      for (int i = 0; i < 5000; i++) {
        TaskView view = scheduler.tasks().getFirst();
        if (view.runningSince() != null) {
          assertEquals(view.lastAttemptAt(), view.runningSince());
          assertEquals(1, view.attempt());
        } else {
          assertEquals(0, view.attempt(), "nothing runs, and nothing has failed");
        }
      }
      stopped.set(true);
      assertTrue(assertJoined(busy));
    }
  }

  private static boolean assertJoined(Thread thread) {
    try {
      return thread.join(Duration.ofSeconds(30));
    } catch (InterruptedException unexpected) {
      throw new AssertionError(unexpected);
    }
  }
}
