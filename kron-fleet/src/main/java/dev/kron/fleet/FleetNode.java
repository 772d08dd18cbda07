package dev.kron.fleet;

import dev.kron.fleet.Answers.Claimed;
import dev.kron.fleet.Answers.Joined;
import dev.kron.fleet.Answers.Polled;
import dev.kron.fleet.Answers.Renewed;
import dev.kron.fleet.Answers.Settled;
import dev.kron.fleet.Answers.Standing;
import dev.kron.fleet.Statement.Answer;
import dev.kron.job.FleetRules.Loss;
import dev.kron.job.Ranking;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One node of a fleet: what it asks the database and when, and what it makes of the answers. It has
 * no clock, thread or connection of its own; whoever owns it gives it moments of a clock that only
 * passes, executes its statements, at most one renewal and one other at a time, and starts and ends
 * runs. Nothing is started before its claim is committed.
 *
 * <p>Ends travel before claims. A claim whose answer was lost is repeated with the same run id
 * until the row names somebody.
 *
 * <p>One file, though a long one: it leads from answers to what they mean; claims, runs, neighbours
 * and time have files of their own.
 */
public final class FleetNode {
  private static final long SECOND = 1_000_000_000L;
  private static final long KILL_NANOS = 10 * SECOND;
  private static final int MOST_IN_A_BATCH = 1000;

  /** Jobs told or looked at in one statement: it has two seconds, however many there are. */
  private static final int MOST_JOBS = 2000;

  /**
   * Rows that somebody has deleted by hand are missed after this time, or when they are claimed.
   */
  private static final long LOOK_AGAIN_NANOS = 600 * SECOND;

  private final UUID me;
  private final Join.Card card;
  private final Neighbours neighbours;
  private final Timing timing = new Timing();
  private final ClaimDesk claims;
  private final NodeRuns runs = new NodeRuns();

  /** In the order of their rows. */
  private final Map<RowKey, Watched> jobs = new LinkedHashMap<>();

  private final TreeSet<Watched> queue = new TreeSet<>();
  private final Set<String> askedAgain = new HashSet<>();
  private final Lane renewing = new Lane();
  private final Lane working = new Lane();
  private final List<Action> actions = new ArrayList<>();

  private @Nullable NodeSession session;
  private long generation;
  private long renewedNanos = Long.MIN_VALUE;
  private @Nullable Heard heardBefore;
  private @Nullable Long firstTurnNanos;
  private long renewAtNanos;
  private long pollAtNanos;
  private boolean arrived;

  /** The number of jobs that were told in this round, and of those that were looked at. */
  private int told;

  private int seen;

  /**
   * The moment at which its votes are told once more: those before may come late, after later ones.
   */
  private long arriveAgainNanos = Long.MAX_VALUE;

  private boolean looked;
  private long lookAgainNanos = Long.MAX_VALUE;
  private boolean defining;

  /** Jobs whose definition in force may have to change, as far as nobody has been asked yet. */
  private List<String> toDefine = List.of();

  private boolean wentBack;

  /**
   * Whether rows are gone that were there: what they said of runs is forgotten, as by a database
   * that went back. They are made anew first, so that the pause of a new generation is theirs too.
   */
  private boolean emptied;

  private boolean doubled;
  private boolean claiming = true;
  private long offsetMillis;
  private List<JobRow> waiting = List.of();
  private Function<String, Settlement.@Nullable End> past = run -> null;

  /**
   * @param ids new ones for runs
   */
  public FleetNode(UUID me, Join.Card card, Supplier<String> ids) {
    this.me = me;
    this.card = card;
    neighbours = new Neighbours(me);
    claims = new ClaimDesk(ids);
  }

  /** The jobs of this node's files, from now on. */
  public void jobs(List<FleetJob> now) {
    Map<RowKey, Watched> before = new HashMap<>(jobs);
    jobs.clear();
    queue.clear();
    List<FleetJob> sorted = new ArrayList<>(now);
    sorted.sort(Comparator.comparing(FleetJob::row));
    int number = 0;
    for (FleetJob job : sorted) {
      Watched known = before.get(job.row());
      if (known == null) {
        known = session == null ? new Watched(job) : Watched.late(job);
      }
      Watched present = known.job.equals(job) ? known : known.changed(job);
      present.number(number++);
      jobs.put(job.row(), present);
    }
    arriveAgain();
  }

