package dev.kron.fleet.postgres;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kron.fleet.Answers.Standing;
import dev.kron.fleet.Fixture;
import dev.kron.fleet.FleetRecords;
import dev.kron.fleet.FleetRequest;
import dev.kron.fleet.NodeSession;
import dev.kron.testing.TestDatabase;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What people look at, with no more rights than docs/fleet.md gives a node's role. */
class PostgresRecordsTest {
  @Test
  void aRoleWithTheRightsOfTheManualSeesAndDoesEverything() throws Exception {
    TestDatabase server = TestDatabase.create();
    String role = "node_of_" + server.name();
    server.execute(PostgresDatabase.ddl());
    server.execute(
        "CREATE ROLE "
            + role
            + " LOGIN; GRANT USAGE ON SCHEMA kron TO "
            + role
            + "; GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA kron TO "
            + role);
    try (PostgresDatabase database = PostgresDatabase.open(server.source(role))) {
      NodeSession session = Fixture.join(database, 1);
      assertTrue(database.arrive(session, List.of(Fixture.arrival("d1"))) instanceof Standing.Held);
      FleetRecords records = database.records();
      assertEquals(1, records.summary().nodes());
      assertEquals("n1", records.nodes().getFirst().name());
      assertEquals(List.of(Fixture.JOB), records.named("a"));
      assertEquals(List.of(Fixture.JOB), records.named(Fixture.JOB));
      assertEquals(List.of(), records.named("b"));

      var suspend = new FleetRequest("r", "somebody", new FleetRequest.Suspend(Fixture.JOB));
      assertTrue(database.request(suspend));
      assertEquals(List.of(Fixture.JOB), records.suspended(10));
      FleetRecords.Job job = records.jobs(null, "", 10).getFirst();
      assertTrue(job.suspended());
      assertFalse(job.isEachForItself());
      assertEquals(1, job.nodes());
      assertEquals(1, job.rows().size());
      assertNull(job.rows().getFirst().active());
      assertEquals(List.of(), records.jobs(null, Fixture.JOB, 10));
      FleetRecords.Request asked = records.request("r");
      assertEquals("done", asked == null ? "" : asked.state());
      assertEquals(
          List.of(),
          records.runs(
              new FleetRecords.Query(Fixture.JOB, "n1", "ended", true, 0, Long.MAX_VALUE, 10)));
      assertNull(records.run("none"));
      assertEquals(List.of(), records.periods(Fixture.JOB, 0, Long.MAX_VALUE, 10));
    }
  }

  /** Nodes that have nothing to do ask once a second; the server counts their statements. */
  @Test
  void whatANodeAsksEachSecondIsOneStatement() throws Exception {
    TestDatabase server = TestDatabase.create();
    try (PostgresDatabase database = PostgresDatabase.open(server.source())) {
      NodeSession session = Fixture.join(database, 1);
      database.poll(session);
      server.execute("CREATE EXTENSION pg_stat_statements; SELECT pg_stat_statements_reset()");
      for (int i = 0; i < 5; i++) {
        database.poll(session);
      }
      assertEquals(
          "5",
          server.text(
              "SELECT sum(calls) FROM pg_stat_statements s JOIN pg_database d ON d.oid = s.dbid"
                  + " WHERE d.datname = current_database() AND query NOT LIKE '%pg_stat%'"
                  + " AND query NOT LIKE 'SET %'"));
    }
  }

  /**
   * The server makes a plan for any number of rows once a statement was asked a few times, and then
   * it must not compare each row of a batch with each other one.
   */
  @Test
  void aBatchIsNotComparedWithItself() throws Exception {
    TestDatabase server = HandSetClock.database();
    for (String sql : List.of(Sql.CLAIM, Sql.CLAIM_SHARED, Sql.SETTLE, Sql.RESTORE)) {
      String numbered = sql;
      for (int i = 1; numbered.contains("?"); i++) {
        numbered = numbered.replaceFirst("[?]", "\\$" + i);
      }
      String plan = plan(server, numbered);
      assertTrue(plan.contains("Index Scan using job_pkey on job j"), plan);
      assertEquals(2, plan.split("ProjectSet", -1).length, "one list: " + plan);
      assertFalse(plan.contains("Hash Join") || plan.contains("Merge Join"), plan);
      assertFalse(plan.contains("Materialize"), plan);
    }
  }

  private static String plan(TestDatabase server, String numbered) throws SQLException {
    String url = server.url("postgres") + "&preferQueryMode=simple"; // no parameters of its own
    try (Connection connection = DriverManager.getConnection(url);
        Statement statement = connection.createStatement()) {
      statement.execute("SET enable_seqscan TO off");
      StringBuilder plan = new StringBuilder();
      try (ResultSet row =
          statement.executeQuery("EXPLAIN (GENERIC_PLAN, COSTS OFF) " + numbered)) {
        while (row.next()) {
          plan.append(row.getString(1)).append('\n');
        }
      }
      return plan.toString();
    }
  }
}
