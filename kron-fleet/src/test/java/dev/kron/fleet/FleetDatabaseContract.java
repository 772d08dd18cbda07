package dev.kron.fleet;

import static dev.kron.fleet.Fixture.BEGIN;
import static dev.kron.fleet.Fixture.JOB;
import static dev.kron.fleet.Fixture.LEASE;
import static dev.kron.fleet.Fixture.ROW;
import static dev.kron.fleet.Fixture.arrival;
import static dev.kron.fleet.Fixture.card;
import static dev.kron.fleet.Fixture.claim;
import static dev.kron.fleet.Fixture.ended;
import static dev.kron.fleet.Fixture.node;
import static dev.kron.fleet.Fixture.noted;
import static dev.kron.fleet.Fixture.on;
import static dev.kron.fleet.Fixture.one;
import static dev.kron.fleet.Fixture.start;
import static java.util.stream.Collectors.toSet;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kron.fleet.Answers.Joined;
import dev.kron.fleet.Answers.NodeRow;
import dev.kron.fleet.Answers.Renewed;
import dev.kron.fleet.Answers.Standing;
import dev.kron.fleet.Claim.Kind;
import dev.kron.fleet.Verdict.Busy;
import dev.kron.fleet.Verdict.Handled;
import dev.kron.fleet.Verdict.Refused;
import dev.kron.fleet.Verdict.Taken;
import dev.kron.fleet.Verdict.Why;
import dev.kron.schedule.Policy.Concurrency;
import java.io.IOException;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What every database of a fleet does, whatever it is made of. Its clock is set by hand. */
public abstract class FleetDatabaseContract {
  private FleetDatabase database = new MemoryDatabase(() -> 0);
  private NodeSession a = new NodeSession(node(0), start(0), 0);
  private NodeSession b = a;

  /** A database without anything in it. */
  protected abstract FleetDatabase create() throws Exception;

  /** Sets the database's clock. */
  protected abstract void setClock(long millis) throws Exception;

  /** What became of a run: its state and its outcome. */
  protected abstract String told(String run) throws Exception;

  @BeforeEach
  void twoNodesWithOneJob() throws Exception {
    database = create();
    at(0);
    a = Fixture.join(database, 1);
    b = Fixture.join(database, 2);
    arrive(a, "d1");
    arrive(b, "d1");
  }

  /** The seconds since the beginning. */
  private void at(double seconds) throws Exception {
    setClock(BEGIN + (long) (seconds * 1000));
  }

  private void arrive(NodeSession session, String definition) throws IOException {
    assertInstanceOf(Standing.Held.class, database.arrive(session, List.of(arrival(definition))));
  }

  private JobRow row() throws IOException {
    return database.look(a, List.of(ROW)).rows().getFirst();
  }

  private Renewed renew(NodeSession session, int number, String... going) throws IOException {
    return database.renew(session, new Renewal(card(number), 0, List.of(going)));
  }

  private void settle(NodeSession session, Settlement... settlements) throws IOException {
    assertEquals(
        List.of(settlements).stream().map(each -> each.claim().run()).toList(),
        database.settle(session, List.of(settlements)).runs());
  }

  private static Why why(Verdict verdict) {
    return assertInstanceOf(Refused.class, verdict).why();
  }

  @Test
  void aPeriodIsTakenOnce() throws Exception {
    at(1);
    assertEquals(new Taken(), one(database, a, claim(Kind.START, 1, "r1")));
    assertEquals(new Handled(BEGIN / 1000 + 1, "r1"), one(database, b, claim(Kind.START, 1, "r2")));
    JobRow.Active active = row().active();
    assertNotNull(active);
    assertEquals("r1", active.run());
    assertEquals(node(1), active.node());
    assertEquals("running null", told("r1"));
  }

  @Test
  void theSameClaimAgainIsTakenStill() throws Exception {
    at(1);
    Claim claim = claim(Kind.START, 1, "r1");
    assertEquals(new Taken(), one(database, a, claim));
    assertEquals(new Taken(), one(database, a, claim));
    at(700); // though it could not be claimed any more
    renew(a, 1, "r1");
    assertEquals(new Taken(), one(database, a, claim));
    settle(a, ended(claim, "success", null));
    assertEquals(Why.OVERTAKEN, why(one(database, a, claim)));
  }

  @Test
  void whatIsHandledNeverMovesBack() throws Exception {
    at(9);
    assertEquals(new Taken(), one(database, a, claim(Kind.MISSED, 5, "m")));
    assertEquals("ended missed", told("m"));
    assertInstanceOf(Handled.class, one(database, b, claim(Kind.START, 4, "r")));
    assertNull(row().active());
    assertEquals(new Taken(), one(database, b, claim(Kind.START, 6, "r")));
  }

