package dev.kron.scheduler.postgres;

import dev.kron.cluster.Terms;
import dev.kron.cluster.Watch;
import dev.kron.scheduler.SharedTaskStore.Joined;
import dev.kron.scheduler.SharedTaskStore.Member;
import dev.kron.scheduler.SharedTaskStore.Row;
import dev.kron.scheduler.TaskConfiguration;
import dev.kron.scheduler.TaskZoneMismatchException;
import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The statements. Each is whole in itself; only joining is a transaction of several. */
final class Tables {
  /**
   * The conditional update for which everybody competes. Rows are locked in one order, and found
   * again where they were locked; one answer says which they are, by their places in the list.
   */
  static final String REPLACE =
      """
      WITH w AS MATERIALIZED (
        SELECT * FROM unnest(?::text[], ?::bigint[], ?::bigint[], ?::bigint[], ?::bigint[],
          ?::bigint[], ?::text[], ?::integer[], ?::bigint[], ?::bigint[]) WITH ORDINALITY AS w(
          name, version, last_attempt, last_success, last_failure, retry, running, attempts,
          scheduled, paused, place)
      ), locked AS MATERIALIZED (
        SELECT w.*, t.ctid AS found FROM w JOIN $schema.scheduler_task t ON w.name = t.name
        WHERE t.scheduler = ? AND t.version = w.version
          AND (w.running IS DISTINCT FROM ? OR EXISTS (
            SELECT 1 FROM $schema.scheduler_instance i
            WHERE i.scheduler = ? AND i.id = ? AND i.lease_until > $schema.clock()))
          AND (t.running_under IS NULL OR t.running_under = ?
            OR t.running_under IS NOT DISTINCT FROM w.running OR NOT EXISTS (
            SELECT 1 FROM $schema.scheduler_instance i
            WHERE i.scheduler = t.scheduler AND i.id = t.running_under
              AND i.lost_at > $schema.clock()))
        ORDER BY t.name FOR UPDATE OF t
      ), replaced AS (
        UPDATE $schema.scheduler_task t SET
          version = t.version + 1,
          changed_by = pg_current_xact_id(),
          last_attempt_at = timestamptz 'epoch' + w.last_attempt * interval '1 ms',
          last_success_at = timestamptz 'epoch' + w.last_success * interval '1 ms',
          last_failure_at = timestamptz 'epoch' + w.last_failure * interval '1 ms',
          retry_at = timestamptz 'epoch' + w.retry * interval '1 ms',
          running_under = w.running,
          attempts = w.attempts,
          scheduled_at = timestamptz 'epoch' + w.scheduled * interval '1 ms',
          paused_at = timestamptz 'epoch' + w.paused * interval '1 ms'
        FROM locked w WHERE t.ctid = w.found
        RETURNING w.place
      )
      SELECT array_agg(place), pg_current_xact_id_if_assigned()::text FROM replaced
      """;

  private final Schema schema;
  private final Terms terms;
  private final boolean create;

  Tables(Schema schema, Terms terms, boolean create) {
    this.schema = schema;
    this.terms = terms;
    this.create = create;
  }

  Terms terms() {
    return terms;
  }

  /** Makes this instance one of those who share tasks, and its configuration the one in force. */
  Joined join(Connection connection, Member member, List<TaskConfiguration> tasks)
      throws SQLException {
    schema.lock(connection);
    schema.prepare(connection, create);
    Map<String, TaskConfiguration> known = configurations(connection, member);
    List<TaskConfiguration> fresh = new ArrayList<>();
    List<TaskConfiguration> changed = new ArrayList<>();
    for (TaskConfiguration task : tasks) {
      TaskConfiguration before = known.get(task.name());
      if (before == null) {
        fresh.add(task);
      } else if (!before.zone().equals(task.zone())) {
        throw new TaskZoneMismatchException(task.name(), before.zone(), task.zone());
      } else if (!before.equals(task)) {
        changed.add(task);
      }
    }
    insertInstance(connection, member, tasks);
    insertTasks(connection, member, fresh);
    configure(connection, member, changed);
    int forgotten = forget(connection, member);
    int preserved = tasks.size() - fresh.size() - changed.size();
    return new Joined(fresh.size(), preserved, changed.size(), forgotten);
  }

  /** Comes back after others took this instance for lost long ago: nothing in force changes. */
  void rejoin(Connection connection, Member member, List<TaskConfiguration> tasks)
      throws SQLException {
    schema.lock(connection);
    insertInstance(connection, member, tasks);
    insertTasks(connection, member, tasks);
  }

  private Map<String, TaskConfiguration> configurations(Connection connection, Member member)
      throws SQLException {
    Map<String, TaskConfiguration> known = new HashMap<>();
    try (PreparedStatement select =
        prepare(
            connection,
            "SELECT name, cron_expression, retry_delay, zone, options FROM $schema.scheduler_task"
                + " WHERE scheduler = ?")) {
      select.setString(1, member.schedulerName());
      try (ResultSet rows = select.executeQuery()) {
        while (rows.next()) {
          TaskConfiguration task = Columns.configuration(rows);
          known.put(task.name(), task);
        }
      }
    }
    return known;
  }

