package dev.kron.fleet.postgres;

import dev.kron.cron.NominalTimes;
import dev.kron.fleet.Answers.NodeRow;
import dev.kron.fleet.Answers.OpenTrigger;
import dev.kron.fleet.Answers.Standing;
import dev.kron.fleet.Claim;
import dev.kron.fleet.JobRow;
import dev.kron.fleet.NodeSession;
import dev.kron.fleet.RowKey;
import dev.kron.schedule.Policy.Concurrency;
import java.sql.Array;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Answers out of columns, in the order in which {@link Sql} selects them. */
final class Rows {
  /** Columns of a session's standing, the clock the last of them. */
  static final int STANDING = 7;

  private Rows() {}

  static Standing standing(ResultSet row, NodeSession session) throws SQLException {
    Long held = number(row, 1);
    if (held != null) {
      return new Standing.Held(held);
    }
    Long start = number(row, 2);
    if (start == null || start < session.start().number()) {
      return new Standing.WentBack();
    }
    if (row.getBoolean(5)) {
      return new Standing.Fenced("this node was removed from the fleet");
    }
    if (start != session.start().number()
        || !session.start().token().equals(row.getObject(3, UUID.class))) {
      return new Standing.Fenced("another start of this node takes part");
    }
    if (row.getLong(4) < session.writes()) {
      return new Standing.WentBack();
    }
    if (!row.getBoolean(6)) {
      return new Standing.Lapsed();
    }
    throw new SQLException("the node's row changed while it was written; to be tried again");
  }

  /**
   * A job's row.
   *
   * @param first column
   * @return null where there is none
   */
  static @Nullable JobRow job(ResultSet row, int first) throws SQLException {
    String identity = row.getString(first);
    if (identity == null || row.getString(first + 2) == null) {
      return null; // of a node's own row the shared one is missing
    }
    return new JobRow(
        new RowKey(identity, row.getObject(first + 1, UUID.class)),
        row.getString(first + 2),
        row.getLong(first + 3),
        row.getBoolean(first + 4),
        new JobRow.Last(
            row.getLong(first + 5),
            row.getInt(first + 6),
            row.getString(first + 7),
            row.getBoolean(first + 20)),
        new JobRow.From(row.getLong(first + 8), row.getLong(first + 9), row.getLong(first + 10)),
        number(row, first + 11),
        active(row, first + 12));
  }

  private static JobRow.@Nullable Active active(ResultSet row, int first) throws SQLException {
    String run = row.getString(first);
    return run == null
        ? null
        : new JobRow.Active(
            run,
            row.getObject(first + 1, UUID.class),
            row.getLong(first + 2),
            row.getInt(first + 3),
            row.getLong(first + 4),
            number(row, first + 5),
            number(row, first + 6),
            row.getBoolean(first + 7));
  }

  /** Requests to run a job: their ids, jobs and nodes, in three arrays from a column on. */
  static List<OpenTrigger> triggers(ResultSet row, int first) throws SQLException {
    Array ids = row.getArray(first);
    if (ids == null) {
      return List.of();
    }
    String[] requests = (String[]) ids.getArray();
    String[] jobs = (String[]) row.getArray(first + 1).getArray();
    String[] nodes = (String[]) row.getArray(first + 2).getArray();
    List<OpenTrigger> triggers = new ArrayList<>(requests.length);
    for (int i = 0; i < requests.length; i++) {
      triggers.add(new OpenTrigger(requests[i], jobs[i], nodes[i]));
    }
    return triggers;
  }

  static NodeRow node(ResultSet row) throws SQLException {
    return new NodeRow(
        row.getObject(1, UUID.class),
        row.getString(2),
        List.of((String[]) row.getArray(3).getArray()),
        row.getLong(4),
        row.getLong(5),
        row.getBoolean(6),
        row.getLong(7),
        row.getBoolean(8));
  }

  /**
   * A run on record, as a claim that was taken once; what it was decided on is not known, nor
   * whether others are beside it.
   */
  static Claim run(ResultSet row) throws SQLException {
    return new Claim(
        new RowKey(row.getString(1), row.getObject(2, UUID.class)),
        row.getString(3),
        Claim.Kind.valueOf(row.getString(4)),
        new Claim.Period(row.getLong(5), row.getInt(6), NominalTimes.NONE, NominalTimes.NONE),
        new Claim.Terms("", 0, 0),
        Concurrency.ALLOW,
        row.getString(7));
  }

  static @Nullable Long number(ResultSet row, int column) throws SQLException {
    long value = row.getLong(column);
    return row.wasNull() ? null : value;
  }
}