  @Test
  void aClaimHasAnEarliestAndALatestMoment() throws Exception {
    at(1);
    assertEquals(Why.EARLY, why(one(database, a, claim(Kind.START, 2, "r"))));
    Claim late = on(claim(Kind.START, 1, "r"), "d1", 1, BEGIN + 1500);
    at(1.501);
    assertEquals(Why.LATE, why(one(database, a, late)));
    at(1.5);
    assertEquals(new Taken(), one(database, a, late));
  }

  @Test
  void aJobsPastBeforeItWasSeenDoesNotCount() throws Exception {
    at(1);
    assertEquals(Why.NOT_COUNTED, why(one(database, a, claim(Kind.START, -5, "r"))));
    assertEquals(Why.NOT_COUNTED, why(one(database, a, claim(Kind.MISSED, -5, "r"))));
    assertEquals(new Taken(), one(database, a, claim(Kind.START, 0, "r")));
  }

  @Test
  void forbiddenIsASecondRun() throws Exception {
    at(1);
    Claim first = claim(Kind.START, 1, "r1");
    assertEquals(new Taken(), one(database, a, first));
    at(2);
    Busy busy = assertInstanceOf(Busy.class, one(database, b, claim(Kind.START, 2, "r2")));
    assertEquals("r1", busy.active().run());
    assertEquals(Why.EARLY, why(one(database, b, claim(Kind.SKIPPED, 2, "s"))));
    at(3);
    assertEquals(new Taken(), one(database, b, claim(Kind.SKIPPED, 2, "s")));
    assertEquals("ended skipped", told("s"));
    settle(a, ended(first, "success", null));
    assertEquals("ended success", told("r1"));
    assertEquals(new Taken(), one(database, b, claim(Kind.START, 3, "r3")));
  }

  @Test
  void nothingIsSkippedForARunThatHasEnded() throws Exception {
    at(1);
    Claim first = claim(Kind.START, 1, "r1");
    one(database, a, first);
    settle(a, ended(first, "success", null));
    at(3);
    assertEquals(Why.FREE, why(one(database, b, claim(Kind.SKIPPED, 2, "s"))));
  }

  @Test
  void allowedAreManyRuns() throws Exception {
    at(2);
    Claim first = claim(Kind.START, 1, 1, "r1", Concurrency.ALLOW);
    Claim second = claim(Kind.START, 2, 1, "r2", Concurrency.ALLOW);
    assertEquals(new Taken(), one(database, a, first));
    assertEquals(new Taken(), one(database, b, second));
    settle(a, ended(first, "success", null));
    JobRow.Active active = row().active();
    assertNotNull(active);
    assertEquals("r2", active.run());
    assertEquals(new Taken(), one(database, b, second));
  }

  /** Where runs may be beside each other, the row names the last one; and then the one before. */
  @Test
  void whatGoesOnBesideARunTakesItsPlace() throws Exception {
    at(3);
    Claim first = claim(Kind.START, 1, 1, "r1", Concurrency.ALLOW);
    Claim second = claim(Kind.START, 2, 1, "r2", Concurrency.ALLOW);
    Claim third = claim(Kind.START, 3, 1, "r3", Concurrency.ALLOW);
    one(database, a, first);
    at(4);
    one(database, b, second);
    at(5);
    one(database, b, third);
    settle(b, ended(third, "success", null));
    assertEquals("r2", active().run());
    assertEquals(BEGIN + 4000, active().sinceMillis());
    // It is forbidden from now on: the next one waits for what was begun before.
    assertInstanceOf(Busy.class, one(database, a, claim(Kind.START, 5, "r5")));
    settle(b, ended(second, "success", null));
    assertEquals("r1", active().run());
    assertEquals(node(1), active().node());
    assertEquals(BEGIN / 1000 + 1, active().period());
    assertNull(active().lostSinceMillis());
    settle(a, ended(first, "success", null));
    assertNull(row().active());
    assertEquals(new Taken(), one(database, a, claim(Kind.START, 5, "r5")));
  }

  @Test
  void whatIsTriedAgainDoesNotWaitForWhatMayBeBesideIt() throws Exception {
    at(1);
    one(database, a, claim(Kind.START, 1, 1, "r1", Concurrency.ALLOW));
    Claim second = claim(Kind.START, 2, 1, "r2", Concurrency.ALLOW);
    at(2);
    one(database, b, second);
    settle(b, ended(second, "failed", BEGIN + 3000));
    at(3);
    assertEquals(new Taken(), one(database, b, claim(Kind.RETRY, 2, 2, "r3", Concurrency.ALLOW)));
    assertEquals("r3", active().run());
  }

