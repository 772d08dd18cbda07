package dev.kron.simulation.fleet;

import static dev.kron.simulation.fleet.FleetWorld.MILLI;
import static dev.kron.simulation.fleet.FleetWorld.SECOND;

import dev.kron.fleet.JobRow;
import dev.kron.fleet.RowKey;
import dev.kron.job.FleetRules.Loss;
import dev.kron.simulation.Invariant;
import dev.kron.simulation.Timetable;
import dev.kron.simulation.Timetable.Period;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Judges what came of a fleet when all faults had stopped: that everything due ran, and is told.
 */
final class FleetAftermath {
  /**
   * Within which a period begins after it is due: the turns of those who are not there, and ways.
   */
  private static final long TAKEOVER_MILLIS = 5_000;

  /** The same where everybody is there, so that the first two of the ranking are. */
  private static final long FIRST_TURN_MILLIS = 1_500;

  private static final long LAST_MOMENTS = 12 * SECOND;
  private static final long ENDS_TRAVEL = 2 * SECOND;

  private final FleetWorld world;
  private final FleetWitness witness;
  private final List<FleetEntry> latest;
  private final boolean rolledOut;
  private final long from;
  private @Nullable FleetEntry triggered;
  private String request = "";
  private long triggeredAt;

  /** A job as it is in force, where somebody can run it. */
  private record InForce(FleetEntry entry, RowKey row, String nodeName) {}

  FleetAftermath(FleetWorld world, List<FleetEntry> latest, boolean rolledOut) {
    this.world = world;
    this.witness = world.witness;
    this.latest = latest;
    this.rolledOut = rolledOut;
    this.from = world.nanos();
  }

  /** An operator asked for a run. */
  void triggered(FleetEntry entry, String id) {
    triggered = entry;
    request = id;
    triggeredAt = world.nanos();
  }

  void judge() {
    results();
    for (FleetEntry entry : latest) {
      FleetEntry present = inForce(entry);
      if (present != null && !witness.orders().isSuspended(entry.identity())) {
        rows(present).forEach(this::ran);
        retried(present);
        if (entry.equals(triggered)) {
          ranOnRequest(present);
        }
      }
    }
  }

  private static String text(FleetEntry entry) {
    return entry.identity();
  }

  /** The definition that the database calls that of the fleet; null: nobody has the job. */
  private @Nullable FleetEntry inForce(FleetEntry entry) {
    JobRow row = FleetHistory.look(world, RowKey.shared(entry.identity()));
    List<FleetMachine> there = world.machines.stream().filter(FleetMachine::isIn).toList();
    if (there.isEmpty()) {
      return null;
    }
    if (row == null) {
      throw witness.broken(Invariant.FLEET_WHAT_IS_DUE_RUNS, text(entry) + " has no row");
    }
    FleetEntry present = witness.definition(entry.identity(), row.definition());
    // Whoever is not meant asks for nothing, and looks at what is in force once in ten minutes.
    if (there.stream().noneMatch(each -> isMeant(each, entry))) {
      return present;
    }
    if (there.stream().noneMatch(each -> present.equals(each.files().get(entry.name())))) {
      throw witness.broken(
          Invariant.FLEET_WHAT_IS_DUE_RUNS, "what nobody has is in force: " + present);
    }
    if (rolledOut && !present.equals(entry)) {
      throw witness.broken(
          Invariant.FLEET_WHAT_IS_DUE_RUNS, "all have " + entry + ", in force is " + present);
    }
    return present;
  }

  private static boolean isMeant(FleetMachine machine, FleetEntry entry) {
    FleetEntry own = machine.files().get(entry.name());
    return own != null && own.isMeantFor(machine.labels());
  }

  private List<FleetMachine> capable(FleetEntry entry) {
    return world.machines.stream()
        .filter(FleetMachine::isIn)
        .filter(each -> entry.equals(each.files().get(entry.name())))
        .filter(each -> entry.isMeantFor(each.labels()))
        .toList();
  }

  private List<InForce> rows(FleetEntry entry) {
    List<FleetMachine> capable = capable(entry);
    if (entry.on().all()) {
      return capable.stream()
          .map(
              each ->
                  new InForce(entry, new RowKey(entry.identity(), each.disk().node), each.name()))
          .toList();
    }
    return capable.isEmpty()
        ? List.of()
        : List.of(new InForce(entry, RowKey.shared(entry.identity()), ""));
  }

  private long millis(long nanos) {
    return world.clockMillis() - (world.nanos() - nanos) / MILLI;
  }

  private void ran(InForce job) {
    Timetable timetable = witness.timetable(job.entry(), job.nodeName());
    long first = millis(from) / 1000 + 1;
    long last = millis(world.nanos() - LAST_MOMENTS) / 1000;
    for (long nominal = timetable.after(first - timetable.reach(), last + 60);
        nominal <= last + 60;
        nominal = timetable.after(nominal, last + 60)) {
      Period period = timetable.period(nominal);
      if (period.due() >= first && period.due() <= last && !isHeld(job)) {
        ran(job, period);
      }
    }
  }

