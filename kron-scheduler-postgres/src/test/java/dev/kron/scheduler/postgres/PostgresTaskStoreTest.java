package dev.kron.scheduler.postgres;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kron.scheduler.Callback;
import dev.kron.scheduler.DeclarativeScheduler;
import dev.kron.scheduler.Registration;
import dev.kron.scheduler.RunContext;
import dev.kron.scheduler.SchedulerEvent;
import dev.kron.scheduler.SchedulerEvent.Cause;
import dev.kron.scheduler.SchedulerEvent.TaskRunFailed;
import dev.kron.scheduler.SchedulerEvent.TaskRunStarted;
import dev.kron.scheduler.TaskInvalidValueException;
import dev.kron.scheduler.TaskStoreException;
import dev.kron.scheduler.TaskView;
import dev.kron.scheduler.TaskZoneMismatchException;
import dev.kron.testing.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * Several schedulers on one real PostgreSQL. The tests mostly wait, each on a database of its own:
 * they run beside each other.
 */
@Timeout(60)
@Execution(ExecutionMode.CONCURRENT)
class PostgresTaskStoreTest {
  private static final String NEVER_NOW = "0 3 29 2 *";

  private final TestDatabase database;
  private final List<DeclarativeScheduler> started = new ArrayList<>();
  private final BlockingQueue<SchedulerEvent> events = new LinkedBlockingQueue<>();
  private final BlockingQueue<RunContext> runs = new LinkedBlockingQueue<>();
  private final BlockingQueue<RunContext> interrupted = new LinkedBlockingQueue<>();
  private final CountDownLatch release = new CountDownLatch(1);

  PostgresTaskStoreTest() throws SQLException {
    database = TestDatabase.create();
  }

  @AfterEach
  void stopAll() {
    release.countDown();
    started.forEach(scheduler -> scheduler.stop(Duration.ofSeconds(5)));
  }

  private DeclarativeScheduler instance() {
    return instance("postgres", ZoneOffset.UTC);
  }

  private DeclarativeScheduler instance(String user, ZoneId zone) {
    return instance(user, zone, Duration.ofSeconds(20));
  }

  private DeclarativeScheduler instance(String user, ZoneId zone, Duration lease) {
    DeclarativeScheduler scheduler =
        DeclarativeScheduler.builder(
                PostgresTaskStore.builder(database.source(user))
                    .lease(lease)
                    .grace(Duration.ofSeconds(2))
                    .build())
            .name("shop")
            .zone(zone)
            .listener(events::add)
            .build();
    started.add(scheduler);
    return scheduler;
  }

  private Registration task(String name, String cron) {
    return new Registration(name, cron, Callback.of(runs::add), Duration.ofMinutes(5));
  }

  /** A task that runs until the test lets it end, or it is interrupted. */
  private Registration waits(String name) {
    return new Registration(
        name,
        NEVER_NOW,
        Callback.of(
            run -> {
              runs.add(run);
              try {
                release.await();
              } catch (InterruptedException asked) {
                interrupted.add(run);
                throw asked;
              }
            }),
        Duration.ofMinutes(5));
  }

  private static void await(BooleanSupplier condition) {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
    while (!condition.getAsBoolean()) {
      assertTrue(System.nanoTime() < end, "waited for 30 s");
      LockSupport.parkNanos(20_000_000L);
    }
  }

  private static TaskView only(DeclarativeScheduler scheduler) {
    return scheduler.tasks().getFirst();
  }

  private RunContext nextRun() throws InterruptedException {
    RunContext run = runs.poll(30, TimeUnit.SECONDS);
    assertNotNull(run, "no run within 30 s");
    return run;
  }

  /** Sets the database's clock; nobody looks at another one. */
  private void databaseShows(Instant now) throws SQLException {
    database.execute(
        "CREATE OR REPLACE FUNCTION kron.clock() RETURNS timestamptz LANGUAGE sql VOLATILE AS"
            + " 'SELECT clock_timestamp() + ("
            + (now.toEpochMilli() - System.currentTimeMillis())
            + ") * interval ''1 ms'''");
  }

  @Test
  void anOccurrenceIsStartedByOneOfAllInstances() throws Exception {
    database.execute(PostgresTaskStore.ddl("kron"));
    databaseShows(Instant.parse("2026-03-01T02:00:00Z"));
    for (int i = 0; i < 3; i++) {
      instance("postgres", ZoneOffset.UTC, Duration.ofSeconds(2))
          .initialize(List.of(task("report", "0 3 * * *"), task("other", "0 3 * * *")));
    }
    databaseShows(Instant.parse("2026-03-01T02:59:59.9Z"));
    List<String> names = List.of(nextRun().taskName(), nextRun().taskName());
    assertEquals(Set.of("report", "other"), Set.copyOf(names));
    for (DeclarativeScheduler scheduler : started) {
      await(() -> scheduler.tasks().stream().allMatch(task -> task.lastSuccessAt() != null));
      assertEquals(Instant.parse("2026-03-02T03:00:00Z"), only(scheduler).next());
    }
    assertTrue(runs.isEmpty());
  }