  /** A run that an earlier daemon of this node began and that goes on. */
  public void recovered(Claim claim, Loss loss) {
    runs.add(claim, loss);
  }

  /**
   * How runs ended of which nothing is owed any more. A database that went back may ask for one
   * again that an earlier daemon of this node told it.
   */
  public void past(Function<String, Settlement.@Nullable End> ends) {
    past = ends;
  }

  /**
   * The moment at which the others last heard of a node, and for how long they believe in it since.
   */
  public record Heard(long sentNanos, long leaseNanos) {}

  /**
   * When the others last heard of this node, as far as this daemon knows; null: it never was heard.
   */
  public @Nullable Heard heard() {
    return renewedNanos == Long.MIN_VALUE ? heardBefore : new Heard(renewedNanos, leaseNanos());
  }

  /** The same of this daemon before its settings were changed: other leases count from then on. */
  public void heardBefore(@Nullable Heard heard) {
    heardBefore = heard;
  }

  /** The node joined the fleet, and takes part from now on. */
  public void joined(Joined.In in, long sentNanos, long nanos) {
    session = in.session();
    timing.answered(sentNanos, nanos);
    timing.measured(in.clockMillis(), sentNanos, nanos);
    renewedNanos = sentNanos;
    renewAtNanos = nanos; // who else is there, before anything else
    pollAtNanos = nanos;
    adopt(in.generation());
    runs.putBackAll();
    arriveAgain();
    wentBack = false;
    emptied = false;
  }

  /** All jobs are told once more, and then looked at. */
  private void arriveAgain() {
    arrived = false;
    told = 0;
    lookAgain();
  }

  private void lookAgain() {
    looked = false;
    seen = 0;
  }

  /** The fleet's time. */
  public long fleetMillis(long nanos) {
    return timing.fleetMillis(nanos);
  }

  /**
   * Whether the node may claim: a daemon that stops, or cannot write, takes nothing upon itself.
   */
  public void claiming(boolean may) {
    claiming = may;
  }

  /** By how much this machine's clock is ahead of the database's, for people. */
  public void offset(long millis) {
    offsetMillis = millis;
  }

  /** Whether the node takes part. */
  public boolean isIn() {
    return session != null;
  }

  /** Whether another node that lives has this one's name, and the better right to it. */
  public boolean isDoubled() {
    return session != null && doubled;
  }

  /** The highest number of its own writes that the database has confirmed, 0 where it is out. */
  public long writes() {
    NodeSession mine = session;
    return mine == null ? 0 : mine.writes();
  }

  /** Whether the database answered within the last seconds. */
  public boolean isPresent(long nanos) {
    return session != null && timing.isPresent(nanos);
  }

  /** All nodes, as the last renewal has seen them. */
  public List<Answers.NodeRow> nodes() {
    return neighbours.nodes();
  }

  /** Rows of this node's jobs whose active run is lost, as the last poll has seen them. */
  public List<JobRow> lost() {
    return waiting.stream()
        .filter(row -> jobs.containsKey(row.key()))
        .filter(row -> row.active() != null && row.active().lostSinceMillis() != null)
        .toList();
  }

  /** Rows of this node's jobs whose lost run nobody will run again. */
  public List<JobRow> held() {
    return lost().stream().filter(row -> !isRerun(row)).toList();
  }

  private boolean isRerun(JobRow row) {
    Watched watched = jobs.get(row.key());
    JobRow.Active active = row.active();
    return watched != null
        && watched.job.rules().loss() == Loss.RERUN
        && active != null
        && active.rerunAtMillis() != null;
  }

  /** Jobs of which another definition is in force than this node's files have. */
  public List<String> differing() {
    return jobs.values().stream()
        .filter(watched -> watched.row() != null && !watched.isInForce())
        .map(watched -> watched.job.row().identity())
        .toList();
  }

