package dev.kron.fleet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kron.fleet.Answers.Joined;
import dev.kron.fleet.Statement.Answer;
import dev.kron.job.FleetRules;
import dev.kron.job.FleetRules.Loss;
import dev.kron.job.JobSpec;
import dev.kron.job.Placement;
import dev.kron.job.Ranking;
import dev.kron.job.RetryPolicy;
import dev.kron.schedule.Schedule;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * When a node asks for what, on a clock that is moved by hand and a database that answers at once.
 */
class FleetNodeTest {
  private static final long MILLI = 1_000_000L;
  private static final long BEGIN = Instant.parse("2027-01-15T08:00:30Z").toEpochMilli();
  private static final int MOST_IN_A_TURN = 100;
  private static final String IDENTITY = "fleet:f.kron:a";

  private final MemoryDatabase database = new MemoryDatabase(() -> BEGIN + nanos() / MILLI);
  private final List<Driven> nodes = new ArrayList<>();
  private long now;

  private long nanos() {
    return now;
  }

  /** A node whose statements are executed at once, unless it is cut off. */
  private final class Driven {
    final String name;
    final FleetNode node;
    final List<String> started = new ArrayList<>();
    final List<Action.Stop> stopped = new ArrayList<>();
    final List<Claim> claims = new ArrayList<>();
    boolean cutOff;
    boolean loseNextClaimsAnswer;
    boolean loseNextLoss;
    boolean loseRenewals;
    boolean delayNextVotes;
    @Nullable Class<? extends Statement> holdNext;
    @Nullable Statement late;

    /** Tells it what was held back. */
    Runnable held = () -> {};

    boolean frozen;

    /** Jobs in the largest statement that told them, looked at them or changed them. */
    int largest;

    private final int number;
    private int starts = 1;

    Driven(int number, List<FleetJob> jobs) throws IOException {
      this.number = number;
      name = "n" + number;
      node = new FleetNode(Fixture.node(number), Fixture.card(number), ids(name));
      node.jobs(jobs);
      Joined joined =
          database.join(
              new Join(Fixture.node(number), Fixture.start(1), List.of(), 0, Fixture.card(number)));
      node.joined(assertInstanceOf(Joined.In.class, joined), now, now);
      nodes.add(this);
    }

    private java.util.function.Supplier<String> ids(String prefix) {
      int[] next = {0};
      return () -> prefix + "-" + next[0]++;
    }

    void turn() {
      int asked = 0;
      for (boolean more = !frozen; more; ) {
        more = false;
        assertTrue(asked++ < MOST_IN_A_TURN, name + " asks without end");
        for (Action action : node.turn(now)) {
          switch (action) {
            case Action.Ask(Statement statement) -> {
              more = true;
              execute(statement);
            }
            case Action.Start(Claim claim, long _) -> started.add(at(claim));
            case Action.Stop stop -> stopped.add(stop);
            case Action.Told _, Action.Drop _ -> {}
            case Action.Rejoin(long generation, long _) -> rejoin(generation);
            case Action.Leave _, Action.Tell _ -> throw new AssertionError(name + ": " + action);
          }
        }
      }
    }

    /** The database went back: it takes part again, in a new generation. */
    private void rejoin(long generation) {
      database.raise(generation, BEGIN + now / MILLI, node.pauseMillis());
      Joined joined =
          database.join(
              new Join(
                  Fixture.node(number),
                  Fixture.start(starts + 1L),
                  List.of(Fixture.start(starts)),
                  0,
                  Fixture.card(number)));
      starts++;
      node.joined(assertInstanceOf(Joined.In.class, joined), now, now);
    }

    private String at(Claim claim) {
      claims.add(claim);
      return claim.kind().hasPeriod()
          ? Instant.ofEpochSecond(claim.period().nominal()) + " +" + late(claim)
          : claim.note();
    }

    private long late(Claim claim) {
      return BEGIN + now / MILLI - claim.period().dueMillis();
    }

