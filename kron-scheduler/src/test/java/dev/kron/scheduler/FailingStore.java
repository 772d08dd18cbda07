package dev.kron.scheduler;

import java.io.IOException;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;

/** A store in memory whose writes fail for as long as it is told to. */
final class FailingStore implements TaskStore {
  private final MemoryTaskStore store = MemoryTaskStore.create();
  final AtomicBoolean fails = new AtomicBoolean();
  final AtomicBoolean failsOnceReplaced = new AtomicBoolean();
  final CountDownLatch failed = new CountDownLatch(1);

  List<TaskState> contents() {
    return store.contents();
  }

  @Override
  public Session open() {
    Session session = store.open();
    return new Session() {
      private void maybeFail() throws IOException {
        if (fails.get()) {
          failed.countDown();
          throw new IOException("No space left on device");
        }
      }

      @Override
      public List<TaskState> load() throws IOException {
        return session.load();
      }

      @Override
      public void replaceAll(Collection<TaskState> tasks) throws IOException {
        maybeFail();
        session.replaceAll(tasks);
        fails.compareAndSet(false, failsOnceReplaced.getAndSet(false));
      }

      @Override
      public void update(Collection<TaskState> changed) throws IOException {
        maybeFail();
        session.update(changed);
      }

      @Override
      public void close() throws IOException {
        session.close();
      }
    };
  }
}