  /** The number of ends that the database has not heard of yet. */
  public int owed() {
    return runs.owed();
  }

  /** Whether claims are on their way, whose answers say what has to begin. */
  public boolean isTaking() {
    return working.isUnderway(Statement.Take.class)
        || working.isUnderway(Statement.TakeRequest.class);
  }

  /** Whether a claim of this run is under way. */
  public boolean isClaiming(String run) {
    return claims.knows(run);
  }

  /**
   * The moment at which {@link #turn} has something to do, unless an answer or an end comes before.
   */
  public long nextTurn(long nanos) {
    Heard heard = lastHeard(nanos);
    long next = runs.fenceAt(heard.sentNanos(), heard.leaseNanos(), KILL_NANOS);
    if (session == null) {
      return next;
    }
    if (renewing.isIdle()) {
      next = Math.min(next, Math.max(renewAtNanos, renewing.notBeforeNanos()));
    }
    if (working.isIdle()) {
      long work = pollAtNanos;
      if (mayClaim(nanos)) {
        work = Math.min(work, claims.nextAt());
        if (!queue.isEmpty()) {
          long millis = queue.first().turnAtMillis() - fleetMillis(nanos);
          work = Math.min(work, nanos + Math.min(millis, 3_600_000L) * 1_000_000L);
        }
      }
      next = Math.min(next, Math.max(work, working.notBeforeNanos()));
    }
    return Math.max(next, nanos + 1_000_000L);
  }

  private boolean mayClaim(long nanos) {
    return claiming && timing.isPresent(nanos) && timing.hasSettledIn(nanos) && !doubled;
  }

  /** The generation that the node knows. */
  public long generation() {
    return generation;
  }

  /** A pause for a new generation: nobody's lease is longer. */
  public long pauseMillis() {
    return Math.max(neighbours.longestLeaseMillis(), card.leaseMillis());
  }

  /** Ids of the runs that this node believes to go on here. */
  public List<String> going() {
    return runs.going();
  }

  /** A run ended, or is known not to have begun. The outbox keeps it until it is told. */
  public void ended(String run, Settlement.End end) {
    NodeRuns.Running running = runs.remove(run);
    if (running != null) {
      Watched watched = jobs.get(running.claim().row());
      runs.owe(
          new Settlement(running.claim(), end, RetryTimes.after(running.claim(), end, watched)));
    }
  }

  /** A launch came too late: whether the run is still this node's has to be asked again. */
  public void tooLate(String run) {
    NodeRuns.Running running = runs.remove(run);
    if (running != null && session != null) {
      askedAgain.add(run);
      claims.again(running.claim());
    } else if (running != null) {
      actions.add(new Action.Drop(running.claim()));
    }
  }

  /** A chained run, which this node starts after the run that caused it. */
  public void chain(RowKey row, String run, String cause, long nanos) {
    Watched watched = jobs.get(row);
    if (watched != null && session != null) {
      claims.chain(watched, run, cause, generation, fleetMillis(nanos));
    }
  }

  /** Whether others may believe that this node is gone. */
  private boolean isLeaseOver(long nanos) {
    return renewedNanos == Long.MIN_VALUE || nanos - renewedNanos >= leaseNanos();
  }

  /**
   * The moment at which the others last heard of this node; as far as an earlier daemon knew,
   * before it began.
   */
  private Heard lastHeard(long nowNanos) {
    Heard heard = heard();
    Long first = firstTurnNanos;
    return heard != null ? heard : new Heard(first == null ? nowNanos : first, leaseNanos());
  }

  private long leaseNanos() {
    return card.leaseMillis() * 1_000_000L;
  }

