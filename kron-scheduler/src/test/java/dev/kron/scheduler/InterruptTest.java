package dev.kron.scheduler;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Interrupts that are nobody's business lose nothing: files mind them, the scheduler does not. */
@Timeout(60)
class InterruptTest {
  private final CountDownLatch ran = new CountDownLatch(1);

  private List<Registration> task() {
    return List.of(new Registration("a", "* * * * *", ran::countDown, Duration.ofHours(1)));
  }

  @Test
  @SuppressWarnings("try")
  void aListenerAndALogThatLeaveTheFlagSetLoseNoEnd(@TempDir Path directory) throws Exception {
    var store = FileTaskStore.at(directory.resolve("tasks.json"));
    try (AutoCloseable log = TestLogging.to(line -> Thread.currentThread().interrupt());
        var scheduler =
            DeclarativeScheduler.builder(store)
                .listener(event -> Thread.currentThread().interrupt())
                .build()) {
      scheduler.initialize(task());
      assertTrue(ran.await(30, TimeUnit.SECONDS));
      scheduler.stop();
      Thread.interrupted();
    }
    try (var session = store.open()) {
      TaskState state = session.load().getFirst();
      assertNotNull(state.lastSuccessAt(), state.toString());
      assertEquals(null, state.runningUnder());
    }
  }

  @Test
  void anInterruptDuringAWriteIsNoFailureOfTheStore() throws Exception {
    var memory = MemoryTaskStore.create();
    var interrupts = new AtomicInteger();
    TaskStore store =
        () -> {
          TaskStore.Session session = memory.open();
          return new TaskStore.Session() {
            @Override
            public List<TaskState> load() throws IOException {
              return session.load();
            }

            @Override
            public void replaceAll(Collection<TaskState> tasks) throws IOException {
              session.replaceAll(tasks);
            }

            @Override
            public void update(Collection<TaskState> changed) throws IOException {
              interrupts.incrementAndGet();
              Thread.currentThread().interrupt();
              throw new ClosedByInterruptException();
            }

            @Override
            public void close() throws IOException {
              session.close();
            }
          };
        };
    try (var scheduler = DeclarativeScheduler.create(store)) {
      scheduler.initialize(task());
      assertTrue(ran.await(30, TimeUnit.SECONDS));
      scheduler.stop(); // throws if the end is not on record
    }
    assertTrue(interrupts.get() > 0);
    assertNotNull(memory.contents().getFirst().lastSuccessAt());
  }
}
