package dev.kron.simulation.fleet;

import static dev.kron.simulation.fleet.FleetWorld.MILLI;
import static dev.kron.simulation.fleet.FleetWorld.SECOND;

import dev.kron.fleet.Action;
import dev.kron.fleet.Claim;
import dev.kron.fleet.FleetJob;
import dev.kron.fleet.FleetNode;
import dev.kron.fleet.Join;
import dev.kron.fleet.Settlement;
import dev.kron.fleet.Statement;
import dev.kron.simulation.fleet.NodeDisk.NodeRun;
import dev.kron.simulation.fleet.NodeDisk.Stage;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A machine with its disk, its daemon and the commands that run on it, which outlive the daemon. It
 * does for a {@link FleetNode} what {@code krond} does: a claim is committed, then noted on disk,
 * then a keeper is started, which looks at the latest moment before the command begins.
 *
 * <p>One file, though a long one: all that can happen to a machine is read best in one place.
 */
final class FleetMachine {
  private static final long LEAST_DRIFT_PPM = -300;
  private static final long AWAKE = -1;

  private final FleetWorld world;
  private final NodeWire wire;
  private final double rate;
  private final long origin;
  private final long leaseMillis;
  private final List<String> labels;
  private final Map<String, FleetEntry> files = new LinkedHashMap<>();

  /** Tasks that have to wait until the daemon, or the machine, is there again. */
  private final Deque<Runnable> forDaemon = new ArrayDeque<>();

  private final Deque<Runnable> forMachine = new ArrayDeque<>();

  /** Runs whose claims are being written to the disk. */
  private final Set<String> noting = new HashSet<>();

  private String name;
  private NodeDisk disk;
  private @Nullable NodeDisk snapshot;
  private @Nullable FleetNode daemon;
  private @Nullable Joiner joiner;
  private boolean out;
  private boolean isOn = true;
  private boolean isBuried;
  private int boot;
  private int life;
  private int wakes;
  private long frozenUntil;
  private long asleepUntil;

  /** The moment since when it is asleep. */
  private long sleptSince = AWAKE;

  private boolean clockStands;

  /** The time for which its boot clock stood still. */
  private long stoodStill;

  private long troubledUntil = Long.MIN_VALUE;

  /** Its directory was copied or put back, so what it says of runs may not be so. */
  private boolean doubtful;

  FleetMachine(FleetWorld world, String name, UUID node, List<String> labels, long leaseMillis) {
    this.world = world;
    this.wire = new NodeWire(world, this);
    this.name = name;
    this.disk = new NodeDisk(node);
    world.witness.named(this, node, name);
    this.labels = labels;
    this.leaseMillis = leaseMillis;
    this.origin = world.between(1, 1_000_000) * SECOND;
    this.rate = 1 + world.between(LEAST_DRIFT_PPM, -LEAST_DRIFT_PPM) / 1e6;
  }

  /** Another machine with a copy of this one's directory. */
  FleetMachine cloned() {
    var clone = new FleetMachine(world, name, disk.node, labels, leaseMillis);
    clone.disk = disk.copy();
    clone.files.putAll(files);
    clone.doubtful = true;
    doubtful = true;
    return clone;
  }

  String name() {
    return name;
  }

  NodeDisk disk() {
    return disk;
  }

  NodeWire wire() {
    return wire;
  }

  List<String> labels() {
    return labels;
  }

  Map<String, FleetEntry> files() {
    return files;
  }

  Join.Card card() {
    return new Join.Card(name, labels, "1", leaseMillis);
  }

  boolean isDoubtful() {
    return doubtful;
  }

  boolean isOn() {
    return isOn;
  }

  boolean hasDaemon() {
    return daemon != null;
  }

  /** Whether its daemon takes part, as far as it knows. */
  boolean isIn() {
    FleetNode me = daemon;
    return me != null && !out && me.isIn();
  }

  boolean isOut() {
    return out;
  }

  /** Whether its daemon is there and can act. */
  boolean isThere() {
    return daemon != null && world.nanos() >= Math.max(frozenUntil, asleepUntil);
  }

  /** Whether its daemon was there all the time since a moment. */
  boolean wasThereSince(long nanos) {
    return isThere() && !out && troubledUntil < nanos;
  }

  long bootNanos() {
    return origin + (long) ((world.nanos() - stoodStill) * rate);
  }

