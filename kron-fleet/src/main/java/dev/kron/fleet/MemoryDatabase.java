package dev.kron.fleet;

import dev.kron.fleet.Answers.Claimed;
import dev.kron.fleet.Answers.Joined;
import dev.kron.fleet.Answers.Looked;
import dev.kron.fleet.Answers.NodeRow;
import dev.kron.fleet.Answers.OpenTrigger;
import dev.kron.fleet.Answers.Polled;
import dev.kron.fleet.Answers.Renewed;
import dev.kron.fleet.Answers.Settled;
import dev.kron.fleet.Answers.Standing;
import dev.kron.fleet.Claim.Kind;
import dev.kron.fleet.MemoryTables.Job;
import dev.kron.fleet.MemoryTables.Node;
import dev.kron.fleet.MemoryTables.Run;
import dev.kron.schedule.Policy.Concurrency;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A database of one process's memory, which does what the one in PostgreSQL does: for simulated
 * fleets. It can be set back to an earlier moment.
 *
 * <p>One file, though a long one: it is the whole of the other one's SQL, statement for statement.
 */
public final class MemoryDatabase implements FleetDatabase {
  private final LongSupplier clock;
  private MemoryTables tables = new MemoryTables();

  /**
   * @param clock the database's, in milliseconds
   */
  public MemoryDatabase(LongSupplier clock) {
    this.clock = clock;
  }

  /** A copy of all that is committed now. */
  public synchronized MemoryTables backup() {
    return tables.copy();
  }

  /** Goes back to an earlier moment. */
  public synchronized void restore(MemoryTables backup) {
    tables = backup.copy();
  }

  @Override
  public synchronized Joined join(Join join) {
    long now = clock.getAsLong();
    Node old = tables.nodes.get(join.node());
    if (old != null && old.removed) {
      return new Joined.Removed();
    }
    for (Node other : tables.nodes.values()) {
      if (!other.node.equals(join.node())
          && other.lives(now)
          && other.card.name().equals(join.card().name())) {
        return new Joined.NameTaken(other.node);
      }
    }
    if (old == null) {
      if (!join.before().isEmpty() || join.writes() > 0) {
        return new Joined.WentBack(null, tables.generation);
      }
      old = new Node(join.node(), join.card());
      tables.nodes.put(join.node(), old);
    } else if (!join.before().contains(old.start) && !old.start.equals(join.start())) {
      long least =
          join.before().stream().mapToLong(NodeSession.Start::number).min().orElse(Long.MIN_VALUE);
      return old.start.number() < least
          ? new Joined.WentBack(old.start, tables.generation)
          : new Joined.OtherStart(old.start);
    } else if (old.writes < join.writes()) {
      return new Joined.WentBack(old.start, tables.generation);
    }
    old.start = join.start();
    old.live(join.card(), now);
    return new Joined.In(
        new NodeSession(join.node(), join.start(), old.writes), tables.generation, now);
  }

  /** How a session stands; where it is held, the write is counted. */
  private Standing write(NodeSession session, boolean needsLease) {
    Standing standing = standing(session, needsLease);
    return standing instanceof Standing.Held
        ? new Standing.Held(++tables.node(session.node()).writes)
        : standing;
  }

  private Standing standing(NodeSession session, boolean needsLease) {
    Node node = tables.nodes.get(session.node());
    if (node == null || node.start.number() < session.start().number()) {
      return new Standing.WentBack();
    }
    if (node.removed) {
      return new Standing.Fenced("this node was removed from the fleet");
    }
    if (!node.start.equals(session.start())) {
      return new Standing.Fenced("another start of this node takes part");
    }
    if (node.writes < session.writes()) {
      return new Standing.WentBack();
    }
    if (needsLease && !node.lives(clock.getAsLong())) {
      return new Standing.Lapsed();
    }
    return new Standing.Held(node.writes);
  }

  @Override
  public synchronized Renewed renew(NodeSession session, Renewal renewal) {
    Standing standing = write(session, false);
    long now = clock.getAsLong();
    List<Claim> mine = new ArrayList<>();
    if (standing instanceof Standing.Held) {
      Node node = tables.node(session.node());
      long writes = node.writes;
      node.live(renewal.card(), now);
      node.writes = writes;
      found(session.node(), renewal.going());
      for (Run run : tables.runs.values()) {
        if (run.node.equals(session.node()) && run.isOpen()) {
          mine.add(run.claim);
        }
      }
    }
    return new Renewed(standing, now, tables.generation, nodes(now), mine);
  }

