package dev.kron.simulation.fleet;

import dev.kron.fleet.FleetJob;
import dev.kron.fleet.MemoryDatabase;
import dev.kron.fleet.MemoryTables;
import dev.kron.simulation.Trace;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.SplittableRandom;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Machines, the network and a database, in one thread, on a time of their own. What happens next
 * depends on nothing but the seed.
 */
final class FleetWorld {
  static final long MILLI = 1_000_000L;
  static final long SECOND = 1000 * MILLI;

  /** The database's clock at the beginning: 2027-01-15T08:00:00Z. */
  private static final long BEGIN_MILLIS = 1_800_000_000_000L;

  /** More than any history needs; without it a bug could keep one busy for ever. */
  private static final int MOST_EVENTS = 400_000;

  private static final long BACKUP_NANOS = 400 * MILLI;
  private static final long KEPT_NANOS = 10 * SECOND;

  final Trace trace;
  final FleetWitness witness;
  final RowLocks locks = new RowLocks(this);
  final MemoryDatabase database = new MemoryDatabase(this::asOfMillis);
  final List<FleetMachine> machines = new ArrayList<>();
  final Conditions conditions = new Conditions();
  private final PriorityQueue<Event> events = new PriorityQueue<>();
  private final Deque<Backup> backups = new ArrayDeque<>();
  private final Map<JobKey, FleetJob> jobs = new HashMap<>();
  private SplittableRandom luck = new SplittableRandom(0);
  private long nanos;
  private long order;
  private int happened;
  private int ids;
  private long shiftMillis;
  private @Nullable Long asOfMillis;
  private long awayUntil;
  private int server;

  /** The troubles of statements and starts, until somebody says otherwise. */
  static final class Conditions {
    double lost;
    double slow;
    double slowCommits;
    double slowStarts;

    void heal() {
      lost = 0;
      slow = 0;
      slowCommits = 0;
      slowStarts = 0;
    }
  }

  private record JobKey(FleetEntry entry, UUID node, String name) {}

  private record Backup(long nanos, long millis, MemoryTables tables) {}

  private record Event(long at, long order, Runnable what) implements Comparable<Event> {
    @Override
    public int compareTo(Event other) {
      return at != other.at ? Long.compare(at, other.at) : Long.compare(order, other.order);
    }
  }

  FleetWorld(Trace trace) {
    this.trace = trace;
    this.witness = new FleetWitness(this);
    trace.times(
        () ->
            String.format(
                Locale.ROOT, "%10.3f %s", nanos / 1e9, Instant.ofEpochMilli(clockMillis())));
  }

  void luck(long seed) {
    luck = new SplittableRandom(seed);
  }

  long nanos() {
    return nanos;
  }

  /** The database's clock. */
  long clockMillis() {
    return BEGIN_MILLIS + nanos / MILLI + shiftMillis;
  }

  /** The database's clock as the statement that is being executed sees it. */
  private long asOfMillis() {
    Long then = asOfMillis;
    return then == null ? clockMillis() : then;
  }

  /** A task is done in the database as of an earlier moment. */
  void asOf(long millis, Runnable what) {
    asOfMillis = millis;
    try {
      what.run();
    } finally {
      asOfMillis = null;
    }
  }

  UUID uuid() {
    return new UUID(luck.nextLong(), luck.nextLong());
  }

  String runId() {
    return "r" + ids++;
  }

  boolean happens(double probability) {
    return probability > 0 && luck.nextDouble() < probability;
  }

  long between(long least, long most) {
    return least + luck.nextLong(most - least);
  }

  void after(long delayNanos, Runnable what) {
    at(nanos + delayNanos, what);
  }

  void at(long whenNanos, Runnable what) {
    events.add(new Event(Math.max(whenNanos, nanos), order++, what));
  }

  /** Lets time pass. */
  void pass(long untilNanos) {
    while (!events.isEmpty() && events.peek().at() <= untilNanos) {
      Event event = events.poll();
      nanos = event.at();
      if (++happened > MOST_EVENTS) {
        throw new IllegalStateException("it never comes to rest");
      }
      event.what().run();
    }
    nanos = Math.max(nanos, untilNanos);
  }

  /** A copy of the database is kept now and then, for failovers to come. */
  void keepBackups() {
    backups.addLast(new Backup(nanos, clockMillis(), database.backup()));
    while (nanos - backups.getFirst().nanos() > KEPT_NANOS) {
      backups.removeFirst();
    }
    after(BACKUP_NANOS, this::keepBackups);
  }

  /** One row of a krontab, for a node: read once. */
  FleetJob job(FleetEntry entry, UUID node, String name) {
    return jobs.computeIfAbsent(
        new JobKey(entry, node, name),
        _ -> {
          FleetJob job = FleetJob.of(entry.spec(), node, name);
          witness.defined(job.definition(), entry);
          return job;
        });
  }

  void shiftClock(long byMillis) {
    trace.say(() -> "the database's clock jumps by " + byMillis + " ms");
    shiftMillis += byMillis;
    witness.clockShifted(byMillis);
  }

  boolean isAway() {
    return nanos < awayUntil;
  }

  /** The database cannot be reached for a while. */
  void away(long forNanos) {
    awayUntil = Math.max(awayUntil, nanos + forNanos);
    newServer();
  }

  /** The database is there, as far as it itself goes. */
  void back() {
    awayUntil = Math.min(awayUntil, nanos);
  }

  /** Which server the database is: what is on its way to an earlier one gets lost. */
  int server() {
    return server;
  }

  private void newServer() {
    server++;
    locks.clear();
    machines.forEach(machine -> machine.wire().broken());
  }

  /** A standby takes over that has not heard of the last moments. */
  void failover(long lostNanos) {
    Backup found = null;
    for (Backup backup : backups) {
      if (found == null || backup.nanos() <= nanos - lostNanos) {
        found = backup;
      }
    }
    if (found == null) {
      return;
    }
    Backup to = found;
    trace.say(() -> "the database goes back by " + (nanos - to.nanos()) / MILLI + " ms");
    database.restore(to.tables());
    witness.wentBack(to.nanos());
    backups.clear();
    newServer();
  }
}
