package dev.kron.daemon.fleet;

import dev.kron.config.FleetFile;
import dev.kron.cron.NominalTimes;
import dev.kron.daemon.fleet.FleetLines.DamagedException;
import dev.kron.daemon.fleet.FleetMemory.Given;
import dev.kron.daemon.jobs.FleetRuns;
import dev.kron.daemon.jobs.Job;
import dev.kron.daemon.jobs.Jobs;
import dev.kron.daemon.jobs.RunTraces;
import dev.kron.daemon.log.EventLog;
import dev.kron.daemon.loop.Answer;
import dev.kron.daemon.loop.Clocks;
import dev.kron.daemon.loop.Errands.Place;
import dev.kron.fleet.Action;
import dev.kron.fleet.Answers.Joined;
import dev.kron.fleet.Claim;
import dev.kron.fleet.FleetJob;
import dev.kron.fleet.FleetNode;
import dev.kron.fleet.Join;
import dev.kron.fleet.Settlement.End;
import dev.kron.fleet.Statement;
import dev.kron.job.ActiveRun;
import dev.kron.job.FleetRules.Loss;
import dev.kron.job.HistoryEntry;
import dev.kron.job.JobEvent;
import dev.kron.job.JobSpec;
import dev.kron.schedule.Decision;
import dev.kron.store.DiskException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * This machine's part in a fleet, from the moment its settings are known until they change. The
 * {@link FleetNode} says what is to be asked and begun; here it is done, in this order: a claim is
 * committed, then remembered on disk, then it is the job's intent, and only then a process begins.
 * Only the loop's thread calls it.
 *
 * <p>One file, though a long one: what comes of each thing that a node wants is read best in one
 * place.
 */
final class FleetMember {
  private static final String TIMER = "fleet";
  private static final String FENCE = "fleet-fence";
  private static final String UNHEARD = "the fleet: its node was not heard of for a lease";
  private static final int KILL = 9;
  private static final long KILL_NANOS = 10_000_000_000L;
  private static final long LOOK_AGAIN_MILLIS = 5000;

  /** Twice as long as a node waits at most before it asks again. */
  private static final long TROUBLE_NANOS = 20_000_000_000L;

  private static final int LAST_OF_A_JOB = 100;

  private final FleetRoom.Means means;
  private final FleetFile.Settings settings;
  private final Join.Card card;
  private final FleetJournal journal;
  private final FleetDoor door;
  private final FleetReport report;
  private final Clocks clocks;
  private final Jobs jobs;
  private final EventLog log;
  private final Latests latests;
  private final Map<String, Given> open = new LinkedHashMap<>();
  private final Map<String, FleetRuns.Link> chains = new LinkedHashMap<>();
  private final Map<String, HistoryEntry> early = new HashMap<>();

  /** Runs that were given to this node and that no job knows. */
  private final Set<String> unknown = new HashSet<>();

  /** Runs that were given to this node just now and have no intent yet. */
  private final Set<String> beginning = new HashSet<>();

  private record Trouble(String reason, long nanos) {}

  private List<JobSpec> specs;
  private FleetNode.@Nullable Heard heardBefore;
  private @Nullable FleetNode node;
  private @Nullable Joining joining;
  private @Nullable String problem = "it has not joined yet";

  /** What went wrong last, by the kind of what was asked. */
  private final Map<Class<?>, Trouble> troubles = new LinkedHashMap<>();

  private boolean measured;
  private boolean out;
  private boolean clockTold;

  FleetMember(
      FleetRoom.Means means,
      FleetFile.Settings settings,
      Join.Card card,
      FleetDoor door,
      Latests latests,
      List<JobSpec> specs) {
    this.means = means;
    this.settings = settings;
    this.card = card;
    this.door = door;
    this.report = new FleetReport(means, card, door);
    this.latests = latests;
    this.specs = List.copyOf(specs);
    this.journal = new FleetJournal(means.directory().fleet());
    this.clocks = means.time().clocks();
    this.jobs = means.jobs();
    this.log = means.reports().log();
  }

