package dev.kron.scheduler;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A store that instances share, which has to do its work in a limited time. */
@Timeout(60)
class SharedWriterTest {
  /** A store for one instance in which a statement about too many rows takes too long. */
  private static final class LimitedStore implements SharedTaskStore {
    private final Map<String, Row> rows = new HashMap<>();

    @Override
    public Clock clock() {
      return Clock.systemUTC();
    }

    @Override
    public Membership join(Member member, List<TaskConfiguration> tasks) {
      for (TaskConfiguration task : tasks) {
        TaskState state =
            new TaskState(
                task.name(),
                task.cronExpression(),
                task.retryDelay(),
                null,
                null,
                null,
                null,
                null);
        rows.put(task.name(), new Row(state, task, 1));
      }
      return new LimitedMembership(rows);
    }
  }

  private record LimitedMembership(Map<String, SharedTaskStore.Row> rows)
      implements SharedTaskStore.Membership {
    @Override
    public SharedTaskStore.Joined joined() {
      return new SharedTaskStore.Joined(rows.size(), 0, 0, 0);
    }

    @Override
    public List<SharedTaskStore.Row> changes() {
      return List.copyOf(rows.values());
    }

    @Override
    public List<SharedTaskStore.Row> look(Collection<String> taskNames) {
      return List.of();
    }

    @Override
    public Map<String, Long> replace(Collection<SharedTaskStore.Row> wanted) throws IOException {
      if (wanted.size() > 1000) {
        throw new IOException("canceling statement due to statement timeout");
      }
      Map<String, Long> versions = new HashMap<>();
      for (SharedTaskStore.Row row : wanted) {
        long version = row.version() + 1;
        rows.put(
            row.state().name(), new SharedTaskStore.Row(row.state(), row.configuration(), version));
        versions.put(row.state().name(), version);
      }
      return versions;
    }

    @Override
    public boolean gone(String identifier) {
      return false;
    }

    @Override
    public boolean mayStart() {
      return true;
    }

    @Override
    public void close() {}
  }

  @Test
  void tasksThatAreDueTogetherStartHoweverManyTheyAre() throws InterruptedException {
    var started = new CountDownLatch(5000);
    List<Registration> tasks = new ArrayList<>();
    for (int i = 0; i < started.getCount(); i++) {
      tasks.add(
          new Registration("task " + i, "* * * * *", started::countDown, Duration.ofMinutes(5)));
    }
    try (var scheduler = DeclarativeScheduler.create(new LimitedStore())) {
      scheduler.initialize(tasks);
      assertTrue(started.await(30, TimeUnit.SECONDS), () -> started.getCount() + " wait");
    }
  }
}