  /** The actions that are due at a moment. */
  public List<Action> turn(long nanos) {
    NodeSession mine = session;
    firstTurnNanos = firstTurnNanos == null ? nanos : firstTurnNanos;
    Heard heard = lastHeard(nanos);
    runs.fence(nanos - heard.sentNanos(), heard.leaseNanos(), KILL_NANOS, actions);
    if (mine != null) {
      if (renewing.isFree(nanos) && nanos >= renewAtNanos) {
        ask(renewing, new Statement.Renew(mine, renewal()), nanos);
        renewAtNanos = nanos + leaseNanos() / 3;
      }
      if (working.isFree(nanos)) {
        Statement statement = work(mine, nanos);
        if (statement != null) {
          ask(working, statement, nanos);
        }
      }
    }
    List<Action> now = List.copyOf(actions);
    actions.clear();
    return now;
  }

  private Renewal renewal() {
    return new Renewal(card, offsetMillis, runs.going());
  }

  private void ask(Lane lane, Statement statement, long nanos) {
    lane.asked(statement, nanos);
    actions.add(new Action.Ask(statement));
  }

  /** The next statement beside renewals: what is most urgent first. */
  private @Nullable Statement work(NodeSession mine, long nanos) {
    if (wentBack) {
      return new Statement.Raise(generation, fleetMillis(nanos), pauseMillis());
    }
    if (nanos >= arriveAgainNanos) {
      arriveAgainNanos = Long.MAX_VALUE;
      arriveAgain();
    }
    if (!arrived) {
      return arrival(mine);
    }
    List<Claim> back = runs.toPutBack(MOST_IN_A_BATCH);
    if (!back.isEmpty()) {
      return new Statement.Restore(mine, back);
    }
    List<Settlement> owed = runs.owed(MOST_IN_A_BATCH);
    if (!owed.isEmpty()) {
      return new Statement.Settle(mine, owed);
    }
    if (nanos >= lookAgainNanos) {
      lookAgainNanos = nanos + LOOK_AGAIN_NANOS;
      lookAgain();
    }
    if (!looked) {
      return new Statement.Look(mine, toLook());
    }
    if (mayClaim(nanos)) {
      fire(nanos);
      List<Claim> batch = claims.batch(nanos, fleetMillis(nanos), MOST_IN_A_BATCH);
      if (!batch.isEmpty()) {
        return new Statement.Take(mine, batch);
      }
      Claim trigger = claims.nextTrigger(fleetMillis(nanos));
      if (trigger != null) {
        return new Statement.TakeRequest(mine, trigger);
      }
    }
    for (Neighbours.Lost lost : neighbours.newlyLost(nanos)) {
      return new Statement.Lose(mine, lost.node(), lost.renewal());
    }
    if (defining) {
      defining = false;
      toDefine = differing();
    }
    if (!toDefine.isEmpty()) {
      List<String> now = List.copyOf(toDefine.subList(0, Math.min(MOST_JOBS, toDefine.size())));
      toDefine = toDefine.subList(now.size(), toDefine.size());
      return new Statement.Define(mine, now);
    }
    if (nanos >= pollAtNanos) {
      pollAtNanos = nanos + SECOND;
      return new Statement.Poll(mine);
    }
    return null;
  }

  /**
   * The next jobs to be told; with the last of them all are named, so that others are forgotten.
   */
  private Statement.Arrive arrival(NodeSession mine) {
    List<NodeVote> votes =
        jobs.values().stream()
            .skip(told)
            .limit(MOST_JOBS)
            .map(each -> each.job.arrival(card.name()))
            .toList();
    boolean last = told + votes.size() == jobs.size();
    List<String> all =
        last ? jobs.keySet().stream().map(RowKey::identity).distinct().toList() : List.of();
    return new Statement.Arrive(mine, votes, last, all);
  }

  private List<RowKey> toLook() {
    return jobs.keySet().stream().skip(seen).limit(MOST_JOBS).toList();
  }

  /** Makes claims of the periods whose turn has come. */
  private void fire(long nanos) {
    long now = fleetMillis(nanos);
    while (!queue.isEmpty() && queue.first().turnAtMillis() <= now) {
      Watched watched = queue.removeFirst();
      if (!claims.isBusy(watched.job.row())) { // otherwise planned anew after that
        claims.due(watched, generation, now);
      }
    }
  }

  /** Whether a job runs on nodes with this one's labels. */
  private boolean isMeant(FleetJob job) {
    String label = job.on().label();
    return label == null || card.labels().contains(label);
  }

