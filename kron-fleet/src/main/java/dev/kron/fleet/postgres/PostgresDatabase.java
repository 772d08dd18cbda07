package dev.kron.fleet.postgres;

import dev.kron.cluster.Link;
import dev.kron.fleet.Answers.Claimed;
import dev.kron.fleet.Answers.Joined;
import dev.kron.fleet.Answers.Looked;
import dev.kron.fleet.Answers.NodeRow;
import dev.kron.fleet.Answers.OpenTrigger;
import dev.kron.fleet.Answers.Polled;
import dev.kron.fleet.Answers.Renewed;
import dev.kron.fleet.Answers.Settled;
import dev.kron.fleet.Answers.Standing;
import dev.kron.fleet.Claim;
import dev.kron.fleet.FleetDatabase;
import dev.kron.fleet.FleetRecords;
import dev.kron.fleet.FleetRequest;
import dev.kron.fleet.JobRow;
import dev.kron.fleet.Join;
import dev.kron.fleet.NodeSession;
import dev.kron.fleet.NodeVote;
import dev.kron.fleet.Renewal;
import dev.kron.fleet.RowKey;
import dev.kron.fleet.Settlement;
import dev.kron.fleet.Verdict;
import dev.kron.schedule.Policy.Concurrency;
import java.io.IOException;
import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * A fleet's tables in PostgreSQL, over two connections: one says that the node lives, the other
 * does everything else. Nothing waits for longer than two seconds, but making the tables and
 * beginning a new generation.
 *
 * <p>One file, though a long one: each method gives a statement its parameters and reads its
 * answer.
 */
public final class PostgresDatabase implements FleetDatabase, AutoCloseable {
  private static final String NO_TABLE = "42P01";

  /** No table, no schema, no function. */
  private static final List<String> NO_TABLES = List.of(NO_TABLE, "3F000", "42883");

  private final Link link;
  private final Link renewals;

  private PostgresDatabase(DataSource source) {
    link = new Link(source, true);
    renewals = new Link(source, true);
  }

  /**
   * The tables are made where they are missing or old.
   *
   * @throws IOException where they are of a later version, or may not be made
   */
  public static PostgresDatabase open(DataSource source) throws IOException {
    var database = new PostgresDatabase(source);
    try {
      database.link.transaction(
          connection -> {
            FleetSchema.prepare(connection);
            return true;
          });
      return database;
    } catch (Throwable failed) {
      database.close();
      throw failed;
    }
  }

  /**
   * The tables are made, over connections for which name and password are asked each time.
   *
   * @param url as {@code fleet.toml} has it; nothing secret is in it
   */
  public static PostgresDatabase open(String url, CurrentSource.Secrets secrets)
      throws IOException {
    return open(new CurrentSource(url, secrets));
  }

  /**
   * Whether a failure means that somebody has dropped the tables, or emptied what is never empty.
   */
  public static boolean isWithoutTables(IOException failure) {
    return failure.getCause() instanceof SQLException said
        && NO_TABLES.contains(String.valueOf(said.getSQLState()));
  }

  /** The one row of the fleet is part of many answers. */
  private static void requireRow(ResultSet rows) throws SQLException {
    if (!rows.next()) {
      throw new SQLException("the table kron.fleet is empty", NO_TABLE);
    }
  }

  /** The views for people, on the connection that does everything but renewals. */
  public FleetRecords records() {
    return new PostgresRecords(link);
  }

  /** The statements that make the tables, for a database administrator. */
  public static String ddl() {
    return FleetSchema.ddl();
  }

  /** The giver of a statement's parameters. */
  @FunctionalInterface
  private interface Filling {
    void fill(Parameters parameters) throws SQLException;
  }

  /** The maker of an answer from all rows. */
  @FunctionalInterface
  private interface Reading<T> {
    T read(ResultSet rows) throws SQLException;
  }

