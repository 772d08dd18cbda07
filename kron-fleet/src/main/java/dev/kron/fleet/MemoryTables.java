package dev.kron.fleet;

import dev.kron.cron.NominalTimes;
import dev.kron.fleet.Answers.NodeRow;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The tables of a {@link MemoryDatabase}, as of one moment. */
public final class MemoryTables {
  final Map<UUID, Node> nodes = new TreeMap<>();
  final Map<RowKey, Job> jobs = new TreeMap<>();
  final Map<String, Map<UUID, NodeVote>> votes = new HashMap<>();
  final Map<String, Run> runs = new LinkedHashMap<>();
  final Map<String, Asked> requests = new LinkedHashMap<>();
  long generation = 1;

  MemoryTables() {}

  MemoryTables copy() {
    var copy = new MemoryTables();
    nodes.forEach((key, node) -> copy.nodes.put(key, node.copy()));
    jobs.forEach((key, job) -> copy.jobs.put(key, job.copy()));
    votes.forEach((key, each) -> copy.votes.put(key, new TreeMap<>(each)));
    runs.forEach((key, run) -> copy.runs.put(key, run.copy()));
    requests.forEach((key, request) -> copy.requests.put(key, request.copy()));
    copy.generation = generation;
    return copy;
  }

  Node node(UUID id) {
    Node node = nodes.get(id);
    if (node == null) {
      throw new IllegalStateException("no node " + id);
    }
    return node;
  }

  Map<UUID, NodeVote> votes(String identity) {
    return votes.computeIfAbsent(identity, key -> new TreeMap<>());
  }

  /** The definition that is to be in force instead of the present one, or null. */
  @Nullable NodeVote elected(Job shared, long now) {
    Map<String, Long> counts = new TreeMap<>();
    Map<String, NodeVote> one = new HashMap<>();
    long total = 0;
    for (Map.Entry<UUID, NodeVote> vote : votes(shared.key.identity()).entrySet()) {
      Node node = nodes.get(vote.getKey());
      if (node != null && node.lives(now)) {
        total++;
        counts.merge(vote.getValue().definition(), 1L, Long::sum);
        one.put(vote.getValue().definition(), vote.getValue());
      }
    }
    boolean orphaned = !counts.containsKey(shared.definition);
    long all = total;
    return counts.entrySet().stream()
        .filter(each -> !each.getKey().equals(shared.definition))
        .filter(each -> orphaned || 2 * each.getValue() > all)
        .max(
            Map.Entry.<String, Long>comparingByValue()
                .thenComparing(Map.Entry.comparingByKey(Comparator.reverseOrder())))
        .map(each -> one.get(each.getKey()))
        .orElse(null);
  }

  JobRow row(Job job, long now) {
    Job shared = jobs.getOrDefault(RowKey.shared(job.key.identity()), job);
    String run = job.activeRun;
    UUID node = job.activeNode;
    JobRow.Active active = null;
    if (run != null && node != null) {
      Node holder = nodes.get(node);
      active =
          new JobRow.Active(
              run,
              node,
              job.activePeriod,
              job.activeAttempt,
              job.activeSince,
              job.lostSince,
              job.rerunAt,
              holder != null && holder.lives(now));
    }
    return new JobRow(
        job.key,
        shared.definition,
        job.generation,
        shared.suspended,
        new JobRow.Last(job.lastPeriod, job.lastAttempt, job.lastRun, job.rerun),
        new JobRow.From(
            Math.max(job.since, shared.since),
            Math.max(job.countsFrom, shared.countsFrom),
            Math.max(job.claimsFrom, shared.claimsFrom)),
        job.retryAt,
        active);
  }

  /** A node's row. */
  static final class Node {
    final UUID node;
    Join.Card card;
    NodeSession.Start start = new NodeSession.Start(0, RowKey.ANY);
    long writes;
    long renewal;
    long leaseUntil;
    boolean removed;

    Node(UUID node, Join.Card card) {
      this.node = node;
      this.card = card;
    }

    boolean lives(long now) {
      return !removed && leaseUntil > now;
    }

    void live(Join.Card said, long now) {
      card = said;
      writes++;
      renewal++;
      leaseUntil = now + said.leaseMillis();
    }

    NodeRow row(long now) {
      return new NodeRow(
          node,
          card.name(),
          card.labels(),
          card.leaseMillis(),
          renewal,
          leaseUntil <= now,
          writes,
          removed);
    }