  @Test
  void aTaskThatRunsIsSeenByAllAndStartedByNobodyElse() throws Exception {
    DeclarativeScheduler a = instance();
    DeclarativeScheduler b = instance();
    a.initialize(List.of(waits("report")));
    b.initialize(List.of(waits("report")));
    assertTrue(a.runNow("report"));
    RunContext first = nextRun();
    await(() -> only(b).runningSince() != null);
    assertFalse(b.runNow("report"));
    release.countDown();
    await(() -> only(b).lastSuccessAt() != null);
    assertTrue(b.runNow("report"));
    assertTrue(nextRun().fencingToken() > first.fencingToken());
  }

  @Test
  void ofManyWhoWantToRunATaskNowOneDoes() throws Exception {
    List<DeclarativeScheduler> all = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      DeclarativeScheduler scheduler = instance();
      scheduler.initialize(List.of(waits("report")));
      all.add(scheduler);
    }
    List<Thread> threads = new ArrayList<>();
    BlockingQueue<Boolean> answers = new LinkedBlockingQueue<>();
    for (DeclarativeScheduler scheduler : all) {
      threads.add(Thread.ofVirtual().start(() -> answers.add(scheduler.runNow("report"))));
    }
    for (Thread thread : threads) {
      thread.join();
    }
    assertEquals(1, answers.stream().filter(answer -> answer).count());
    nextRun();
    assertTrue(runs.isEmpty());
  }

  @Test
  void aPauseConcernsTheCluster() throws Exception {
    DeclarativeScheduler a = instance();
    DeclarativeScheduler b = instance();
    a.initialize(List.of(waits("report")));
    b.initialize(List.of(waits("report")));
    assertTrue(a.runNow("report"));
    nextRun();
    assertTrue(b.pause("report"), "while it runs elsewhere");
    release.countDown();
    await(() -> only(a).lastSuccessAt() != null);
    await(() -> only(a).pausedSince() != null);
    assertFalse(a.pause("report"));
    assertTrue(a.resume("report"));
    await(() -> only(b).pausedSince() == null);
  }

  @Test
  void theLatestInitializeDecidesAndOthersDoNotStartThatTask() throws Exception {
    DeclarativeScheduler a = instance();
    DeclarativeScheduler b = instance();
    a.initialize(List.of(task("report", NEVER_NOW), task("same", NEVER_NOW)));
    b.initialize(List.of(task("report", "0 4 29 2 *"), task("same", NEVER_NOW)));
    await(() -> !a.runNow("report"));
    assertNull(only(a).next(), "it is not for this instance to start it");
    runs.clear();
    assertTrue(a.runNow("same"));
    assertTrue(b.runNow("report"));
  }

  /**
   * The driver turns half of a pair into a question mark: such a task would never be found again.
   */
  @Test
  void aNameThatIsNoTextIsRefusedByName() {
    for (String name : List.of("half \ud83d", "\udcffhalf", "nothing \u0000")) {
      var error =
          assertThrows(
              TaskStoreException.class,
              () ->
                  instance()
                      .initialize(
                          List.of(task("whole \ud83d\ude00", NEVER_NOW), task(name, NEVER_NOW))));
      assertTrue(String.valueOf(error.getMessage()).contains("of it, U+"), error::toString);
    }
    DeclarativeScheduler whole = instance();
    whole.initialize(List.of(waits("whole \ud83d\ude00")));
    assertTrue(whole.runNow("whole \ud83d\ude00"));
  }

  @Test
  void aTaskIsForgottenWhenNobodyWhoLivesRegistersIt() throws Exception {
    String count = "SELECT count(*) FROM kron.scheduler_task";
    DeclarativeScheduler a = instance();
    a.initialize(List.of(task("old", NEVER_NOW), task("kept", NEVER_NOW)));
    DeclarativeScheduler b = instance();
    b.initialize(List.of(task("kept", NEVER_NOW)));
    assertEquals(2, database.number(count), "a still registers it");
    a.stop();
    DeclarativeScheduler c = instance();
    c.initialize(List.of(task("kept", NEVER_NOW)));
    assertEquals(1, database.number(count));
    assertEquals(2, database.number("SELECT count(*) FROM kron.scheduler_instance"));
  }

  /** Whoever is written to may have seen the tokens that it had before. */
  @Test
  void aTaskThatWasForgottenComesBackWithHigherTokens() throws Exception {
    DeclarativeScheduler a = instance();
    long before = 0;
    for (int life = 0; life < 3; life++) {
      a.initialize(List.of(task("report", NEVER_NOW)));
      for (int i = 0; i < 4; i++) {
        await(() -> a.runNow("report"));
        long token = nextRun().fencingToken();
        assertTrue(token > before, token + " after " + before);
        before = token;
      }
      a.stop();
      a.initialize(List.of());
      a.stop();
      assertEquals(0, database.number("SELECT count(*) FROM kron.scheduler_task"));
    }
  }

  /** The remedy that the message names. */
  @Test
  void aZoneChangesByAListWithoutTheTask() {
    DeclarativeScheduler before = instance();
    before.initialize(List.of(task("report", NEVER_NOW)));
    before.stop();
    DeclarativeScheduler after = instance("postgres", ZoneId.of("Asia/Tokyo"));
    assertThrows(
        TaskZoneMismatchException.class,
        () -> after.initialize(List.of(task("report", NEVER_NOW))));
    after.initialize(List.of());
    after.stop();
    after.initialize(List.of(task("report", NEVER_NOW)));
    assertEquals(ZoneId.of("Asia/Tokyo"), only(after).zone());
  }

  /**
   * A database that ends the connection on which a statement is being executed, each in its turn:
   * every run is started once, and no state is lost.
   */
  @Test
  void aConnectionThatBreaksInAnyStatementLosesAndDoublesNothing() throws Exception {
    BreakingSource source = new BreakingSource(database.source());
    DeclarativeScheduler scheduler =
        DeclarativeScheduler.builder(PostgresTaskStore.on(source.source()))
            .name("shop")
            .zone(ZoneOffset.UTC)
            .build();
    started.add(scheduler);
    scheduler.initialize(List.of(task("report", NEVER_NOW)));
    int asked = 0;
    for (int statement = 0; statement < 12; statement++) {
      for (boolean afterwards : new boolean[] {false, true}) {
        source.breakAt(statement, afterwards);
        boolean ran = false;
        while (!ran) {
          try {
            ran = scheduler.runNow("report");
          } catch (TaskStoreException lost) {
            await(() -> scheduler.storeFailure() == null);
          }
        }
        asked++;
        await(() -> only(scheduler).runningSince() == null && scheduler.storeFailure() == null);
      }
    }
    List<Long> tokens = runs.stream().map(RunContext::fencingToken).toList();
    assertEquals(List.copyOf(new java.util.TreeSet<>(tokens)), tokens);
    assertTrue(tokens.size() >= asked, () -> tokens.size() + " runs");
    scheduler.stop();
    assertEquals(
        0, database.number("SELECT count(*) FROM kron.scheduler_task WHERE running_under <> ''"));
  }

  @Test
  void aRowThatSomebodyKeepsLockedIsAFailureOfTheStoreUntilItIsFree() throws Exception {
    DeclarativeScheduler scheduler = instance();
    scheduler.initialize(List.of(task("report", NEVER_NOW), task("other", NEVER_NOW)));
    try (Connection holder = database.source().getConnection();
        Statement statement = holder.createStatement()) {
      holder.setAutoCommit(false);
      statement.execute("SELECT * FROM kron.scheduler_task WHERE name = 'report' FOR UPDATE");
      assertThrows(TaskStoreException.class, () -> scheduler.runNow("report"));
      await(() -> scheduler.storeFailure() != null);
    }
    await(() -> scheduler.storeFailure() == null);
    assertTrue(scheduler.runNow("other"));
    assertTrue(scheduler.runNow("report"));
    assertEquals(List.of("other", "report"), List.of(nextRun().taskName(), nextRun().taskName()));
    assertTrue(runs.isEmpty(), "what could not be written did not happen");
  }

  @Test
  void aDatabaseClockThatIsSetBackRepeatsNothingAndSetForwardRunsOnce() throws Exception {
    database.execute(PostgresTaskStore.ddl("kron"));
    databaseShows(Instant.parse("2026-03-01T02:59:50Z"));
    DeclarativeScheduler scheduler = instance("postgres", ZoneOffset.UTC, Duration.ofSeconds(2));
    scheduler.initialize(List.of(task("report", "0 3 * * *")));
    databaseShows(Instant.parse("2026-03-01T02:59:59.5Z"));
    assertEquals(Instant.parse("2026-03-01T03:00:00Z"), nextRun().scheduledAt());
    await(() -> only(scheduler).lastSuccessAt() != null);
    databaseShows(Instant.parse("2026-03-01T02:58:00Z"));
    await(() -> scheduler.clock().instant().isBefore(Instant.parse("2026-03-01T03:00:00Z")));
    databaseShows(Instant.parse("2026-03-01T03:00:01Z"));
    await(() -> scheduler.clock().instant().isAfter(Instant.parse("2026-03-01T03:00:03Z")));
    assertTrue(runs.isEmpty(), "the minute comes again, and was had");
    databaseShows(Instant.parse("2026-03-04T12:00:00Z"));
    assertEquals(Instant.parse("2026-03-04T03:00:00Z"), nextRun().scheduledAt());
    await(() -> Instant.parse("2026-03-05T03:00:00Z").equals(only(scheduler).next()));
    assertTrue(runs.isEmpty(), "once for all that was passed over");
  }

  @Test
  void anotherZoneIsRefused() {
    instance().initialize(List.of(task("report", NEVER_NOW)));
    DeclarativeScheduler elsewhere = instance("postgres", ZoneId.of("Asia/Tokyo"));
    var refused =
        assertThrows(
            TaskZoneMismatchException.class,
            () -> elsewhere.initialize(List.of(task("report", NEVER_NOW))));
    assertEquals(ZoneId.of("Asia/Tokyo"), refused.registered());
  }

  @Test
  void whoJoinsRestartsNothingThatLives() throws Exception {
    DeclarativeScheduler a = instance();
    a.initialize(List.of(waits("report")));
    assertTrue(a.runNow("report"));
    nextRun();
    DeclarativeScheduler b = instance();
    b.initialize(List.of(waits("report")));
    assertFalse(b.runNow("report"));
    assertNotNull(only(b).runningSince());
    assertTrue(runs.isEmpty());
  }

  @Test
  void anInstanceThatIsCutOffInterruptsItsCallbacksBeforeAnotherTakesThemUp() throws Exception {
    database.execute("CREATE ROLE lost SUPERUSER LOGIN");
    DeclarativeScheduler a = instance("lost", ZoneOffset.UTC, Duration.ofSeconds(2));
    DeclarativeScheduler b = instance("postgres", ZoneOffset.UTC, Duration.ofSeconds(2));
    a.initialize(List.of(waits("report")));
    b.initialize(List.of(waits("report")));
    assertTrue(a.runNow("report"));
    RunContext first = nextRun();
    database.cutOff("lost");
    RunContext second = nextRun();
    assertTrue(second.fencingToken() > first.fencingToken());
    assertEquals(2, second.attempt());
    assertEquals(first, interrupted.peek(), "before another instance took it up");
    assertThrows(TaskStoreException.class, a::stop, "how it ended is not on record");
    await(
        () ->
            events.stream()
                .anyMatch(
                    event -> event instanceof TaskRunStarted run && run.cause() == Cause.ORPHANED));
    assertThrows(TaskStoreException.class, () -> a.initialize(List.of(waits("report"))));
  }

  @Test
  void anInstanceThatComesBackInTimeGoesOn() throws Exception {
    database.execute("CREATE ROLE back SUPERUSER LOGIN");
    DeclarativeScheduler a = instance("back", ZoneOffset.UTC);
    a.initialize(List.of(waits("report")));
    assertTrue(a.runNow("report"));
    nextRun();
    database.cutOff("back");
    database.execute("ALTER ROLE back LOGIN");
    release.countDown();
    await(() -> only(a).lastSuccessAt() != null);
    await(() -> a.runNow("report"));
    assertFalse(events.stream().anyMatch(event -> event instanceof TaskRunFailed));
  }

  @Test
  void withoutTheRightToMakeTablesItSaysWhatToDo() throws Exception {
    database.execute("CREATE ROLE poor LOGIN");
    DeclarativeScheduler scheduler =
        DeclarativeScheduler.create(
            PostgresTaskStore.builder(database.source("poor")).createTables(false).build());
    var refused =
        assertThrows(
            TaskStoreException.class, () -> scheduler.initialize(List.of(task("a", NEVER_NOW))));
    assertTrue(String.valueOf(refused.getMessage()).contains("ddl()"), refused.getMessage());
    database.execute(PostgresTaskStore.ddl("kron"));
    database.execute(
        "GRANT USAGE ON SCHEMA kron TO poor;"
            + " GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA kron TO poor");
    started.add(scheduler);
    scheduler.initialize(List.of(task("a", NEVER_NOW)));
    assertTrue(scheduler.runNow("a"));
  }

  @Test
  void newerTablesAreRefused() throws Exception {
    database.execute(PostgresTaskStore.ddl("kron"));
    database.execute("UPDATE kron.scheduler_version SET version = 99");
    DeclarativeScheduler scheduler = instance();
    var refused =
        assertThrows(
            TaskStoreException.class, () -> scheduler.initialize(List.of(task("a", NEVER_NOW))));
    assertTrue(String.valueOf(refused.getMessage()).contains("version 99"), refused.getMessage());
  }

  /**
   * Those who wait for the lock that they join under see what its holder did, whatever isolation
   * the host has chosen, and their lease begins when they have joined.
   */
  @Test
  void whoWaitsToJoinLongerThanALeaseJoinsAllTheSame() throws Exception {
    database.execute(
        "DO 'BEGIN EXECUTE format(''ALTER DATABASE %I SET default_transaction_isolation TO"
            + " serializable'', current_database()); END'");
    Duration lease = Duration.ofSeconds(2);
    BlockingQueue<Object> outcomes = new LinkedBlockingQueue<>();
    try (Connection holder = database.source().getConnection();
        Statement statement = holder.createStatement()) {
      statement.execute("SELECT pg_advisory_lock(" + Schema.LOCK + ")");
      for (int i = 0; i < 2; i++) {
        DeclarativeScheduler scheduler = instance("postgres", ZoneOffset.UTC, lease);
        String own = "task " + i;
        Thread.ofVirtual()
            .start(
                () -> {
                  try {
                    scheduler.initialize(List.of(task(own, NEVER_NOW)));
                    outcomes.add(scheduler.runNow(own));
                  } catch (RuntimeException failed) {
                    outcomes.add(failed);
                  }
                });
      }
      await(() -> waitingForLocks() == 2);
      long over = System.nanoTime() + lease.toNanos();
      await(() -> System.nanoTime() > over);
    }
    for (int i = 0; i < 2; i++) {
      assertEquals(true, outcomes.poll(30, TimeUnit.SECONDS));
    }
  }

  private long waitingForLocks() {
    try {
      return database.number(
          "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted AND database ="
              + " (SELECT oid FROM pg_database WHERE datname = current_database())");
    } catch (SQLException failed) {
      throw new IllegalStateException(failed);
    }
  }

  @Test
  void aRowThatSomebodyPutNonsenseIntoIsNamed() throws Exception {
    instance().initialize(List.of(task("fine", NEVER_NOW), task("odd", NEVER_NOW)));
    stopAll();
    for (String nonsense :
        List.of(
            "last_attempt_at = 'infinity'",
            "paused_at = '-infinity'",
            "retry_at = '200000-01-01'",
            "retry_delay = 'soon'",
            "zone = 'Mars/Phobos'")) {
      database.execute(
          "CREATE TABLE kept AS SELECT * FROM kron.scheduler_task WHERE name = 'odd';"
              + " UPDATE kron.scheduler_task SET "
              + nonsense
              + " WHERE name = 'odd'");
      var error =
          assertThrows(
              TaskInvalidValueException.class,
              () -> instance().initialize(List.of(task("fine", NEVER_NOW), task("odd", NEVER_NOW))),
              nonsense);
      assertTrue(error.source().contains("task \"odd\""), error::toString);
      database.execute(
          "DELETE FROM kron.scheduler_task WHERE name = 'odd';"
              + " INSERT INTO kron.scheduler_task SELECT * FROM kept; DROP TABLE kept");
    }
    instance().initialize(List.of(task("fine", NEVER_NOW), task("odd", NEVER_NOW)));
  }

  @Test
  void aRowThatBecomesNonsenseStopsItsOwnTaskOnly() throws Exception {
    DeclarativeScheduler scheduler = instance();
    scheduler.initialize(List.of(task("odd", NEVER_NOW), task("fine", NEVER_NOW)));
    database.execute(
        "UPDATE kron.scheduler_task SET last_success_at = 'infinity', version = version + 1,"
            + " changed_by = pg_current_xact_id() WHERE name = 'odd'");
    await(() -> only(scheduler).next() == null);
    assertTrue(scheduler.runNow("fine"));
    assertEquals("fine", nextRun().taskName());
    assertFalse(scheduler.runNow("odd"));
    assertThrows(TaskStoreException.class, () -> scheduler.pause("odd"));
    database.execute(
        "UPDATE kron.scheduler_task SET last_success_at = NULL, version = version + 1,"
            + " changed_by = pg_current_xact_id() WHERE name = 'odd'");
    await(() -> only(scheduler).next() != null);
    assertTrue(scheduler.runNow("odd"));
    assertEquals("odd", nextRun().taskName());
  }
}