  private void insertInstance(Connection connection, Member member, List<TaskConfiguration> tasks)
      throws SQLException {
    try (PreparedStatement insert =
        prepare(
            connection,
            """
            INSERT INTO $schema.scheduler_instance
              SELECT ?, ?, ?, now, 1, now + ? * interval '1 ms', now + ? * interval '1 ms', ?
              FROM $schema.clock() AS now
            ON CONFLICT (scheduler, id) DO UPDATE SET
              renewal = scheduler_instance.renewal + 1, lease_until = EXCLUDED.lease_until,
              lost_at = EXCLUDED.lost_at, tasks = EXCLUDED.tasks
            """)) {
      insert.setString(1, member.schedulerName());
      insert.setString(2, member.identifier());
      insert.setString(3, Columns.host());
      insert.setLong(4, terms.lease().toMillis());
      insert.setLong(5, terms.lease().plus(terms.grace()).toMillis());
      insert.setArray(
          6,
          connection.createArrayOf("text", tasks.stream().map(TaskConfiguration::name).toArray()));
      insert.executeUpdate();
    }
  }

  /**
   * Adds tasks that are not there. A first version is the number of the transaction, of which each
   * later change of the row takes at least one: so a task that was forgotten and comes back has
   * higher ones than it ever had, and they can be fencing tokens.
   */
  private void insertTasks(Connection connection, Member member, List<TaskConfiguration> tasks)
      throws SQLException {
    configured(
        connection,
        member,
        tasks,
        """
        INSERT INTO $schema.scheduler_task
          (scheduler, name, version, changed_by, cron_expression, retry_delay, zone, options, attempts)
          SELECT ?, w.name, pg_current_xact_id()::text::bigint, pg_current_xact_id(), w.cron, w.retry, w.zone, w.options, 0
          FROM unnest(?, ?, ?, ?, ?) AS w(name, cron, retry, zone, options)
        ON CONFLICT (scheduler, name) DO NOTHING
        """);
  }

  private void configure(Connection connection, Member member, List<TaskConfiguration> tasks)
      throws SQLException {
    configured(
        connection,
        member,
        tasks,
        """
        WITH wanted AS (
          SELECT ? AS scheduler, w.* FROM unnest(?, ?, ?, ?, ?) AS w(name, cron, retry, zone, options)
        ), locked AS (
          SELECT t.scheduler, t.name FROM $schema.scheduler_task t JOIN wanted w
            ON t.scheduler = w.scheduler AND t.name = w.name
          ORDER BY t.name FOR UPDATE OF t
        )
        UPDATE $schema.scheduler_task t SET version = t.version + 1, changed_by = pg_current_xact_id(),
          cron_expression = w.cron, retry_delay = w.retry, zone = w.zone, options = w.options
        FROM wanted w JOIN locked l ON l.name = w.name
        WHERE t.scheduler = l.scheduler AND t.name = l.name
        """);
  }

  private void configured(
      Connection connection, Member member, List<TaskConfiguration> tasks, String sql)
      throws SQLException {
    if (tasks.isEmpty()) {
      return;
    }
    try (PreparedStatement statement = prepare(connection, sql)) {
      statement.setString(1, member.schedulerName());
      Columns.bind(statement, connection, tasks);
      statement.executeUpdate();
    }
  }

  /** Forgets what no instance registers that may live, and is not running in one. */
  private int forget(Connection connection, Member member) throws SQLException {
    try (PreparedStatement delete =
            prepare(
                connection,
                """
                DELETE FROM $schema.scheduler_task t
                WHERE t.scheduler = ?
                  AND t.name NOT IN (
                    SELECT unnest(i.tasks) FROM $schema.scheduler_instance i
                    WHERE i.scheduler = ? AND (i.lost_at > $schema.clock() OR i.id = ?))
                  AND NOT EXISTS (
                    SELECT 1 FROM $schema.scheduler_instance i
                    WHERE i.scheduler = t.scheduler AND i.id = t.running_under
                      AND i.lost_at > $schema.clock())
                """);
        PreparedStatement sweep =
            prepare(
                connection,
                """
                DELETE FROM $schema.scheduler_instance i
                WHERE i.scheduler = ? AND i.lost_at < $schema.clock() - interval '1 hour'
                  AND NOT EXISTS (SELECT 1 FROM $schema.scheduler_task t
                    WHERE t.scheduler = i.scheduler AND t.running_under = i.id)
                """)) {
      delete.setString(1, member.schedulerName());
      delete.setString(2, member.schedulerName());
      delete.setString(3, member.identifier());
      sweep.setString(1, member.schedulerName());
      int forgotten = delete.executeUpdate();
      sweep.executeUpdate();
      return forgotten;
    }
  }

