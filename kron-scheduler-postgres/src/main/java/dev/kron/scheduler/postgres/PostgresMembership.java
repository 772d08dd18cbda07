package dev.kron.scheduler.postgres;

import dev.kron.cluster.DatabaseClock;
import dev.kron.cluster.Lease;
import dev.kron.cluster.Link;
import dev.kron.cluster.Renewals;
import dev.kron.cluster.Watch;
import dev.kron.scheduler.SharedTaskStore.Joined;
import dev.kron.scheduler.SharedTaskStore.Member;
import dev.kron.scheduler.SharedTaskStore.Membership;
import dev.kron.scheduler.SharedTaskStore.Row;
import dev.kron.scheduler.TaskConfiguration;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** One instance's part in the tables: a connection for tasks, one for the lease. */
final class PostgresMembership implements Membership {
  private static final String STATEMENT_TIMEOUT = "57014";

  private final Tables tables;
  private final Member member;
  private final List<TaskConfiguration> tasks;
  private final DatabaseClock clock;
  private final Link link;
  private final Link leaseLink;
  private final Lease lease;
  private final Watch watch;
  private Joined joined = new Joined(0, 0, 0, 0);
  private @Nullable Renewals renewals;
  private long horizon;

  /** The transactions since the horizon in which this instance changed rows, and knows which. */
  private final Set<Long> own = new HashSet<>();

  /** Whether the last look was at more than the database could tell in time. */
  private boolean behind;

  private PostgresMembership(
      Tables tables,
      DataSource source,
      Member member,
      List<TaskConfiguration> tasks,
      DatabaseClock clock) {
    this.tables = tables;
    this.member = member;
    this.tasks = List.copyOf(tasks);
    this.clock = clock;
    link = new Link(source);
    leaseLink = new Link(source);
    lease = new Lease(tables.terms());
    watch = new Watch(tables.terms());
  }

  static Membership join(
      Tables tables,
      DataSource source,
      Member member,
      List<TaskConfiguration> tasks,
      DatabaseClock clock)
      throws IOException {
    PostgresMembership membership = new PostgresMembership(tables, source, member, tasks, clock);
    try {
      membership.joined =
          membership.link.transaction(connection -> tables.join(connection, member, tasks));
      // Joining may have waited for others longer than a lease lasts: the lease begins here.
      long sentNanos = System.nanoTime();
      membership.renew();
      membership.lease.confirmed(sentNanos);
      membership.renewals =
          Renewals.of(
              tables.terms(),
              membership.lease,
              membership::renew,
              member.whenLapsed(),
              member.schedulerName() + "-lease");
      return membership;
    } catch (Throwable failed) {
      membership.release();
      throw failed;
    }
  }

  private void renew() throws IOException {
    long sentNanos = System.nanoTime();
    Long databaseMillis = leaseLink.each(connection -> tables.renew(connection, member));
    if (databaseMillis == null) {
      leaseLink.transaction(
          connection -> {
            tables.rejoin(connection, member, tasks);
            return true;
          });
    } else {
      clock.measured(sentNanos, System.nanoTime(), databaseMillis);
    }
  }

  @Override
  public Joined joined() {
    return joined;
  }

  @Override
  public List<Row> changes() throws IOException {
    // A look at everything, or at more than could be read in time, may take its time.
    boolean much = horizon == 0 || behind;
    try {
      List<Row> rows = ask(much, this::changes);
      behind = false;
      return rows;
    } catch (IOException failed) {
      behind =
          failed.getCause() instanceof SQLException said
              && STATEMENT_TIMEOUT.equals(said.getSQLState());
      throw failed;
    }
  }

  /** After a failure there may be another server, where others have had these transactions. */
  private <T> T ask(boolean much, Link.Work<T> work) throws IOException {
    boolean answered = false;
    try {
      T answer = much ? link.transaction(work) : link.each(work);
      answered = true;
      return answer;
    } finally {
      if (!answered) {
        own.clear();
      }
    }
  }

  private List<Row> changes(Connection connection) throws SQLException {
    Tables.Sighting seen = tables.instances(connection, member);
    watch.saw(seen.instances(), System.nanoTime());
    if (seen.horizon() < horizon && !seen.instances().isEmpty()) {
      horizon = 0; // the database went back to an earlier state
      own.clear();
    }
    List<Row> rows = tables.changes(connection, member, horizon, own);
    if (!seen.instances().isEmpty()) {
      horizon = seen.horizon();
      own.removeIf(before -> before < seen.horizon());
    }
    return rows;
  }

  @Override
  public List<Row> look(Collection<String> taskNames) throws IOException {
    return ask(false, connection -> tables.look(connection, member, taskNames));
  }

  @Override
  public Map<String, Long> replace(Collection<Row> rows) throws IOException {
    List<Row> wanted = List.copyOf(rows);
    Tables.Replaced replaced = ask(false, connection -> tables.replace(connection, member, wanted));
    if (!replaced.versions().isEmpty()) {
      own.add(replaced.by());
    }
    return replaced.versions();
  }

  @Override
  public boolean gone(String identifier) {
    return watch.gone(identifier);
  }

  @Override
  public boolean mayStart() {
    return lease.held(System.nanoTime());
  }

  @Override
  public void close() throws IOException {
    Renewals running = renewals;
    if (running != null) {
      running.close();
    }
    try {
      link.each(
          connection -> {
            tables.leave(connection, member);
            return true;
          });
    } finally {
      release();
    }
  }

  private void release() {
    link.close();
    leaseLink.close();
  }
}