  private void found(UUID node, List<String> going) {
    for (String id : going) {
      Run run = tables.runs.get(id);
      if (run == null || !run.node.equals(node)) {
        continue;
      }
      if (run.state.equals("lost")) {
        run.state = "running";
        Job job = tables.jobs.get(run.claim.row());
        if (job != null && id.equals(job.activeRun)) {
          job.lostSince = null;
          job.rerunAt = null;
        }
      } else if (run.state.equals("released")) {
        run.overlap = true;
      }
    }
  }

  private List<NodeRow> nodes(long now) {
    return tables.nodes.values().stream().map(node -> node.row(now)).toList();
  }

  @Override
  public synchronized Polled poll(NodeSession session) {
    long now = clock.getAsLong();
    List<JobRow> rows = new ArrayList<>();
    for (Job job : tables.jobs.values()) {
      boolean mine = job.key.node().equals(RowKey.ANY) || job.key.node().equals(session.node());
      if (mine && (job.retryAt != null || job.lostSince != null)) {
        rows.add(tables.row(job, now));
      }
    }
    List<OpenTrigger> triggers =
        tables.requests.values().stream()
            .filter(request -> request.state.equals("open") && request.expires > now)
            .map(request -> new OpenTrigger(request.id, request.subject, request.node))
            .toList();
    return new Polled(standing(session, false), now, tables.generation, rows, triggers);
  }

  @Override
  public synchronized Standing arrive(
      NodeSession session, List<NodeVote> jobs, @Nullable List<String> all) {
    Standing standing = write(session, false);
    if (!(standing instanceof Standing.Held)) {
      return standing;
    }
    long now = clock.getAsLong();
    if (all != null) {
      Set<String> kept = Set.copyOf(all);
      tables.votes.forEach(
          (identity, votes) -> {
            if (!kept.contains(identity)) {
              votes.remove(session.node());
            }
          });
    }
    for (NodeVote arrival : jobs) {
      tables.votes(arrival.row().identity()).put(session.node(), arrival);
      RowKey shared = RowKey.shared(arrival.row().identity());
      tables.jobs.computeIfAbsent(shared, key -> new Job(key, arrival, tables.generation, now));
      if (!arrival.row().equals(shared)) {
        Job own = tables.jobs.get(arrival.row());
        if (own == null) {
          tables.jobs.put(
              arrival.row(), new Job(arrival.row(), arrival.own(), tables.generation, now));
        } else {
          own.change(arrival.own(), now);
        }
      }
    }
    return standing;
  }

  @Override
  public synchronized Looked look(NodeSession session, List<RowKey> rows) {
    long now = clock.getAsLong();
    List<JobRow> found = new ArrayList<>();
    for (RowKey key : rows) {
      Job job = tables.jobs.get(key);
      if (job != null) {
        found.add(tables.row(job, now));
      }
    }
    return new Looked(now, tables.generation, found);
  }

  @Override
  public synchronized Standing define(NodeSession session, List<String> identities) {
    Standing standing = write(session, false);
    if (standing instanceof Standing.Held) {
      long now = clock.getAsLong();
      for (String identity : identities) {
        Job shared = tables.jobs.get(RowKey.shared(identity));
        if (shared != null) {
          NodeVote elected = tables.elected(shared, now);
          if (elected != null) {
            shared.change(elected, now);
          }
        }
      }
    }
    return standing;
  }

  @Override
  public synchronized Claimed claim(NodeSession session, List<Claim> claims) {
    RowKey.requireDistinct(claims, Claim::row);
    Standing standing = write(session, true);
    long now = clock.getAsLong();
    List<Verdict> verdicts = new ArrayList<>();
    if (standing instanceof Standing.Held) {
      for (Claim claim : claims) {
        verdicts.add(claim(session.node(), claim, now));
      }
    }
    return new Claimed(standing, now, verdicts);
  }

  private Verdict claim(UUID by, Claim claim, long now) {
    Job job = tables.jobs.get(claim.row());
    JobRow row = job == null ? null : tables.row(job, now);
    Run existing = tables.runs.get(claim.run());
    boolean taken =
        job != null && row != null && existing == null && Rules.allow(claim, by, row, now);
    Verdict verdict =
        Verdict.of(claim, by, taken, existing == null ? null : existing.state, row, now);
    if (taken && job != null) {
      take(by, claim, job, now);
    }
    return verdict;
  }

