package dev.kron.fleet.postgres;

import dev.kron.cluster.Link;
import dev.kron.fleet.Claim;
import dev.kron.fleet.FleetRecords;
import java.io.IOException;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The records that people look at, out of the tables. */
final class PostgresRecords implements FleetRecords {
  private static final String SHARED = "'00000000-0000-0000-0000-000000000000'";
  private static final int RUN_COLUMNS = 16;

  private static final String RUN =
      " %1$s.run, %1$s.identity, %1$s.node, %2$s.name, %1$s.kind, %1$s.period, %1$s.attempt,"
          + " %1$s.state, %1$s.outcome, %1$s.exit_code, %1$s.reason, %1$s.overlap, %1$s.claimed,"
          + " %1$s.began, %1$s.ended, %1$s.output ";

  private static final String RUNS =
      "SELECT" + RUN.formatted("r", "n") + "FROM kron.run r JOIN kron.node n ON n.node = r.node ";

  /** The condition that the index of failures is about. */
  private static final String FAILED =
      " r.outcome IN ('failed', 'missed', 'unknown', 'unschedulable') ";

  private static final String SUMMARY =
      """
      SELECT kron.clock(), f.generation,
        (SELECT count(*) FROM kron.node WHERE NOT removed AND lease_until > kron.clock()),
        (SELECT count(*) FROM kron.job WHERE node = %1$s),
        (SELECT count(*) FROM kron.job WHERE suspended),
        (SELECT count(*) FROM kron.job WHERE lost_since IS NOT NULL),
        (SELECT count(*) FROM kron.open_run WHERE state = 'running')
      FROM kron.fleet f
      """
          .formatted(SHARED);

  private static final String NODES =
      """
      SELECT n.node, n.name, n.labels, n.version, n.session, n.lease, n.lease_until,
        n.clock_offset, n.joined, n.lease_until > kron.clock() AND NOT n.removed AS lives,
        n.removed,
        (SELECT count(*) FROM kron.open_run r WHERE r.node = n.node AND r.state = 'running'),
        (SELECT count(*) FROM kron.open_run r WHERE r.node = n.node AND r.state = 'lost'),
        (SELECT count(*) FROM kron.vote v JOIN kron.job s ON s.identity = v.identity
          AND s.node = %1$s WHERE v.node = n.node AND v.definition <> s.definition)
      FROM kron.node n ORDER BY n.removed, lives DESC, n.name, n.node
      """
          .formatted(SHARED);

  /** After, only twice, limit. */
  private static final String JOBS =
      """
      SELECT s.identity, s.place, s.suspended, s.definition, v.nodes, v.differing, j.node, o.name,
        coalesce(o.removed, false), j.last_period, j.retry_at, j.lost_since, j.rerun_at,
      """
          + RUN.formatted("l", "ln")
          + ","
          + RUN.formatted("a", "an")
          + """
          FROM (SELECT * FROM kron.job WHERE node = %1$s AND identity > ?
              AND (?::text IS NULL OR identity = ?) ORDER BY identity LIMIT ?) s
            JOIN kron.job j ON j.identity = s.identity
            LEFT JOIN kron.node o ON o.node = j.node
            LEFT JOIN LATERAL (
              SELECT count(*) AS nodes,
                count(*) FILTER (WHERE b.definition <> s.definition) AS differing
              FROM kron.vote b JOIN kron.node p ON p.node = b.node AND NOT p.removed
                AND p.lease_until > kron.clock()
              WHERE b.identity = s.identity) v ON true
            LEFT JOIN kron.run l ON l.identity = j.identity AND l.run = j.last_run
            LEFT JOIN kron.node ln ON ln.node = l.node
            LEFT JOIN kron.run a ON a.identity = j.identity AND a.run = j.active_run
            LEFT JOIN kron.node an ON an.node = a.node
          ORDER BY s.identity, o.name, j.node
          """
              .formatted(SHARED);

  private static final String NAMED =
      "SELECT identity FROM kron.job WHERE node = "
          + SHARED
          + " AND (identity = ? OR substring(identity from '[^:]*$') = ?) ORDER BY identity LIMIT"
          + " 100";

  private static final String SUSPENDED =
      "SELECT identity FROM kron.job WHERE suspended ORDER BY identity LIMIT ?";

  private static final String PERIODS =
      RUNS
          + "WHERE r.identity = ? AND r.period BETWEEN ? AND ? ORDER BY r.period, r.claimed LIMIT"
          + " ?";

  private static final String REQUEST =
      "SELECT id, kind, subject, node, asked_by, asked, expires, state,"
          + " state = 'open' AND expires <= kron.clock(), run FROM kron.request WHERE id = ?";

  private final Link link;

  PostgresRecords(Link link) {
    this.link = link;
  }

  /** Makes an answer of one row. */
  @FunctionalInterface
  private interface Reading<T> {
    T read(ResultSet row) throws SQLException;
  }

  private <T> List<T> all(String sql, Reading<T> reading, @Nullable Object... values)
      throws IOException {
    return link.each(
        connection -> {
          try (PreparedStatement statement = connection.prepareStatement(sql)) {
            var parameters = new Parameters(connection, statement);
            for (Object value : values) {
              parameters.add(value);
            }
            List<T> found = new ArrayList<>();
            try (ResultSet rows = statement.executeQuery()) {
              while (rows.next()) {
                found.add(reading.read(rows));
              }
            }
            return found;
          }
        });
  }

  private static <T> @Nullable T first(List<T> found) {
    return found.isEmpty() ? null : found.getFirst();
  }