  @Test
  void whatIsReleasedLeavesThePlaceToWhatGoesOn() throws Exception {
    at(1);
    one(database, b, claim(Kind.START, 1, 1, "r1", Concurrency.ALLOW));
    at(2);
    one(database, a, claim(Kind.START, 2, 1, "r2", Concurrency.ALLOW));
    at(29);
    long renewal = renew(b, 2, "r1").nodes().getFirst().renewal();
    at(31);
    database.lose(b, node(1), renewal);
    assertTrue(database.request(new FleetRequest("q1", "me", new FleetRequest.Remove("n1"))));
    assertEquals("r1", active().run());
    assertEquals("released null", told("r2"));
  }

  private JobRow.Active active() throws IOException {
    JobRow.Active active = row().active();
    assertNotNull(active);
    return active;
  }

  @Test
  void replacedIsARunByItsOwnNodeAlone() throws Exception {
    at(1);
    Claim first = claim(Kind.START, 1, 1, "r1", Concurrency.REPLACE);
    Claim second = claim(Kind.START, 2, 1, "r2", Concurrency.REPLACE);
    assertEquals(new Taken(), one(database, a, first));
    at(9);
    assertInstanceOf(Busy.class, one(database, b, second));
    assertInstanceOf(
        Busy.class, one(database, b, claim(Kind.SKIPPED, 2, 1, "s", Concurrency.REPLACE)));
    assertEquals(new Taken(), one(database, a, claim(Kind.START, 2, 1, "r3", Concurrency.REPLACE)));
    settle(a, ended(first, "replaced", null));
    JobRow.Active active = row().active();
    assertNotNull(active);
    assertEquals("r3", active.run());
    at(31);
    renew(b, 2);
    at(32); // the holder's lease is over: as if it were forbidden
    assertEquals(
        new Taken(), one(database, b, claim(Kind.SKIPPED, 3, 1, "s", Concurrency.REPLACE)));
  }

  /** The one that was to replace it was claimed and never began: the earlier one goes on. */
  @Test
  void whatWasNotReplacedAfterAllHoldsItsJobAgain() throws Exception {
    at(3);
    one(database, a, claim(Kind.START, 1, 1, "r1", Concurrency.REPLACE));
    one(database, a, claim(Kind.START, 2, 1, "r2", Concurrency.REPLACE));
    Claim unknown =
        renew(a, 1, "r1").inMyName().stream()
            .filter(claim -> claim.run().equals("r2"))
            .findFirst()
            .orElseThrow();
    settle(a, ended(unknown, "missed", null));
    assertEquals("r1", active().run());
    assertInstanceOf(
        Busy.class, one(database, b, claim(Kind.START, 3, 1, "r3", Concurrency.REPLACE)));
  }

  @Test
  void aFailedRunIsTriedAgainByAnybodyOnce() throws Exception {
    at(1);
    Claim first = claim(Kind.START, 1, "r1");
    one(database, a, first);
    Claim retry = claim(Kind.RETRY, 1, 2, "r2", Concurrency.FORBID);
    assertEquals(Why.OVERTAKEN, why(one(database, b, retry)));
    settle(a, ended(first, "failed", BEGIN + 5000));
    assertEquals(List.of(ROW), database.poll(b).rows().stream().map(JobRow::key).toList());
    assertEquals(Why.OVERTAKEN, why(one(database, b, retry)));
    at(5);
    assertEquals(new Taken(), one(database, b, retry));
    assertEquals(List.of(), database.poll(b).rows());
    assertEquals(
        Why.OVERTAKEN, why(one(database, a, claim(Kind.RETRY, 1, 2, "r3", Concurrency.FORBID))));
    settle(a, ended(first, "failed", BEGIN + 6000)); // told again, and nothing changes
    settle(b, ended(retry, "failed", BEGIN + 7000));
    at(8);
    assertEquals(new Taken(), one(database, a, claim(Kind.START, 8, "r4")));
    assertEquals(
        Why.OVERTAKEN, why(one(database, b, claim(Kind.RETRY, 1, 3, "r5", Concurrency.FORBID))));
  }

  @Test
  void chainedRunsMoveNoPeriodAndObeyConcurrency() throws Exception {
    at(1);
    Claim chain = noted(claim(Kind.CHAIN, 0, "c1"), "r0");
    assertEquals(new Taken(), one(database, a, chain));
    assertEquals(new Taken(), one(database, a, chain));
    assertInstanceOf(Busy.class, one(database, b, claim(Kind.START, 1, "r1")));
    settle(a, ended(chain, "success", null));
    assertEquals(new Taken(), one(database, b, claim(Kind.START, 1, "r1")));
    assertInstanceOf(Busy.class, one(database, a, noted(claim(Kind.CHAIN, 0, "c2"), "r1")));
  }