  FleetFile.Settings settings() {
    return settings;
  }

  FleetDoor door() {
    return door;
  }

  /** When the others last heard of this machine; null: never, as far as this daemon knows. */
  FleetNode.@Nullable Heard heard() {
    FleetNode present = node;
    return present == null ? heardBefore : present.heard();
  }

  /** The same of the member before this one. */
  void heardBefore(FleetNode.@Nullable Heard heard) {
    heardBefore = heard;
  }

  /** The member reads what an earlier daemon left, and then joins. */
  void begin() {
    report.keep(this);
    long lease = clocks.bootNanos() + settings.lease().toNanos();
    means.time().timers().set(FENCE, lease, () -> fence(0));
    remember(journal::read);
  }

  /** Whether the node takes no part until somebody does something about it. */
  boolean isOut() {
    return out;
  }

  /**
   * This machine becomes another node. Runs that others may run again are ended before: the node
   * that it was renews no lease any more, and nobody would remember to end them after a restart.
   */
  void adopt() {
    List<CompletableFuture<Answer>> ends =
        endWhatOthersRunAgain("the fleet: this machine has become another node", 0);
    var _ =
        CompletableFuture.allOf(ends.toArray(CompletableFuture[]::new))
            .thenRun(() -> becomeAnother(ends));
  }

  /** The machine is in no fleet any more: nobody would hear of these runs. */
  void abandon() {
    var _ = endWhatOthersRunAgain("the fleet: this machine has left it", 0);
  }

  /** What is remembered counts, and what the files say where that cannot be read. */
  private List<CompletableFuture<Answer>> endWhatOthersRunAgain(String by, int signal) {
    Map<String, String> runs = new LinkedHashMap<>();
    for (JobSpec spec : specs) {
      Job job = jobs.find(spec.identity());
      if (job != null && spec.fleet() != null && spec.fleet().loss() == Loss.RERUN) {
        job.state.active().forEach(run -> runs.put(run.runId(), spec.identity()));
      }
    }
    for (Given given : open.values()) {
      if (given.loss() == Loss.RERUN && active(given.claim()) != null) {
        runs.put(given.claim().run(), given.claim().row().identity());
      }
    }
    List<CompletableFuture<Answer>> ends = new ArrayList<>();
    runs.forEach(
        (run, identity) -> {
          var reply = new CompletableFuture<Answer>();
          end(identity, run, by, signal, reply);
          ends.add(reply);
        });
    return ends;
  }

  /** Nobody knows which runs were given to this node, and the others will take it for lost. */
  private void fence(int signal) {
    if (node == null) {
      var _ = endWhatOthersRunAgain(UNHEARD, signal);
      if (signal == 0) {
        long kill = clocks.bootNanos() + KILL_NANOS;
        means.time().timers().set(FENCE, kill, () -> fence(KILL));
      }
    }
  }

  private void becomeAnother(List<CompletableFuture<Answer>> ends) {
    for (CompletableFuture<Answer> end : ends) {
      if (end.join() instanceof Answer.Refused refused) {
        leave(
            "its runs could not be ended: "
                + refused.reason()
                + "; kron fleet adopt makes this machine a new node once they can");
        return;
      }
    }
    remember(journal::adopt);
  }

  private interface Source {
    FleetMemory read() throws DiskException, DamagedException;
  }

  private void remember(Source source) {
    List<JobSpec> present = specs;
    means
        .errands()
        .execute(
            Place.TEND_FLEET,
            () -> {
              try {
                FleetMemory memory = source.read();
                post(remembered(memory, present));
              } catch (DamagedException e) {
                post(
                    new FleetInput.Unable(
                        "what this node remembers cannot be read ("
                            + e.getMessage()
                            + "); kron fleet adopt makes it a new node"));
              } catch (DiskException e) {
                post(new FleetInput.Unable("its journal cannot be read: " + e.getMessage()));
                means.errands().after(5000, Place.TEND_FLEET, () -> remember(source), _ -> {});
              }
            },
            thrown -> post(new FleetInput.Unable(String.valueOf(thrown.getMessage()))));
  }

