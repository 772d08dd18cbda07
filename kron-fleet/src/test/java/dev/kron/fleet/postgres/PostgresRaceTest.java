package dev.kron.fleet.postgres;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kron.fleet.Answers.Claimed;
import dev.kron.fleet.Answers.Standing;
import dev.kron.fleet.Claim;
import dev.kron.fleet.Claim.Kind;
import dev.kron.fleet.Fixture;
import dev.kron.fleet.FleetRequest;
import dev.kron.fleet.NodeSession;
import dev.kron.fleet.NodeVote;
import dev.kron.fleet.RowKey;
import dev.kron.fleet.Verdict;
import dev.kron.schedule.Policy.Concurrency;
import dev.kron.testing.TestDatabase;
import java.io.IOException;
import java.sql.Connection;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What only a real server with several connections can show. */
class PostgresRaceTest {
  private static final int NODES = 4;
  private static final int JOBS = 150;
  private static final int PERIODS = 12;

  @Test
  void eachOfManyPeriodsIsTakenByOneOfManyNodes() throws Exception {
    TestDatabase server = HandSetClock.database();
    HandSetClock.set(server, Fixture.BEGIN);
    List<Callable<List<String>>> nodes = new ArrayList<>();
    try (PostgresDatabase first = PostgresDatabase.open(server.source());
        ExecutorService threads = Executors.newFixedThreadPool(NODES)) {
      List<NodeSession> sessions = new ArrayList<>();
      for (int i = 1; i <= NODES; i++) {
        sessions.add(Fixture.join(first, i));
        first.arrive(sessions.getLast(), IntStream.range(0, JOBS).mapToObj(this::vote).toList());
      }
      HandSetClock.set(server, Fixture.BEGIN + 20_000);
      for (NodeSession session : sessions) {
        nodes.add(() -> claimAll(server, session));
      }
      List<String> taken = new ArrayList<>();
      for (Future<List<String>> done : threads.invokeAll(nodes)) {
        taken.addAll(done.get());
      }
      Set<String> different = new HashSet<>(taken);
      assertEquals(taken.size(), different.size(), "none is taken by two");
      assertEquals(JOBS * PERIODS, taken.size(), "all are taken");
    }
  }

  private NodeVote vote(int job) {
    return new NodeVote(row(job), "d1", "f", "any", "");
  }

  private static RowKey row(int job) {
    return RowKey.shared("fleet:a.kron:j" + job);
  }

  /** Claims one period after the other, again where there was no answer. */
  private static List<String> claimAll(TestDatabase server, NodeSession session)
      throws IOException {
    List<String> taken = new ArrayList<>();
    try (PostgresDatabase database = PostgresDatabase.open(server.source())) {
      for (int period = 1; period <= PERIODS; period++) {
        List<Claim> open = new ArrayList<>();
        for (int job = 0; job < JOBS; job++) {
          open.add(claim(session, job, period));
        }
        while (!open.isEmpty()) {
          Claimed claimed = database.claim(session, open);
          assertInstanceOf(Standing.Held.class, claimed.standing());
          List<Claim> again = new ArrayList<>();
          for (int i = 0; i < open.size(); i++) {
            if (claimed.verdicts().get(i) instanceof Verdict.Taken) {
              taken.add(open.get(i).row().identity() + " " + open.get(i).period().nominal());
            } else if (claimed.verdicts().get(i) instanceof Verdict.NoAnswer) {
              again.add(open.get(i));
            }
          }
          open = again;
        }
      }
    }
    return taken;
  }

  private static Claim claim(NodeSession session, int job, int period) {
    String run = session.node() + "-" + job + "-" + period;
    Claim claim = Fixture.claim(Kind.START, period, 1, run, Concurrency.ALLOW);
    return new Claim(
        row(job), run, Kind.START, claim.period(), claim.terms(), claim.concurrency(), "");
  }