  private static <T> T ask(Connection connection, String sql, Filling filling, Reading<T> reading)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      filling.fill(new Parameters(connection, statement));
      try (ResultSet rows = statement.executeQuery()) {
        return reading.read(rows);
      }
    }
  }

  private <T> T ask(String sql, Filling filling, Reading<T> reading) throws IOException {
    return link.each(connection -> ask(connection, sql, filling, reading));
  }

  @Override
  public Joined join(Join join) throws IOException {
    List<NodeSession.Start> before = new ArrayList<>(join.before());
    before.add(join.start()); // an earlier try whose answer was lost
    boolean fresh = join.before().isEmpty() && join.writes() == 0;
    Join.Card card = join.card();
    return ask(
        Sql.JOIN,
        values ->
            values
                .add(join.node())
                .add(card.name())
                .add(join.start().number())
                .add(join.start().token())
                .add(join.writes())
                .texts(card.labels())
                .add(card.version())
                .add(card.leaseMillis())
                .add(fresh)
                .longs(before, NodeSession.Start::number)
                .nodes(before, NodeSession.Start::token),
        rows -> {
          requireRow(rows);
          return joined(join, rows);
        });
  }

  private static Joined joined(Join join, ResultSet row) throws SQLException {
    Long writes = Rows.number(row, 1);
    if (writes != null) {
      return new Joined.In(
          new NodeSession(join.node(), join.start(), writes), row.getLong(6), row.getLong(7));
    }
    if (row.getBoolean(4)) {
      return new Joined.Removed();
    }
    UUID taken = row.getObject(5, UUID.class);
    if (taken != null) {
      return new Joined.NameTaken(taken);
    }
    Long number = Rows.number(row, 2);
    if (number == null) {
      return new Joined.WentBack(null, row.getLong(6));
    }
    var known = new NodeSession.Start(number, row.getObject(3, UUID.class));
    boolean mine = join.before().contains(known) || join.start().equals(known);
    long least =
        join.before().stream().mapToLong(NodeSession.Start::number).min().orElse(Long.MIN_VALUE);
    return mine || number < least
        ? new Joined.WentBack(known, row.getLong(6))
        : new Joined.OtherStart(known);
  }

  @Override
  public Renewed renew(NodeSession session, Renewal renewal) throws IOException {
    return renewals.each(
        connection -> {
          try (PreparedStatement statement =
              connection.prepareStatement(Sql.RENEW + ";" + Sql.NODES + ";" + Sql.IN_MY_NAME)) {
            Join.Card card = renewal.card();
            new Parameters(connection, statement)
                .add(card.name())
                .texts(card.labels())
                .add(card.version())
                .add(card.leaseMillis())
                .add(renewal.offsetMillis())
                .session(session)
                .add(FleetSchema.VERSION)
                .texts(renewal.going())
                .add(session.node())
                .add(session.node());
            statement.execute();
            return renewed(session, statement);
          }
        });
  }

  private static Renewed renewed(NodeSession session, PreparedStatement statement)
      throws SQLException {
    Standing standing;
    long clock;
    long generation;
    try (ResultSet row = statement.getResultSet()) {
      requireRow(row);
      FleetSchema.requireKnown(row.getInt(Rows.STANDING + 2));
      standing = Rows.standing(row, session);
      clock = row.getLong(Rows.STANDING);
      generation = row.getLong(Rows.STANDING + 1);
    }
    List<NodeRow> nodes = new ArrayList<>();
    statement.getMoreResults();
    try (ResultSet row = statement.getResultSet()) {
      while (row.next()) {
        nodes.add(Rows.node(row));
      }
    }
    List<Claim> mine = new ArrayList<>();
    statement.getMoreResults();
    try (ResultSet row = statement.getResultSet()) {
      while (standing instanceof Standing.Held && row.next()) {
        mine.add(Rows.run(row));
      }
    }
    return new Renewed(standing, clock, generation, nodes, mine);
  }

  @Override
  public Polled poll(NodeSession session) throws IOException {
    return ask(
        Sql.POLL,
        values ->
            values
                .add(session.start().number())
                .add(session.start().token())
                .add(session.writes())
                .add(session.node())
                .add(session.node()),
        rows -> polled(rows, session));
  }

  private static Polled polled(ResultSet row, NodeSession session) throws SQLException {
    requireRow(row);
    Standing standing = Rows.standing(row, session);
    long clock = row.getLong(Rows.STANDING);
    long generation = row.getLong(Rows.STANDING + 1);
    List<OpenTrigger> triggers = Rows.triggers(row, Rows.STANDING + 2);
    List<JobRow> waiting = new ArrayList<>();
    do {
      JobRow job = Rows.job(row, Rows.STANDING + 5);
      if (job != null) {
        waiting.add(job);
      }
    } while (row.next());
    return new Polled(standing, clock, generation, waiting, triggers);
  }

  private static Looked looked(ResultSet rows) throws SQLException {
    long clock = 0;
    long generation = 0;
    List<JobRow> found = new ArrayList<>();
    try (rows) {
      requireRow(rows);
      do {
        clock = rows.getLong(1);
        generation = rows.getLong(2);
        JobRow job = Rows.job(rows, 3);
        if (job != null) {
          found.add(job);
        }
      } while (rows.next());
    }
    return new Looked(clock, generation, found);
  }

  @Override
  public Looked look(NodeSession session, List<RowKey> rows) throws IOException {
    return ask(
        Sql.LOOK,
        values -> values.texts(rows, RowKey::identity).nodes(rows, RowKey::node),
        PostgresDatabase::looked);
  }

  @Override
  public Standing arrive(NodeSession session, List<NodeVote> jobs, @Nullable List<String> all)
      throws IOException {
    return ask(
        Sql.ARRIVE,
        values ->
            values
                .session(session)
                .texts(jobs, job -> job.row().identity())
                .nodes(jobs, job -> job.row().node())
                .texts(jobs, NodeVote::definition)
                .texts(jobs, NodeVote::fingerprint)
                .texts(jobs, NodeVote::place)
                .texts(jobs, NodeVote::ownPlace)
                .add(all != null)
                .texts(all == null ? List.of() : all)
                .add(session.node()),
        rows -> standing(rows, session));
  }

  private static Standing standing(ResultSet rows, NodeSession session) throws SQLException {
    rows.next();
    return Rows.standing(rows, session);
  }

  @Override
  public Standing define(NodeSession session, List<String> identities) throws IOException {
    return ask(
        Sql.DEFINE,
        values -> values.session(session).texts(identities).add(session.node()),
        rows -> standing(rows, session));
  }

  @Override
  public Claimed claim(NodeSession session, List<Claim> claims) throws IOException {
    RowKey.requireDistinct(claims, Claim::row);
    boolean shared = claims.stream().allMatch(claim -> claim.row().node().equals(RowKey.ANY));
    return claimed(shared ? Sql.CLAIM_SHARED : Sql.CLAIM, session, claims);
  }

  @Override
  public Claimed take(NodeSession session, String request, Claim claim) throws IOException {
    return claimed(Sql.TAKE_REQUEST, session, List.of(claim));
  }

  private Claimed claimed(String sql, NodeSession session, List<Claim> claims) throws IOException {
    return ask(
        sql,
        values -> values.session(session).claims(claims).add(session.node()),
        rows -> verdicts(rows, session, claims));
  }

  private static Claimed verdicts(ResultSet rows, NodeSession session, List<Claim> claims)
      throws SQLException {
    rows.next();
    Standing standing = Rows.standing(rows, session);
    long clock = rows.getLong(Rows.STANDING);
    if (!(standing instanceof Standing.Held)) {
      return new Claimed(standing, clock, List.of());
    }
    int others = claims.size() - rows.getInt(Rows.STANDING + 1);
    Verdict[] verdicts = new Verdict[claims.size()];
    Arrays.fill(verdicts, new Verdict.Taken());
    for (Long number = Rows.number(rows, Rows.STANDING + 2); number != null; others--) {
      int i = number.intValue() - 1;
      verdicts[i] = verdict(rows, session, claims.get(i), clock);
      number = rows.next() ? Rows.number(rows, Rows.STANDING + 2) : null;
    }
    if (others != 0) {
      throw new SQLException("the database did not tell the verdict on each claim");
    }
    return new Claimed(standing, clock, List.of(verdicts));
  }

  private static Verdict verdict(ResultSet row, NodeSession session, Claim claim, long clock)
      throws SQLException {
    int first = Rows.STANDING + 3;
    JobRow job = Rows.job(row, first + 2);
    Verdict verdict = Verdict.of(claim, session.node(), false, row.getString(first), job, clock);
    boolean open = row.getBoolean(first + 1);
    return open || verdict instanceof Verdict.Taken || job == null
        ? verdict
        : new Verdict.Refused(Verdict.Why.OVERTAKEN, job);
  }

  @Override
  public Settled settle(NodeSession session, List<Settlement> settlements) throws IOException {
    RowKey.requireDistinct(settlements, each -> each.claim().row());
    boolean beside =
        settlements.stream().anyMatch(each -> each.claim().concurrency() != Concurrency.FORBID);
    return ask(
        beside ? Sql.SETTLE_BESIDE : Sql.SETTLE,
        values ->
            values
                .session(session)
                .texts(settlements, each -> each.end().outcome())
                .integers(settlements, each -> each.end().exitCode())
                .longs(settlements, each -> each.end().beganMillis())
                .texts(settlements, each -> each.end().reason())
                .texts(settlements, each -> each.end().output())
                .longs(settlements, Settlement::retryAtMillis)
                .texts(settlements, each -> each.claim().concurrency().name())
                .runs(settlements.stream().map(Settlement::claim).toList())
                .add(session.node()),
        rows -> settled(rows, session));
  }

  @Override
  public Settled restore(NodeSession session, List<Claim> runs) throws IOException {
    RowKey.requireDistinct(runs, Claim::row);
    return ask(
        Sql.RESTORE,
        values -> values.session(session).texts(runs, Claim::note).runs(runs).add(session.node()),
        rows -> settled(rows, session));
  }

  private static Settled settled(ResultSet rows, NodeSession session) throws SQLException {
    Standing standing = standing(rows, session);
    Array runs = rows.getArray(Rows.STANDING + 1);
    return new Settled(standing, runs == null ? List.of() : List.of((String[]) runs.getArray()));
  }

  @Override
  public Standing lose(NodeSession session, UUID node, long renewal) throws IOException {
    return ask(
        Sql.LOSE,
        values -> values.session(session).add(node).add(renewal).add(session.node()),
        rows -> standing(rows, session));
  }

  @Override
  public long raise(long from, long fleetMillis, long pauseMillis) throws IOException {
    return link.transaction(
        connection ->
            ask(
                connection,
                Sql.RAISE,
                values -> values.add(from).add(fleetMillis).add(pauseMillis),
                rows -> {
                  requireRow(rows);
                  return rows.getLong(1);
                }));
  }

  @Override
  public boolean request(FleetRequest request) throws IOException {
    return link.each(connection -> RequestStatements.perform(connection, request));
  }

  @Override
  public int prune(long olderThanMillis, int most) throws IOException {
    return link.each(
        connection -> {
          try (PreparedStatement statement = connection.prepareStatement(Sql.PRUNE)) {
            new Parameters(connection, statement)
                .add(olderThanMillis)
                .add(olderThanMillis)
                .add(olderThanMillis)
                .add(most);
            return statement.executeUpdate();
          }
        });
  }

  @Override
  public void close() {
    link.close();
    renewals.close();
  }
}