  private void take(UUID by, Claim claim, Job job, long now) {
    Kind kind = claim.kind();
    Run run = new Run(by, claim, kind.isRun() ? "running" : "ended", now);
    if (!kind.isRun()) {
      run.outcome = kind.outcome();
      run.ended = now;
    }
    tables.runs.put(claim.run(), run);
    if (kind.hasPeriod()) {
      job.lastPeriod = claim.period().nominal();
      job.lastAttempt = kind.isRun() ? claim.period().attempt() : 0;
      job.lastRun = claim.run();
      job.retryAt = null;
      job.rerun = kind == Kind.RERUN || (kind == Kind.RETRY && job.rerun);
    }
    if (kind.isRun()
        && (kind.hasPeriod()
            || job.activeRun == null
            || claim.concurrency() != Concurrency.ALLOW)) {
      job.activate(by, claim, now);
    }
  }

  @Override
  public synchronized Settled settle(NodeSession session, List<Settlement> settlements) {
    RowKey.requireDistinct(settlements, each -> each.claim().row());
    Standing standing = write(session, false);
    List<String> settled = new ArrayList<>();
    if (standing instanceof Standing.Held) {
      for (Settlement settlement : settlements) {
        Job job = tables.jobs.get(settlement.claim().row());
        if (job != null) {
          settle(session.node(), settlement, job);
          settled.add(settlement.claim().run());
        }
      }
    }
    return new Settled(standing, settled);
  }

  private void settle(UUID by, Settlement settlement, Job job) {
    Claim claim = settlement.claim();
    long now = clock.getAsLong();
    Run run = tables.runs.computeIfAbsent(claim.run(), id -> new Run(by, claim, "running", now));
    if (!run.node.equals(by)) {
      return;
    }
    putBack(claim, job);
    if (!run.state.equals("ended")) {
      run.state = "ended";
      run.outcome = settlement.end().outcome();
      run.ended = now;
      if (claim.run().equals(job.lastRun) && claim.terms().generation() == job.generation) {
        job.retryAt = settlement.retryAtMillis();
      }
    }
    if (claim.run().equals(job.activeRun)) {
      job.clearActive();
      if (claim.concurrency() != Concurrency.FORBID) {
        other(job);
      }
    }
  }

  /** The last one of the runs that go on takes the place of the active one. */
  private void other(Job job) {
    Run other = null;
    for (Run run : tables.runs.values()) {
      if (run.state.equals("running")
          && run.claim.row().equals(job.key)
          && (other == null || run.claimed > other.claimed)) {
        other = run;
      }
    }
    if (other != null) {
      job.activate(other.node, other.claim, other.claimed);
    }
  }

  private static void putBack(Claim claim, Job job) {
    if (claim.kind().hasPeriod() && claim.period().nominal() > job.lastPeriod) {
      job.lastPeriod = claim.period().nominal();
      job.lastAttempt = claim.period().attempt();
      job.lastRun = claim.run();
      job.retryAt = null;
    }
  }

  @Override
  public synchronized Settled restore(NodeSession session, List<Claim> runs) {
    RowKey.requireDistinct(runs, Claim::row);
    Standing standing = write(session, false);
    List<String> restored = new ArrayList<>();
    if (standing instanceof Standing.Held) {
      long now = clock.getAsLong();
      for (Claim claim : runs) {
        Job job = tables.jobs.get(claim.row());
        if (job == null) {
          continue;
        }
        restored.add(claim.run());
        Run run =
            tables.runs.computeIfAbsent(
                claim.run(), id -> new Run(session.node(), claim, "running", now));
        if (run.node.equals(session.node()) && run.isOpen()) {
          putBack(claim, job);
          if (job.activeRun == null || isStale(job, session.node(), claim)) {
            job.activate(session.node(), claim, now);
          }
        }
      }
    }
    return new Settled(standing, restored);
  }

  /** Whether what a row calls active ended before a run was claimed, and that is lost. */
  private static boolean isStale(Job job, UUID by, Claim claim) {
    long nominal = claim.period().nominal();
    return by.equals(job.activeNode)
        || (claim.kind().hasPeriod()
            && (nominal > job.activePeriod
                || (nominal == job.activePeriod && claim.period().attempt() > job.activeAttempt)));
  }

  @Override
  public synchronized Standing lose(NodeSession session, UUID lost, long renewal) {
    Standing standing = write(session, false);
    Node node = tables.nodes.get(lost);
    long now = clock.getAsLong();
    if (!(standing instanceof Standing.Held)
        || node == null
        || node.renewal != renewal
        || node.leaseUntil > now) {
      return standing;
    }
    for (Run run : tables.runs.values()) {
      if (run.node.equals(lost) && run.state.equals("running")) {
        run.state = "lost";
      }
    }
    for (Job job : tables.jobs.values()) {
      if (lost.equals(job.activeNode) && job.lostSince == null) {
        job.lostSince = now;
        job.rerunAt = job.rerun ? null : node.leaseUntil + Rules.RERUN_AFTER_MILLIS;
      }
    }
    return standing;
  }

