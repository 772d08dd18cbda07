package dev.kron.fleet.postgres;

import dev.kron.fleet.Claim;
import dev.kron.fleet.NodeSession;
import dev.kron.fleet.RowKey;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Collection;
import java.util.List;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The parameters of a statement, one after the other; lists travel as arrays, and those of texts
 * and numbers as bytes, which the driver makes of arrays of the right type only.
 */
final class Parameters {
  private final Connection connection;
  private final PreparedStatement statement;
  private int number;

  Parameters(Connection connection, PreparedStatement statement) {
    this.connection = connection;
    this.statement = statement;
  }

  Parameters add(@Nullable Object value) throws SQLException {
    statement.setObject(++number, value);
    return this;
  }

  Parameters session(NodeSession session) throws SQLException {
    return add(session.node())
        .add(session.start().number())
        .add(session.start().token())
        .add(session.writes());
  }

  Parameters texts(Collection<String> values) throws SQLException {
    return array("text", values.toArray(String[]::new));
  }

  <T> Parameters texts(List<T> of, Function<T, String> part) throws SQLException {
    return array("text", each(of, part, new String[of.size()]));
  }

  <T> Parameters nodes(List<T> of, Function<T, @Nullable UUID> part) throws SQLException {
    return array("uuid", each(of, part, new UUID[of.size()]));
  }

  <T> Parameters longs(List<T> of, Function<T, @Nullable Long> part) throws SQLException {
    return array("bigint", each(of, part, new Long[of.size()]));
  }

  <T> Parameters integers(List<T> of, Function<T, @Nullable Integer> part) throws SQLException {
    return array("integer", each(of, part, new Integer[of.size()]));
  }

  private static <T, V extends @Nullable Object> V[] each(
      List<T> of, Function<T, V> part, V[] values) {
    for (int i = 0; i < values.length; i++) {
      values[i] = part.apply(of.get(i));
    }
    return values;
  }

  /**
   * What is to be known of runs, by {@link Sql}. The node that stands for all is left out: nodes
   * travel as texts.
   */
  Parameters runs(List<Claim> runs) throws SQLException {
    return texts(runs, run -> run.row().identity())
        .nodes(runs, run -> run.row().node().equals(RowKey.ANY) ? null : run.row().node())
        .texts(runs, Claim::run)
        .texts(runs, run -> run.kind().name())
        .longs(runs, run -> run.period().nominal())
        .integers(runs, run -> run.period().attempt())
        .longs(runs, run -> run.terms().generation());
  }

  /** The same of claims, with their conditions. */
  Parameters claims(List<Claim> claims) throws SQLException {
    return longs(claims, claim -> claim.period().windowStartMillis())
        .longs(claims, claim -> claim.period().dueMillis())
        .texts(claims, claim -> claim.terms().definition())
        .longs(claims, claim -> claim.terms().latestMillis())
        .texts(claims, claim -> claim.concurrency().name())
        .texts(claims, Claim::note)
        .runs(claims);
  }

  private Parameters array(String type, @Nullable Object[] values) throws SQLException {
    statement.setArray(++number, connection.createArrayOf(type, values));
    return this;
  }
}
