package dev.kron.scheduler;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kron.scheduler.SchedulerEvent.SchedulerStopped;
import dev.kron.scheduler.SchedulerEvent.TaskRunFailed;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slf4j.MDC;
import org.slf4j.event.Level;

/** Listeners on threads of their own, and what the log knows of a run. */
@Timeout(60)
class ListenersTest {
  private static Registration task(String name, Callback callback) {
    return new Registration(name, "* * * * *", callback, Duration.ofHours(1));
  }

  @Test
  void aListenerThatNeverReturnsDelaysNobody() throws InterruptedException {
    var ran = new CountDownLatch(2);
    var never = new CountDownLatch(1);
    List<SchedulerEvent> heard = Collections.synchronizedList(new ArrayList<>());
    var scheduler =
        DeclarativeScheduler.builder(MemoryTaskStore.create())
            .name("shop")
            .listener(event -> awaitUninterruptibly(never))
            .listener(heard::add)
            .build();
    scheduler.initialize(List.of(task("a", ran::countDown), task("b", ran::countDown)));
    assertTrue(ran.await(30, TimeUnit.SECONDS));
    scheduler.stop();
    assertTrue(heard.getLast() instanceof SchedulerStopped, () -> heard.toString());
    assertEquals(0, scheduler.droppedEvents());
    never.countDown();
  }

  private static void awaitUninterruptibly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException ended) {
      Thread.currentThread().interrupt();
    }
  }

  @Test
  void everyListenerHasAThreadOfItsOwnThatEndsWithItsWork() throws InterruptedException {
    Map<String, Thread> threads = new ConcurrentHashMap<>();
    var scheduler =
        DeclarativeScheduler.builder(MemoryTaskStore.create())
            .name("shop")
            .listener(event -> threads.put("first", Thread.currentThread()))
            .listener(event -> threads.put("second", Thread.currentThread()))
            .build();
    scheduler.initialize(List.of());
    scheduler.stop();
    assertNotSame(threads.get("first"), threads.get("second"));
    for (Thread thread : threads.values()) {
      assertEquals("shop-listener", thread.getName());
      assertTrue(thread.isDaemon());
      thread.join(30_000);
      assertFalse(thread.isAlive());
    }
  }

  @Test
  @SuppressWarnings("try")
  void whatAListenerCannotTakeIsCountedAndSaid() throws Exception {
    var entered = new CountDownLatch(1);
    var release = new CountDownLatch(1);
    var heardAll = new CountDownLatch(4);
    List<SchedulerEvent> heard = Collections.synchronizedList(new ArrayList<>());
    var said = new ConcurrentLinkedQueue<String>();
    try (AutoCloseable log = TestLogging.to(line -> said.add(line.text()))) {
      var queue =
          new ListenerQueue(
              event -> {
                entered.countDown();
                awaitUninterruptibly(release);
                heard.add(event);
                heardAll.countDown();
              },
              "listener",
              3);
      queue.on(new SchedulerStopped(Instant.EPOCH));
      entered.await();
      for (int second = 1; second <= 10; second++) {
        queue.on(new SchedulerStopped(Instant.ofEpochSecond(second)));
      }
      assertEquals(7, queue.dropped());
      release.countDown();
      heardAll.await();
      queue.flush(30_000);
      assertEquals(
          List.of(0L, 1L, 2L, 3L),
          heard.stream().map(event -> event.at().getEpochSecond()).toList());
    }
    assertTrue(said.stream().anyMatch(line -> line.contains("does not keep up")), said.toString());
    assertTrue(
        said.stream().anyMatch(line -> line.contains("7 events were dropped")), said.toString());
  }

  @Test
  @SuppressWarnings("try")
  void theLogKnowsSchedulerTaskAndRun() throws Exception {
    Map<String, String> inCallback = new ConcurrentHashMap<>();
    var failureLogged = new CountDownLatch(1);
    Map<String, String> inLog = new ConcurrentHashMap<>();
    List<TaskRunFailed> failures = Collections.synchronizedList(new ArrayList<>());
    try (AutoCloseable log =
            TestLogging.to(
                line -> {
                  if (line.level() == Level.WARN && line.text().contains("\"report\" failed")) {
                    inLog.putAll(MDC.getCopyOfContextMap());
                    failureLogged.countDown();
                  }
                });
        var scheduler =
            DeclarativeScheduler.builder(MemoryTaskStore.create())
                .name("shop")
                .executor(command -> Thread.ofPlatform().start(() -> withOuterContext(command)))
                .listener(
                    event -> {
                      if (event instanceof TaskRunFailed failed) {
                        failures.add(failed);
                      }
                    })
                .build()) {
      scheduler.initialize(
          List.of(
              task(
                  "report",
                  () -> {
                    inCallback.putAll(MDC.getCopyOfContextMap());
                    throw new IllegalStateException("as planned");
                  })));
      assertTrue(failureLogged.await(30, TimeUnit.SECONDS));
      scheduler.stop();
      assertEquals("shop", scheduler.name());
    }
    assertTrue(commandReturned.await(30, TimeUnit.SECONDS));
    String run = failures.getFirst().run().id();
    assertEquals(
        Map.of("kron.scheduler", "shop", "kron.task", "report", "kron.run", run, "host", "own"),
        inCallback);
    assertEquals(Map.of("kron.scheduler", "shop", "kron.task", "report", "kron.run", run), inLog);
    assertEquals("outer", outer.get("kron.task"), "put back as it was");
    assertNull(outer.get("kron.run"));
  }

  private final Map<String, String> outer = new ConcurrentHashMap<>();
  private final CountDownLatch commandReturned = new CountDownLatch(1);

  private void withOuterContext(Runnable command) {
    MDC.put("host", "own");
    MDC.put("kron.task", "outer");
    command.run();
    outer.putAll(MDC.getCopyOfContextMap());
    commandReturned.countDown();
  }
}
