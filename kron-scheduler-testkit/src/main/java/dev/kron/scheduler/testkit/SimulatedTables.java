package dev.kron.scheduler.testkit;

import dev.kron.cluster.Terms;
import dev.kron.cluster.Watch;
import dev.kron.scheduler.SharedTaskStore.Joined;
import dev.kron.scheduler.SharedTaskStore.Row;
import dev.kron.scheduler.TaskConfiguration;
import dev.kron.scheduler.TaskState;
import dev.kron.scheduler.TaskZoneMismatchException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The rows that a database would hold for a cluster, changed by the rules that statements on it
 * have.
 */
final class SimulatedTables {
  private final Terms terms;
  private final ManualClock clock;
  private final Map<String, Stored> tasks = new LinkedHashMap<>();
  private final Map<String, Listed> instances = new LinkedHashMap<>();
  private long changes;
  private long clockErrorMillis;

  private record Stored(Row row, long change) {}

  private record Listed(long renewal, long leaseUntil, long lostAt, Set<String> tasks) {}

  SimulatedTables(Terms terms, ManualClock clock) {
    this.terms = terms;
    this.clock = clock;
  }

  Terms terms() {
    return terms;
  }

  /** Sets the database's clock, as far as leases are concerned. */
  void clockIsOffBy(long millis) {
    clockErrorMillis = millis;
  }

  private long now() {
    return clock.elapsedMillis() + clockErrorMillis;
  }

  long lastChange() {
    return changes;
  }

  Joined join(String identifier, List<TaskConfiguration> registered) {
    int fresh = 0;
    int changed = 0;
    for (TaskConfiguration task : registered) {
      Stored known = tasks.get(task.name());
      if (known != null && !known.row().configuration().zone().equals(task.zone())) {
        throw new TaskZoneMismatchException(
            task.name(), known.row().configuration().zone(), task.zone());
      }
    }
    for (TaskConfiguration task : registered) {
      Stored known = tasks.get(task.name());
      if (known == null) {
        fresh++;
        put(task, fresh(task), changes + 1); // higher than any it had before it was forgotten
      } else if (!known.row().configuration().equals(task)) {
        changed++;
        put(task, known.row().state(), known.row().version() + 1);
      }
    }
    list(identifier, registered, 1);
    Set<String> wanted = new HashSet<>();
    instances.forEach(
        (id, listed) -> {
          if (listed.lostAt() > now() || id.equals(identifier)) {
            wanted.addAll(listed.tasks());
          }
        });
    int before = tasks.size();
    tasks
        .values()
        .removeIf(
            stored ->
                !wanted.contains(stored.row().state().name())
                    && mayBeTakenUp(stored.row().state().runningUnder()));
    return new Joined(fresh, registered.size() - fresh - changed, changed, before - tasks.size());
  }

  private static TaskState fresh(TaskConfiguration task) {
    return new TaskState(
        task.name(), task.cronExpression(), task.retryDelay(), null, null, null, null, null);
  }

  private void list(String identifier, List<TaskConfiguration> registered, long renewal) {
    Set<String> names = new HashSet<>();
    registered.forEach(task -> names.add(task.name()));
    long lease = terms.lease().toMillis();
    long lost = lease + terms.grace().toMillis();
    instances.put(identifier, new Listed(renewal, now() + lease, now() + lost, names));
  }

  private void put(TaskConfiguration configuration, TaskState state, long version) {
    tasks.put(state.name(), new Stored(new Row(state, configuration, version), ++changes));
  }

  void renew(String identifier, List<TaskConfiguration> registered) {
    Listed listed = instances.get(identifier);
    list(identifier, registered, listed == null ? 1 : listed.renewal() + 1);
  }

  void leave(String identifier) {
    instances.remove(identifier);
  }

  List<Watch.Instance> instances() {
    List<Watch.Instance> all = new ArrayList<>();
    instances.forEach(
        (id, listed) ->
            all.add(new Watch.Instance(id, listed.renewal(), listed.lostAt() <= now())));
    return all;
  }

  List<Row> changesAfter(long change) {
    return tasks.values().stream()
        .filter(stored -> stored.change() > change)
        .map(Stored::row)
        .toList();
  }

  List<Row> look(Collection<String> names) {
    List<Row> found = new ArrayList<>();
    for (String name : names) {
      Stored stored = tasks.get(name);
      if (stored != null) {
        found.add(stored.row());
      }
    }
    return found;
  }

  Map<String, Long> replace(String identifier, Collection<Row> rows) {
    Map<String, Long> versions = new HashMap<>();
    for (Row row : rows) {
      Stored stored = tasks.get(row.state().name());
      if (stored != null
          && stored.row().version() == row.version()
          && mayRun(identifier, row.state().runningUnder())
          && mayReplace(identifier, stored.row().state(), row.state())) {
        long version = row.version() + 1;
        put(stored.row().configuration(), row.state(), version);
        versions.put(row.state().name(), version);
      }
    }
    return versions;
  }

  private boolean mayRun(String identifier, @Nullable String runningUnder) {
    if (!identifier.equals(runningUnder)) {
      return true;
    }
    Listed listed = instances.get(identifier);
    return listed != null && listed.leaseUntil() > now();
  }

  private boolean mayReplace(String identifier, TaskState before, TaskState after) {
    String running = before.runningUnder();
    return running == null
        || running.equals(identifier)
        || running.equals(after.runningUnder())
        || mayBeTakenUp(running);
  }

  private boolean mayBeTakenUp(@Nullable String runningUnder) {
    Listed listed = runningUnder == null ? null : instances.get(runningUnder);
    return listed == null || listed.lostAt() <= now();
  }
}