  @Test
  void nothingIsClaimedOnceSuspensionIsConfirmed() throws Exception {
    at(1);
    FleetRequest suspend = new FleetRequest("q1", "me", new FleetRequest.Suspend(JOB));
    assertTrue(database.request(suspend));
    assertEquals(Why.SUSPENDED, why(one(database, a, claim(Kind.START, 1, "r1"))));
    assertTrue(database.request(new FleetRequest("q2", "me", new FleetRequest.Resume(JOB))));
    assertTrue(database.request(suspend)); // asked again, and not done again
    assertEquals(new Taken(), one(database, a, claim(Kind.START, 1, "r1")));
    assertFalse(
        database.request(new FleetRequest("q3", "me", new FleetRequest.Suspend("no such job"))));
  }

  @Test
  void aTriggerIsTakenOnceAndExpires() throws Exception {
    at(1);
    assertTrue(
        database.request(new FleetRequest("q1", "me", new FleetRequest.Trigger(JOB, "", 60_000))));
    assertEquals("q1", database.poll(b).triggers().getFirst().request());
    Claim claim = noted(claim(Kind.TRIGGER, 0, 1, "t1", Concurrency.ALLOW), "q1");
    assertEquals(new Taken(), database.take(b, "q1", claim).verdicts().getFirst());
    assertEquals(new Taken(), database.take(b, "q1", claim).verdicts().getFirst());
    Claim other = noted(claim(Kind.TRIGGER, 0, 1, "t2", Concurrency.ALLOW), "q1");
    assertEquals(Why.OVERTAKEN, why(database.take(a, "q1", other).verdicts().getFirst()));
    assertEquals(List.of(), database.poll(b).triggers());
    assertEquals(Long.MIN_VALUE, row().lastPeriod());

    database.request(new FleetRequest("q2", "me", new FleetRequest.Trigger(JOB, "", 60_000)));
    at(61.001);
    renew(a, 1);
    assertEquals(
        Why.OVERTAKEN,
        why(
            database
                .take(a, "q2", noted(claim(Kind.TRIGGER, 0, "t3"), "q2"))
                .verdicts()
                .getFirst()));
  }

  @Test
  void aPollTellsOfAllThatWaitsAtOnce() throws Exception {
    RowKey other = RowKey.shared("fleet:a.kron:b");
    database.arrive(a, List.of(Fixture.arrival("d1"), new NodeVote(other, "d1", "f", "any", "")));
    at(1);
    Claim claim = claim(Kind.START, 1, "r1");
    Claim same =
        new Claim(other, "r2", Kind.START, claim.period(), claim.terms(), claim.concurrency(), "");
    assertEquals(
        List.of(new Taken(), new Taken()), database.claim(a, List.of(claim, same)).verdicts());
    settle(a, ended(claim, "failed", BEGIN + 5000));
    settle(a, ended(same, "failed", BEGIN + 6000));
    for (String request : List.of("q1", "q2")) {
      database.request(new FleetRequest(request, "me", new FleetRequest.Trigger(JOB, "", 60_000)));
    }
    Answers.Polled polled = database.poll(b);
    assertEquals(Set.of(ROW, other), polled.rows().stream().map(JobRow::key).collect(toSet()));
    assertEquals(
        Set.of("q1", "q2"),
        polled.triggers().stream().map(Answers.OpenTrigger::request).collect(toSet()));
    assertEquals(2, polled.triggers().size());
    assertEquals(BEGIN + 1000, polled.clockMillis());
    assertEquals(1, polled.generation());
  }

  @Test
  void anotherDefinitionTakesNoPart() throws Exception {
    at(1);
    assertEquals(
        Why.DEFINITION,
        why(one(database, a, on(claim(Kind.START, 1, "r"), "d2", 1, BEGIN + 9000))));
  }

  @Test
  void moreThanHalfOfTheLivingChangeADefinition() throws Exception {
    NodeSession c = Fixture.join(database, 3);
    arrive(c, "d1");
    at(1);
    arrive(a, "d2");
    database.define(a, List.of(JOB));
    assertEquals("d1", row().definition(), "one of three");
    arrive(b, "d2");
    database.define(b, List.of(JOB));
    assertEquals("d2", row().definition(), "two of three");
    database.arrive(c, List.of());
    arrive(a, "d1");
    database.define(a, List.of(JOB));
    assertEquals("d2", row().definition(), "a tie keeps the present one");
    at(31);
    renew(a, 1);
    database.define(a, List.of(JOB));
    assertEquals("d1", row().definition(), "the dead do not vote");
  }

  @Test
  void aDefinitionThatNobodyHasGivesWay() throws Exception {
    arrive(a, "d3");
    arrive(b, "d2");
    database.define(a, List.of(JOB));
    assertEquals("d2", row().definition());
  }