  /**
   * The ends of runs, as far as this machine knows: of those that are open for the fleet, and of
   * the others of its jobs, for a database that has gone back and asks once more.
   */
  private FleetInput.Remembered remembered(FleetMemory memory, List<JobSpec> present)
      throws DiskException {
    Map<String, HistoryEntry> past = new HashMap<>();
    Set<String> identities = new HashSet<>();
    memory.open().values().forEach(given -> identities.add(given.claim().row().identity()));
    if (memory.number() > 0) {
      present.forEach(spec -> identities.add(spec.identity()));
    }
    for (String identity : identities) {
      List<HistoryEntry> entries = means.directory().jobs().history(identity);
      for (HistoryEntry entry :
          entries.subList(Math.max(0, entries.size() - LAST_OF_A_JOB), entries.size())) {
        String run = entry.runId();
        if (run != null) {
          past.put(run, entry);
        }
      }
    }
    return new FleetInput.Remembered(memory, past);
  }

  private void post(FleetInput.What what) {
    means.post().accept(new FleetInput(this, what));
  }

  void handle(FleetInput.What what) {
    long now = clocks.bootNanos();
    switch (what) {
      case FleetInput.Remembered(FleetMemory memory, Map<String, HistoryEntry> past) ->
          remembered(memory, past);
      case FleetInput.Found(String run, RunTraces.Fate fate) -> found(run, fate);
      case FleetInput.Unable(String reason) -> leave(reason);
      case FleetInput.Heard heard -> joining().heard(heard, now);
      case FleetInput.Raised raised -> joining().raised(raised.back());
      case FleetInput.Unheard(String reason) -> joining().unheard(reason);
      case FleetInput.Answered(Statement statement, Statement.Answer answer) -> {
        node().answered(statement, answer, now);
        wentRight(statement, now);
      }
      case FleetInput.Failed(Statement statement, String reason) -> {
        node().failed(statement, now);
        troubles.put(statement.getClass(), new Trouble(reason, now));
        trouble(reason);
      }
      case FleetInput.Noted(List<Claim> claims) -> claims.forEach(this::begin);
      case FleetInput.NotNoted(List<Claim> claims, String reason) ->
          claims.forEach(claim -> notBegun(claim, "it could not be noted: " + reason));
      case FleetInput.Ended(String run, HistoryEntry entry, String output) ->
          tellEnd(run, entry, output);
      case FleetInput.Suspended(List<String> identities) -> report.suspended(identities);
    }
    turn();
  }

  private FleetNode node() {
    return Objects.requireNonNull(node, "not remembered yet");
  }

  private Joining joining() {
    return Objects.requireNonNull(joining, "not remembered yet");
  }

  private void remembered(FleetMemory memory, Map<String, HistoryEntry> past) {
    var made = new FleetNode(memory.node(), card, jobs::newRunId);
    made.past(run -> pastEnd(past.get(run)));
    made.heardBefore(heardBefore);
    node = made;
    joining = new Joining(this, memory, journal, means.errands());
    open.clear();
    open.putAll(memory.open());
    for (Given given : memory.open().values()) {
      String run = given.claim().run();
      made.recovered(given.claim(), given.loss());
      HistoryEntry entry = early.getOrDefault(run, past.get(run));
      if (entry != null) {
        early.put(run, entry);
      } else if (active(given.claim()) == null) {
        // The run was claimed, and its job never heard of it; or the job's state was lost since.
        unknown.add(run);
      }
    }
    jobs(specs);
    out = false;
    problem = "it has not joined yet";
    joining().begin();
  }

  private @Nullable End pastEnd(@Nullable HistoryEntry entry) {
    return entry == null ? null : RunEnds.of(entry, aheadMillis(node(), clocks.bootNanos()), "");
  }