  private void plan(Watched watched) {
    if (!isMeant(watched.job)) {
      return;
    }
    boolean mine = runs.holds(watched.job.row());
    queue.remove(watched);
    watched.plan(
        timing.presentSinceMillis(),
        card.leaseMillis(),
        Ranking.lastTurnMillis(),
        period ->
            mine && ClaimDesk.replaces(watched.job)
                ? 0
                : neighbours.turnMillis(
                    watched.job.row().identity(), period, watched.job.on(), card.name()));
    if (watched.next() != null) {
      queue.add(watched);
    }
  }

  /** An answer came. */
  public void answered(Statement statement, Answer answer, long nanos) {
    Lane lane = statement.isRenewal() ? renewing : working;
    if (!lane.awaits(statement)) {
      return; // of a time before it joined again
    }
    long sent = lane.sentNanos();
    lane.answered();
    if (timing.answered(sent, nanos)) {
      wasAbsent();
    }
    switch (answer) {
      case Answer.ToRenew(Renewed renewed) -> renewed(renewed, sent, nanos);
      case Answer.ToPoll(Polled polled) -> polled(polled, sent, nanos);
      case Answer.ToLook(Answers.Looked seen) -> looked(statement, seen, sent, nanos);
      case Answer.ToClaim(Claimed claimed) -> claimed(statement, claimed, sent, nanos);
      case Answer.ToSettle(Settled settled) -> settled(statement, settled);
      case Answer.Done(Standing standing) -> done(statement, standing);
      case Answer.Raised(long now) -> {
        wentBack = false;
        adopt(now);
      }
    }
  }

  private void measured(long clockMillis, long sent, long nanos) {
    if (timing.measured(clockMillis, sent, nanos)) {
      wasAbsent();
    }
  }

  /** The database has told others what happened meanwhile. */
  private void wasAbsent() {
    lookAgain();
    claims.wasAbsent();
  }

  /** No answer came: nobody knows whether the statement was executed. */
  public void failed(Statement statement, long nanos) {
    Lane lane = statement.isRenewal() ? renewing : working;
    if (lane.awaits(statement)) {
      lane.failed(nanos, jitter());
      timing.broke();
      if (statement.isRenewal()) {
        renewAtNanos = nanos;
      } else if (statement instanceof Statement.Arrive) {
        arriveAgainNanos = nanos + leaseNanos();
      } else if (statement instanceof Statement.Define) {
        defining = true;
      } else if (statement instanceof Statement.Lose lose) {
        neighbours.untold(lose.node());
      }
    }
  }

  private double jitter() {
    return (me.getLeastSignificantBits() & 0xff) / 256.0;
  }

  /** Whether the session is held; where it is not, nothing is done before it joined again. */
  private boolean held(Standing standing) {
    NodeSession mine = session;
    switch (standing) {
      case Standing.Held(long writes) -> {
        session = mine == null ? null : mine.confirmed(writes);
        return true;
      }
      case Standing.Lapsed() -> renewAtNanos = Long.MIN_VALUE;
      case Standing.Fenced(String why) -> {
        leave();
        actions.add(new Action.Leave(why));
      }
      case Standing.WentBack() -> {
        long confirmed = mine == null ? 0 : mine.writes();
        leave();
        actions.add(new Action.Rejoin(generation, confirmed));
      }
    }
    return false;
  }

  private void leave() {
    session = null;
    toDefine = List.of();
    letGoOfClaims();
    renewing.drop();
    working.drop();
  }

  /**
   * Claims of before are void; a run that was about to begin and had to be asked for again will
   * not.
   */
  private void letGoOfClaims() {
    claims.pending().stream()
        .filter(claim -> askedAgain.contains(claim.run()))
        .forEach(claim -> actions.add(new Action.Drop(claim)));
    askedAgain.clear();
    claims.clear();
  }