  @Test
  void afterAChangeOfPlaceOnlyLaterWindowsCount() throws Exception {
    at(5);
    NodeVote moved = new NodeVote(ROW, "d2", "f", "label:x", "");
    database.arrive(a, List.of(moved));
    database.arrive(b, List.of(moved));
    database.define(a, List.of(JOB));
    assertEquals(BEGIN + 5000, row().countsFromMillis());
    assertEquals(BEGIN, row().sinceMillis());
    Claim before = on(claim(Kind.START, 5, "r"), "d2", 1, BEGIN + 60_000);
    assertEquals(Why.NOT_COUNTED, why(one(database, a, before)));
    at(6);
    Claim after = on(claim(Kind.START, 6, "r"), "d2", 1, BEGIN + 60_000);
    assertEquals(new Taken(), one(database, a, after));
  }

  @Test
  void anotherScheduleHasNoPast() throws Exception {
    at(5);
    NodeVote other = new NodeVote(ROW, "d2", "g", "any", "");
    database.arrive(a, List.of(other));
    database.arrive(b, List.of(other));
    database.define(a, List.of(JOB));
    assertEquals(BEGIN + 5000, row().sinceMillis());
  }

  @Test
  void whereEveryNodeRunsAJobEachHasARowOfItsOwn() throws Exception {
    RowKey mine = new RowKey("fleet:b.kron:b", node(1));
    RowKey theirs = new RowKey("fleet:b.kron:b", node(2));
    database.arrive(a, List.of(new NodeVote(mine, "d1", "f", "all", "n1")));
    database.arrive(b, List.of(new NodeVote(theirs, "d1", "f", "all", "n2")));
    at(1);
    assertEquals(new Taken(), one(database, a, own(mine, "r1", "d1")));
    assertEquals(new Taken(), one(database, b, own(theirs, "r2", "d1")));
    database.request(
        new FleetRequest(
            "q", "me", new FleetRequest.Suspend("fleet:b.kron:b"))); // the shared row says so
    at(2);
    assertEquals(
        Why.SUSPENDED, why(one(database, a, own(mine, "r3", "d1"))), "of all of them at once");
    at(3);
    database.arrive(a, List.of(new NodeVote(mine, "d1", "f", "all", "renamed")));
    JobRow row = database.look(a, List.of(mine)).rows().getFirst();
    assertEquals(BEGIN + 3000, row.countsFromMillis(), "a node with another name chooses others");
    assertEquals(
        Long.MIN_VALUE, database.look(b, List.of(theirs)).rows().getFirst().countsFromMillis());
  }

  private static Claim own(RowKey row, String run, String definition) {
    int period = run.equals("r3") ? 2 : 1;
    Claim claim = on(claim(Kind.START, period, run), definition, 1, BEGIN + 60_000);
    return new Claim(
        row, run, claim.kind(), claim.period(), claim.terms(), Concurrency.ALLOW, claim.note());
  }

  @Test
  void whoseLeaseIsOverClaimsNothing() throws Exception {
    at(30);
    assertEquals(
        new Standing.Lapsed(), database.claim(a, List.of(claim(Kind.START, 30, "r"))).standing());
    assertInstanceOf(Standing.Held.class, renew(a, 1).standing());
    assertEquals(new Taken(), one(database, a, claim(Kind.START, 30, "r")));
  }

  @Test
  void anEarlierStartOfTheSameNodeChangesNothing() throws Exception {
    Joined again = database.join(new Join(node(1), start(2), List.of(start(1)), 1, card(1)));
    NodeSession later = assertInstanceOf(Joined.In.class, again).session();
    at(1);
    assertInstanceOf(
        Standing.Fenced.class, database.claim(a, List.of(claim(Kind.START, 1, "r"))).standing());
    assertInstanceOf(Standing.Fenced.class, renew(a, 1).standing());
    assertInstanceOf(
        Standing.Fenced.class,
        database.settle(a, List.of(ended(claim(Kind.START, 1, "r"), "success", null))).standing());
    assertEquals(new Taken(), one(database, later, claim(Kind.START, 1, "r")));
  }

  @Test
  void aCopyOfADirectoryIsNotLetIn() throws Exception {
    Join first = new Join(node(1), start(2), List.of(start(1)), 0, card(1));
    assertInstanceOf(Joined.In.class, database.join(first));
    assertInstanceOf(Joined.In.class, database.join(first), "an answer that was lost");
    NodeSession.Start copys = new NodeSession.Start(2, new java.util.UUID(9, 9));
    Joined copy = database.join(new Join(node(1), copys, List.of(start(1)), 0, card(1)));
    assertEquals(new Joined.OtherStart(start(2)), copy);
    assertInstanceOf(
        Joined.In.class,
        database.join(new Join(node(1), start(5), List.of(start(2), start(4)), 0, card(1))));
  }