  /** The jobs of the files, from now on. */
  void jobs(List<JobSpec> now) {
    specs = List.copyOf(now);
    FleetNode present = node;
    if (present != null) {
      var me = joining().memory().node();
      present.jobs(specs.stream().map(spec -> FleetJob.of(spec, me, card.name())).toList());
      soon();
    }
  }

  /** The node takes part. */
  void joined(Joined.In in, long sentNanos, long now) {
    node().joined(in, sentNanos, now);
    measured = true;
    troubles.clear();
    trouble(null);
    log.info("fleet", "joined", "node", card.name(), "generation", in.generation());
    Map<String, HistoryEntry> ends = Map.copyOf(early);
    early.clear();
    ends.forEach(this::ended);
    unknown.forEach(this::lookFor);
    unknown.clear();
  }

  /**
   * A search for what became of a run that no job knows; while it goes on it is looked at again.
   */
  private void lookFor(String run) {
    Given given = open.get(run);
    if (given != null && active(given.claim()) == null) {
      Job job = jobs.find(given.claim().row().identity());
      List<Integer> okExit = job == null ? List.of(0) : job.okExit();
      means.errands().execute(Place.TEND_FLEET, () -> look(run, okExit), _ -> later(run, okExit));
    }
  }

  private void look(String run, List<Integer> okExit) {
    try {
      RunTraces.Fate fate = means.traces().of(run, okExit);
      if (!(fate instanceof RunTraces.Fate.GoesOn)) {
        post(new FleetInput.Found(run, fate));
        return;
      }
    } catch (IOException e) {
      log.warn("fleet", "run_unreadable", "run", run, "reason", e.getMessage());
    }
    later(run, okExit);
  }

  private void later(String run, List<Integer> okExit) {
    means
        .errands()
        .after(
            LOOK_AGAIN_MILLIS, Place.TEND_FLEET, () -> look(run, okExit), _ -> later(run, okExit));
  }

  private void found(String run, RunTraces.Fate fate) {
    Given given = open.get(run);
    if (given == null || active(given.claim()) != null) {
      return; // its end is told already, or its job knows it again
    }
    long at = node().fleetMillis(clocks.bootNanos());
    switch (fate) {
      case RunTraces.Fate.Ended(HistoryEntry entry) -> found(given.claim(), entry);
      case RunTraces.Fate.NeverBegan() ->
          node().ended(run, RunEnds.neverBegan(at, "its node stopped between claim and start"));
      case RunTraces.Fate.Untold() -> node().ended(run, RunEnds.unknown(at));
      case RunTraces.Fate.GoesOn() -> {}
    }
  }

  /** The end of a run whose job has forgotten it: on record here first, as any other end. */
  private void found(Claim claim, HistoryEntry entry) {
    Job job = jobs.find(claim.row().identity());
    if (job == null || jobs.isClosed()) {
      ended(claim.run(), entry);
      return;
    }
    var reply = new CompletableFuture<Answer>();
    var _ =
        reply.thenAccept(
            answer -> {
              if (answer instanceof Answer.Refused) {
                ended(claim.run(), entry); // it cannot be written; the fleet can be told
              }
            });
    jobs.submit(job, new JobEvent.Found(entry), reply);
  }

  /**
   * A trouble is over when the same is asked and answered. What is not asked any more is forgotten
   * after a while, in which it would have failed again.
   */
  private void wentRight(Statement statement, long now) {
    troubles.remove(statement.getClass());
    if (statement instanceof Statement.Poll) {
      troubles.values().removeIf(each -> now - each.nanos() > TROUBLE_NANOS);
    }
    trouble(troubles.isEmpty() ? null : troubles.values().iterator().next().reason());
  }

  /** The reason that keeps the node from the fleet now; null: nothing does any more. */
  void trouble(@Nullable String now) {
    if (out) {
      return; // an answer to a question of before says nothing of that
    }
    if (now != null && problem == null) {
      log.warn("fleet", "cut_off", "reason", now);
    } else if (now == null && problem != null) {
      log.info("fleet", "connected", "node", card.name());
    }
    problem = now;
  }