    private void execute(Statement statement) {
      if (cutOff) {
        node.failed(statement, now);
        return;
      }
      if (delayNextVotes && statement instanceof Statement.Arrive) {
        delayNextVotes = false;
        late = statement;
        node.failed(statement, now);
        return;
      }
      if (loseNextLoss && statement instanceof Statement.Lose) {
        loseNextLoss = false;
        node.failed(statement, now);
        return;
      }
      if (statement instanceof Statement.Arrive arrive) {
        largest = Math.max(largest, arrive.jobs().size());
      } else if (statement instanceof Statement.Look look) {
        largest = Math.max(largest, look.rows().size());
      } else if (statement instanceof Statement.Define define) {
        largest = Math.max(largest, define.identities().size());
      }
      Answer answer = answer(statement);
      if (holdNext != null && holdNext.isInstance(statement)) {
        holdNext = null;
        held = () -> node.answered(statement, answer, now);
      } else if (loseRenewals && statement.isRenewal()) {
        node.failed(statement, now);
      } else if (loseNextClaimsAnswer && statement instanceof Statement.Take) {
        loseNextClaimsAnswer = false;
        node.failed(statement, now);
      } else {
        node.answered(statement, answer, now);
      }
    }

    private Answer answer(Statement statement) {
      try {
        return statement.execute(database);
      } catch (IOException impossible) {
        throw new AssertionError(impossible);
      }
    }

    void ended(String outcome) {
      Claim claim = claims.getLast();
      node.ended(claim.run(), new Settlement.End(outcome, 0, 0L, BEGIN + now / MILLI, "", ""));
    }
  }

  private static FleetJob job(String schedule, int retries, Loss loss) {
    JobSpec spec =
        JobSpec.builder("/f", "a", Schedule.parse(schedule), List.of("/bin/true"))
            .retry(new RetryPolicy(retries, 5000, 60_000, List.of(0)))
            .fleet(new FleetRules("f.kron", Placement.ANY, loss, "n1"))
            .build();
    return FleetJob.of(spec, RowKey.ANY, "");
  }

  private void fleet(String schedule, int retries, Loss loss) throws IOException {
    for (int i = 1; i <= 3; i++) {
      new Driven(i, List.of(job(schedule, retries, loss)));
    }
    passMillis(100);
    // Everybody has seen the others once all have joined.
    passMillis(11_000);
  }

  private void passMillis(long millis) {
    long end = now + millis * MILLI;
    while (now < end) {
      now += 50 * MILLI;
      nodes.forEach(Driven::turn);
    }
  }

  private List<Driven> ranked(String period) {
    return Ranking.of(IDENTITY, period, List.of("n1", "n2", "n3")).stream()
        .map(name -> nodes.stream().filter(node -> node.name.equals(name)).findFirst())
        .map(found -> found.orElseThrow())
        .toList();
  }

  private static String told(Driven node) {
    return node.started.toString();
  }

  private @Nullable String last() throws IOException {
    return database
        .look(
            new NodeSession(Fixture.node(1), Fixture.start(1), 0), List.of(RowKey.shared(IDENTITY)))
        .rows()
        .getFirst()
        .lastRun();
  }

  /** A statement has two seconds, and a node may have any number of jobs. */
  @Test
  void manyJobsAreToldAndLookedAtInParts() throws IOException {
    List<FleetJob> many = many("* * * * *");
    Driven driven = new Driven(1, many);
    passMillis(100);
    assertEquals(4500, votes());
    passMillis(35_000);
    assertEquals(4500, driven.started.size(), "each was looked at, and has a period");
    driven.node.jobs(many("*/2 * * * *"));
    passMillis(500);
    assertEquals(4500, driven.node.differing().size());
    passMillis(11_000);
    assertEquals(List.of(), driven.node.differing(), "each was looked at with the next renewal");
    driven.node.jobs(many.subList(0, 4001));
    passMillis(100);
    assertEquals(4001, votes());
    driven.node.jobs(List.of());
    passMillis(100);
    assertEquals(0, votes());
    assertTrue(driven.largest <= 2000, "jobs in one statement: " + driven.largest);
  }

  private static List<FleetJob> many(String schedule) {
    FleetJob one = job(schedule, 0, Loss.SKIP);
    List<FleetJob> many = new ArrayList<>();
    for (int i = 0; i < 4500; i++) {
      String identity = "fleet:f.kron:job" + i;
      many.add(
          new FleetJob(
              RowKey.shared(identity),
              identity,
              one.definition(),
              one.schedule(),
              one.retry(),
              one.rules()));
    }
    return many;
  }

  private long votes() {
    return database.backup().votes.values().stream().filter(each -> !each.isEmpty()).count();
  }

  @Test
  void theFirstOfTheRankingRunsAPeriodAtItsSecond() throws IOException {
    fleet("* * * * *", 0, Loss.SKIP);
    passMillis(25_000);
    List<Driven> order = ranked("2027-01-15T08:01:00Z");
    assertEquals("[2027-01-15T08:01:00Z +0]", told(order.get(0)));
    assertEquals("[]", told(order.get(1)));
    assertEquals("[]", told(order.get(2)));
  }

