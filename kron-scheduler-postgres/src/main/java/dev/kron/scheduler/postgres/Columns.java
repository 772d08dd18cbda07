package dev.kron.scheduler.postgres;

import dev.kron.scheduler.SharedTaskStore.Row;
import dev.kron.scheduler.TaskConfiguration;
import dev.kron.scheduler.TaskInvalidValueException;
import dev.kron.scheduler.TaskState;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Rows as statements have them. Times are whole milliseconds, exactly. */
final class Columns {
  static final String SELECT =
      "SELECT name, cron_expression, retry_delay, zone, options, version, "
          + String.join(
              ", ",
              millis("last_attempt_at"),
              millis("last_success_at"),
              millis("last_failure_at"),
              millis("retry_at"),
              "running_under",
              "attempts",
              millis("scheduled_at"),
              millis("paused_at"))
          + " FROM $schema.scheduler_task";

  private Columns() {}

  private static String millis(String column) {
    return "CASE "
        + column
        + " WHEN 'infinity' THEN "
        + Long.MAX_VALUE
        + " WHEN '-infinity' THEN "
        + -Long.MAX_VALUE
        + " ELSE (extract(epoch FROM "
        + column
        + ") * 1000)::bigint END";
  }

  static TaskConfiguration configuration(ResultSet row) throws SQLException {
    String name = row.getString(1);
    return new TaskConfiguration(
        name,
        row.getString(2),
        parse(name, "retry_delay", row.getString(3), Duration::parse),
        parse(name, "zone", row.getString(4), ZoneId::of),
        row.getString(5));
  }

  /** Names the row that somebody has put nonsense into. */
  private static <T> T parse(String task, String column, String value, Function<String, T> parser) {
    try {
      return parser.apply(value);
    } catch (DateTimeException nonsense) {
      throw new TaskInvalidValueException(
          column,
          value,
          "string",
          "\"" + value + "\": " + nonsense.getMessage(),
          "task \"" + task + "\" in the table scheduler_task");
    }
  }

  static List<Row> rows(PreparedStatement select) throws SQLException {
    List<Row> found = new ArrayList<>();
    try (ResultSet row = select.executeQuery()) {
      while (row.next()) {
        TaskConfiguration configuration = configuration(row);
        TaskState state =
            new TaskState(
                configuration.name(),
                configuration.cronExpression(),
                configuration.retryDelay(),
                instant(row, 7),
                instant(row, 8),
                instant(row, 9),
                instant(row, 10),
                row.getString(11),
                row.getInt(12),
                instant(row, 13),
                instant(row, 14));
        found.add(new Row(state, configuration, row.getLong(6)));
      }
    }
    return found;
  }

  private static @Nullable Instant instant(ResultSet row, int column) throws SQLException {
    long millis = row.getLong(column);
    return row.wasNull() ? null : Instant.ofEpochMilli(millis);
  }

  /** Binds configurations as five arrays, from the second parameter on. */
  static void bind(
      PreparedStatement statement, Connection connection, Collection<TaskConfiguration> tasks)
      throws SQLException {
    Arrays<TaskConfiguration> arrays = new Arrays<>(statement, connection, List.copyOf(tasks), 2);
    arrays.texts(TaskConfiguration::name);
    arrays.texts(TaskConfiguration::cronExpression);
    arrays.texts(task -> task.retryDelay().toString());
    arrays.texts(task -> task.zone().getId());
    arrays.texts(TaskConfiguration::options);
  }

  /**
   * Binds rows as ten arrays, from the first parameter on.
   *
   * @return the number of the parameter after them
   */
  static int bind(PreparedStatement statement, Connection connection, List<Row> rows)
      throws SQLException {
    Arrays<Row> arrays = new Arrays<>(statement, connection, rows, 1);
    arrays.texts(row -> row.state().name());
    arrays.longs(Row::version);
    arrays.longs(row -> millis(row.state().lastAttemptAt()));
    arrays.longs(row -> millis(row.state().lastSuccessAt()));
    arrays.longs(row -> millis(row.state().lastFailureAt()));
    arrays.longs(row -> millis(row.state().pendingRetryUntil()));
    arrays.texts(row -> row.state().runningUnder());
    arrays.integers(row -> row.state().attempts());
    arrays.longs(row -> millis(row.state().scheduledAt()));
    arrays.longs(row -> millis(row.state().pausedAt()));
    return arrays.next;
  }

  private static @Nullable Long millis(@Nullable Instant instant) {
    return instant == null ? null : instant.toEpochMilli();
  }

  /** Lists of a statement; the driver writes those of numbers as numbers, which nobody parses. */
  private static final class Arrays<T> {
    private final PreparedStatement statement;
    private final Connection connection;
    private final List<T> rows;
    private int next;

    Arrays(PreparedStatement statement, Connection connection, List<T> rows, int first) {
      this.statement = statement;
      this.connection = connection;
      this.rows = rows;
      next = first;
    }

    void texts(Function<T, @Nullable String> column) throws SQLException {
      bind("text", new @Nullable String[rows.size()], column);
    }

    void longs(Function<T, @Nullable Long> column) throws SQLException {
      bind("bigint", new @Nullable Long[rows.size()], column);
    }

    void integers(Function<T, @Nullable Integer> column) throws SQLException {
      bind("integer", new @Nullable Integer[rows.size()], column);
    }

    private <V> void bind(String type, @Nullable V[] values, Function<T, @Nullable V> column)
        throws SQLException {
      for (int i = 0; i < values.length; i++) {
        values[i] = column.apply(rows.get(i));
      }
      statement.setArray(next++, connection.createArrayOf(type, values));
    }
  }

  /** The name of this machine. */
  static String host() {
    try {
      return InetAddress.getLocalHost().getHostName();
    } catch (UnknownHostException nameless) {
      return "unknown";
    }
  }
}
