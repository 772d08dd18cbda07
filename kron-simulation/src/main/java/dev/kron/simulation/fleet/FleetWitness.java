package dev.kron.simulation.fleet;

import static dev.kron.simulation.fleet.FleetWorld.MILLI;
import static dev.kron.simulation.fleet.FleetWorld.SECOND;

import dev.kron.fleet.Claim;
import dev.kron.fleet.Claim.Kind;
import dev.kron.fleet.RowKey;
import dev.kron.job.FleetRules.Loss;
import dev.kron.simulation.Invariant;
import dev.kron.simulation.Timetable;
import dev.kron.simulation.Violation;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Watches what is committed and what is executed, anywhere in the fleet, and keeps for itself what
 * operators asked for. It works periods and seconds out by itself and asks no node anything.
 */
final class FleetWitness {
  /** Turns, ways, locks and repetitions of a claim; and all that a clock may have jumped. */
  private static final long SLACK_MILLIS = 20_000;

  private static final long RERUN_FENCE = 40 * SECOND;
  private static final long JUMP_MATTERS = 60 * SECOND;

  private final FleetWorld world;
  private final Map<String, FleetEntry> definitions = new HashMap<>();
  private final Map<String, Timetable> timetables = new HashMap<>();
  private final Map<String, Commit> commits = new HashMap<>();
  private final Map<Attempt, FleetExecution> attempts = new HashMap<>();
  private final Map<RowKey, List<FleetExecution>> byRow = new HashMap<>();
  private final List<FleetExecution> executions = new ArrayList<>();
  private final FleetOrders orders;
  private final Set<UUID> removed = new HashSet<>();

  /**
   * What each machine is called as a node: one that is adopted has sent statements under another
   * name, and a copy of it is the same node under its own.
   */
  private final Map<Named, String> names = new HashMap<>();

  private long highestMillis;
  private long jumpedAt = Long.MIN_VALUE / 2;

  /** A claim that the database has confirmed, whoever heard of it. */
  record Commit(Claim claim, UUID node, long nanos, long millis) {}

  private record Named(FleetMachine machine, UUID node) {}

  private record Attempt(RowKey row, long nominal, int attempt) {}

  FleetWitness(FleetWorld world) {
    this.world = world;
    this.orders = new FleetOrders(this);
  }

  long clockMillis() {
    return world.clockMillis();
  }

  FleetOrders orders() {
    return orders;
  }

  List<FleetExecution> executions() {
    return executions;
  }

  List<FleetExecution> of(RowKey row) {
    return byRow.getOrDefault(row, List.of());
  }

  Map<String, Commit> commits() {
    return commits;
  }

  Violation broken(Invariant invariant, String what) {
    return new Violation(invariant, what);
  }

  /** A definition that some node's files have. */
  void defined(String definition, FleetEntry entry) {
    definitions.put(entry.identity() + "\n" + definition, entry);
  }

  FleetEntry entry(Claim claim) {
    return definition(claim.row().identity(), claim.terms().definition());
  }

  FleetEntry definition(String identity, String hash) {
    FleetEntry entry = definitions.get(identity + "\n" + hash);
    if (entry == null) {
      throw new IllegalStateException("nobody's definition: " + hash);
    }
    return entry;
  }

  Timetable timetable(FleetEntry entry, String nodeName) {
    return timetables.computeIfAbsent(
        entry.seed(nodeName) + "\n" + entry.schedule(),
        _ -> new Timetable(entry.seed(nodeName), entry.schedule()));
  }

  void clockShifted(long byMillis) {
    highestMillis = Math.max(highestMillis, world.clockMillis() - byMillis);
    if (byMillis > 0) {
      jumpedAt = world.nanos();
    }
  }

  void removed(UUID node) {
    removed.add(node);
    for (FleetExecution execution : executions) {
      execution.released |= execution.node.equals(node);
    }
  }

  /** The database knows nothing of what came after a moment. */
  void wentBack(long nanos) {
    orders.wentBack(nanos);
    jumpedAt = world.nanos(); // so that nothing is said of reruns for a while
  }

  /** A machine is this node from now on. */
  void named(FleetMachine machine, UUID node, String name) {
    names.put(new Named(machine, node), name);
  }

  /** A claim was taken, now or by an earlier try. */
  void committed(UUID node, Claim claim, FleetMachine by) {
    if (commits.containsKey(claim.run())) {
      return;
    }
    String name = names.getOrDefault(new Named(by, node), by.name());
    world.trace.say(
        () ->
            "taken by "
                + name
                + ": "
                + claim.run()
                + " "
                + claim.kind()
                + " of "
                + claim.row().identity()
                + " "
                + claim.period().nominal());
    long millis = world.clockMillis();
    highestMillis = Math.max(highestMillis, millis);
    commits.put(claim.run(), new Commit(claim, node, world.nanos(), millis));
    FleetEntry entry = entry(claim);
    if (removed.contains(node)) {
      throw broken(Invariant.FLEET_REQUESTS, "a node that was removed claims: " + claim);
    }
    if (!entry.isMeantFor(by.labels())) {
      throw broken(Invariant.FLEET_PLACES, name + " is not meant: " + claim);
    }
    orders.committed(claim, name);
    if (claim.kind().handlesPeriod()) {
      judge(claim, timetable(entry, name), entry, millis);
    }
  }