  @Test
  void othersTakeOverASecondLaterEach() throws IOException {
    fleet("* * * * *", 0, Loss.SKIP);
    List<Driven> order = ranked("2027-01-15T08:01:00Z");
    order.get(0).cutOff = true;
    passMillis(25_000);
    assertEquals("[2027-01-15T08:01:00Z +1000]", told(order.get(1)));
    order.get(0).cutOff = false;
    order.forEach(node -> node.claims.forEach(claim -> node.ended("success")));
    List<Driven> next = ranked("2027-01-15T08:02:00Z");
    passMillis(45_000);
    next.get(0).cutOff = true; // nobody can know yet
    next.get(1).cutOff = true;
    next.get(2).started.clear();
    passMillis(15_000);
    assertEquals("[2027-01-15T08:02:00Z +2000]", told(next.get(2)));
  }

  @Test
  void whoWasAbsentLetsAllOthersHaveTheirTurn() throws IOException {
    fleet("* * * * * @policy(deadline=30s)", 0, Loss.SKIP);
    nodes.forEach(node -> node.cutOff = true);
    passMillis(20_000); // 08:01:01.1: nobody was there at the due time
    nodes.forEach(node -> node.cutOff = false);
    passMillis(15_000);
    List<String> started = nodes.stream().flatMap(node -> node.started.stream()).toList();
    assertEquals(1, started.size(), started.toString());
    long late = Long.parseLong(started.getFirst().substring("2027-01-15T08:01:00Z +".length()));
    assertTrue(late >= 3000 && late < 15_000, started.toString());
  }

  @Test
  void periodsThatNobodySawAreNoBurst() throws IOException {
    fleet("* * * * *", 0, Loss.SKIP);
    nodes.forEach(node -> node.cutOff = true);
    passMillis(5 * 60_000);
    nodes.forEach(node -> node.cutOff = false);
    passMillis(15_000);
    assertTrue(nodes.stream().allMatch(node -> node.started.isEmpty()));
    assertEquals("ended missed", database.backup().told(String.valueOf(last())));
  }

  /** Each raise would make more periods that do not count. */
  @Test
  void aDatabaseThatWentBackBeginsOneGeneration() throws IOException {
    fleet("* * * * *", 0, Loss.SKIP);
    MemoryTables before = database.backup();
    passMillis(25_000);
    database.restore(before);
    passMillis(60_000);
    assertEquals(2, database.backup().generation);
  }

  @Test
  void aTableThatSomebodyEmptiesIsFilledAgain() throws IOException {
    fleet("* * * * *", 0, Loss.SKIP);
    passMillis(25_000); // 08:01 has run
    ranked("2027-01-15T08:01:00Z").getFirst().ended("success");
    passMillis(1000);
    empty();
    passMillis(60_000); // 08:02 is claimed, and there is no row of the job
    assertEquals(2, database.backup().generation);
    assertFalse(database.backup().jobs.isEmpty());
    nodes.forEach(node -> node.started.clear());
    passMillis(60_000);
    List<String> started = nodes.stream().flatMap(node -> node.started.stream()).toList();
    assertEquals(List.of("2027-01-15T08:03:00Z +0"), started);
  }

  @Test
  void whatGoesOnWhileSomebodyEmptiesATableIsPutBack() throws IOException {
    fleet("* * * * *", 0, Loss.SKIP);
    passMillis(25_000); // 08:01 runs
    empty();
    passMillis(120_000);
    assertEquals(1, nodes.stream().mapToInt(node -> node.started.size()).sum());
  }

  /** The end of a run, of a job that is in no file any more, in a table that somebody emptied. */
  @Test
  void whatHasNoRowAnywhereIsNotToldForEver() throws IOException {
    fleet("* * * * *", 0, Loss.SKIP);
    passMillis(25_000);
    Driven first = ranked("2027-01-15T08:01:00Z").getFirst();
    first.node.jobs(List.of());
    passMillis(1000);
    empty();
    first.ended("success");
    passMillis(1000);
    assertEquals(0, first.node.owed());
    assertEquals(1, database.backup().generation);
  }

  @Test
  void anEmptyTableIsNoticedLongBeforeTheNextPeriod() throws IOException {
    fleet("0 20 * * *", 0, Loss.SKIP);
    empty();
    passMillis(9 * 60_000);
    assertTrue(database.backup().jobs.isEmpty());
    passMillis(2 * 60_000);
    assertFalse(database.backup().jobs.isEmpty());
  }

  private void empty() {
    MemoryTables emptied = database.backup();
    emptied.jobs.clear();
    emptied.votes.clear();
    database.restore(emptied);
  }