    Node copy() {
      var copy = new Node(node, card);
      copy.start = start;
      copy.writes = writes;
      copy.renewal = renewal;
      copy.leaseUntil = leaseUntil;
      copy.removed = removed;
      return copy;
    }
  }

  /** A job's row. */
  static final class Job {
    final RowKey key;
    String definition;
    String fingerprint;
    String place;
    long generation;
    boolean suspended;
    long since;
    long countsFrom = Long.MIN_VALUE;
    long claimsFrom = Long.MIN_VALUE;
    long lastPeriod = NominalTimes.NONE;
    int lastAttempt;
    String lastRun = "";
    boolean rerun;
    @Nullable Long retryAt;
    @Nullable String activeRun;
    @Nullable UUID activeNode;
    long activePeriod;
    int activeAttempt;
    long activeSince;
    @Nullable Long lostSince;
    @Nullable Long rerunAt;

    Job(RowKey key, NodeVote first, long generation, long now) {
      this.key = key;
      definition = first.definition();
      fingerprint = first.fingerprint();
      place = first.place();
      this.generation = generation;
      since = now;
    }

    void change(NodeVote to, long now) {
      since = fingerprint.equals(to.fingerprint()) ? since : now;
      countsFrom = place.equals(to.place()) ? countsFrom : now;
      definition = to.definition();
      fingerprint = to.fingerprint();
      place = to.place();
    }

    void activate(UUID by, Claim claim, long now) {
      activeRun = claim.run();
      activeNode = by;
      activePeriod = claim.period().nominal();
      activeAttempt = claim.period().attempt();
      activeSince = now;
      lostSince = null;
      rerunAt = null;
    }

    void clearActive() {
      activeRun = null;
      activeNode = null;
      lostSince = null;
      rerunAt = null;
    }

    Job copy() {
      var copy =
          new Job(key, new NodeVote(key, definition, fingerprint, place, ""), generation, since);
      copy.suspended = suspended;
      copy.countsFrom = countsFrom;
      copy.claimsFrom = claimsFrom;
      copy.lastPeriod = lastPeriod;
      copy.lastAttempt = lastAttempt;
      copy.lastRun = lastRun;
      copy.rerun = rerun;
      copy.retryAt = retryAt;
      copy.activeRun = activeRun;
      copy.activeNode = activeNode;
      copy.activePeriod = activePeriod;
      copy.activeAttempt = activeAttempt;
      copy.activeSince = activeSince;
      copy.lostSince = lostSince;
      copy.rerunAt = rerunAt;
      return copy;
    }
  }

  /** A run's record. */
  static final class Run {
    final UUID node;
    final Claim claim;
    final long claimed;
    String state;
    @Nullable String outcome;
    boolean overlap;
    long ended;

    Run(UUID node, Claim claim, String state, long claimed) {
      this.node = node;
      this.claim = claim;
      this.state = state;
      this.claimed = claimed;
    }

    boolean isOpen() {
      return state.equals("running") || state.equals("lost");
    }

    Run copy() {
      var copy = new Run(node, claim, state, claimed);
      copy.outcome = outcome;
      copy.overlap = overlap;
      copy.ended = ended;
      return copy;
    }
  }

  /** A request's record. */
  static final class Asked {
    final String id;
    final String subject;
    final String node;
    final long expires;
    String state;
    @Nullable String run;

    Asked(FleetRequest request, long now) {
      id = request.id();
      if (request.what() instanceof FleetRequest.Trigger trigger) {
        subject = trigger.identity();
        node = trigger.node();
        expires = now + trigger.expiresMillis();
        state = "open";
      } else {
        subject = "";
        node = "";
        expires = now;
        state = "done";
      }
    }

    private Asked(Asked other) {
      id = other.id;
      subject = other.subject;
      node = other.node;
      expires = other.expires;
      state = other.state;
      run = other.run;
    }

    Asked copy() {
      return new Asked(this);
    }
  }

  /**
   * The state and outcome of a run, as {@code state outcome}, or null where there is none; for
   * simulations.
   */
  public @Nullable String told(String run) {
    Run found = runs.get(run);
    return found == null ? null : found.state + " " + found.outcome;
  }

  /** The jobs of which two runs went on at once although one was released; for simulations. */
  public List<String> overlaps() {
    return runs.values().stream().filter(run -> run.overlap).map(run -> run.claim.run()).toList();
  }
}