  private void renewed(Renewed renewed, long sent, long nanos) {
    if (!held(renewed.standing())) {
      return;
    }
    renewedNanos = sent;
    measured(renewed.clockMillis(), sent, nanos);
    boolean less = neighbours.saw(renewed.nodes(), nanos);
    if (renewed.generation() != generation) {
      adopt(renewed.generation());
    } else if (less) {
      wentBack = true;
    }
    if (neighbours.changed()) {
      jobs.values().forEach(this::plan);
    }
    boolean isDouble = neighbours.isDouble(card.name());
    if (isDouble && !doubled) {
      actions.add(new Action.Tell("another node that lives is called " + card.name()));
    }
    doubled = isDouble;
    for (Claim claim : renewed.inMyName()) {
      if (!runs.knows(claim.run()) && !claims.knows(claim.run()) && !runs.oweAgain(claim.run())) {
        Settlement.End end = past.apply(claim.run());
        runs.owe(
            end == null
                ? neverBegan(claim, renewed.clockMillis())
                : new Settlement(claim, end, null));
      }
    }
    defining = true;
    if (!differing().isEmpty()) {
      lookAgain();
    }
  }

  private static Settlement neverBegan(Claim claim, long clockMillis) {
    String why = "its node stopped between claim and start";
    return new Settlement(
        claim, new Settlement.End("missed", null, null, clockMillis, why, ""), null);
  }

  private void polled(Polled polled, long sent, long nanos) {
    if (!held(polled.standing())) {
      return;
    }
    measured(polled.clockMillis(), sent, nanos);
    if (polled.generation() != generation) {
      adopt(polled.generation());
      return;
    }
    long now = polled.clockMillis();
    waiting = polled.rows();
    for (JobRow row : polled.rows()) {
      Watched watched = jobs.get(row.key());
      if (watched != null && isMeant(watched.job) && !claims.isBusy(row.key())) {
        saw(watched, row, now);
        claims.again(watched, row, generation, now, this::turn);
      }
    }
    for (Answers.OpenTrigger trigger : polled.triggers()) {
      Watched watched = jobs.get(RowKey.shared(trigger.identity()));
      watched = watched == null ? jobs.get(new RowKey(trigger.identity(), me)) : watched;
      boolean meant = trigger.node().isEmpty() || trigger.node().equals(card.name());
      if (watched != null && meant && isMeant(watched.job)) {
        claims.trigger(watched, trigger.request(), generation, now);
      }
    }
  }

  /** Takes in a row; a job whose definition has come into force has periods from now on. */
  private void saw(Watched watched, JobRow row, long now) {
    boolean before = watched.isInForce();
    watched.saw(row, now);
    if (!before && watched.isInForce()) {
      plan(watched);
    }
  }

  private long turn(FleetJob job, String period) {
    return neighbours.turnMillis(job.row().identity(), period, job.on(), card.name());
  }

  private void looked(Statement statement, Answers.Looked found, long sent, long nanos) {
    measured(found.clockMillis(), sent, nanos);
    if (found.generation() != generation) {
      adopt(found.generation());
      return;
    }
    if (!timing.isPresent(nanos)) {
      return; // it waited for a daemon that was stopped; what is planned now would never be due
    }
    lookAgainNanos = nanos + LOOK_AGAIN_NANOS;
    for (JobRow row : found.rows()) {
      Watched watched = jobs.get(row.key());
      if (watched != null) {
        watched.saw(row, found.clockMillis());
        plan(watched);
      }
    }
    if (statement instanceof Statement.Look(NodeSession _, List<RowKey> rows)
        && rows.equals(toLook())) {
      if (found.rows().size() < rows.size()) {
        emptied |= arrived;
        arriveAgain();
        return;
      }
      seen += rows.size();
      looked = seen == jobs.size();
    }
  }

  private void claimed(Statement statement, Claimed claimed, long sent, long nanos) {
    if (!held(claimed.standing())) {
      return;
    }
    measured(claimed.clockMillis(), sent, nanos);
    List<Claim> asked =
        switch (statement) {
          case Statement.Take(NodeSession _, List<Claim> all) -> all;
          case Statement.TakeRequest(NodeSession _, Claim one) -> List.of(one);
          default -> List.of();
        };
    for (int i = 0; i < asked.size(); i++) {
      verdict(asked.get(i), claimed.verdicts().get(i), nanos);
    }
  }