  @Test
  void aLostAnswerIsAskedForAgainUnderTheSameId() throws IOException {
    fleet("* * * * *", 0, Loss.SKIP);
    Driven first = ranked("2027-01-15T08:01:00Z").getFirst();
    first.loseNextClaimsAnswer = true;
    passMillis(25_000);
    assertEquals(1, first.started.size());
    assertEquals(first.claims.getFirst().run(), last());
    assertEquals(1, nodes.stream().mapToInt(node -> node.started.size()).sum());
  }

  @Test
  void aForbiddenPeriodIsSkippedASecondAfterItWasDue() throws IOException {
    fleet("* * * * *", 0, Loss.SKIP);
    passMillis(80_000); // the run of 08:01 goes on at 08:02
    assertEquals(1, nodes.stream().mapToInt(node -> node.started.size()).sum());
    assertEquals("ended skipped", database.backup().told(String.valueOf(last())));
  }

  @Test
  void anEndWithinTheSecondIsInTime() throws IOException {
    fleet("* * * * *", 0, Loss.SKIP);
    Driven first = ranked("2027-01-15T08:01:00Z").getFirst();
    passMillis(now % (1000 * MILLI) == 0 ? 0 : 1);
    while (BEGIN + now / MILLI < Instant.parse("2027-01-15T08:02:00.4Z").toEpochMilli()) {
      passMillis(50);
    }
    first.ended("success");
    passMillis(2000);
    List<String> second =
        nodes.stream()
            .flatMap(node -> node.started.stream())
            .filter(text -> text.startsWith("2027-01-15T08:02:00Z"))
            .toList();
    assertEquals(1, second.size(), "run, not skipped");
  }

  @Test
  void aFailedRunIsTriedAgainSomewhere() throws IOException {
    fleet("*/30 * * * *", 1, Loss.SKIP);
    passMillis(30 * 60_000);
    Driven first = ranked("2027-01-15T08:30:00Z").getFirst();
    assertEquals(1, first.started.size());
    first.ended("failed");
    passMillis(15_000);
    List<Claim> all = nodes.stream().flatMap(node -> node.claims.stream()).toList();
    assertEquals(List.of(1, 2), all.stream().map(claim -> claim.period().attempt()).toList());
    Driven second =
        nodes.stream()
            .filter(node -> node.claims.size() > 0 && node.claims.getLast().period().attempt() == 2)
            .findFirst()
            .orElseThrow();
    second.ended("failed");
    passMillis(60_000);
    assertEquals(2, nodes.stream().mapToInt(node -> node.claims.size()).sum(), "one retry");
  }

  @Test
  void aLostNodesRunHoldsItsJobAndIsTrueWhenItComesBack() throws IOException {
    fleet("* * * * *", 0, Loss.SKIP);
    passMillis(20_000);
    Driven first = ranked("2027-01-15T08:01:00Z").getFirst();
    String run = first.claims.getFirst().run();
    first.cutOff = true;
    passMillis(90_000);
    assertEquals("lost null", database.backup().told(run));
    assertEquals(1, nodes.stream().mapToInt(node -> node.started.size()).sum());
    first.ended("success");
    first.cutOff = false;
    passMillis(12_000);
    assertEquals("ended success", database.backup().told(run));
    passMillis(60_000);
    assertEquals(2, nodes.stream().mapToInt(node -> node.started.size()).sum());
  }

  @Test
  void aNodeThatIsCutOffEndsWhatOthersWillRunAgain() throws IOException {
    fleet("*/30 * * * *", 0, Loss.RERUN);
    passMillis(29 * 60_000 + 20_000);
    Driven first = ranked("2027-01-15T08:30:00Z").getFirst();
    assertEquals(1, first.started.size());
    first.cutOff = true;
    passMillis(29_000);
    long lastRenewal = 11_000;
    passMillis(lastRenewal);
    assertEquals(
        List.of(new Action.Stop(first.claims.getFirst().run(), false)),
        first.stopped.subList(0, 1));
    passMillis(15_000);
    assertEquals(2, first.stopped.size());
    assertTrue(first.stopped.getLast().kill());
    passMillis(20_000);
    List<Claim> others =
        nodes.stream().filter(node -> node != first).flatMap(node -> node.claims.stream()).toList();
    assertEquals(1, others.size());
    assertEquals(2, others.getFirst().period().attempt());
  }

