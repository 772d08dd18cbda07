package dev.kron.scheduler;

import dev.kron.scheduler.SharedTaskStore.Membership;
import dev.kron.scheduler.SharedTaskStore.Row;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Writes to a store that other instances use at the same time, and takes in what they did. A change
 * is made only to the row that is known here; whoever was faster is right, and what was decided
 * here on older knowledge did not happen. A row that says that this instance runs the task is this
 * instance's own, whatever its version: nobody else writes that.
 */
final class SharedWriter implements TableWriter {
  private static final SafeLog LOG = SafeLog.of(DeclarativeScheduler.class);
  private static final long PAUSE_MILLIS = 1000;
  private static final long LOOK_MILLIS = 1000;
  private static final int TRIES = 3;

  private static final int STARTS_AT_ONCE = 1000;

  /**
   * The rows of one statement, which has to be done in a time that a database may need on a bad
   * day: the starts of a turn, and the ends of what the turn before it started.
   */
  private static final int ROWS_AT_ONCE = 2 * STARTS_AT_ONCE;

  private final Membership membership;
  private final String identifier;
  private final String store;
  private final Requests requests;
  private final SchedulerDriver driver;
  private final Map<String, TaskConfiguration> registered = new HashMap<>();
  private @Nullable Throwable failure;
  private @Nullable Throwable blindness;
  private long readyAtMillis = Long.MIN_VALUE;
  private long lookAtMillis = Long.MIN_VALUE;

  SharedWriter(
      Membership membership,
      String identifier,
      List<TaskConfiguration> registered,
      String store,
      Initializer.Hooks hooks) {
    this.membership = membership;
    this.identifier = identifier;
    this.store = store;
    requests = hooks.requests();
    driver = hooks.driver();
    registered.forEach(each -> this.registered.put(each.name(), each));
  }

  @Override
  public boolean ready(long nowMillis) {
    return nowMillis >= readyAtMillis || readyAtMillis - nowMillis > PAUSE_MILLIS;
  }

  @Override
  public long readyAtMillis() {
    return readyAtMillis;
  }

  @Override
  public boolean mayStart() {
    return membership.mayStart();
  }

  @Override
  public int startsAtOnce() {
    return STARTS_AT_ONCE;
  }

  @Override
  public long lookAgainMillis() {
    return lookAtMillis;
  }

  @Override
  public void refresh(TaskTable table, long nowMillis) {
    if (nowMillis < lookAtMillis && lookAtMillis - nowMillis <= LOOK_MILLIS) {
      return;
    }
    lookAtMillis = nowMillis + LOOK_MILLIS;
    try {
      for (Row row : membership.changes()) {
        meet(table, row, nowMillis);
      }
      table.release(membership::gone);
      blindness = null;
    } catch (Throwable failed) {
      if (blindness == null) {
        LOG.warn("{} cannot be read; what other instances do is not seen", store, failed);
      }
      blindness = failed;
    }
  }

  /** Takes in a row as somebody left it. */
  void meet(TaskTable table, Row row, long nowMillis) {
    Task task = table.find(row.state().name());
    if (task == null || row.version() <= task.version()) {
      return;
    }
    TaskInvalidValueException nonsense = nonsense(row);
    if (nonsense != null) {
      shun(table, task, nonsense);
      return;
    }
    task.foreign(!row.configuration().equals(registered.get(task.name())));
    if (task.running()) {
      meetRunning(task, row);
    } else if (!task.changed) {
      adopt(table, task, row, nowMillis);
    } else {
      table.reschedule(task);
    }
  }

  /** The error in a row that somebody has put times into which no clock shows, or null. */
  private @Nullable TaskInvalidValueException nonsense(Row row) {
    try {
      TaskJson.requireRange(row.state(), store);
      return null;
    } catch (TaskInvalidValueException nonsense) {
      return nonsense;
    }
  }

  /** One row that cannot be read stops its own task and no other. */
  private static void shun(TaskTable table, Task task, TaskInvalidValueException nonsense) {
    LOG.error("Task \"{}\" does not start here until its row is mended", task.name(), nonsense);
    task.foreign(true);
    table.reschedule(task);
  }

  private void meetRunning(Task task, Row row) {
    if (isMine(row)) {
      keep(task, row);
      return;
    }
    TaskRun run = task.run();
    if (run != null) {
      LOG.warn("Task \"{}\" was taken up by another instance and is interrupted here", task.name());
      driver.interrupt(run);
    }
  }

  private boolean isMine(@Nullable Row row) {
    return row != null && identifier.equals(row.state().runningUnder());
  }

  /** The row is this instance's own; others may have paused or resumed the task. */
  private static void keep(Task task, Row row) {
    task.version(row.version());
    var pausedAt = row.state().pausedAt();
    task.pausedSince(pausedAt == null ? Task.NEVER : pausedAt.toEpochMilli());
  }

