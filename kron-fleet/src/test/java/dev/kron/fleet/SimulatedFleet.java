package dev.kron.fleet;

import dev.kron.fleet.Answers.Joined;
import dev.kron.fleet.Statement.Answer;
import dev.kron.job.FleetRules;
import dev.kron.job.FleetRules.Loss;
import dev.kron.job.JobSpec;
import dev.kron.job.Placement;
import dev.kron.job.RetryPolicy;
import dev.kron.schedule.Policy.Concurrency;
import dev.kron.schedule.Schedule;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Three nodes and a database in one thread, by a seed: statements are lost before or after they are
 * executed, executed late, nodes are killed, stopped and cut off, the database goes back and its
 * clock jumps. What the commands did is written down as they themselves would.
 */
final class SimulatedFleet {
  static final long MILLI = 1_000_000L;
  static final long SECOND = 1000 * MILLI;
  static final long LEASE_MILLIS = 9000;

  final Random random;
  final List<Machine> machines = new ArrayList<>();
  final List<Execution> executions = new ArrayList<>();
  final List<String> trace = new ArrayList<>();
  final List<FleetJob> jobs = new ArrayList<>();
  final Map<String, FleetJob> byIdentity = new HashMap<>();
  private final MemoryDatabase database = new MemoryDatabase(this::databaseMillis);
  private final PriorityQueue<Event> events = new PriorityQueue<>();
  private final List<Backup> backups = new ArrayList<>();
  long nanos;
  private long clockShiftMillis;
  private long order;
  private int runs;
  boolean faults = true;

  private record Backup(long nanos, MemoryTables tables) {}

  private record Event(long at, long order, Runnable what) implements Comparable<Event> {
    @Override
    public int compareTo(Event other) {
      return at != other.at ? Long.compare(at, other.at) : Long.compare(order, other.order);
    }
  }

  /** A command that ran. */
  static final class Execution {
    final Claim claim;
    final String node;
    final long from;
    long to = Long.MAX_VALUE;

    Execution(Claim claim, String node, long from) {
      this.claim = claim;
      this.node = node;
      this.from = from;
    }

    String key() {
      return claim.row() + " " + claim.period().nominal() + " " + claim.period().attempt();
    }

    @Override
    public String toString() {
      return claim.run()
          + " "
          + key()
          + " on "
          + node
          + " from "
          + from / MILLI
          + " to "
          + to / MILLI;
    }
  }

  SimulatedFleet(long seed) {
    random = new Random(seed);
    for (int i = 1; i <= 3; i++) {
      machines.add(new Machine(i));
    }
    job("short", "* * * * *", 0, Placement.ANY, Loss.SKIP);
    job("chosen", "* * * * * @win(after,40s)", 0, Placement.ANY, Loss.SKIP);
    job("late", "* * * * * @policy(deadline=30s)", 0, Placement.ANY, Loss.SKIP);
    job("retried", "*/2 * * * *", 2, Placement.ANY, Loss.SKIP);
    job("allowed", "* * * * * @policy(concurrency=allow)", 0, Placement.ANY, Loss.SKIP);
    job("replaced", "* * * * * @policy(concurrency=replace)", 0, Placement.ANY, Loss.SKIP);
    job("rerun", "*/3 * * * *", 0, Placement.ANY, Loss.RERUN);
    job("labelled", "* * * * *", 0, new Placement("odd", false), Loss.SKIP);
    jobs.forEach(job -> byIdentity.put(job.row().identity(), job));
  }

  private void job(String name, String schedule, int retries, Placement on, Loss loss) {
    JobSpec spec =
        JobSpec.builder("/f", name, Schedule.parse(schedule), List.of("/bin/true"))
            .retry(new RetryPolicy(retries, 5000, 60_000, List.of(0)))
            .fleet(new FleetRules("f.kron", on, loss))
            .build();
    jobs.add(FleetJob.of(spec, RowKey.ANY, ""));
  }

  private FleetJob job(Claim claim) {
    return Objects.requireNonNull(byIdentity.get(claim.row().identity()), "job");
  }

  long databaseMillis() {
    return Fixture.BEGIN + nanos / MILLI + clockShiftMillis;
  }

  private void note(String what) {
    trace.add(nanos / MILLI + ": " + what);
  }