  private long worldNanos(long bootNanos) {
    return (long) ((bootNanos - origin) / rate) + stoodStill + 1;
  }

  /** A task of the daemon's waits while the daemon is stopped or its machine asleep. */
  void whenThere(Runnable what) {
    if (world.nanos() < Math.max(frozenUntil, asleepUntil)) {
      forDaemon.add(what);
    } else {
      what.run();
    }
  }

  private void whenAwake(Runnable what) {
    if (world.nanos() < asleepUntil) {
      forMachine.add(what);
    } else {
      what.run();
    }
  }

  /** Goes on with what had to wait, as far as nothing stops it any more. */
  private void goOn() {
    goOn(forMachine, asleepUntil);
    goOn(forDaemon, Math.max(frozenUntil, asleepUntil));
  }

  private void goOn(Deque<Runnable> waiting, long until) {
    while (world.nanos() >= until && !waiting.isEmpty()) {
      waiting.removeFirst().run();
    }
  }

  private void say(String what) {
    world.trace.say(() -> name + " " + what);
  }

  private List<FleetJob> jobs() {
    List<FleetJob> jobs = new ArrayList<>();
    files.values().forEach(entry -> jobs.add(world.job(entry, disk.node, name)));
    return jobs;
  }

  /** Its files say something else from now on. */
  void reload() {
    FleetNode me = daemon;
    if (me != null) {
      whenThere(
          () -> {
            if (me.equals(daemon)) {
              me.jobs(jobs());
              turn();
            }
          });
    }
  }

  void start() {
    if (!isOn || isBuried || daemon != null) {
      return;
    }
    if (world.nanos() < asleepUntil) {
      whenAwake(this::start);
      return;
    }
    say("starts");
    life++;
    noting.clear();
    out = false;
    var me = new FleetNode(disk.node, card(), world::runId);
    me.jobs(jobs());
    daemon = me;
    for (NodeRun run : disk.open.values()) {
      me.recovered(run.claim, run.loss);
      if (run.stage != Stage.ENDED && run.boot != boot) {
        end(run, run.stage == Stage.GOING ? "unknown" : "missed", "the machine was started anew");
      } else if (run.stage == Stage.NOTED) {
        end(run, "missed", "its node stopped between claim and start");
      } else if (run.stage == Stage.LAUNCHED && world.happens(0.5)) {
        run.stage = Stage.LATE; // forestalled
      }
    }
    turn();
    joiner = new Joiner(world, this, me);
    joiner.join(null);
  }

  /** The node takes part: what an earlier daemon left is told. */
  void joined(FleetNode me) {
    for (NodeRun run : List.copyOf(disk.open.values())) {
      tell(me, run);
    }
    turn();
  }

  private void tell(FleetNode me, NodeRun run) {
    Settlement.End end = run.end;
    if (run.stage == Stage.ENDED && end != null) {
      me.ended(run.claim.run(), end);
    } else if (run.stage == Stage.LATE) {
      me.tooLate(run.claim.run());
    }
  }

  boolean is(FleetNode me) {
    return me.equals(daemon) && !out;
  }

  void leave(String why) {
    say("is out: " + why);
    out = true;
  }

  void kill(long downNanos) {
    if (daemon != null) {
      say("is killed");
      daemonDied();
    }
    world.after(downNanos, this::start);
  }

  /** Its daemon is killed, and nobody starts it any more. */
  void bury() {
    say("is killed for good");
    isBuried = true;
    daemonDied();
  }

  private void daemonDied() {
    daemon = null;
    joiner = null;
    life++;
    frozenUntil = Math.min(frozenUntil, world.nanos());
    forDaemon.clear();
    troubledUntil = Long.MAX_VALUE;
  }

  void freeze(long forNanos) {
    say("is stopped for " + forNanos / MILLI + " ms");
    frozenUntil = Math.max(frozenUntil, world.nanos() + forNanos);
    troubledUntil = Math.max(troubledUntil, frozenUntil);
    whenThere(this::turn);
    world.at(frozenUntil, this::goOn);
  }

  /**
   * Its machine is paused, commands and all.
   *
   * @param stands whether its boot clock knows nothing of that
   */
  void sleep(long forNanos, boolean stands) {
    say("is asleep for " + forNanos / MILLI + " ms" + (stands ? ", and its clock stands" : ""));
    if (asleepUntil > world.nanos()) {
      return;
    }
    asleepUntil = world.nanos() + forNanos;
    troubledUntil = Math.max(troubledUntil, asleepUntil);
    sleptSince = world.nanos();
    clockStands = stands;
    whenThere(this::turn);
    world.at(asleepUntil, this::wakeUp);
  }