  private void judge(Claim claim, Timetable timetable, FleetEntry entry, long millis) {
    long nominal = claim.period().nominal();
    if (!timetable.has(nominal)) {
      throw broken(Invariant.FLEET_PERIODS_ARE_TRUE, "the schedule has no such period: " + claim);
    }
    long due = timetable.period(nominal).due() * 1000;
    if (highestMillis < due) {
      throw broken(Invariant.FLEET_PERIODS_ARE_TRUE, "it is not due yet: " + claim);
    }
    // Where a run is to be replaced, the node that has it decides, and all others wait for that.
    long waited = entry.replaces() ? heldMillis(claim.row()) : 0;
    long late = millis - due;
    if (claim.kind() == Kind.MISSED && late <= entry.deadlineSeconds() * 1000L - 1000) {
      throw broken(
          Invariant.FLEET_DEADLINE, "missed only " + late + " ms after it was due: " + claim);
    }
    if (claim.kind() != Kind.START) {
      return;
    }
    if (late - waited > entry.deadlineSeconds() * 1000L + SLACK_MILLIS) {
      throw broken(Invariant.FLEET_DEADLINE, "claimed " + late + " ms after it was due: " + claim);
    }
    long next = timetable.after(nominal, nominal + 600);
    long since = millis - timetable.period(next).due() * 1000;
    if (since > SLACK_MILLIS) {
      throw broken(
          Invariant.FLEET_NO_BURST,
          "the next period was due " + since + " ms before this one was claimed: " + claim);
    }
  }

  /** For how long a run of this row that ended a moment ago, or goes on, has held it. */
  private long heldMillis(RowKey row) {
    return of(row).stream()
        .filter(each -> each.goesOn() || world.nanos() - each.to < SLACK_MILLIS * MILLI)
        .mapToLong(each -> (world.nanos() - each.from) / MILLI)
        .max()
        .orElse(0);
  }

  /** A command begins. */
  void begins(FleetExecution execution) {
    world.trace.say(() -> "begins: " + execution);
    Claim claim = execution.claim;
    Commit commit = commits.get(claim.run());
    if (commit == null || !commit.node().equals(execution.node)) {
      throw broken(
          Invariant.FLEET_COMMITTED_BEFORE_DONE,
          "begins without a claim of its node: " + execution);
    }
    once(execution);
    List<FleetExecution> row = byRow.computeIfAbsent(claim.row(), _ -> new ArrayList<>());
    for (FleetExecution other : row) {
      if (other.goesOn() && execution.entry.forbids()) {
        overlaps(execution, other);
      }
    }
    if (claim.kind() == Kind.RETRY) {
      retries(execution);
    }
    if (claim.kind() == Kind.RERUN && execution.entry.loss() != Loss.RERUN) {
      throw broken(Invariant.FLEET_RETRIES, "is not to be run again: " + execution);
    }
    row.add(execution);
    executions.add(execution);
  }

  private void once(FleetExecution execution) {
    Claim claim = execution.claim;
    // What has no period of its own is known by what caused it.
    var attempt =
        claim.kind().hasPeriod()
            ? new Attempt(claim.row(), claim.period().nominal(), claim.period().attempt())
            : new Attempt(RowKey.shared(claim.note()), 0, 0);
    FleetExecution before = attempts.put(attempt, execution);
    if (before != null) {
      throw broken(Invariant.FLEET_AT_MOST_ONCE, before + " began, and " + execution);
    }
  }

  private void overlaps(FleetExecution execution, FleetExecution other) {
    if (other.released || other.machine.isDoubtful() || execution.machine.isDoubtful()) {
      return;
    }
    // Which of the two may be beside the other, the policy says under which the later was claimed.
    if (isClaimedAfter(other.claim, execution.claim) && !other.entry.forbids()) {
      return;
    }
    if (execution.entry.loss() == Loss.RERUN) {
      // Whoever is adopted is another node, which knows nothing of what began before.
      boolean lived =
          other.machine.wasThereSince(world.nanos() - RERUN_FENCE)
              && other.machine.disk().node.equals(other.node);
      if (!lived || world.nanos() - jumpedAt < JUMP_MATTERS) {
        return;
      }
    }
    throw broken(Invariant.FLEET_NO_OVERLAP, other + " goes on, and " + execution + " begins");
  }

  /** Whether one claim was confirmed after another. */
  boolean isClaimedAfter(Claim one, Claim other) {
    Commit first = commits.get(other.run());
    Commit second = commits.get(one.run());
    return first != null && second != null && second.nanos() > first.nanos();
  }

  private void retries(FleetExecution execution) {
    Claim claim = execution.claim;
    int number = claim.period().attempt();
    @Nullable FleetExecution before =
        attempts.get(new Attempt(claim.row(), claim.period().nominal(), number - 1));
    if (before == null || !"failed".equals(before.outcome)) {
      throw broken(Invariant.FLEET_RETRIES, "nothing failed before " + execution);
    }
    long waited = execution.from - before.to;
    if (waited < FleetEntry.RETRY_MILLIS * MILLI - SECOND
        && world.nanos() - jumpedAt > JUMP_MATTERS) {
      throw broken(Invariant.FLEET_RETRIES, waited / MILLI + " ms after a failure: " + execution);
    }
    int most = 1 + execution.entry.retries() + (execution.entry.loss() == Loss.RERUN ? 1 : 0);
    if (number > most) {
      throw broken(Invariant.FLEET_RETRIES, "an attempt too many: " + execution);
    }
  }

  void ended(FleetExecution execution, String outcome) {
    world.trace.say(() -> "ends with " + outcome + ": " + execution);
    execution.to = world.nanos();
    execution.outcome = outcome;
  }
}