  private void after(long delayNanos, Runnable what) {
    events.add(new Event(nanos + delayNanos, order++, what));
  }

  private long between(long least, long most) {
    return least + (long) (random.nextDouble() * (most - least));
  }

  private boolean happens(double probability) {
    return faults && random.nextDouble() < probability;
  }

  /** Plays for a while. */
  void play(long seconds) {
    long end = nanos + seconds * SECOND;
    for (Machine machine : machines) {
      if (machine.daemon == null && machine.isOn) {
        machine.start();
      }
    }
    while (nanos < end) {
      long next = nanos + 50 * MILLI;
      while (!events.isEmpty() && events.peek().at() <= next) {
        Event event = events.poll();
        nanos = Math.max(nanos, event.at());
        event.what().run();
      }
      nanos = next;
      machines.forEach(Machine::tick);
      if (faults) {
        trouble();
      }
      if (backups.isEmpty() || nanos - backups.getLast().nanos() > SECOND) {
        backups.add(new Backup(nanos, database.backup()));
        backups.removeIf(backup -> nanos - backup.nanos() > 8 * SECOND);
      }
    }
  }

  private void trouble() {
    if (random.nextDouble() < 1.0 / 20 / 20) { // every twenty seconds or so
      Machine machine = machines.get(random.nextInt(3));
      switch (random.nextInt(12)) {
        case 0, 1, 2 -> machine.kill(between(1, 25) * SECOND);
        case 3, 4 -> machine.freeze(between(1, 30) * SECOND);
        case 5, 6, 7 -> machine.cutOff(between(1, 25) * SECOND);
        case 8 -> machine.powerOff(between(5, 40) * SECOND);
        case 9 -> shiftClock();
        case 10 -> goBack();
        default -> {
          if (random.nextBoolean()) {
            goBack();
          } else {
            machines.forEach(each -> each.cutOff(8 * SECOND));
          }
        }
      }
    }
  }

  /** The database's clock jumps, forward or back. */
  private void shiftClock() {
    long by = between(-4000, 4000);
    note("the database's clock jumps by " + by + " ms");
    clockShiftMillis += by;
  }

  /** A failover that lost some seconds; all nodes that knew are there. */
  private void goBack() {
    if (machines.stream().allMatch(machine -> machine.daemon != null && !machine.isFrozen())) {
      Backup backup = backups.get(random.nextInt(backups.size()));
      note("the database goes back by " + (nanos - backup.nanos()) / MILLI + " ms");
      database.restore(backup.tables());
      backups.clear();
      // What was on its way to the old server is nobody's any more.
      machines.forEach(machine -> machine.reset());
    }
  }

  /** A machine with its disk, its daemon and the processes of runs. */
  final class Machine {
    final String name;
    private final UUID node;
    private final Join.Card card;
    private final Map<String, Local> disk = new LinkedHashMap<>();
    private final List<NodeSession.Start> starts = new ArrayList<>();
    private long number;
    private long writes;
    private long lastGeneration;
    @Nullable FleetNode daemon;
    boolean isOn = true;
    private long frozenUntil;
    private long cutOffUntil;
    private int connection;
    private int incarnation;
    private boolean isReset;
    private long wakeAt;
    private boolean stirred = true;

    /** Every connection is broken, and says so when it is used again. */
    void reset() {
      connection++;
      isReset = true;
    }

    /** What the disk has of a run. */
    private static final class Local {
      final Claim claim;
      String state = "intent";
      @Nullable Execution execution;
      Settlement.End end = new Settlement.End("missed", null, null, 0, "never began", "");

      Local(Claim claim) {
        this.claim = claim;
      }
    }

    Machine(int number) {
      name = "n" + number;
      node = Fixture.node(number);
      card = new Join.Card(name, number == 2 ? List.of() : List.of("odd"), "1", LEASE_MILLIS);
    }

    boolean isFrozen() {
      return nanos < frozenUntil;
    }

    void start() {
      if (!isOn || daemon != null) {
        return;
      }
      incarnation++;
      FleetNode fresh = new FleetNode(node, card, () -> name + "-" + runs++);
      fresh.jobs(jobs);
      daemon = fresh;
      stirred = true;
      note(name + " starts");
      for (Local local : List.copyOf(disk.values())) {
        fresh.recovered(local.claim, job(local.claim).rules().loss());
        if (!local.state.equals("going")) {
          fresh.ended(local.claim.run(), local.end);
        }
      }
      join(List.of());
    }