  private void wakeUp() {
    if (sleptSince != AWAKE && world.nanos() >= asleepUntil) {
      stoodStill += clockStands ? world.nanos() - sleptSince : 0;
      sleptSince = AWAKE;
      goOn();
    }
  }

  void powerOff(long forNanos) {
    if (!isOn) {
      return;
    }
    say("loses its power");
    daemonDied();
    forMachine.clear();
    asleepUntil = Math.min(asleepUntil, world.nanos());
    wakeUp();
    isOn = false;
    boot++;
    for (NodeRun run : disk.open.values()) {
      FleetExecution execution = run.execution;
      if (run.stage == Stage.GOING && execution != null) {
        world.witness.ended(execution, "unknown");
      }
    }
    world.after(
        forNanos,
        () -> {
          isOn = true;
          start();
        });
  }

  void remember() {
    snapshot = disk.copy();
  }

  /** An older copy of its directory is put back while it is off. */
  void restore() {
    NodeDisk older = snapshot;
    if (older != null && isOn) {
      say("gets an older directory back");
      powerOff(2 * SECOND);
      doubtful = true;
      disk = older.copy();
      world.witness.named(this, disk.node, name); // of before it was adopted, perhaps
    }
  }

  /** Becomes another node, under another name. */
  void adopt(UUID node, String newName) {
    say("is adopted as " + newName);
    if (daemon != null) {
      daemonDied();
    }
    name = newName;
    disk = new NodeDisk(node);
    world.witness.named(this, node, newName);
    start();
  }

  /** All that troubled it is over. */
  void calm() {
    frozenUntil = Math.min(frozenUntil, world.nanos());
    asleepUntil = Math.min(asleepUntil, world.nanos());
    wire.mend();
    wakeUp();
    goOn();
    isOn = true;
    start();
  }

  /** The daemon does what is to be done now, and says when the next time is. */
  void turn() {
    FleetNode me = daemon;
    if (me == null || !isThere()) {
      return;
    }
    for (Action action : me.turn(bootNanos())) {
      perform(me, action);
    }
    if (me.isIn() && me.generation() > 0) {
      disk.generation = me.generation();
    }
    long next = me.nextTurn(bootNanos());
    if (next != Long.MAX_VALUE) {
      int wake = ++wakes;
      world.at(
          worldNanos(next),
          () -> {
            if (wake == wakes) {
              whenThere(this::turn);
            }
          });
    }
  }

  void answered(FleetNode me, Statement statement, Statement.Answer answer) {
    if (is(me)) {
      me.answered(statement, answer, bootNanos());
      turn();
    }
  }

  void failed(FleetNode me, Statement statement) {
    if (is(me)) {
      me.failed(statement, bootNanos());
      turn();
    }
  }

  private void perform(FleetNode me, Action action) {
    switch (action) {
      case Action.Ask(Statement statement) -> wire.send(me, statement);
      case Action.Start(Claim claim, long latest) -> begin(me, claim, latest);
      case Action.Stop(String run, boolean kill) -> {
        if (kill || world.happens(0.5)) {
          finish(disk.open.get(run), "stopped");
        }
      }
      case Action.Rejoin(long generation, long writes) -> {
        disk.writes = Math.max(disk.writes, writes);
        disk.generation = generation;
        if (joiner != null) {
          joiner.join(null);
        }
      }
      case Action.Leave(String why) -> leave(why);
      case Action.Told(List<String> runs) -> {
        runs.forEach(disk.open::remove);
        disk.writes = Math.max(disk.writes, me.writes());
      }
      case Action.Drop(Claim claim) -> disk.open.remove(claim.run());
      case Action.Tell _ -> {}
    }
  }

  private void begin(FleetNode me, Claim claim, long latest) {
    NodeRun known = disk.open.get(claim.run());
    if (known != null) {
      launch(known, latest);
      return;
    }
    if (!noting.add(claim.run())) {
      return; // it begins when that is done
    }
    int mine = life;
    long writes = me.writes();
    world.after(
        world.between(1, 20) * MILLI,
        () ->
            whenThere(
                () -> {
                  if (mine == life) {
                    noting.remove(claim.run());
                    FleetEntry entry = world.witness.entry(claim);
                    var run = new NodeRun(claim, entry.loss(), boot);
                    disk.open.put(claim.run(), run);
                    disk.writes = Math.max(disk.writes, writes);
                    launch(run, latest);
                  }
                }));
  }