  /** The node takes no part until somebody says otherwise. */
  void leave(String why) {
    out = true;
    problem = why;
    report.hurry();
    log.error("fleet", "out", "reason", why);
  }

  /** The fleet's time as this node knows it, 0: it never heard it. */
  long knownMillis() {
    FleetNode present = node;
    return present == null || !measured ? 0 : present.fleetMillis(clocks.bootNanos());
  }

  /** The time for which nothing is claimed after the database went back. */
  long pauseMillis() {
    FleetNode present = node;
    return present == null ? 0 : present.pauseMillis();
  }

  Join.Card card() {
    return card;
  }

  FleetRoom.Means means() {
    return means;
  }

  void tell(FleetInput.What what) {
    post(what);
  }

  /** A turn follows at once, but not within this step of a job. */
  private void soon() {
    means.time().timers().set(TIMER, clocks.bootNanos(), this::turn);
  }

  /** One turn: what is to be done now is done, and the timer is set for the next. */
  void turn() {
    FleetNode present = node;
    if (present == null) {
      show();
      return;
    }
    // A node that is out asks nothing and begins nothing, but ends what others may run again.
    long now = clocks.bootNanos();
    if (measured) {
      offset(present, now);
    }
    present.claiming(!jobs.isClosed() && means.writability().isWritable());
    for (FleetRuns.Link link : chains.values()) {
      if (!open.containsKey(link.runId()) && !present.isClaiming(link.runId())) {
        chain(present, link, now);
      }
    }
    List<Given> given = new ArrayList<>();
    for (Action action : present.turn(now)) {
      perform(action, given);
    }
    if (!given.isEmpty()) {
      note(given, present.writes());
    }
    if (present.isIn()) {
      joining().generation(present.generation(), present.writes());
    }
    long next = present.nextTurn(now);
    if (next != Long.MAX_VALUE) {
      means.time().timers().set(TIMER, next, this::turn);
    }
    show();
  }

  private void chain(FleetNode present, FleetRuns.Link link, long now) {
    for (JobSpec spec : specs) {
      if (spec.identity().equals(link.owed().target())) {
        FleetJob job = FleetJob.of(spec, joining().memory().node(), card.name());
        present.chain(job.row(), link.runId(), link.owed().cause(), now);
      }
    }
  }

  private void offset(FleetNode present, long now) {
    long ahead = aheadMillis(present, now);
    present.offset(ahead);
    boolean far = Math.abs(ahead) > FleetReport.CLOCK_MILLIS;
    if (far && !clockTold) {
      log.warn("fleet", "clock_differs", "ahead_ms", ahead);
    }
    clockTold = far;
  }

  private long aheadMillis(FleetNode present, long now) {
    return clocks.wallMillis() - present.fleetMillis(now);
  }

  private void perform(Action action, List<Given> given) {
    switch (action) {
      case Action.Ask(Statement statement) -> ask(statement);
      case Action.Start(Claim claim, long latestNanos) -> {
        latests.put(claim.run(), latestNanos);
        if (open.containsKey(claim.run())) {
          begin(claim);
        } else {
          beginning.add(claim.run());
          var run = new Given(claim, loss(claim));
          open.put(claim.run(), run);
          given.add(run);
        }
      }
      case Action.Drop(Claim claim) -> drop(claim);
      case Action.Told(List<String> runs) -> told(runs);
      case Action.Stop(String run, boolean kill) -> stop(run, kill);
      case Action.Rejoin(long generation, long writes) -> {
        trouble("the database knows less than it has confirmed");
        joining().again(generation, writes);
      }
      case Action.Leave(String why) ->
          leave(why + "; kron fleet adopt makes this machine a new node");
      case Action.Tell(String what) -> log.warn("fleet", "remark", "reason", what);
    }
  }

  private Loss loss(Claim claim) {
    Job job = jobs.find(claim.row().identity());
    JobSpec spec = job == null ? null : job.spec;
    return spec == null || spec.fleet() == null ? Loss.SKIP : spec.fleet().loss();
  }