  /** A longer lease was set while it was cut off: the others count with the one they heard of. */
  @Test
  void aLeaseThatNobodyHasHeardOfDoesNotCount() throws IOException {
    fleet("*/30 * * * *", 0, Loss.RERUN);
    passMillis(29 * 60_000 + 20_000);
    Driven first = ranked("2027-01-15T08:30:00Z").getFirst();
    Claim run = first.claims.getFirst();
    var card = new Join.Card(first.name, List.of("web"), "1", 3_600_000);
    var later = new FleetNode(Fixture.node(first.number), card, () -> "r");
    later.heardBefore(first.node.heard());
    later.recovered(run, Loss.RERUN);
    List<Action> actions = new ArrayList<>();
    for (long end = now + 41_000 * MILLI; now < end; now += 50 * MILLI) {
      actions.addAll(later.turn(now));
    }
    assertEquals(
        List.of(new Action.Stop(run.run(), false), new Action.Stop(run.run(), true)), actions);
  }

  @Test
  void aRerunUsesUpNoRetry() throws IOException {
    fleet("*/30 * * * *", 1, Loss.RERUN);
    passMillis(29 * 60_000 + 40_000);
    ranked("2027-01-15T08:30:00Z").getFirst().frozen = true;
    List<String> attempts = new ArrayList<>();
    for (int i = 0; i < 120; i++) {
      passMillis(1000);
      for (Driven node : nodes) {
        for (Claim claim : node.frozen ? List.<Claim>of() : List.copyOf(node.claims)) {
          attempts.add(claim.kind() + " " + claim.period().attempt());
          node.ended("failed");
          node.claims.clear();
        }
      }
    }
    assertEquals(List.of("RERUN 2", "RETRY 3"), attempts);
  }

  /** It was killed between claim and start. */
  @Test
  void whatANodeDoesNotKnowInItsNameIsSettled() throws IOException {
    assertEquals("ended missed", afterARestart(null));
  }

  /** The end was told, and the database has gone back to before it. */
  @Test
  void whatANodeRemembersOfItsPastIsToldAgain() throws IOException {
    assertEquals("ended failed", afterARestart(new Settlement.End("failed", 3, 0L, 0, "", "")));
  }

  /** What the database knows of a run that a node had before it was killed. */
  private String afterARestart(Settlement.@Nullable End past) throws IOException {
    fleet("* * * * *", 0, Loss.SKIP);
    passMillis(20_000);
    Driven first = ranked("2027-01-15T08:01:00Z").getFirst();
    String run = first.claims.getFirst().run();
    nodes.remove(first);
    int number = Integer.parseInt(first.name.substring(1));
    // It is killed, and comes back within its lease.
    FleetNode fresh =
        new FleetNode(Fixture.node(number), Fixture.card(number), () -> first.name + "-again");
    fresh.jobs(List.of(job("* * * * *", 0, Loss.SKIP)));
    fresh.past(id -> id.equals(run) ? past : null);
    Joined joined =
        database.join(
            new Join(
                Fixture.node(number),
                Fixture.start(2),
                List.of(Fixture.start(1)),
                0,
                Fixture.card(number)));
    fresh.joined(assertInstanceOf(Joined.In.class, joined), now, now);
    for (int i = 0; i < 40; i++) {
      now += 50 * MILLI;
      for (Action action : fresh.turn(now)) {
        if (action instanceof Action.Ask(Statement statement)) {
          fresh.answered(statement, statement.execute(database), now);
        } else {
          assertFalse(action instanceof Action.Start, "it is told, not run");
        }
      }
    }
    return String.valueOf(database.backup().told(run));
  }

  @Test
  void aSuspendedJobIsNotClaimedAndGoesOnWhenResumed() throws IOException {
    fleet("* * * * *", 0, Loss.SKIP);
    database.request(new FleetRequest("q1", "me", new FleetRequest.Suspend(IDENTITY)));
    passMillis(60_000);
    assertEquals(0, nodes.stream().mapToInt(node -> node.started.size()).sum());
    database.request(new FleetRequest("q2", "me", new FleetRequest.Resume(IDENTITY)));
    passMillis(60_000);
    assertEquals(1, nodes.stream().mapToInt(node -> node.started.size()).sum());
  }