  @Override
  public synchronized long raise(long from, long fleetMillis, long pauseMillis) {
    if (tables.generation == from) {
      long now = clock.getAsLong();
      tables.generation++;
      for (Job job : tables.jobs.values()) {
        job.generation = tables.generation;
        job.countsFrom = Math.max(job.countsFrom, Math.max(now, fleetMillis));
        job.claimsFrom = now + pauseMillis;
        job.retryAt = null; // perhaps it was tried again, and that is lost
        job.rerunAt = null;
        job.rerun = true;
      }
      for (MemoryTables.Asked request : tables.requests.values()) {
        request.state = request.state.equals("open") ? "void" : request.state;
      }
    }
    return tables.generation;
  }

  @Override
  public synchronized boolean request(FleetRequest request) {
    long now = clock.getAsLong();
    if (tables.requests.containsKey(request.id())) {
      return true;
    }
    boolean done =
        switch (request.what()) {
          case FleetRequest.Trigger trigger ->
              tables.jobs.containsKey(RowKey.shared(trigger.identity()));
          case FleetRequest.Suspend(String identity) -> suspend(identity, true);
          case FleetRequest.Resume(String identity) -> suspend(identity, false);
          case FleetRequest.Release(String run) -> release(run, now);
          case FleetRequest.Remove(String name) -> remove(name, now);
        };
    if (done) {
      tables.requests.put(request.id(), new MemoryTables.Asked(request, now));
    }
    return done;
  }

  private boolean suspend(String identity, boolean suspended) {
    Job job = tables.jobs.get(RowKey.shared(identity));
    if (job != null) {
      job.suspended = suspended;
    }
    return job != null;
  }

  private boolean release(String id, long now) {
    Run run = tables.runs.get(id);
    if (run == null || !run.state.equals("lost")) {
      return false;
    }
    release(run, now);
    return true;
  }

  private void release(Run run, long now) {
    run.state = "released";
    run.ended = now;
    Job job = tables.jobs.get(run.claim.row());
    if (job != null && run.claim.run().equals(job.activeRun)) {
      job.clearActive();
      other(job);
    }
  }

  private boolean remove(String nameOrId, long now) {
    boolean lives =
        tables.nodes.values().stream()
            .anyMatch(node -> node.lives(now) && node.card.name().equals(nameOrId));
    List<Node> gone =
        tables.nodes.values().stream()
            .filter(node -> !node.removed && node.leaseUntil <= now)
            .filter(
                node ->
                    node.node.toString().equals(nameOrId)
                        || (!lives && node.card.name().equals(nameOrId)))
            .toList();
    for (Node node : gone) {
      node.removed = true;
      tables.votes.values().forEach(votes -> votes.remove(node.node));
    }
    List<Run> released =
        tables.runs.values().stream()
            .filter(run -> run.isOpen() && gone.stream().anyMatch(n -> n.node.equals(run.node)))
            .toList();
    released.forEach(run -> run.state = "released");
    released.forEach(run -> release(run, now));
    return !gone.isEmpty();
  }

  @Override
  public synchronized Claimed take(NodeSession session, String id, Claim claim) {
    Standing standing = write(session, true);
    long now = clock.getAsLong();
    if (!(standing instanceof Standing.Held)) {
      return new Claimed(standing, now, List.of());
    }
    MemoryTables.@Nullable Asked request = tables.requests.get(id);
    boolean open = request != null && request.state.equals("open") && request.expires > now;
    boolean mine = request != null && claim.run().equals(request.run);
    if (!open && !mine) {
      Job job = tables.jobs.get(claim.row());
      Verdict none =
          job == null
              ? new Verdict.NoRow()
              : new Verdict.Refused(Verdict.Why.OVERTAKEN, tables.row(job, now));
      return new Claimed(standing, now, List.of(none));
    }
    Verdict verdict = claim(session.node(), claim, now);
    if (request != null && open && verdict instanceof Verdict.Taken) {
      request.state = "done";
      request.run = claim.run();
    }
    return new Claimed(standing, now, List.of(verdict));
  }

  @Override
  public synchronized int prune(long olderThanMillis, int most) {
    List<String> old =
        tables.runs.values().stream()
            .filter(run -> !run.isOpen() && run.ended < olderThanMillis)
            .map(run -> run.claim.run())
            .limit(most)
            .toList();
    old.forEach(tables.runs::remove);
    return old.size();
  }
}