  /**
   * Renews the lease.
   *
   * @return the database's time in epoch milliseconds; null if the instance is not listed any more
   */
  @Nullable Long renew(Connection connection, Member member) throws SQLException {
    try (PreparedStatement update =
        prepare(
            connection,
            """
            UPDATE $schema.scheduler_instance SET renewal = renewal + 1,
              lease_until = $schema.clock() + ? * interval '1 ms',
              lost_at = $schema.clock() + ? * interval '1 ms'
            WHERE scheduler = ? AND id = ?
            RETURNING (extract(epoch FROM $schema.clock()) * 1000)::bigint
            """)) {
      update.setLong(1, terms.lease().toMillis());
      update.setLong(2, terms.lease().plus(terms.grace()).toMillis());
      update.setString(3, member.schedulerName());
      update.setString(4, member.identifier());
      try (ResultSet row = update.executeQuery()) {
        return row.next() ? row.getLong(1) : null;
      }
    }
  }

  /**
   * All instances, and the oldest transaction that is still under way.
   *
   * @param horizon what a later look has to begin with; 0 if nobody is listed
   */
  record Sighting(List<Watch.Instance> instances, long horizon) {}

  Sighting instances(Connection connection, Member member) throws SQLException {
    try (PreparedStatement select =
        prepare(
            connection,
            "SELECT id, renewal, lost_at <= $schema.clock(),"
                + " pg_snapshot_xmin(pg_current_snapshot())::text"
                + " FROM $schema.scheduler_instance WHERE scheduler = ?")) {
      select.setString(1, member.schedulerName());
      List<Watch.Instance> instances = new ArrayList<>();
      long horizon = 0;
      try (ResultSet rows = select.executeQuery()) {
        while (rows.next()) {
          instances.add(new Watch.Instance(rows.getString(1), rows.getLong(2), rows.getBoolean(3)));
          horizon = Long.parseLong(rows.getString(4));
        }
      }
      return new Sighting(instances, horizon);
    }
  }

  /**
   * The rows that were changed by a transaction or by later ones.
   *
   * @param own transactions whose changes are left out
   */
  List<Row> changes(Connection connection, Member member, long horizon, Collection<Long> own)
      throws SQLException {
    // A number in the text: of a parameter, the server would not know how few rows it leaves.
    try (PreparedStatement select =
        prepare(
            connection,
            Columns.SELECT
                + " WHERE scheduler = ? AND changed_by::text::bigint >= "
                + horizon
                + " AND changed_by <> ALL(?::xid8[])")) {
      select.setString(1, member.schedulerName());
      select.setArray(
          2,
          connection.createArrayOf(
              "text", own.stream().map(Object::toString).toArray(String[]::new)));
      return Columns.rows(select);
    }
  }

  List<Row> look(Connection connection, Member member, Collection<String> names)
      throws SQLException {
    try (PreparedStatement select =
        prepare(connection, Columns.SELECT + " WHERE scheduler = ? AND name = ANY(?)")) {
      select.setString(1, member.schedulerName());
      select.setArray(2, connection.createArrayOf("text", names.toArray()));
      return Columns.rows(select);
    }
  }

  /**
   * The rows that were replaced.
   *
   * @param by the transaction that did; 0 if there were none
   */
  record Replaced(Map<String, Long> versions, long by) {}

  Replaced replace(Connection connection, Member member, List<Row> rows) throws SQLException {
    try (PreparedStatement update = prepare(connection, REPLACE)) {
      int next = Columns.bind(update, connection, rows);
      update.setString(next++, member.schedulerName());
      update.setString(next++, member.identifier());
      update.setString(next++, member.schedulerName());
      update.setString(next++, member.identifier());
      update.setString(next, member.identifier());
      try (ResultSet answer = update.executeQuery()) {
        answer.next();
        Array places = answer.getArray(1);
        if (places == null) {
          return new Replaced(Map.of(), 0);
        }
        Map<String, Long> versions = new HashMap<>();
        for (Long place : (Long[]) places.getArray()) {
          Row row = rows.get(Math.toIntExact(place) - 1);
          versions.put(row.state().name(), row.version() + 1);
        }
        return new Replaced(versions, Long.parseLong(answer.getString(2)));
      }
    }
  }

  void leave(Connection connection, Member member) throws SQLException {
    try (PreparedStatement delete =
        prepare(
            connection, "DELETE FROM $schema.scheduler_instance WHERE scheduler = ? AND id = ?")) {
      delete.setString(1, member.schedulerName());
      delete.setString(2, member.identifier());
      delete.executeUpdate();
    }
  }

  private PreparedStatement prepare(Connection connection, String sql) throws SQLException {
    return connection.prepareStatement(schema.in(sql));
  }
}