  @Override
  public Summary summary() throws IOException {
    return all(
            SUMMARY,
            row ->
                new Summary(
                    row.getLong(1),
                    row.getLong(2),
                    row.getInt(3),
                    row.getInt(4),
                    row.getInt(5),
                    row.getInt(6),
                    row.getInt(7)))
        .getFirst();
  }

  @Override
  public List<Node> nodes() throws IOException {
    return all(
        NODES,
        row ->
            new Node(
                row.getObject(1, UUID.class),
                row.getString(2),
                List.of((String[]) row.getArray(3).getArray()),
                row.getString(4),
                row.getLong(5),
                row.getLong(6),
                row.getLong(7),
                row.getLong(8),
                row.getLong(9),
                row.getBoolean(10),
                row.getBoolean(11),
                row.getInt(12),
                row.getInt(13),
                row.getInt(14)));
  }

  /** A row of a job, with what all rows of the job have in common. */
  private record Found(Job job, boolean own, boolean removed, Row row) {
    /** Whether it belongs to where the job runs now: on each node, or on one for all. */
    boolean counts() {
      return own == job.isEachForItself() && !removed;
    }
  }

  @Override
  public List<Job> jobs(@Nullable String only, String after, int limit) throws IOException {
    Map<String, List<Row>> rows = new LinkedHashMap<>();
    Map<String, Job> jobs = new LinkedHashMap<>();
    for (Found found : all(JOBS, PostgresRecords::found, after, only, only, limit)) {
      String identity = found.job().identity();
      jobs.put(identity, found.job());
      List<Row> of = rows.computeIfAbsent(identity, any -> new ArrayList<>());
      if (found.counts()) {
        of.add(found.row());
      }
    }
    return jobs.values().stream()
        .map(
            job ->
                new Job(
                    job.identity(),
                    job.on(),
                    job.suspended(),
                    job.definition(),
                    job.nodes(),
                    job.differing(),
                    rows.getOrDefault(job.identity(), List.of())))
        .toList();
  }

  private static Found found(ResultSet row) throws SQLException {
    var job =
        new Job(
            row.getString(1),
            row.getString(2),
            row.getBoolean(3),
            row.getString(4),
            row.getInt(5),
            row.getInt(6),
            List.of());
    String node = row.getString(8);
    return new Found(
        job,
        node != null,
        row.getBoolean(9),
        new Row(
            node,
            row.getLong(10),
            run(row, 14),
            Rows.number(row, 11),
            run(row, 14 + RUN_COLUMNS),
            Rows.number(row, 12),
            Rows.number(row, 13)));
  }

  /** Null: the row of the job names none that is on record. */
  private static @Nullable Run run(ResultSet row, int first) throws SQLException {
    return row.getString(first) == null ? null : runOf(row, first);
  }

  private static Run runOf(ResultSet row, int first) throws SQLException {
    int exit = row.getInt(first + 9);
    Integer exitCode = row.wasNull() ? null : (Integer) exit;
    return new Run(
        row.getString(first),
        row.getString(first + 1),
        row.getObject(first + 2, UUID.class),
        row.getString(first + 3),
        Claim.Kind.valueOf(row.getString(first + 4)),
        row.getLong(first + 5),
        row.getInt(first + 6),
        row.getString(first + 7),
        row.getString(first + 8),
        exitCode,
        row.getString(first + 10),
        row.getBoolean(first + 11),
        row.getLong(first + 12),
        Rows.number(row, first + 13),
        Rows.number(row, first + 14),
        row.getString(first + 15));
  }

  @Override
  public List<String> named(String nameOrIdentity) throws IOException {
    return all(NAMED, row -> row.getString(1), nameOrIdentity, nameOrIdentity);
  }

  @Override
  public List<String> suspended(int limit) throws IOException {
    return all(SUSPENDED, row -> row.getString(1), limit);
  }

  @Override
  public List<Run> runs(Query query) throws IOException {
    List<Object> values = new ArrayList<>();
    var where = new StringBuilder("WHERE r.claimed >= ? AND r.claimed < ?");
    values.add(query.sinceMillis());
    values.add(query.untilMillis());
    and(where, " AND r.identity = ?", query.identity(), values);
    and(where, " AND n.name = ?", query.node(), values);
    and(where, " AND r.state = ?", query.state(), values);
    where.append(query.failed() ? " AND" + FAILED : "");
    values.add(query.limit());
    return all(
        RUNS + where + " ORDER BY r.claimed DESC, r.run LIMIT ?",
        row -> runOf(row, 1),
        values.toArray());
  }

  private static void and(
      StringBuilder where, String condition, @Nullable String value, List<Object> values) {
    if (value != null) {
      where.append(condition);
      values.add(value);
    }
  }

  @Override
  public @Nullable Run run(String id) throws IOException {
    return first(all(RUNS + "WHERE r.run = ?", row -> runOf(row, 1), id));
  }

  @Override
  public List<Run> periods(String identity, long from, long to, int limit) throws IOException {
    return all(PERIODS, row -> runOf(row, 1), identity, from, to, limit);
  }

  @Override
  public @Nullable Request request(String id) throws IOException {
    return first(
        all(
            REQUEST,
            row ->
                new Request(
                    row.getString(1),
                    row.getString(2),
                    row.getString(3),
                    row.getString(4),
                    row.getString(5),
                    row.getLong(6),
                    row.getLong(7),
                    row.getString(8),
                    row.getBoolean(9),
                    row.getString(10)),
            id));
  }
}