  @Test
  void aRowThatSomebodyHasLockedIsNoAnswer() throws Exception {
    TestDatabase server = HandSetClock.database();
    HandSetClock.set(server, Fixture.BEGIN);
    try (PostgresDatabase database = PostgresDatabase.open(server.source());
        Connection other = server.source().getConnection();
        Statement statement = other.createStatement()) {
      NodeSession session = Fixture.join(database, 1);
      database.arrive(session, List.of(vote(0), vote(1)));
      HandSetClock.set(server, Fixture.BEGIN + 1000);
      other.setAutoCommit(false);
      statement.execute("SELECT 1 FROM kron.job WHERE identity = 'fleet:a.kron:j0' FOR UPDATE");
      List<Claim> claims = List.of(claim(session, 0, 1), claim(session, 1, 1));
      assertEquals(
          List.of(new Verdict.NoAnswer(), new Verdict.Taken()),
          database.claim(session, claims).verdicts());
      other.rollback();
      assertEquals(
          List.of(new Verdict.Taken(), new Verdict.Taken()),
          database.claim(session, claims).verdicts());
    }
  }

  /** A claim that is being committed is waited for by a suspension, and seen by it. */
  @Test
  void aSuspensionWaitsForClaimsThatAreUnderWay() throws Exception {
    TestDatabase server = HandSetClock.database();
    HandSetClock.set(server, Fixture.BEGIN);
    try (PostgresDatabase database = PostgresDatabase.open(server.source());
        Connection other = server.source().getConnection();
        Statement statement = other.createStatement();
        ExecutorService thread = Executors.newSingleThreadExecutor()) {
      NodeSession session = Fixture.join(database, 1);
      database.arrive(session, List.of(vote(0)));
      other.setAutoCommit(false);
      statement.execute("SELECT 1 FROM kron.job WHERE identity = 'fleet:a.kron:j0' FOR SHARE");
      Future<Boolean> suspended =
          thread.submit(
              () ->
                  database.request(
                      new FleetRequest("q", "me", new FleetRequest.Suspend("fleet:a.kron:j0"))));
      server.awaitWaiting();
      assertFalse(suspended.isDone());
      other.commit();
      assertTrue(suspended.get());
    }
  }

  @Test
  void tablesAreMadeOnceByManyAndALaterVersionIsRefused() throws Exception {
    TestDatabase server = TestDatabase.create();
    try (ExecutorService threads = Executors.newFixedThreadPool(NODES)) {
      List<Callable<Boolean>> openings = new ArrayList<>();
      for (int i = 0; i < NODES; i++) {
        openings.add(
            () -> {
              PostgresDatabase.open(server.source()).close();
              return true;
            });
      }
      for (Future<Boolean> opened : threads.invokeAll(openings)) {
        assertTrue(opened.get());
      }
    }
    assertEquals("1", server.text("SELECT count(*) FROM kron.schema_version"));
    server.execute("INSERT INTO kron.schema_version (version) VALUES (99)");
    IOException refused =
        assertThrows(IOException.class, () -> PostgresDatabase.open(server.source()).close());
    assertTrue(
        String.valueOf(refused.getMessage())
            .contains("of version 99, and this program knows version 1; update the program"),
        refused.getMessage());
  }

  @Test
  void whoMayNotMakeTablesIsToldWhatToDo() throws Exception {
    TestDatabase server = TestDatabase.create();
    server.execute("CREATE ROLE poor_" + server.name() + " LOGIN");
    String poor = "poor_" + server.name();
    IOException refused =
        assertThrows(IOException.class, () -> PostgresDatabase.open(server.source(poor)).close());
    assertTrue(
        String.valueOf(refused.getMessage()).contains("have a database administrator execute"),
        refused.getMessage());
    server.execute(PostgresDatabase.ddl());
    server.execute(
        "GRANT USAGE ON SCHEMA kron TO "
            + poor
            + "; GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA kron TO "
            + poor);
    try (PostgresDatabase database = PostgresDatabase.open(server.source(poor))) {
      assertEquals(0, database.prune(0, 10));
      Fixture.join(database, 1);
    }
  }

  /** The clock of the server itself, in milliseconds since 1970. */
  @Test
  void theClockIsTheServersOwn() throws Exception {
    TestDatabase server = TestDatabase.create();
    try (PostgresDatabase database = PostgresDatabase.open(server.source())) {
      NodeSession session = Fixture.join(database, 1);
      long clock = database.look(session, List.of()).clockMillis();
      assertTrue(Math.abs(clock - System.currentTimeMillis()) < 60_000, "clock " + clock);
    }
  }
}