  @Test
  void twoLiveNodesOfOneNameAreOneTooMany() throws Exception {
    Join join = new Join(node(3), start(1), List.of(), 0, card(1));
    assertEquals(new Joined.NameTaken(node(1)), database.join(join));
    at(30);
    assertInstanceOf(Joined.In.class, database.join(join));
  }

  @Test
  void aRenewalTellsWhoLivesAndWhatIsBelievedToRunHere() throws Exception {
    at(1);
    one(database, a, claim(Kind.START, 1, "r1"));
    Renewed renewed = renew(a, 1, "r1");
    assertEquals(List.of("r1"), renewed.inMyName().stream().map(Claim::run).toList());
    assertEquals(List.of("n1", "n2"), renewed.nodes().stream().map(NodeRow::name).toList());
    assertEquals(List.of(), renew(b, 2).inMyName());
    at(31);
    assertEquals(List.of(true, false), renew(b, 2).nodes().stream().map(NodeRow::over).toList());
  }

  @Test
  void aLostRunHoldsItsJobUntilItsNodeIsBack() throws Exception {
    at(1);
    one(database, a, claim(Kind.START, 1, "r1"));
    long renewal = renew(b, 2).nodes().getFirst().renewal();
    at(29);
    renew(b, 2);
    database.lose(b, node(1), renewal);
    assertEquals("running null", told("r1"), "its lease is not over");
    at(31);
    database.lose(b, node(1), renewal - 1);
    assertEquals("running null", told("r1"), "it was heard of since");
    database.lose(b, node(1), renewal);
    assertEquals("lost null", told("r1"));
    Busy busy = assertInstanceOf(Busy.class, one(database, b, claim(Kind.START, 31, "r2")));
    assertEquals(BEGIN + 31_000, busy.active().lostSinceMillis());
    renew(a, 1, "r1");
    assertEquals("running null", told("r1"));
    busy = assertInstanceOf(Busy.class, one(database, b, claim(Kind.START, 31, "r2")));
    assertNull(busy.active().lostSinceMillis());
    settle(a, ended(claim(Kind.START, 1, "r1"), "success", null));
    assertEquals(new Taken(), one(database, b, claim(Kind.START, 31, "r2")));
  }

  private void lose() throws Exception {
    at(1);
    one(database, a, claim(Kind.START, 1, "r1"));
    at(29);
    long renewal = renew(b, 2).nodes().getFirst().renewal();
    at(31);
    database.lose(b, node(1), renewal);
  }

  @Test
  void aReleasedRunHoldsNothingAndItsEndIsTrueStill() throws Exception {
    assertFalse(database.request(new FleetRequest("q0", "me", new FleetRequest.Release("r1"))));
    lose();
    FleetRequest release = new FleetRequest("q1", "me", new FleetRequest.Release("r1"));
    assertTrue(database.request(release));
    assertTrue(database.request(release));
    assertEquals("released null", told("r1"));
    assertEquals(new Taken(), one(database, b, claim(Kind.START, 31, "r2")));
    renew(a, 1, "r1");
    assertEquals("released null", told("r1"), "an overlap, not a second life");
    settle(a, ended(claim(Kind.START, 1, "r1"), "success", null));
    assertEquals("ended success", told("r1"));
    JobRow.Active active = row().active();
    assertNotNull(active);
    assertEquals("r2", active.run(), "an end clears only what names the same run");
  }

  @Test
  void aRemovedNodeIsNeverLetInAgain() throws Exception {
    assertFalse(
        database.request(new FleetRequest("q0", "me", new FleetRequest.Remove("n1"))), "it lives");
    lose();
    assertTrue(database.request(new FleetRequest("q1", "me", new FleetRequest.Remove("n1"))));
    assertNull(row().active());
    assertInstanceOf(Standing.Fenced.class, renew(a, 1).standing());
    assertEquals(
        new Joined.Removed(),
        database.join(new Join(node(1), start(2), List.of(start(1)), 0, card(1))));
    assertInstanceOf(
        Joined.In.class, database.join(new Join(node(9), start(1), List.of(), 0, card(1))));
  }

  /** A machine became another node and kept its name: the name is not the node that it was. */
  @Test
  void aNameThatANodeLivesUnderRemovesNobody() throws Exception {
    lose();
    assertInstanceOf(
        Joined.In.class, database.join(new Join(node(9), start(1), List.of(), 0, card(1))));
    FleetRequest byName = new FleetRequest("q1", "me", new FleetRequest.Remove("n1"));
    assertFalse(database.request(byName));
    assertEquals("lost null", told("r1"));
    assertTrue(
        database.request(
            new FleetRequest("q2", "me", new FleetRequest.Remove(node(1).toString()))));
    assertEquals("released null", told("r1"));
    at(70);
    assertTrue(database.request(byName), "nobody lives under it any more");
    renew(b, 2);
    assertFalse(
        database.request(new FleetRequest("q3", "me", new FleetRequest.Remove("n1"))), "again");
    assertFalse(database.request(new FleetRequest("q4", "me", new FleetRequest.Remove("nobody"))));
  }

