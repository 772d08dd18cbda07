package dev.kron.scheduler;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kron.scheduler.SchedulerEvent.TaskStoreFailed;
import dev.kron.scheduler.SchedulerEvent.TaskStoreRecovered;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The state's files are removed, moved or replaced while a scheduler holds them. */
@Timeout(60)
class VanishedStoreTest {
  private static final List<TaskState> STATES = States.many(2);

  private final BlockingQueue<SchedulerEvent> events = new LinkedBlockingQueue<>();
  private Path directory = Path.of("");
  private Path file = Path.of("");

  @BeforeEach
  void choose(@TempDir Path temporary) {
    directory = temporary.resolve("state");
    file = directory.resolve("tasks.json");
  }

  private TaskStore.Session session() throws IOException {
    TaskStore.Session session = FileTaskStore.at(file).open();
    session.replaceAll(STATES);
    session.update(STATES.subList(0, 1));
    return session;
  }

  private void remove() throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      for (Path each : files.toList()) {
        Files.delete(each);
      }
    }
    Files.delete(directory);
  }

  private static void assertForgets(TaskStore.Session session) {
    assertThrows(NoSuchFileException.class, session::check);
    var error = assertThrows(NoSuchFileException.class, () -> session.update(STATES));
    assertTrue(String.valueOf(error.getReason()).contains("removed or replaced"), error::toString);
  }

  @Test
  void aRemovedDirectoryIsAnErrorUntilThereIsAnEmptyOne() throws IOException {
    try (TaskStore.Session session = session()) {
      remove();
      assertThrows(NoSuchFileException.class, session::check);
      assertThrows(NoSuchFileException.class, () -> session.update(STATES));
      assertThrows(NoSuchFileException.class, () -> session.replaceAll(STATES));
      Files.createDirectory(directory);
      session.replaceAll(STATES);
      session.check();
      session.update(STATES);
      assertEquals(
          ProcessHandle.current().pid() + "\n",
          Files.readString(directory.resolve("tasks.json.lock")));
    }
    try (TaskStore.Session later = FileTaskStore.at(file).open()) {
      assertEquals(States.byName(STATES), States.byName(later.load()));
    }
  }

  @Test
  void aDirectoryThatWasMovedAwayAndBackGoesOn() throws IOException {
    Path away = directory.resolveSibling("away");
    try (TaskStore.Session session = session()) {
      Files.move(directory, away);
      assertThrows(NoSuchFileException.class, () -> session.update(STATES));
      Files.move(away, directory);
      session.replaceAll(STATES);
      session.update(STATES);
      session.check();
    }
  }

  @Test
  void whatAnotherSchedulerWroteMeanwhileIsNotWrittenOver() throws IOException {
    TaskState other = States.plain("other");
    try (TaskStore.Session session = session()) {
      Path away = directory.resolveSibling("away");
      Files.move(directory, away);
      Files.createDirectory(directory);
      try (var theirs = new FileSession(new FileSystemDisk(), directory, "tasks.json", () -> {})) {
        theirs.replaceAll(List.of(other));
      }
      for (int attempt = 0; attempt < 2; attempt++) {
        var error = assertThrows(TaskStoreException.class, () -> session.replaceAll(STATES));
        assertTrue(String.valueOf(error.getMessage()).contains("did not write"), error::toString);
      }
      try (var theirs = new FileSession(new FileSystemDisk(), directory, "tasks.json", () -> {})) {
        assertEquals(List.of(other), theirs.load());
      }
      Files.move(directory, directory.resolveSibling("theirs"));
      Files.move(away, directory);
      session.replaceAll(STATES);
    }
  }

  @Test
  void aLockFileAloneIsMadeAnew() throws IOException {
    Path lock = directory.resolve("tasks.json.lock");
    try (TaskStore.Session session = session()) {
      Files.delete(lock);
      session.update(STATES);
      assertTrue(Files.exists(lock));
      Files.delete(lock);
      session.check();
      assertTrue(Files.exists(lock));
    }
  }

  @Test
  void aMissingFileOrJournalIsWrittenAnew() throws IOException {
    for (String name : List.of("tasks.json", "tasks.json.journal-")) {
      try (TaskStore.Session session = session();
          Stream<Path> files = Files.list(directory)) {
        Path gone =
            files
                .filter(each -> each.getFileName().toString().startsWith(name))
                .filter(each -> !each.getFileName().toString().endsWith(".lock"))
                .findFirst()
                .orElseThrow();
        Files.delete(gone);
        assertForgets(session);
        session.replaceAll(STATES);
        session.check();
      }
    }
  }

  /** Time that passes, and that a test lets pass faster. */
  private static final class SettableClock extends Clock {
    private final AtomicReference<Duration> ahead = new AtomicReference<>(Duration.ZERO);

    @Override
    public ZoneId getZone() {
      return ZoneOffset.UTC;
    }

    @Override
    public Clock withZone(@Nullable ZoneId zone) {
      return this;
    }

    @Override
    public Instant instant() {
      return Instant.now().plus(ahead.get());
    }
  }

  private <T extends SchedulerEvent> T await(Class<T> kind) throws InterruptedException {
    while (true) {
      SchedulerEvent event = events.poll(30, TimeUnit.SECONDS);
      assertNotNull(event, () -> "no " + kind.getSimpleName());
      if (kind.isInstance(event)) {
        return kind.cast(event);
      }
    }
  }

  @Test
  void aSchedulerThatHasNothingToDoTellsItAndRecovers() throws Exception {
    SettableClock clock = new SettableClock();
    try (var scheduler =
        DeclarativeScheduler.builder(FileTaskStore.at(file))
            .clock(clock)
            .listener(events::add)
            .build()) {
      Registration task = new Registration("idle", "0 3 29 2 *", () -> {}, Duration.ofHours(1));
      scheduler.initialize(List.of(task));
      assertNull(scheduler.storeFailure());
      remove();
      clock.ahead.set(Duration.ofSeconds(6));
      TaskStoreFailed failed = await(TaskStoreFailed.class);
      assertInstanceOf(IOException.class, failed.cause());
      assertNotNull(scheduler.storeFailure());
      assertThrows(TaskStoreException.class, () -> scheduler.runNow("idle"));
      Files.createDirectory(directory);
      await(TaskStoreRecovered.class);
      assertNull(scheduler.storeFailure());
      assertTrue(scheduler.runNow("idle"));
    }
    assertTrue(Files.readString(file).contains("\"idle\""));
  }
}