  @Test
  void aTriggerRunsOnceOnTheNodeThatIsMeant() throws IOException {
    fleet("@manual", 0, Loss.SKIP);
    database.request(new FleetRequest("q1", "me", new FleetRequest.Trigger(IDENTITY, "", 60_000)));
    database.request(new FleetRequest("q1", "me", new FleetRequest.Trigger(IDENTITY, "", 60_000)));
    passMillis(5000);
    assertEquals(1, nodes.stream().mapToInt(node -> node.claims.size()).sum());
    nodes.forEach(node -> node.claims.forEach(claim -> node.ended("success")));
    passMillis(1000);
    database.request(
        new FleetRequest("q2", "me", new FleetRequest.Trigger(IDENTITY, "n2", 60_000)));
    nodes.get(1).claims.clear();
    passMillis(5000);
    assertEquals(1, nodes.get(1).claims.size());
  }

  @Test
  void aRollingChangeSilencesNothingAndRunsNothingTwice() throws IOException {
    fleet("* * * * *", 0, Loss.SKIP);
    FleetJob changed = job("* * * * * @policy(concurrency=allow)", 0, Loss.SKIP);
    for (Driven node : List.copyOf(nodes)) {
      node.node.jobs(List.of(changed));
      passMillis(60_000);
      nodes.forEach(each -> each.claims.forEach(claim -> each.node.ended(claim.run(), end())));
    }
    List<Long> periods =
        nodes.stream()
            .flatMap(node -> node.claims.stream())
            .map(claim -> claim.period().nominal())
            .sorted()
            .toList();
    assertEquals(3, periods.size(), periods.toString());
    assertEquals(periods.stream().distinct().toList(), periods);
  }

  private Settlement.End end() {
    return new Settlement.End("success", 0, 0L, BEGIN + now / MILLI, "", "");
  }

  /** Idle: a poll a second, and a renewal in a third of a lease. */
  @Test
  void anIdleNodeAsksLittle() throws IOException {
    Driven node = new Driven(1, List.of(job("0 0 1 1 *", 0, Loss.SKIP)));
    passMillis(5000);
    int asked = 0;
    for (int i = 0; i < 20 * 60; i++) {
      now += 50 * MILLI;
      for (Action action : node.node.turn(now)) {
        if (action instanceof Action.Ask(Statement statement)) {
          asked++;
          node.node.answered(statement, statement.execute(database), now);
        }
      }
    }
    assertTrue(asked <= 60 + 7, asked + " statements in a minute");
  }

  private static FleetRequest trigger() {
    return new FleetRequest("q1", "me", new FleetRequest.Trigger(IDENTITY, "", 60_000));
  }

  @Test
  void aRunThatWasAskedForAndCameTooLateIsAskedForOnce() throws IOException {
    fleet("0 0 1 1 *", 0, Loss.SKIP);
    database.request(trigger());
    passMillis(2000);
    Driven taker = nodes.stream().filter(node -> !node.started.isEmpty()).findFirst().orElseThrow();
    taker.node.tooLate(taker.claims.getLast().run());
    passMillis(5000);
    assertEquals("[q1, q1]", told(taker), "it is still this node's, and that is told once");
  }

  @Test
  void aLostRunWithoutAPeriodIsNothingToRunAgain() throws IOException {
    fleet("0 0 1 1 *", 0, Loss.RERUN);
    database.request(trigger());
    passMillis(2000);
    Driven taker = nodes.stream().filter(node -> !node.started.isEmpty()).findFirst().orElseThrow();
    taker.frozen = true;
    passMillis(90_000);
    nodes.remove(taker);
    assertEquals(List.of(), nodes.stream().flatMap(node -> node.started.stream()).toList());
  }

  @Test
  void aPeriodThatWasWantedBeforeAnAbsenceIsJudgedAnew() throws IOException {
    fleet("* * * * *", 0, Loss.SKIP);
    passMillis(18_850);
    nodes.forEach(node -> node.cutOff = true); // the minute is claimed, and nobody answers
    passMillis(150_000);
    nodes.forEach(node -> node.cutOff = false);
    passMillis(30_000);
    assertEquals(
        List.of(), nodes.stream().flatMap(node -> node.started.stream()).toList(), "all too late");
    assertTrue(String.valueOf(last()).startsWith("n"), "what nobody could run is on record");
  }

  @Test
  void anAnswerThatWaitedForAStoppedDaemonIsNoSignOfPresence() throws IOException {
    FleetJob job = job("* * * * * @policy(deadline=1h)", 0, Loss.SKIP);
    var node = new FleetNode(Fixture.node(1), Fixture.card(1), () -> "r");
    node.jobs(List.of(job));
    Joined joined =
        database.join(new Join(Fixture.node(1), Fixture.start(1), List.of(), 0, Fixture.card(1)));
    long sent = now;
    now += 200_000 * MILLI;
    node.joined(assertInstanceOf(Joined.In.class, joined), sent, now);
    assertFalse(node.isPresent(now), "nobody knows what time it is");
  }

