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
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A store that instances share, which has to do its work in a limited time. */
@Timeout(60)
class SharedWriterTest {
  private static final String LOST = "an instance that is lost";

  /** A store for one instance in which a statement about too many rows takes too long. */
  private static final class LimitedStore implements SharedTaskStore {
    private final Map<String, Row> rows = new HashMap<>();
    private final @Nullable String runningUnder;

    /**
     * @param runningUnder the lost instance that was running all tasks, or null
     */
    LimitedStore(@Nullable String runningUnder) {
      this.runningUnder = runningUnder;
    }

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
                runningUnder);
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
      if (wanted.size() > 2000) {
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
      return identifier.equals(LOST);
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
    try (var scheduler = DeclarativeScheduler.create(new LimitedStore(null))) {
      scheduler.initialize(tasks);
      assertTrue(started.await(30, TimeUnit.SECONDS), () -> started.getCount() + " wait");
    }
  }

  /** Nothing else wakes the scheduler here: all of the runs are still under way. */
  @Test
  void whatAnInstanceLeftBehindStartsHoweverMuchItIs() throws InterruptedException {
    var started = new CountDownLatch(2500);
    var release = new CountDownLatch(1);
    List<Registration> tasks = new ArrayList<>();
    for (int i = 0; i < started.getCount(); i++) {
      tasks.add(
          new Registration(
              "task " + i,
              "0 3 29 2 *",
              () -> {
                started.countDown();
                release.await();
              },
              Duration.ofMinutes(5)));
    }
    try (var scheduler = DeclarativeScheduler.create(new LimitedStore(LOST))) {
      scheduler.initialize(tasks);
      try {
        assertTrue(started.await(30, TimeUnit.SECONDS), () -> started.getCount() + " wait");
      } finally {
        release.countDown();
      }
    }
  }

  /** A store whose lease ends in the moment after it was asked whether a callback may begin. */
  private static final class LapsingStore implements SharedTaskStore {
    private final LimitedStore store = new LimitedStore(null);

    @Override
    public Clock clock() {
      return store.clock();
    }

    @Override
    public Membership join(Member member, List<TaskConfiguration> tasks) {
      Membership whole = store.join(member, tasks);
      return new Membership() {
        private boolean written;
        private boolean lapsed;

        @Override
        public Joined joined() {
          return whole.joined();
        }

        @Override
        public List<Row> changes() throws IOException {
          return whole.changes();
        }

        @Override
        public List<Row> look(Collection<String> taskNames) throws IOException {
          return whole.look(taskNames);
        }

        @Override
        public Map<String, Long> replace(Collection<Row> rows) throws IOException {
          written = true;
          return whole.replace(rows);
        }

        @Override
        public boolean gone(String identifier) {
          return whole.gone(identifier);
        }

        @Override
        public boolean mayStart() {
          if (lapsed) {
            return false;
          }
          if (written) {
            lapsed = true;
            member.whenLapsed().run();
          }
          return true;
        }

        @Override
        public void close() throws IOException {
          whole.close();
        }
      };
    }
  }

  @Test
  void aCallbackThatBeginsAsTheLeaseEndsIsInterruptedToo() throws InterruptedException {
    var interrupted = new CountDownLatch(1);
    var release = new CountDownLatch(1);
    Callback waits =
        () -> {
          try {
            release.await();
          } catch (InterruptedException asked) {
            interrupted.countDown();
            throw asked;
          }
        };
    try (var scheduler = DeclarativeScheduler.create(new LapsingStore())) {
      scheduler.initialize(
          List.of(new Registration("waits", "0 3 29 2 *", waits, Duration.ofMinutes(5))));
      assertTrue(scheduler.runNow("waits"));
      try {
        assertTrue(interrupted.await(30, TimeUnit.SECONDS), "nobody has interrupted it");
      } finally {
        release.countDown();
      }
    }
  }
}