  private void ask(Statement statement) {
    door.wire(statement.isRenewal())
        .execute(
            () -> {
              try {
                post(new FleetInput.Answered(statement, door.use(statement::execute)));
              } catch (IOException | RuntimeException e) {
                post(new FleetInput.Failed(statement, String.valueOf(e.getMessage())));
              }
            });
  }

  private void note(List<Given> given, long writes) {
    List<Claim> claims = given.stream().map(Given::claim).toList();
    means
        .errands()
        .execute(
            Place.TEND_FLEET,
            () -> {
              try {
                journal.given(given, writes);
                post(new FleetInput.Noted(claims));
              } catch (DiskException e) {
                post(new FleetInput.NotNoted(claims, String.valueOf(e.getMessage())));
              }
            },
            thrown -> post(new FleetInput.NotNoted(claims, String.valueOf(thrown.getMessage()))));
  }

  /** A claim that is committed and remembered becomes the job's intent. */
  private void begin(Claim claim) {
    Job job = jobs.find(claim.row().identity());
    FleetRuns.Link link = chains.remove(claim.run());
    if (job == null || job.spec == null) {
      notBegun(claim, "the job was taken out of its file before it began");
    } else if (jobs.isEnding()) {
      notBegun(claim, "the daemon was stopped before it began");
    } else if (active(claim) != null) {
      beginning.remove(claim.run());
      jobs.launchAgain(job, claim.run());
    } else {
      var reply = new CompletableFuture<Answer>();
      JobEvent event =
          link != null ? jobs.linkDue(link) : new JobEvent.Claimed(run(claim, job.spec));
      var _ = reply.thenAccept(answer -> answered(claim, answer));
      jobs.submit(job, event, reply);
    }
  }

  private ActiveRun run(Claim claim, JobSpec spec) {
    long nominal = claim.period().nominal();
    long due = Math.floorDiv(claim.period().dueMillis(), 1000L);
    long chosen = due;
    if (nominal != NominalTimes.NONE) {
      String seed = FleetJob.of(spec, joining().memory().node(), card.name()).seed();
      Decision decision = spec.schedule().decide(seed, nominal);
      chosen = decision.unschedulable() ? due : decision.chosenEpochSecond();
    }
    return jobs.claimed(claim.run())
        .nominal(nominal)
        .chosen(chosen)
        .due(due)
        .attempt(claim.period().attempt())
        .build();
  }

  /** The intent of a claim is durable, or could not be written and is in no file. */
  private void answered(Claim claim, Answer answer) {
    beginning.remove(claim.run());
    if (answer instanceof Answer.Refused refused && active(claim) == null) {
      notBegun(claim, "its intent could not be written: " + refused.reason());
      soon();
    }
  }

  private @Nullable ActiveRun active(Claim claim) {
    Job job = jobs.find(claim.row().identity());
    if (job != null) {
      for (ActiveRun run : job.state.active()) {
        if (run.runId().equals(claim.run())) {
          return run;
        }
      }
    }
    return null;
  }

  private void notBegun(Claim claim, String why) {
    long now = clocks.bootNanos();
    latests.remove(claim.run());
    beginning.remove(claim.run());
    node().ended(claim.run(), RunEnds.neverBegan(node().fleetMillis(now), why));
  }

  /** A run that was asked for is not this node's. */
  private void drop(Claim claim) {
    String identity = claim.row().identity();
    FleetRuns.Link link = chains.remove(claim.run());
    Job by = link == null ? null : jobs.find(link.by());
    if (link != null && by != null) {
      log.info("fleet", "link_dropped", "identity", identity, "run", claim.run());
      jobs.submit(by, new JobEvent.LinkPaid(link.owed()), null);
    } else if (active(claim) != null) {
      jobs.happened(identity, jobs.neverBegan(claim.run()), claim.run());
    }
    if (open.remove(claim.run()) != null) {
      told(List.of(claim.run()));
    }
  }