  /** What it planned then had no time to be due at, for ten minutes. */
  @Test
  void whatWaitedForAStoppedDaemonIsLookedAtAgain() throws IOException {
    Driven driven = new Driven(1, List.of(job("* * * * *", 0, Loss.SKIP)));
    driven.holdNext = Statement.Look.class;
    passMillis(100);
    driven.frozen = true;
    passMillis(40_000);
    driven.frozen = false;
    driven.held.run();
    passMillis(120_000);
    assertEquals("[2027-01-15T08:02:00Z +0]", told(driven));
  }

  /** Another run went on when it asked; that it was over by then is no reason to begin late. */
  @Test
  void whatWasNotTakenBeforeAnAbsenceIsLateAfterIt() throws IOException {
    Driven driven = new Driven(1, List.of(job("* * * * *", 0, Loss.SKIP)));
    passMillis(89_000);
    driven.holdNext = Statement.Take.class;
    passMillis(2000);
    driven.frozen = true;
    passMillis(30_000);
    driven.frozen = false;
    driven.ended("success");
    driven.held.run();
    passMillis(20_000);
    assertEquals("[2027-01-15T08:01:00Z +0]", told(driven));
  }

  @Test
  void aMachineWhoseClockStoodWasAbsent() throws IOException {
    fleet("* * * * *", 0, Loss.SKIP);
    Timing timing = new Timing();
    timing.answered(0, 10);
    assertFalse(timing.measured(BEGIN, 0, 10));
    assertFalse(timing.measured(BEGIN + 1500, 0, 10), "a clock that is set a little");
    assertTrue(timing.measured(BEGIN + 60_000, 0, 20));
    assertEquals(BEGIN + 60_000, timing.presentSinceMillis());
    assertFalse(timing.hasSettledIn(20));
    assertFalse(timing.measured(BEGIN, 0, 30), "set back, it tells of no absence");
  }

  @Test
  void whatADatabaseWasToldBeforeItWentBackIsToldAgain() {
    var runs = new NodeRuns();
    Settlement end = Fixture.ended(Fixture.claim(Claim.Kind.START, 1, "r1"), "success", null);
    runs.owe(end);
    runs.told(List.of("r1"));
    assertEquals(0, runs.owed());
    runs.oweAgain();
    assertEquals(List.of(end), runs.owed(10));
    assertTrue(runs.knows("r1"), "it is not called one that never began");
    runs.told(List.of("r1"));
    runs.oweAgain();
    assertEquals(1, runs.owed(), "however often it goes back");
  }

  @Test
  void whatMightBeRunAgainKeepsNoLaterPeriodWaiting() throws IOException {
    fleet("* * * * *", 0, Loss.RERUN);
    passMillis(19_000);
    Driven first = ranked("2027-01-15T08:01:00Z").getFirst();
    assertEquals(1, first.started.size());
    first.frozen = true;
    passMillis(180_000);
    nodes.remove(first);
    List<Claim> others = nodes.stream().flatMap(node -> node.claims.stream()).toList();
    assertFalse(others.isEmpty(), "the job goes on");
  }

  @Test
  void whatWasDueUnderAnotherDefinitionWasDueInAbsence() throws IOException {
    new Driven(1, List.of(job("*/2 * * * *", 0, Loss.SKIP)));
    new Driven(2, List.of(job("*/2 * * * *", 0, Loss.SKIP)));
    new Driven(3, List.of(job("* * * * *", 0, Loss.SKIP)));
    passMillis(11_000);
    nodes.get(0).frozen = true;
    nodes.get(1).frozen = true;
    passMillis(30_000);
    List<String> began = nodes.get(2).started;
    passMillis(90_000);
    assertTrue(
        began.stream().allMatch(each -> each.matches(".* \\+[0-9]{1,4}")), told(nodes.get(2)));
    assertFalse(began.isEmpty(), "what nobody has is not in force");
  }

  @Test
  void whatWasDueWhileItsFilesWereOldWasDueInAbsence() throws IOException {
    new Driven(1, List.of(jobOfEach("* * * * *", 1)));
    new Driven(2, List.of(jobOfEach("* * * * *", 2)));
    new Driven(3, List.of(jobOfEach("* * * * * @policy(deadline=1h)", 3)));
    passMillis(85_000); // more than a lease after 08:01
    Driven behind = nodes.get(2);
    assertEquals("[2027-01-15T08:01:00Z +0]", told(nodes.getFirst()));
    behind.node.jobs(List.of(jobOfEach("* * * * *", 3)));
    passMillis(40_000);
    assertEquals("[2027-01-15T08:02:00Z +0]", told(behind), "its deadline for 08:01 was over");
  }

