package dev.kron.scheduler.postgres;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kron.scheduler.SharedTaskStore.Member;
import dev.kron.scheduler.SharedTaskStore.Membership;
import dev.kron.scheduler.SharedTaskStore.Row;
import dev.kron.scheduler.TaskConfiguration;
import dev.kron.scheduler.TaskState;
import dev.kron.testing.TestDatabase;
import java.io.IOException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What one instance asks of the tables, without a scheduler. */
@Timeout(60)
class PostgresMembershipTest {
  private static final List<TaskConfiguration> TASKS =
      IntStream.range(0, 20)
          .mapToObj(
              i ->
                  new TaskConfiguration(
                      "task " + i, "0 3 * * *", Duration.ofMinutes(1), ZoneOffset.UTC, ""))
          .toList();

  private static Membership join(PostgresTaskStore store, String identifier) throws IOException {
    return store.join(new Member(identifier, "shop", () -> {}), TASKS);
  }

  private static List<Row> sorted(List<Row> rows) {
    return rows.stream().sorted(Comparator.comparingLong(PostgresMembershipTest::number)).toList();
  }

  private static long number(Row row) {
    return Long.parseLong(row.state().name().substring("task ".length()));
  }

  private static Row paused(Row row, long millis) {
    TaskState state = row.state();
    return new Row(
        new TaskState(
            state.name(),
            state.cronExpression(),
            state.retryDelay(),
            Instant.ofEpochMilli(millis),
            null,
            Instant.ofEpochMilli(-1),
            null,
            null,
            3,
            null,
            Instant.ofEpochMilli(millis)),
        row.configuration(),
        row.version());
  }

  @Test
  void rowsAreReplacedThatHaveTheVersionGivenAndNoOthers() throws Exception {
    PostgresTaskStore store = PostgresTaskStore.on(TestDatabase.create().source());
    try (Membership one = join(store, "one")) {
      List<Row> rows = sorted(one.changes());
      List<Row> wanted = new ArrayList<>();
      for (Row row : rows) {
        Row known =
            number(row) % 3 == 0
                ? new Row(row.state(), row.configuration(), row.version() - 1)
                : row;
        wanted.add(paused(known, 1_000_000L * number(row)));
      }
      wanted.add(
          new Row(
              new TaskState("unknown", "* * * * *", Duration.ZERO, null, null, null, null, null),
              rows.getFirst().configuration(),
              1));
      Map<String, Long> versions = one.replace(wanted.reversed());
      assertEquals(13, versions.size());
      for (Row now : one.look(TASKS.stream().map(TaskConfiguration::name).toList())) {
        Row before = rows.get((int) number(now));
        Long version = versions.get(now.state().name());
        if (number(now) % 3 == 0) {
          assertEquals(null, version);
          assertEquals(before, now);
        } else {
          assertEquals(before.version() + 1, now.version());
          assertEquals(now.version(), version);
          assertEquals(paused(before, 1_000_000L * number(now)).state(), now.state());
        }
      }
      assertEquals(Map.of(), one.replace(wanted), "a second time they have other versions");
    }
  }

  @Test
  void anInstanceDoesNotReadAgainWhatItWroteButWhatOthersDid() throws Exception {
    PostgresTaskStore store = PostgresTaskStore.on(TestDatabase.create().source());
    try (Membership one = join(store, "one");
        Membership two = join(store, "two")) {
      List<Row> rows = sorted(one.changes());
      two.changes();
      Row first = rows.get(1);
      assertEquals(2, one.replace(List.of(paused(first, 1), paused(rows.get(2), 1))).size());
      assertEquals(1, two.replace(List.of(paused(rows.get(3), 1))).size());
      // What was looked at before may be looked at again, while other transactions are under way.
      List<Row> seen = one.changes();
      assertTrue(names(seen).contains("task 3"), seen.toString());
      assertTrue(
          seen.stream().noneMatch(row -> row.version() == first.version() + 1 && number(row) < 3),
          seen.toString());
      assertTrue(names(two.changes()).containsAll(List.of("task 1", "task 2")));
      Row now = new Row(first.state(), first.configuration(), first.version() + 1);
      two.replace(List.of(paused(now, 2)));
      assertTrue(names(one.changes()).contains("task 1"), "what was mine and is not any more");
    }
  }

  private static List<String> names(List<Row> rows) {
    return sorted(rows).stream().map(row -> row.state().name()).toList();
  }

  /** Another server may have come up in the first one's place, and count its transactions anew. */
  @Test
  void afterAFailureAnInstanceReadsAgainWhatItWrote() throws Exception {
    BreakingSource source = new BreakingSource(TestDatabase.create().source());
    PostgresTaskStore store = PostgresTaskStore.on(source.source());
    try (Membership one = join(store, "one")) {
      List<Row> rows = sorted(one.changes());
      one.replace(List.of(paused(rows.get(1), 1)));
      source.breakAt(0, true);
      assertThrows(IOException.class, () -> one.look(List.of("task 1")));
      Row now = one.changes().stream().filter(row -> number(row) == 1).findAny().orElseThrow();
      assertEquals(rows.get(1).version() + 1, now.version());
    }
  }

  /**
   * The server makes a plan for any number of rows once a statement was asked a few times, and then
   * it must not compare each row of a batch with each other one.
   */
  @Test
  void aBatchIsNotComparedWithItself() throws Exception {
    TestDatabase database = TestDatabase.create();
    join(PostgresTaskStore.on(database.source()), "one").close();
    String numbered = new Schema("kron").in(Tables.REPLACE);
    for (int i = 1; numbered.contains("?"); i++) {
      numbered = numbered.replaceFirst("[?]", "\\$" + i);
    }
    StringBuilder plan = new StringBuilder();
    String url = database.url("postgres") + "&preferQueryMode=simple"; // no parameters of its own
    try (Connection connection = DriverManager.getConnection(url);
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("EXPLAIN (GENERIC_PLAN, COSTS OFF) " + numbered)) {
      while (row.next()) {
        plan.append(row.getString(1)).append('\n');
      }
    }
    assertTrue(plan.toString().contains("Tid Scan on scheduler_task t"), plan.toString());
    assertTrue(
        plan.toString().contains("Index Scan using scheduler_task_pkey on scheduler_task t"),
        plan.toString());
    assertFalse(plan.toString().contains("Materialize"), plan.toString());
  }

  /**
   * Changes that stay in their pages are half the work of those that write indexes; where an index
   * has what changed, none does, and otherwise all whose page has been tidied in time.
   */
  @Test
  void mostChangesHaveNoIndexToWrite() throws Exception {
    TestDatabase database = TestDatabase.create();
    try (Membership one = join(PostgresTaskStore.on(database.source()), "one")) {
      for (int i = 0; i < 5; i++) {
        List<Row> rows = one.look(TASKS.stream().map(TaskConfiguration::name).toList());
        assertEquals(
            TASKS.size(), one.replace(rows.stream().map(row -> paused(row, 1)).toList()).size());
      }
    }
    database.execute("SELECT pg_stat_force_next_flush()");
    String changed = "SELECT %s FROM pg_stat_user_tables WHERE relname = 'scheduler_task'";
    long end = System.nanoTime() + 30_000_000_000L;
    while (database.number(changed.formatted("n_tup_upd")) < 5L * TASKS.size()) {
      assertTrue(System.nanoTime() < end, "the server does not tell what it did");
      Thread.onSpinWait();
    }
    long inPlace = database.number(changed.formatted("n_tup_hot_upd"));
    assertTrue(inPlace > 2L * TASKS.size(), () -> inPlace + " changes stayed in their pages");
  }
}