  @Test
  void aLostRunIsRunAgainOnceAfterAWhile() throws Exception {
    lose();
    Claim rerun = noted(claim(Kind.RERUN, 1, 2, "r2", Concurrency.FORBID), "r1");
    at(49.999);
    renew(b, 2);
    assertEquals(Why.OVERTAKEN, why(one(database, b, rerun)));
    at(50);
    assertFalse(row().last().rerun());
    assertEquals(new Taken(), one(database, b, rerun));
    assertTrue(row().last().rerun());
    renew(a, 1, "r1");
    settle(a, ended(claim(Kind.START, 1, "r1"), "failed", BEGIN + 60_000));
    JobRow.Active active = row().active();
    assertNotNull(active);
    assertEquals("r2", active.run());
    assertNull(row().retryAtMillis(), "the attempt that counts is another one");
    at(81);
    long renewal = renew(a, 1).nodes().get(1).renewal();
    database.lose(a, node(2), renewal);
    active = row().active();
    assertNotNull(active);
    assertNull(active.rerunAtMillis(), "once");
  }

  @Test
  void aLostRunThatIsRunAgainIsNotItsNodesAnyMore() throws Exception {
    lose();
    at(50);
    renew(b, 2);
    Claim rerun = noted(claim(Kind.RERUN, 1, 2, "r2", Concurrency.FORBID), "r1");
    assertEquals(new Taken(), one(database, b, rerun));
    renew(a, 1, "r1"); // it believes that it is about to begin
    assertEquals("running null", told("r1"));
    assertEquals(Why.OVERTAKEN, why(one(database, a, claim(Kind.START, 1, "r1"))));
  }

  @Test
  void whatMightBeRunAgainKeepsNoLaterPeriodWaiting() throws Exception {
    lose();
    Claim later = claim(Kind.START, 45, "r2");
    at(49.999);
    renew(b, 2);
    assertInstanceOf(Busy.class, one(database, b, later));
    assertInstanceOf(Busy.class, one(database, b, noted(later, "r1")), "not yet");
    at(50);
    assertInstanceOf(Busy.class, one(database, b, later), "perhaps it is never repeated");
    assertInstanceOf(Busy.class, one(database, b, noted(later, "r0")), "another one");
    assertEquals(new Taken(), one(database, b, noted(later, "r1")));
    JobRow.Active active = row().active();
    assertNotNull(active);
    assertEquals("r2", active.run());
    assertNull(active.lostSinceMillis());
  }

  @Test
  void aNewGenerationForgetsWhatMayHaveRun() throws Exception {
    database.request(new FleetRequest("q1", "me", new FleetRequest.Trigger(JOB, "", 60_000)));
    at(5);
    assertEquals(2, database.raise(1, BEGIN + 6000, LEASE));
    assertEquals(2, database.raise(1, BEGIN + 9000, LEASE), "found by two");
    assertEquals(List.of(), database.poll(a).triggers());
    assertEquals(Why.GENERATION, why(one(database, a, claim(Kind.START, 5, "r"))));
    at(20);
    Claim early = on(claim(Kind.START, 20, "r"), "d1", 2, BEGIN + 99_000);
    assertEquals(Why.EARLY, why(one(database, a, early)));
    at(35);
    renew(a, 1);
    assertEquals(
        Why.NOT_COUNTED,
        why(one(database, a, on(claim(Kind.START, 6, "r"), "d1", 2, BEGIN + 99_000))));
    assertEquals(new Taken(), one(database, a, early));
  }

  @Test
  void noAttemptOfAnEarlierGenerationIsMadeAgain() throws Exception {
    at(1);
    Claim first = claim(Kind.START, 1, "r1");
    one(database, a, first);
    settle(a, ended(first, "failed", BEGIN + 5000));
    database.raise(1, BEGIN, 0);
    assertNull(row().retryAtMillis(), "it may have been made, and that is lost");
    at(2);
    Claim second = on(claim(Kind.START, 2, "r2"), "d1", 2, BEGIN + 99_000);
    assertEquals(new Taken(), one(database, a, second));
    database.raise(2, BEGIN, 0);
    settle(a, ended(second, "failed", BEGIN + 5000));
    assertNull(row().retryAtMillis(), "an end that is told later changes nothing of that");
    at(3);
    Claim third = on(claim(Kind.START, 3, "r3"), "d1", 3, BEGIN + 99_000);
    assertEquals(new Taken(), one(database, a, third));
    database.raise(3, BEGIN, 0);
    at(29);
    long renewal = renew(b, 2).nodes().getFirst().renewal();
    at(31);
    database.lose(b, node(1), renewal);
    JobRow.Active active = row().active();
    assertNotNull(active);
    assertNotNull(active.lostSinceMillis());
    assertNull(active.rerunAtMillis());
  }