  private static FleetJob jobOfEach(String schedule, int number) {
    JobSpec spec =
        JobSpec.builder("/f", "a", Schedule.parse(schedule), List.of("/bin/true"))
            .fleet(new FleetRules("f.kron", Placement.ALL, Loss.SKIP, "n" + number))
            .build();
    return FleetJob.of(spec, Fixture.node(number), "n" + number);
  }

  @Test
  void votesThatComeLateAreNotTheLast() throws IOException {
    fleet("0 0 1 1 *", 0, Loss.SKIP);
    Driven slow = nodes.getLast();
    slow.delayNextVotes = true;
    slow.node.jobs(List.of(job("0 0 1 1 *", 0, Loss.SKIP)));
    passMillis(50);
    FleetJob changed = job("0 0 2 1 *", 0, Loss.SKIP);
    slow.node.jobs(List.of(changed));
    passMillis(3000);
    Objects.requireNonNull(slow.late).execute(database);
    nodes.getFirst().node.jobs(List.of(changed));
    passMillis(60_000);
    RowKey row = RowKey.shared(IDENTITY);
    NodeSession any = new NodeSession(Fixture.node(1), Fixture.start(1), 0);
    assertEquals(
        changed.definition(), database.look(any, List.of(row)).rows().getFirst().definition());
  }

  @Test
  void whatWasDueBeforeItsFilesHadTheJobWasDueInAbsence() throws IOException {
    FleetJob job = job("* * * * *", 0, Loss.SKIP);
    new Driven(1, List.of(job));
    new Driven(2, List.of(job));
    new Driven(3, List.of());
    passMillis(11_000);
    nodes.get(0).frozen = true;
    nodes.get(1).frozen = true;
    passMillis(74_000);
    nodes.get(2).node.jobs(List.of(job)); // 55 s after 08:01, with a deadline of 0 s
    passMillis(20_000);
    assertTrue(told(nodes.get(2)).startsWith("[2027-01-15T08:02:00Z "), told(nodes.get(2)));
  }

  @Test
  void aLossThatTheDatabaseDidNotHearOfIsToldAgain() throws IOException {
    fleet("* * * * *", 0, Loss.SKIP);
    passMillis(19_000);
    Driven first = ranked("2027-01-15T08:01:00Z").getFirst();
    first.frozen = true;
    nodes.forEach(node -> node.loseNextLoss = true);
    passMillis(60_000);
    assertTrue(nodes.stream().filter(node -> !node.frozen).noneMatch(node -> node.loseNextLoss));
    assertEquals("lost null", database.backup().told(first.claims.getLast().run()));
  }

  @Test
  void aLossThatADatabaseHasForgottenIsToldAgain() throws IOException {
    fleet("* * * * *", 0, Loss.SKIP);
    passMillis(19_000);
    ranked("2027-01-15T08:01:00Z").getFirst().frozen = true;
    passMillis(21_000);
    MemoryTables before = database.backup();
    passMillis(25_000);
    String run = ranked("2027-01-15T08:01:00Z").getFirst().claims.getLast().run();
    assertEquals("lost null", database.backup().told(run));
    database.restore(before);
    assertEquals("running null", database.backup().told(run));
    passMillis(120_000);
    assertEquals("lost null", database.backup().told(run));
  }

  /** The database has its renewals, but no answer comes back. */
  @Test
  void aTriggerThatIsTakenWhileTheLeaseMayBeOverWaitsAndBeginsOnce() throws IOException {
    fleet("0 0 1 1 *", 0, Loss.SKIP);
    Driven first = nodes.getFirst();
    nodes.stream().skip(1).forEach(node -> node.frozen = true);
    first.loseRenewals = true;
    passMillis(31_000);
    database.request(trigger());
    passMillis(3000);
    assertEquals("[]", told(first), "others may believe that it is gone");
    first.loseRenewals = false;
    passMillis(15_000);
    assertEquals("[q1]", told(first));
  }

  @Test
  void turnsAreThoseOfTheNodesThatLiveNow() throws IOException {
    fleet("0 * * * *", 0, Loss.SKIP);
    Driven second = ranked("2027-01-15T09:00:00Z").get(1);
    ranked("2027-01-15T09:00:00Z").getFirst().frozen = true;
    passMillis(59 * 60_000 + 30_000);
    assertEquals("[2027-01-15T09:00:00Z +0]", told(second), "the first is gone for long");
  }
}
