package dev.kron.fleet.postgres;

import dev.kron.fleet.FleetRequest;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;

/** The requests of operators: each is a statement that does it and remembers its id. */
final class RequestStatements {
  private static final String BEGIN =
      """
      WITH asked AS (SELECT ?::text AS id, ?::text AS by, ?::text AS kind, ?::text AS subject,
        ?::text AS node, ?::bigint AS expires),
      before AS (SELECT q.id FROM kron.request q JOIN asked USING (id)),
      """;

  private static final String END =
      """
      , noted AS (
        INSERT INTO kron.request (id, kind, subject, node, asked_by, asked, expires, state)
        SELECT a.id, a.kind, a.subject, a.node, a.by, kron.clock(), kron.clock() + a.expires,
          CASE WHEN a.kind = 'trigger' THEN 'open' ELSE 'done' END
        FROM asked a WHERE EXISTS (SELECT FROM done) ON CONFLICT DO NOTHING)
      SELECT EXISTS (SELECT FROM before) OR EXISTS (SELECT FROM done)
      """;

  private static final String JOB =
      " j.identity = a.subject AND j.node = '00000000-0000-0000-0000-000000000000'"
          + " AND NOT EXISTS (SELECT FROM before) ";

  private static final String TRIGGER =
      BEGIN + "done AS (SELECT 1 FROM kron.job j, asked a WHERE" + JOB + ")" + END;

  private static final String SUSPEND =
      BEGIN
          + "done AS (UPDATE kron.job j SET suspended = (a.kind = 'suspend') FROM asked a WHERE"
          + JOB
          + "RETURNING 1)"
          + END;

  private static final String FREE =
      """
      , kept AS (
        INSERT INTO kron.settled_run (run, identity, row_node, node, kind, period, attempt, state,
          reason, claimed, ended)
        SELECT r.run, r.identity, r.row_node, r.node, r.kind, r.period, r.attempt, 'released',
          r.reason, r.claimed, kron.clock()
        FROM released r ON CONFLICT DO NOTHING),
      """
          + Sql.others("released x", "NOT EXISTS (SELECT FROM released o WHERE o.run = r.run)")
          + """
          freed AS (
            UPDATE kron.job j SET active_run = o.run, active_node = o.node, lost_since = NULL,
              active_period = coalesce(o.period, j.active_period),
              active_attempt = coalesce(o.attempt, j.active_attempt),
              active_since = coalesce(o.claimed, j.active_since), rerun_at = NULL
            FROM released r LEFT JOIN others o ON o.leaves = r.run
            WHERE j.identity = r.identity AND j.node = r.row_node AND j.active_run = r.run)
          """;

  private static final String RELEASE =
      BEGIN
          + """
          released AS (
            DELETE FROM kron.open_run r USING asked a
            WHERE r.run = a.subject AND r.state = 'lost' AND NOT EXISTS (SELECT FROM before)
            RETURNING r.*),
          done AS (SELECT 1 FROM released)
          """
          + FREE
          + END;

  private static final String REMOVE =
      BEGIN
          + """
          gone AS (
            UPDATE kron.node n SET removed = true FROM asked a
            WHERE NOT n.removed AND n.lease_until <= kron.clock()
              AND NOT EXISTS (SELECT FROM before)
              AND (a.subject = n.node::text OR (a.subject = n.name AND NOT EXISTS (
                SELECT FROM kron.node l WHERE l.name = n.name AND NOT l.removed
                  AND l.lease_until > kron.clock())))
            RETURNING n.node),
          done AS (SELECT 1 FROM gone),
          unvoted AS (DELETE FROM kron.vote v USING gone WHERE v.node = gone.node),
          released AS (
            DELETE FROM kron.open_run r USING gone WHERE r.node = gone.node
            RETURNING r.*)
          """
          + FREE
          + END;

  private RequestStatements() {}

  static boolean perform(Connection connection, FleetRequest request) throws SQLException {
    return switch (request.what()) {
      case FleetRequest.Trigger(String identity, String node, long expires) ->
          ask(connection, TRIGGER, request, List.of("trigger", identity, node), expires);
      case FleetRequest.Suspend(String identity) ->
          ask(connection, SUSPEND, request, List.of("suspend", identity, ""), 0);
      case FleetRequest.Resume(String identity) ->
          ask(connection, SUSPEND, request, List.of("resume", identity, ""), 0);
      case FleetRequest.Release(String run) ->
          ask(connection, RELEASE, request, List.of("release", run, ""), 0);
      case FleetRequest.Remove(String node) ->
          ask(connection, REMOVE, request, List.of("remove", node, ""), 0);
    };
  }

  private static boolean ask(
      Connection connection, String sql, FleetRequest request, List<String> words, long expires)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      statement.setString(1, request.id());
      statement.setString(2, request.by());
      for (int i = 0; i < words.size(); i++) {
        statement.setString(3 + i, words.get(i));
      }
      statement.setLong(6, expires);
      try (ResultSet row = statement.executeQuery()) {
        row.next();
        return row.getBoolean(1);
      }
    }
  }
}