    /** Joins, with answers that can be lost. */
    private void join(List<NodeSession.Start> alsoBefore) {
      int mine = incarnation;
      FleetNode me = daemon;
      if (me == null) {
        return;
      }
      List<NodeSession.Start> before = new ArrayList<>(starts);
      before.addAll(alsoBefore);
      var start = new NodeSession.Start(++number, new UUID(random.nextLong(), random.nextLong()));
      starts.add(start);
      long sent = nanos;
      after(
          between(1, 60) * MILLI,
          () -> {
            if (mine != incarnation || daemon != me) {
              return;
            }
            boolean lostBefore = nanos < cutOffUntil || happens(0.05);
            Joined joined =
                lostBefore
                    ? null
                    : database.join(
                        new Join(node, start, before, alsoBefore.isEmpty() ? writes : 0, card));
            if (joined == null || happens(0.05)) {
              after(SECOND, () -> rejoin(me, List.of()));
            } else if (joined instanceof Joined.In in) {
              starts.removeIf(each -> !each.equals(start));
              writes = Math.max(alsoBefore.isEmpty() ? writes : 0, in.session().writes());
              lastGeneration = in.generation();
              me.joined(in, sent, nanos);
              stirred = true;
            } else if (joined instanceof Joined.WentBack back) {
              wentBack(me, back);
            } else if (joined instanceof Joined.NameTaken) {
              after(SECOND, () -> rejoin(me, List.of()));
            } else {
              throw new AssertionError(name + ": " + joined);
            }
          });
    }

    private void wentBack(FleetNode me, Joined.WentBack back) {
      if (back.generation() == lastGeneration) {
        database.raise(back.generation(), me.fleetMillis(nanos), LEASE_MILLIS);
        note(name + " raises the generation");
      }
      NodeSession.Start known = back.known();
      if (known == null) {
        starts.clear();
        writes = 0;
        rejoin(me, List.of());
      } else {
        rejoin(me, List.of(known));
      }
    }

    private void rejoin(FleetNode me, List<NodeSession.Start> alsoBefore) {
      if (daemon == me) {
        join(alsoBefore);
      }
    }

    void kill(long downNanos) {
      if (daemon != null) {
        note(name + " is killed");
        daemon = null;
        incarnation++;
        after(downNanos, this::start);
      }
    }

    void freeze(long forNanos) {
      note(name + " is stopped for " + forNanos / MILLI);
      frozenUntil = Math.max(frozenUntil, nanos + forNanos);
    }

    void cutOff(long forNanos) {
      note(name + " is cut off for " + forNanos / MILLI);
      cutOffUntil = Math.max(cutOffUntil, nanos + forNanos);
      connection++;
    }

    void powerOff(long forNanos) {
      if (!isOn) {
        return;
      }
      note(name + " is off for " + forNanos / MILLI);
      daemon = null;
      incarnation++;
      isOn = false;
      for (Local local : disk.values()) {
        if (local.state.equals("going") && local.execution != null) {
          local.execution.to = nanos;
          local.state = "ended";
          local.end = new Settlement.End("unknown", null, 0L, databaseMillis(), "reboot", "");
        }
      }
      after(
          forNanos,
          () -> {
            isOn = true;
            start();
          });
    }

    void tick() {
      FleetNode me = daemon;
      // As a daemon does it: at the moment that the node names, and whenever something happened.
      if (me != null && !isFrozen() && (nanos >= wakeAt || stirred)) {
        stirred = false;
        for (Action action : me.turn(nanos)) {
          perform(me, action);
        }
        wakeAt = me.nextTurn(nanos);
      }
    }

    private void perform(FleetNode me, Action action) {
      switch (action) {
        case Action.Ask(Statement statement) -> send(me, statement);
        case Action.Start(Claim claim, long latest) -> launch(me, claim, latest);
        case Action.Stop(String run, boolean kill) -> {
          if (kill || random.nextBoolean()) {
            finish(run, "ended by its node");
          }
        }
        case Action.Rejoin(long _, long known) -> {
          writes = Math.max(writes, known);
          join(List.of());
        }
        case Action.Leave(String why) -> throw new AssertionError(name + ": " + why);
        case Action.Tell _, Action.Told _, Action.Drop _ -> {}
      }
    }

