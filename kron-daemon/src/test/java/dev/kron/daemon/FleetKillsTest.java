package dev.kron.daemon;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import dev.kron.schedule.DueTimes;
import dev.kron.schedule.Schedule;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Three daemons on one real PostgreSQL: killed at random, stopped and continued, cut off from the
 * database, and robbed of its answers. A build has five kills and three takeovers; more of it:
 * {@code -Dkron.fleet.kills=100 -Dkron.fleet.takeovers=50}; {@code -Dkron.seed=…} repeats the
 * choices.
 */
@Timeout(3600)
final class FleetKillsTest {
  private static final int KILLS = Integer.getInteger("kron.fleet.kills", 5);
  private static final int TAKEOVERS = Integer.getInteger("kron.fleet.takeovers", 3);
  private static final long SEED = Long.getLong("kron.seed", 20_261_117L);
  private static final int JOBS = 120;
  private static final String SCHEDULE = "* * * * * @win(after,59s) @policy(deadline=1m)";
  private static final long PATIENCE_NANOS = 60_000_000_000L;

  /**
   * How long after its due time a period is taken by another node. The turns of all are over after
   * three seconds; a node that got no answer for two waits three more, and a machine that is very
   * busy adds what it pleases. Where the figure is asked for ({@code
   * -Dkron.fleet.takeover.millis=3000}), on a quiet machine, the turns alone count.
   */
  private static final long TAKEOVER_MILLIS = Long.getLong("kron.fleet.takeover.millis", 30_000);

  @TempDir Path directory;
  private final SplittableRandom random = new SplittableRandom(SEED);
  private final List<Dead> dead = new ArrayList<>();

  /** When a node was not there, epoch millis. */
  private record Dead(String node, long from, long to) {}

  @Test
  void noPeriodRunsTwiceAndNoneIsLostWhateverBecomesOfNodes() throws Exception {
    Path script =
        Files.writeString(
            directory.resolve("job.sh"),
            "echo \"$KRON_IDENTITY $KRON_PERIOD/$KRON_ATTEMPT $KRON_RUN_ID\" >>\"$EVIDENCE\"\n");
    var krontab = new StringBuilder();
    for (int i = 0; i < JOBS; i++) {
      krontab.append(
          "%s name=%s command=\"/bin/sh %s\" env=EVIDENCE=%s\n"
              .formatted(SCHEDULE, name(i), script, directory.resolve("evidence")));
    }
    try (var fleet = new TestFleet(directory, "3s", krontab.toString())) {
      fleet.startAll();
      long from = System.currentTimeMillis() + 5000; // a node that is new claims after all others
      await("everybody to have settled in", () -> System.currentTimeMillis() > from);
      for (int kill = 1; kill <= KILLS; kill++) {
        trouble(fleet, kill);
      }
      for (int takeover = 1; takeover <= TAKEOVERS; takeover++) {
        takeOver(fleet);
      }
      for (TestFleet.Node node : fleet.nodes) {
        node.awaitIn();
      }
      long to = System.currentTimeMillis();
      awaitAllTaken(fleet, from, to);
      check(fleet, from, to);
    }
  }

  private static String name(int i) {
    return "j" + i;
  }

  private void trouble(TestFleet fleet, int kill) throws Exception {
    TestFleet.Node node = fleet.nodes.get(random.nextInt(TestFleet.NODES));
    switch (kill % 5) {
      case 1 -> node.relay.loseAnswer();
      case 2 -> {
        node.signal("-STOP");
        long until = System.currentTimeMillis() + 3500;
        await("a lease to pass", () -> System.currentTimeMillis() > until);
        node.signal("-CONT");
      }
      case 3 -> {
        node.relay.cut();
        long until = System.currentTimeMillis() + 1000;
        await("a moment", () -> System.currentTimeMillis() > until);
        node.relay.mend();
      }
      case 4 -> node.relay.delay(300);
      default -> {}
    }
    long until = System.currentTimeMillis() + random.nextInt(700);
    await("a moment", () -> System.currentTimeMillis() > until);
    node.kill();
    node.relay.mend();
    node.start();
    if (kill % 2 == 0) {
      node.awaitIn();
    }
  }

  private void takeOver(TestFleet fleet) throws Exception {
    for (TestFleet.Node each : fleet.nodes) {
      each.awaitIn();
    }
    TestFleet.Node node = fleet.nodes.get(random.nextInt(TestFleet.NODES));
    node.kill();
    long from = System.currentTimeMillis();
    int before = lines(fleet);
    await(
        "the others to do its work",
        () -> System.currentTimeMillis() > from + 4000 && lines(fleet) >= before + 5);
    dead.add(new Dead(node.name, from, System.currentTimeMillis()));
    node.start();
  }

