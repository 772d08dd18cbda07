package dev.kron.fleet.postgres;

import dev.kron.fleet.Claim;
import dev.kron.fleet.NodeSession;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Collection;
import java.util.List;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The parameters of a statement, one after the other; lists travel as arrays. */
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
    return array("text", values.toArray());
  }

  <T> Parameters texts(List<T> of, Function<T, String> part) throws SQLException {
    return array("text", of.stream().map(part).toArray());
  }

  <T> Parameters nodes(List<T> of, Function<T, UUID> part) throws SQLException {
    return array("uuid", of.stream().map(part).toArray());
  }

  <T> Parameters longs(List<T> of, Function<T, @Nullable Long> part) throws SQLException {
    return array("bigint", of.stream().map(part).toArray());
  }

  <T> Parameters integers(List<T> of, Function<T, @Nullable Integer> part) throws SQLException {
    return array("integer", of.stream().map(part).toArray());
  }

  /** The thirteen columns of claims. */
  Parameters claims(List<Claim> claims) throws SQLException {
    return texts(claims, claim -> claim.row().identity())
        .nodes(claims, claim -> claim.row().node())
        .texts(claims, Claim::run)
        .texts(claims, claim -> claim.kind().name())
        .longs(claims, claim -> claim.period().nominal())
        .integers(claims, claim -> claim.period().attempt())
        .longs(claims, claim -> claim.period().windowStartMillis())
        .longs(claims, claim -> claim.period().dueMillis())
        .texts(claims, claim -> claim.terms().definition())
        .longs(claims, claim -> claim.terms().generation())
        .longs(claims, claim -> claim.terms().latestMillis())
        .texts(claims, claim -> claim.concurrency().name())
        .texts(claims, Claim::note);
  }

  private Parameters array(String type, @Nullable Object[] values) throws SQLException {
    statement.setArray(++number, connection.createArrayOf(type, values));
    return this;
  }
}