  private void verdict(Claim claim, Verdict verdict, long nanos) {
    Watched watched = jobs.get(claim.row());
    boolean mine = verdict instanceof Verdict.Taken && claim.kind().isRun();
    if (mine && (watched == null || !claims.awaits(claim))) {
      runs.owe(neverBegan(claim, fleetMillis(nanos))); // it is not wanted any more
      if (askedAgain.remove(claim.run())) {
        actions.add(new Action.Drop(claim));
      }
      return;
    }
    if (mine && isLeaseOver(nanos)) {
      claims.waitFor(claim, nanos + SECOND / 4); // others may think that this node is gone
      return;
    }
    if (verdict instanceof Verdict.Refused(Verdict.Why why, JobRow row)) {
      if (why == Verdict.Why.GENERATION && row.generation() > generation) {
        adopt(row.generation());
        return;
      }
      if (watched != null) {
        saw(watched, row, fleetMillis(nanos));
      }
    }
    if (verdict instanceof Verdict.NoRow && watched != null) {
      emptied = true;
      arriveAgain();
    }
    boolean over = claims.verdict(claim, verdict, nanos, fleetMillis(nanos), watched);
    boolean again = over && askedAgain.remove(claim.run());
    if (over && !mine && (again || claim.kind() == Claim.Kind.CHAIN)) {
      actions.add(new Action.Drop(claim));
    }
    if (mine && watched != null) {
      runs.add(claim, watched.job.rules().loss());
      actions.add(new Action.Start(claim, renewedNanos + leaseNanos()));
    }
    if (over && watched != null) {
      plan(watched);
    }
  }

  private void settled(Statement statement, Settled settled) {
    if (!held(settled.standing())) {
      return;
    }
    if (statement instanceof Statement.Restore) {
      runs.putBack(settled.runs());
    } else {
      runs.told(settled.runs());
      if (!settled.runs().isEmpty()) {
        actions.add(new Action.Told(settled.runs()));
      }
    }
    if (settled.runs().isEmpty()) {
      withoutRows(statement);
    }
  }

  /** Rows are gone. Of a job that is in no file here nobody can make one any more. */
  private void withoutRows(Statement statement) {
    List<Claim> asked =
        switch (statement) {
          case Statement.Settle(NodeSession _, List<Settlement> all) ->
              all.stream().map(Settlement::claim).toList();
          case Statement.Restore(NodeSession _, List<Claim> all) -> all;
          default -> List.of();
        };
    if (asked.stream().anyMatch(claim -> jobs.containsKey(claim.row()))) {
      emptied = true;
      arriveAgain();
      return;
    }
    List<String> nowhere = asked.stream().map(Claim::run).toList();
    runs.putBack(nowhere);
    if (statement instanceof Statement.Settle) {
      runs.told(nowhere);
      actions.add(new Action.Told(nowhere));
    }
  }

  private void done(Statement statement, Standing standing) {
    if (!held(standing)) {
      if (statement instanceof Statement.Lose lose) {
        neighbours.untold(lose.node());
      }
      return;
    }
    if (statement instanceof Statement.Arrive arrive) {
      if (arrive.says(arrival(arrive.session()))) {
        arrived = arrive.last();
        told = arrived ? 0 : told + arrive.jobs().size();
        wentBack |= arrived && emptied;
        emptied &= !arrived;
      } else {
        told = 0;
      }
      lookAgain();
    } else if (statement instanceof Statement.Define) {
      if (toDefine.isEmpty()) {
        lookAgain();
      }
    } else if (statement instanceof Statement.Lose(NodeSession _, UUID node, long renewal)) {
      neighbours.tell(new Neighbours.Lost(node, renewal));
    }
  }

  /** A new generation: what was claimed under the one before and not confirmed is void. */
  private void adopt(long now) {
    if (now != generation) {
      generation = now;
      letGoOfClaims();
      runs.putBackAll();
      runs.oweAgain();
      neighbours.newGeneration();
      arriveAgain();
      wentBack = false;
    }
  }
}