  /** Waits until everything due was taken, and for what might be taken once more. */
  private static void awaitAllTaken(TestFleet fleet, long fromMillis, long toMillis) {
    long deadline = System.nanoTime() + PATIENCE_NANOS;
    List<String> lost = lost(fleet, fromMillis, toMillis);
    while (System.currentTimeMillis() < toMillis + 5000
        || (!lost.isEmpty() && System.nanoTime() < deadline)) {
      LockSupport.parkNanos(200_000_000L);
      lost = lost(fleet, fromMillis, toMillis);
    }
    assertEquals(List.of(), lost, seed());
  }

  private void check(TestFleet fleet, long fromMillis, long toMillis) throws Exception {
    Map<String, List<String>> ran = evidence(fleet);
    ran.forEach(
        (period, runs) -> assertEquals(1, runs.size(), () -> seed() + period + ": " + runs));
    List<Expected> expected = expected(fromMillis, toMillis);
    for (Expected each : expected) {
      if (ran.containsKey(each.run())
          && wasDead(fleet.sql("SELECT n.name" + each.record()), each.dueMillis())) {
        long late = Long.parseLong(fleet.sql("SELECT claimed" + each.record())) - each.dueMillis();
        assertTrue(
            late <= TAKEOVER_MILLIS, seed() + each.identity() + " was taken after " + late + " ms");
      }
    }
    assertTrue(!expected.isEmpty(), seed() + "nothing was due");
  }

  /** A period that was due. */
  private record Expected(String identity, String period, long dueMillis) {
    /** Its first run, as the job writes it down. */
    String run() {
      return identity + " " + period + "/1";
    }

    /** The end of a query for its claim, and for the node that has it. */
    String record() {
      return " FROM kron.run r JOIN kron.node n USING (node) WHERE r.identity = '"
          + identity
          + "' AND r.period = "
          + Instant.parse(period).getEpochSecond();
    }
  }

  private static List<Expected> expected(long fromMillis, long toMillis) {
    List<Expected> expected = new ArrayList<>();
    for (int i = 0; i < JOBS; i++) {
      String identity = "fleet:jobs.kron:" + name(i);
      var times = DueTimes.of(Schedule.parse(SCHEDULE), identity).after(fromMillis / 1000);
      for (var due = times.next(); due.dueEpochSecond() * 1000 < toMillis; due = times.next()) {
        expected.add(
            new Expected(identity, due.decision().periodId(), due.dueEpochSecond() * 1000));
      }
    }
    return expected;
  }

  /** What was due and did not run, unless its node stopped between claim and start. */
  private static List<String> lost(TestFleet fleet, long fromMillis, long toMillis) {
    try {
      Map<String, List<String>> ran = evidence(fleet);
      List<String> lost = new ArrayList<>();
      for (Expected each : expected(fromMillis, toMillis)) {
        if (!ran.containsKey(each.run())) {
          String told =
              fleet.sql(
                  "SELECT state || ' ' || coalesce(outcome, '') || ': ' || reason" + each.record());
          if (!told.contains("its node stopped between claim and start")) {
            lost.add(each.run() + ", on record: " + told);
          }
        }
      }
      return lost;
    } catch (IOException | SQLException e) {
      throw new AssertionError(e);
    }
  }

  /** Whether a period fell due while a node was dead, and another one has taken it. */
  private boolean wasDead(String taker, long dueMillis) {
    return dead.stream()
        .anyMatch(
            each ->
                dueMillis > each.from()
                    && dueMillis < each.to() - 1000
                    && !each.node().equals(taker));
  }

  private static int lines(TestFleet fleet) {
    try {
      return Files.readAllLines(fleet.evidence).size();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Map<String, List<String>> evidence(TestFleet fleet) throws IOException {
    Map<String, List<String>> ran = new HashMap<>();
    for (String line : Files.readAllLines(fleet.evidence)) {
      String[] words = line.split(" ");
      ran.computeIfAbsent(words[0] + " " + words[1], key -> new ArrayList<>()).add(words[2]);
    }
    return ran;
  }

  private static String seed() {
    return "seed " + SEED + ": ";
  }

  private static void await(String what, BooleanSupplier condition) {
    long deadline = System.nanoTime() + PATIENCE_NANOS;
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() > deadline) {
        fail(seed() + "not within a minute: " + what);
      }
      LockSupport.parkNanos(5_000_000L);
    }
  }
}