  /** A keeper is on its way, whatever becomes of the daemon. */
  private void launch(NodeRun run, long latest) {
    if (run.stage == Stage.GOING || run.stage == Stage.ENDED) {
      return; // its directory has a claim: no keeper begins it once more
    }
    run.stage = Stage.LAUNCHED;
    int launch = ++run.launches;
    long delay =
        world.happens(world.conditions.slowStarts)
            ? world.between(500, 12_000)
            : world.between(2, 60);
    world.after(delay * MILLI, () -> whenAwake(() -> keep(run, launch, latest)));
  }

  private void keep(NodeRun run, int launch, long latest) {
    if (run.stage != Stage.LAUNCHED || run.launches != launch || !isOn || run.boot != boot) {
      return;
    }
    if (!run.equals(disk.open.get(run.claim.run()))) {
      return; // its directory is gone
    }
    if (bootNanos() > latest) {
      run.stage = Stage.LATE;
      hear(run);
      return;
    }
    FleetEntry entry = world.witness.entry(run.claim);
    if (entry.replaces() && isReplaced(run)) {
      end(run, "missed", "ended before it began");
      hear(run);
      return;
    }
    if (entry.replaces() && !replace(run)) {
      world.after(SECOND, () -> whenAwake(() -> keep(run, launch, latest)));
      return;
    }
    run.stage = Stage.GOING;
    var execution = new FleetExecution(run.claim, entry, this, world.nanos());
    run.execution = execution;
    world.witness.begins(execution);
    long length = world.happens(0.25) ? world.between(30, 80) : world.between(1, 8);
    String outcome = world.happens(0.3) ? "failed" : "success";
    world.after(length * SECOND, () -> whenAwake(() -> finish(run, outcome)));
  }

  /** Whether a run of the same job that was claimed later is there, which takes its place. */
  private boolean isReplaced(NodeRun run) {
    return disk.open.values().stream()
        .filter(other -> other.claim.row().equals(run.claim.row()))
        .filter(other -> world.witness.isClaimedAfter(other.claim, run.claim))
        .anyMatch(other -> world.witness.entry(other.claim).replaces());
  }

  /**
   * Ends the runs of the same job.
   *
   * @return false: it has to wait for an earlier one whose keeper is on its way, or of which the
   *     database is asked
   */
  private boolean replace(NodeRun run) {
    boolean isFirst = true;
    boolean earlier = true;
    for (NodeRun other : List.copyOf(disk.open.values())) {
      if (other.equals(run)) {
        earlier = false;
      } else if (other.claim.row().equals(run.claim.row())) {
        finish(other, "replaced");
        isFirst &= !earlier || (other.stage != Stage.LAUNCHED && other.stage != Stage.LATE);
      }
    }
    return isFirst;
  }

  private void finish(@Nullable NodeRun run, String outcome) {
    FleetExecution execution = run == null ? null : run.execution;
    if (run != null && run.stage == Stage.GOING && execution != null && run.boot == boot) {
      end(run, outcome, "");
      world.witness.ended(execution, outcome);
      hear(run);
    }
  }

  private void end(NodeRun run, String outcome, String reason) {
    run.stage = Stage.ENDED;
    Integer code = outcome.equals("success") ? (Integer) 0 : outcome.equals("failed") ? 1 : null;
    Long began = run.execution == null && run.stage != Stage.GOING ? null : (Long) 0L;
    run.end = new Settlement.End(outcome, code, began, world.clockMillis(), reason, "");
  }

  /** The daemon hears of it, if one is there that has found its way into the fleet. */
  private void hear(NodeRun run) {
    FleetNode me = daemon;
    Joiner mine = joiner;
    if (me != null && mine != null) {
      whenThere(
          () -> {
            boolean open = run.equals(disk.open.get(run.claim.run()));
            if (is(me) && open && mine.hasJoined()) {
              tell(me, run);
              turn();
            }
          });
    }
  }

  /** The machine was not there until now. */
  void recovered() {
    troubledUntil = Math.max(world.nanos(), Math.max(frozenUntil, asleepUntil));
  }
}