  private void ran(InForce job, Period period) {
    for (FleetExecution each : witness.of(job.row())) {
      if (each.claim.kind().hasPeriod() && each.claim.period().nominal() == period.nominal()) {
        long late = millis(each.from) - period.due() * 1000;
        if (each.claim.period().attempt() == 1 && late > bound() && !isBusy(job, period)) {
          throw witness.broken(
              Invariant.FLEET_WHAT_IS_DUE_RUNS, each + " began " + late + " ms after it was due");
        }
        return;
      }
    }
    if (!isBusy(job, period)) {
      throw witness.broken(
          Invariant.FLEET_WHAT_IS_DUE_RUNS,
          job.row() + " was due at " + period.id() + " (" + period.due() + ") and did not run");
    }
  }

  private long bound() {
    boolean allThere = world.machines.stream().allMatch(each -> each.isIn() && !each.isDoubtful());
    return allThere && rolledOut ? FIRST_TURN_MILLIS : TAKEOVER_MILLIS;
  }

  /** Whether another run goes on when a period is due, and the policy allows no second one. */
  private boolean isBusy(InForce job, Period period) {
    return job.entry().forbids()
        && witness.of(job.row()).stream()
            .anyMatch(
                each ->
                    millis(each.from) <= period.due() * 1000 + TAKEOVER_MILLIS
                        && (each.goesOn()
                            || millis(each.to) >= period.due() * 1000 - ENDS_TRAVEL / MILLI));
  }

  /** Whether a run holds the job whose node is not there any more, and which nobody may repeat. */
  private boolean isHeld(InForce job) {
    JobRow row = FleetHistory.look(world, job.row());
    JobRow.Active active = row == null ? null : row.active();
    return job.entry().forbids()
        && active != null
        && isGone(active.node())
        && (active.rerunAtMillis() == null || job.entry().loss() == Loss.SKIP);
  }

  private boolean isGone(UUID node) {
    return world.machines.stream().noneMatch(each -> each.isIn() && each.disk().node.equals(node));
  }

  private void retried(FleetEntry entry) {
    for (FleetExecution each : witness.executions()) {
      int attempt = each.claim.period().attempt();
      if (each.entry.equals(entry)
          && "failed".equals(each.outcome)
          && each.from >= from
          && each.claim.kind().hasPeriod()
          && attempt <= entry.retries()) {
        long wait = (FleetEntry.RETRY_MILLIS << (attempt - 1)) * 5 / 4 + TAKEOVER_MILLIS;
        long until = each.to + wait * MILLI;
        if (until < world.nanos() - ENDS_TRAVEL && !isOvertaken(each, until)) {
          throw witness.broken(Invariant.FLEET_WHAT_IS_DUE_RUNS, "was not tried again: " + each);
        }
      }
    }
  }

  /** Whether a failed run was followed by any other, or by a period, so that nothing is owed. */
  private boolean isOvertaken(FleetExecution failed, long until) {
    Timetable timetable = witness.timetable(failed.entry, failed.machine.name());
    long nominal = failed.claim.period().nominal();
    long next = timetable.period(timetable.after(nominal, nominal + 600)).due();
    return next * 1000 <= millis(until)
        || capable(failed.entry).isEmpty()
        || isGone(failed.node)
        || witness.of(failed.row()).stream()
            .anyMatch(
                each ->
                    !each.equals(failed)
                        && (each.goesOn() || each.to > failed.to || each.from > failed.to));
  }

  private void ranOnRequest(FleetEntry entry) {
    boolean possible =
        rows(entry).stream()
            .anyMatch(
                job ->
                    !isHeld(job)
                        && witness.of(job.row()).stream()
                            .noneMatch(each -> each.goesOn() || each.to > triggeredAt));
    if (possible && !witness.orders().hasBegun(request)) {
      throw witness.broken(
          Invariant.FLEET_WHAT_IS_DUE_RUNS, entry.identity() + " was asked for and did not run");
    }
  }

  /** Results of runs: those that the present nodes have told, and those that they have not. */
  private void results() {
    var tables = world.database.backup();
    long told = world.nanos() - LAST_MOMENTS;
    Set<String> begun = new TreeSet<>();
    for (FleetExecution each : witness.executions()) {
      begun.add(each.claim.run());
      if (isGone(each.node)
          && world.machines.stream().anyMatch(FleetMachine::isIn)
          && "running null".equals(tables.told(each.claim.run()))) {
        throw witness.broken(
            Invariant.FLEET_RESULTS_ARE_TRUE,
            each + ": its node is gone, and nobody calls it lost");
      }
      boolean isBack = each.machine.isIn() && each.machine.disk().node.equals(each.node);
      if (!isBack || each.machine.isDoubtful() || each.released) {
        continue;
      }
      String record = Objects.requireNonNullElse(tables.told(each.claim.run()), "nothing");
      String expected = each.goesOn() ? "running null" : "ended " + each.outcome;
      boolean isOld = each.goesOn() ? each.from < told : each.to < told;
      if (isOld && !record.equals(expected)) {
        throw witness.broken(
            Invariant.FLEET_RESULTS_ARE_TRUE,
            each + ": the record says " + record + ", true is " + expected);
      }
    }
    for (FleetWitness.Commit commit : witness.commits().values()) {
      String run = commit.claim().run();
      String record = Objects.requireNonNullElse(tables.told(run), "nothing");
      boolean isOpen = record.startsWith("running") || record.startsWith("lost");
      if (isOpen && !begun.contains(run) && commit.nanos() < told && !isGone(commit.node())) {
        throw witness.broken(
            Invariant.FLEET_RESULTS_ARE_TRUE,
            commit.claim() + " never began, and the record says " + record);
      }
    }
  }
}