  private void adopt(TaskTable table, Task task, @Nullable Row row, long nowMillis) {
    String instance = row == null ? null : row.state().runningUnder();
    boolean lives = instance != null && !isMine(row) && !membership.gone(instance);
    table.adopt(task, row, lives, nowMillis);
  }

  @Override
  public boolean write(TaskTable table, long nowMillis) {
    return tryToWrite(table, nowMillis) || (Thread.interrupted() && tryToWrite(table, nowMillis));
  }

  private boolean tryToWrite(TaskTable table, long nowMillis) {
    try {
      for (int i = 0; i < TRIES && table.anythingToWrite(); i++) {
        List<Task> changed = table.changedTasks();
        for (int from = 0; from < changed.size(); from += ROWS_AT_ONCE) {
          int to = Math.min(changed.size(), from + ROWS_AT_ONCE);
          replace(table, changed.subList(from, to), nowMillis);
        }
      }
      if (failure != null) {
        LOG.info("State can be written to {} again", store);
      }
      failure = null;
      return true;
    } catch (Throwable failed) {
      if (failure == null) {
        LOG.error(
            "State cannot be written to {}: nothing new is started until it can", store, failed);
      }
      failure = failed;
      readyAtMillis = nowMillis + PAUSE_MILLIS;
      return false;
    }
  }

  private void replace(TaskTable table, List<Task> changed, long nowMillis) throws IOException {
    List<Row> wanted = new ArrayList<>();
    for (Task task : changed) {
      TaskConfiguration configuration = Objects.requireNonNull(registered.get(task.name()));
      wanted.add(new Row(task.state(), configuration, task.version()));
    }
    Map<String, Long> versions = membership.replace(wanted);
    List<Task> written = new ArrayList<>();
    List<Task> refused = new ArrayList<>();
    for (Task task : changed) {
      Long version = versions.get(task.name());
      if (version == null) {
        refused.add(task);
      } else {
        task.version(version);
        written.add(task);
      }
    }
    table.settled(written);
    if (!refused.isEmpty()) {
      giveWay(table, refused, nowMillis);
    }
  }

  private void giveWay(TaskTable table, List<Task> refused, long nowMillis) throws IOException {
    Map<String, Row> rows = new HashMap<>();
    for (Row row : membership.look(refused.stream().map(Task::name).toList())) {
      rows.put(row.state().name(), row);
    }
    Map<Task, TaskRun> starts = table.takeBackStarts(refused);
    List<Task> settled = new ArrayList<>();
    for (Task task : refused) {
      Row row = rows.get(task.name());
      if (row != null && row.version() == task.version()) {
        readyAtMillis = nowMillis + PAUSE_MILLIS; // refused for another reason than its version
      }
      TaskRun start = starts.get(task);
      TaskInvalidValueException nonsense = row == null ? null : nonsense(row);
      if (nonsense != null) {
        if (start != null && start.asked != null) {
          start.asked.fail(nonsense);
        }
        requests.takeBack(task, nonsense);
        table.endedElsewhere(task);
        shun(table, task, nonsense);
        settled.add(task);
        continue;
      }
      if (start != null && start.asked != null) {
        requests.add(start.asked);
      }
      requests.again(task);
      task.foreign(row == null || !row.configuration().equals(registered.get(task.name())));
      if (row != null && isMine(row)) {
        keep(task, row); // what is known here is written once more, on top of it
        table.reschedule(task);
      } else {
        giveWay(table, task, row, nowMillis);
        settled.add(task);
      }
    }
    table.settled(settled);
  }

  private void giveWay(TaskTable table, Task task, @Nullable Row row, long nowMillis) {
    if (!task.running()) {
      if (table.hasEnd(task) && (row == null || !saysHowItEnded(row.state(), task.state()))) {
        table.endedElsewhere(task);
      }
      adopt(table, task, row, nowMillis);
    }
  }

  /** Whether a write that seemed to fail was made all the same. */
  private static boolean saysHowItEnded(TaskState there, TaskState here) {
    return Objects.equals(there.lastSuccessAt(), here.lastSuccessAt())
        && Objects.equals(there.lastFailureAt(), here.lastFailureAt());
  }

  @Override
  public @Nullable Throwable failure() {
    return failure;
  }

  @Override
  public @Nullable Throwable trouble() {
    return failure == null ? blindness : failure;
  }

  @Override
  public TaskStoreException failureAtStop() {
    return new TaskStoreException(
        "The scheduler has stopped, but how its last runs ended could not be written to "
            + store
            + "; they count as interrupted, and another instance runs them again",
        failure);
  }

  @Override
  public void maintain(TaskTable table, long nowMillis) {}

  @Override
  public void close(TaskTable table) throws IOException {
    membership.close();
  }
}