    private void send(FleetNode me, Statement statement) {
      if (isReset && !statement.isRenewal()) {
        isReset = false;
        me.failed(statement, nanos);
        stirred = true;
        return;
      }
      int wire = connection;
      long there = happens(0.02) ? between(2000, 7000) : between(1, 40);
      boolean lost = nanos < cutOffUntil || happens(0.01);
      boolean answerLost = happens(0.01);
      long[] told = {0};
      after(
          there * MILLI,
          () -> {
            // An executed statement may have been given up by its node long ago.
            if (lost || (wire != connection && faultsCutTheWay())) {
              return;
            }
            Answer answer;
            try {
              answer = statement.execute(database);
            } catch (IOException impossible) {
              throw new AssertionError(impossible);
            }
            if (!answerLost && wire == connection) {
              after(between(1, 40) * MILLI, () -> deliver(me, statement, answer, told));
            }
          });
      after(3 * SECOND, () -> giveUp(me, statement, told));
    }

    private boolean faultsCutTheWay() {
      return random.nextBoolean();
    }

    private void deliver(FleetNode me, Statement statement, Answer answer, long[] told) {
      if (isFrozen()) {
        after(frozenUntil - nanos + MILLI, () -> deliver(me, statement, answer, told));
      } else if (daemon == me && told[0]++ == 0) {
        me.answered(statement, answer, nanos);
        stirred = true;
      }
    }

    private void giveUp(FleetNode me, Statement statement, long[] told) {
      if (isFrozen()) {
        after(frozenUntil - nanos + 2 * MILLI, () -> giveUp(me, statement, told));
      } else if (daemon == me && told[0]++ == 0) {
        me.failed(statement, nanos);
        stirred = true;
      }
    }

    /** The intent is durable at once; the process begins a little later, if it may. */
    private void launch(FleetNode me, Claim claim, long latest) {
      disk.put(claim.run(), new Local(claim));
      long delay = random.nextInt(20) == 0 ? between(500, 12_000) : between(1, 80);
      after(delay * MILLI, () -> begin(me, claim, latest));
    }

    private void begin(FleetNode me, Claim claim, long latest) {
      Local local = disk.get(claim.run());
      if (local == null || !local.state.equals("intent") || daemon != me || !isOn) {
        return; // whoever comes after it says that it never began
      }
      if (isFrozen()) {
        after(frozenUntil - nanos + MILLI, () -> begin(me, claim, latest));
        return;
      }
      if (nanos > latest) {
        disk.remove(claim.run());
        me.tooLate(claim.run());
        stirred = true;
        return;
      }
      FleetJob job = job(claim);
      if (job.schedule().policy().concurrency() == Concurrency.REPLACE) {
        List.copyOf(disk.values()).stream()
            .filter(other -> other != local && other.claim.row().equals(claim.row()))
            .forEach(other -> finish(other.claim.run(), "replaced"));
      }
      var execution = new Execution(claim, name, nanos);
      executions.add(execution);
      note("begins: " + execution);
      local.state = "going";
      local.execution = execution;
      long length = random.nextInt(4) == 0 ? between(30, 80) : between(1, 8);
      String outcome = random.nextInt(3) == 0 ? "failed" : "success";
      after(length * SECOND, () -> finish(claim.run(), outcome));
    }

    private void finish(String run, String outcome) {
      Local local = disk.get(run);
      if (local != null && local.state.equals("going") && local.execution != null) {
        local.execution.to = nanos;
        local.state = "ended";
        local.end = new Settlement.End(outcome, 0, 0L, databaseMillis(), "", "");
        tell(run);
      }
    }

    /** The daemon hears of an end when it is there to hear; it forgets what was told. */
    private void tell(String run) {
      FleetNode me = daemon;
      Local local = disk.get(run);
      if (me != null && local != null && isFrozen()) {
        after(frozenUntil - nanos + MILLI, () -> tell(run));
      } else if (me != null && local != null) {
        me.ended(run, local.end);
        stirred = true;
      }
    }
  }

  /** Rows of jobs, at the end. */
  JobRow row(FleetJob job) {
    return database
        .look(new NodeSession(Fixture.node(1), Fixture.start(1), 0), List.of(job.row()))
        .rows()
        .getFirst();
  }
}