  private void told(List<String> runs) {
    runs.forEach(open::remove);
    runs.forEach(latests::remove);
    long writes = node().writes();
    means
        .errands()
        .execute(
            Place.TEND_FLEET,
            () -> {
              try {
                journal.told(runs, writes);
              } catch (DiskException e) {
                // These ends are told once more after the next start.
              }
            },
            thrown -> {});
  }

  private void stop(String run, boolean kill) {
    Given given = open.get(run);
    if (given != null) {
      String identity = given.claim().row().identity();
      end(identity, run, UNHEARD, kill ? KILL : 0, new CompletableFuture<>());
    }
  }

  private void end(
      String identity, String run, String by, int signal, CompletableFuture<Answer> reply) {
    Job job = jobs.find(identity);
    if (job == null) {
      reply.complete(new Answer.Refused("there is no such job"));
    } else {
      long at = clocks.wallMillis();
      jobs.submit(job, new JobEvent.EndRequested(run, by, signal, at), reply);
    }
  }

  /** A link to a job of the fleet. */
  void chain(FleetRuns.Link link) {
    if (!open.containsKey(link.runId())) {
      chains.put(link.runId(), link);
      soon();
    }
  }

  /** A run of the fleet's ended here. */
  void ended(String run, HistoryEntry entry) {
    if (node == null || !measured) {
      early.put(run, entry);
    } else if (open.containsKey(run)) {
      if (settings.output() && entry.failed()) {
        means
            .errands()
            .execute(
                Place.TEND_FLEET,
                () -> post(new FleetInput.Ended(run, entry, output(run))),
                thrown -> post(new FleetInput.Ended(run, entry, "")));
      } else {
        tellEnd(run, entry, "");
        soon();
      }
    }
  }

  private String output(String run) {
    try {
      byte[] out = means.directory().runs().kept(run, "stdout", RunEnds.OUTPUT_BYTES);
      byte[] err = means.directory().runs().kept(run, "stderr", RunEnds.OUTPUT_BYTES);
      String text =
          new String(out, StandardCharsets.UTF_8) + new String(err, StandardCharsets.UTF_8);
      text = text.replace("\0", "\uFFFD"); // which no text in a database can hold
      return text.substring(Math.max(0, text.length() - RunEnds.OUTPUT_BYTES));
    } catch (DiskException e) {
      return "";
    }
  }

  private void tellEnd(String run, HistoryEntry entry, String output) {
    End end = RunEnds.of(entry, aheadMillis(node(), clocks.bootNanos()), output);
    node().ended(run, end);
  }

  /** Whether a daemon that leaves has to wait, as runs were given to it or are about to be. */
  boolean isBeginning() {
    FleetNode present = node;
    return present != null && !out && (present.isTaking() || !beginning.isEmpty());
  }

  /** Whether the claim of a run whose keeper came too late can be asked for again. */
  boolean tooLate(String run) {
    FleetNode present = node;
    if (present == null || out || !open.containsKey(run)) {
      return false;
    }
    present.tooLate(run);
    soon();
    return true;
  }

  /** A task is done now, with the fleet's time, unless the database does not answer. */
  void whilePresent(LongConsumer task) {
    FleetNode present = node;
    long now = clocks.bootNanos();
    if (present != null && present.isPresent(now)) {
      task.accept(present.fleetMillis(now));
    }
  }

  /** The report learns how the node stands. */
  void show() {
    FleetNode present = node;
    report.show(
        new FleetReport.Facts(
            present,
            joining == null ? null : joining.memory().node(),
            problem == null && present != null && present.isDoubled()
                ? "another node that lives is called " + card.name() + Joining.RENAME
                : problem,
            out,
            present == null || !measured ? 0 : aheadMillis(present, clocks.bootNanos())));
  }

  FleetReport report() {
    return report;
  }

  void close() {
    means.time().timers().cancel(TIMER);
    means.time().timers().cancel(FENCE);
    report.close();
    door.close();
  }
}