  @Test
  void whatADatabaseHasLostIsPutBack() throws Exception {
    at(9);
    Claim going = claim(Kind.START, 5, "r1");
    assertEquals(List.of("r1"), database.restore(a, List.of(going)).runs());
    assertEquals(List.of("r1"), database.restore(a, List.of(going)).runs());
    JobRow.Active active = row().active();
    assertNotNull(active);
    assertEquals("r1", active.run());
    assertInstanceOf(Handled.class, one(database, b, claim(Kind.START, 5, "r2")));
    settle(a, ended(claim(Kind.START, 8, "r3"), "success", null));
    assertInstanceOf(Handled.class, one(database, b, claim(Kind.START, 8, "r4")));
    assertEquals("ended success", told("r3"));
    database.restore(a, List.of(claim(Kind.START, 8, "r3")));
    assertEquals("ended success", told("r3"), "what has ended does not go on");
  }

  /** The database went back to a moment at which an earlier run, ended since, was going on. */
  @Test
  void whatIsPutBackTakesThePlaceOfWhatEndedBeforeIt() throws Exception {
    at(9);
    one(database, a, claim(Kind.START, 1, "r1"));
    database.restore(b, List.of(claim(Kind.START, 5, "r2")));
    settle(a, ended(claim(Kind.START, 1, "r1"), "success", null));
    JobRow.Active active = row().active();
    assertNotNull(active);
    assertEquals("r2", active.run());
    database.restore(a, List.of(claim(Kind.START, 4, "r0")));
    active = row().active();
    assertNotNull(active);
    assertEquals("r2", active.run(), "what is older ended before");
  }

  @Test
  void whoKnowsMoreThanTheDatabaseSaysSo() throws Exception {
    NodeSession ahead = new NodeSession(node(1), start(1), 99);
    assertEquals(new Standing.WentBack(), renew(ahead, 1).standing());
    assertEquals(
        new Standing.WentBack(),
        database.claim(ahead, List.of(claim(Kind.START, 1, "r"))).standing());
    assertEquals(new Standing.WentBack(), database.poll(ahead).standing());
    assertInstanceOf(Standing.Held.class, database.poll(a).standing());
    NodeSession unknown = new NodeSession(node(8), start(1), 0);
    assertEquals(new Standing.WentBack(), database.arrive(unknown, List.of()));
    assertEquals(
        new Joined.WentBack(start(1), 1),
        database.join(new Join(node(1), start(2), List.of(start(1)), 99, card(1))));
    assertEquals(
        new Joined.WentBack(start(1), 1),
        database.join(new Join(node(1), start(7), List.of(start(6)), 0, card(1))));
    assertEquals(
        new Joined.WentBack(null, 1),
        database.join(new Join(node(8), start(7), List.of(start(6)), 0, card(8))));
  }

  @Test
  void everyWriteOfASessionIsCounted() throws Exception {
    long before = assertInstanceOf(Standing.Held.class, renew(a, 1).standing()).writes();
    at(1);
    one(database, a, claim(Kind.START, 1, "r"));
    assertEquals(
        before + 2, assertInstanceOf(Standing.Held.class, renew(a, 1).standing()).writes());
  }

  @Test
  void aRowThatIsNotThereIsToldOf() throws Exception {
    at(1);
    Claim claim = claim(Kind.START, 1, "r");
    Claim other =
        new Claim(
            RowKey.shared("nobody's"),
            "r9",
            claim.kind(),
            claim.period(),
            claim.terms(),
            claim.concurrency(),
            "");
    List<Verdict> verdicts = database.claim(a, List.of(other, claim)).verdicts();
    assertEquals(List.of(new Verdict.NoRow(), new Taken()), verdicts);
    assertEquals(List.of(), database.settle(a, List.of(ended(other, "success", null))).runs());
    assertThrows(IllegalArgumentException.class, () -> database.claim(a, List.of(claim, claim)));
  }

  @Test
  void settledRecordsLeaveAFewAtATime() throws Exception {
    at(9);
    one(database, a, claim(Kind.MISSED, 1, "m1"));
    one(database, a, claim(Kind.MISSED, 2, "m2"));
    Claim going = claim(Kind.START, 3, "r1");
    one(database, a, going);
    assertEquals(0, database.prune(BEGIN + 9000, 10));
    assertEquals(1, database.prune(BEGIN + 9001, 1));
    assertEquals(1, database.prune(BEGIN + 9001, 10));
    assertEquals("running null", told("r1"));
    assertEquals(BEGIN / 1000 + 3, row().lastPeriod());
  }
}
