package dev.kron.scheduler.testkit;

import dev.kron.cluster.Lease;
import dev.kron.cluster.Watch;
import dev.kron.scheduler.SharedTaskStore;
import dev.kron.scheduler.TaskConfiguration;
import java.io.IOException;
import java.time.Clock;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** One instance's way to the simulated tables, which can be cut, and its lease. */
final class SimulatedMembership implements SharedTaskStore, SharedTaskStore.Membership {
  private final SimulatedTables tables;
  private final ManualClock clock;
  private final Lease lease;
  private final Watch watch;
  private @Nullable Member member;
  private List<TaskConfiguration> tasks = List.of();
  private Joined joined = new Joined(0, 0, 0, 0);
  private long seen;
  private long renewAtMillis = Long.MAX_VALUE;
  private boolean lapsed;
  private boolean cut;
  private boolean nextAnswerIsLost;

  SimulatedMembership(SimulatedTables tables, ManualClock clock) {
    this.tables = tables;
    this.clock = clock;
    lease = new Lease(tables.terms());
    watch = new Watch(tables.terms());
  }

  void cut(boolean off) {
    cut = off;
  }

  /** The next write is made, and the answer does not arrive. */
  void loseNextAnswer() {
    nextAnswerIsLost = true;
  }

  private long nanos() {
    return TimeUnit.MILLISECONDS.toNanos(clock.elapsedMillis());
  }

  private void reach() throws IOException {
    if (cut) {
      throw new IOException("the database does not answer");
    }
  }

  private String identifier() {
    Member known = member;
    return known == null ? "" : known.identifier();
  }

  @Override
  public Clock clock() {
    return clock;
  }

  @Override
  public Membership join(Member joining, List<TaskConfiguration> registered) throws IOException {
    reach();
    joined = tables.join(joining.identifier(), registered);
    member = joining;
    tasks = registered;
    seen = 0;
    lapsed = false;
    lease.confirmed(nanos());
    renewAtMillis = clock.elapsedMillis() + tables.terms().renewal().toMillis();
    return this;
  }

  /** When there is something to do for the lease, in time that passes. */
  long nextElapsedMillis() {
    if (member == null) {
      return Long.MAX_VALUE;
    }
    long lapse =
        lapsed
            ? Long.MAX_VALUE
            : clock.elapsedMillis() + (Math.max(0, lease.nanosLeft(nanos())) + 999_999) / 1_000_000;
    return Math.min(renewAtMillis, lapse);
  }

  /** The lease is renewed, or found to be over, if it is time. */
  void tick() {
    Member known = member;
    if (known == null) {
      return;
    }
    if (renewAtMillis <= clock.elapsedMillis()) {
      renewAtMillis = clock.elapsedMillis() + tables.terms().renewal().toMillis();
      // A process that was frozen sees first how late it is.
      if (!cut && lease.held(nanos())) {
        renew();
      }
    }
    if (!lapsed && !lease.held(nanos())) {
      lapsed = true;
      known.whenLapsed().run();
    } else if (lapsed && !cut) {
      renew();
    }
  }

  private void renew() {
    tables.renew(identifier(), tasks);
    lease.confirmed(nanos());
    lapsed = false;
  }

  @Override
  public Joined joined() {
    return joined;
  }

  @Override
  public List<Row> changes() throws IOException {
    reach();
    watch.saw(tables.instances(), nanos());
    List<Row> rows = tables.changesAfter(seen);
    seen = tables.lastChange();
    return rows;
  }

  @Override
  public List<Row> look(Collection<String> taskNames) throws IOException {
    reach();
    return tables.look(taskNames);
  }

  @Override
  public Map<String, Long> replace(Collection<Row> rows) throws IOException {
    reach();
    Map<String, Long> versions = tables.replace(identifier(), rows);
    if (nextAnswerIsLost) {
      nextAnswerIsLost = false;
      throw new IOException("the answer was lost");
    }
    return versions;
  }

  @Override
  public boolean gone(String identifier) {
    return watch.gone(identifier);
  }

  @Override
  public boolean mayStart() {
    return lease.held(nanos());
  }

  @Override
  public void close() {
    if (!cut) {
      tables.leave(identifier());
    }
    member = null;
  }
}
