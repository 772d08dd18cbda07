package dev.kron.scheduler;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Remembers tasks as long as the process lives. */
public final class MemoryTaskStore implements TaskStore {
  private final Map<String, TaskState> tasks = new LinkedHashMap<>();
  private boolean held;

  private MemoryTaskStore(Collection<TaskState> tasks) {
    put(tasks);
  }

  /** A store that remembers nothing yet. */
  public static MemoryTaskStore create() {
    return new MemoryTaskStore(List.of());
  }

  /** A store that remembers the given states, for example those of a store that was lost. */
  public static MemoryTaskStore of(Collection<TaskState> tasks) {
    return new MemoryTaskStore(tasks);
  }

  /** The states that are remembered now. */
  public synchronized List<TaskState> contents() {
    return List.copyOf(tasks.values());
  }

  @Override
  public synchronized Session open() {
    if (held) {
      throw new TaskStoreException(
          "This memory store is in use by another scheduler; one scheduler at a time may use a task"
              + " store. Stop the other one first, or give this one a store of its own.",
          null);
    }
    held = true;
    return new MemorySession();
  }

  private synchronized void put(Collection<TaskState> changed) {
    for (TaskState task : changed) {
      tasks.put(task.name(), task);
    }
  }

  private synchronized void replace(Collection<TaskState> all) {
    tasks.clear();
    put(all);
  }

  private synchronized void release() {
    held = false;
  }

  private final class MemorySession implements Session {
    @Override
    public List<TaskState> load() {
      return contents();
    }

    @Override
    public void replaceAll(Collection<TaskState> all) {
      replace(all);
    }

    @Override
    public void update(Collection<TaskState> changed) {
      put(changed);
    }

    @Override
    public void close() {
      release();
    }
  }
}
