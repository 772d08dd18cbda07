package dev.kron.daemon;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kron.daemon.FleetEvidence.Begun;
import dev.kron.daemon.FleetEvidence.Expected;
import dev.kron.daemon.FleetEvidence.Known;
import dev.kron.job.Ranking;
import dev.kron.schedule.Schedule;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/**
 * Three daemons on one real PostgreSQL: killed at random, stopped and continued, cut off from the
 * database, and robbed of its answers. A build has five kills and three takeovers; more of it:
 * {@code -Dkron.fleet.kills=100 -Dkron.fleet.takeovers=50}. From the sixth kill on, directories of
 * nodes are copied and put back as well, and the database is killed, put back to an earlier moment,
 * and given another time. {@code -Dkron.seed=…} repeats the choices.
 */
@Timeout(7200)
final class FleetKillsTest {
  private static final int OF_EVERY_BUILD = 5;
  private static final int KILLS = Integer.getInteger("kron.fleet.kills", OF_EVERY_BUILD);
  private static final int TAKEOVERS = Integer.getInteger("kron.fleet.takeovers", 3);
  private static final long SEED = Long.getLong("kron.seed", 20_261_117L);
  private static final int SHORT = 100;

  /**
   * How long after its due time a period may begin on another node. The turn of the second of three
   * nodes is one second after it, and a machine that is very busy adds what it pleases. Where the
   * figure is asked for ({@code -Dkron.fleet.takeover.millis=3000}), on a quiet machine, it counts.
   */
  private static final long TAKEOVER_MILLIS = Long.getLong("kron.fleet.takeover.millis", 30_000);

  /** A node that was away claims nothing for three seconds. */
  private static final long SETTLED_MILLIS = 4000;

  @TempDir(cleanup = CleanupMode.ON_SUCCESS)
  Path directory;

  private final SplittableRandom random = new SplittableRandom(SEED);

  @Test
  void noPeriodRunsTwiceAndNoneIsLostWhateverBecomesOfNodesAndDatabase() throws Exception {
    Map<String, Schedule> schedules = new LinkedHashMap<>();
    String krontab = krontab(schedules);
    try (var fleet = new TestFleet(directory, "3s", krontab)) {
      var troubles = new FleetTroubles(fleet, random.split());
      fleet.startAll();
      long from = fleet.clock() + SETTLED_MILLIS;
      for (int kill = 1; kill <= KILLS; kill++) {
        if (kill <= OF_EVERY_BUILD) {
          troubles.ofEveryBuild(kill);
        } else {
          troubles.anyOfAll();
          if (kill % 10 == 0) {
            nothingTooMuch(new FleetEvidence(fleet, schedules, troubles.known), kill);
          }
        }
      }
      if (KILLS > OF_EVERY_BUILD) {
        troubles.setClock(0);
      }
      List<Long> late = new ArrayList<>();
      for (int takeover = 1; takeover <= TAKEOVERS; takeover++) {
        late.add(takeOver(fleet, schedules, takeover));
      }
      for (TestFleet.Node node : fleet.nodes) {
        node.awaitIn();
      }
      check(fleet, schedules, troubles, from);
      figures(late);
    }
  }

  /** Short jobs throughout the minute; on demand such as are lost, tried again and run again. */
  private String krontab(Map<String, Schedule> schedules) throws Exception {
    Path script = FleetEvidence.script(directory);
    var krontab = new StringBuilder();
    for (int i = 0; i < SHORT; i++) {
      String window = i % 2 == 0 ? "after" : "before";
      job(krontab, schedules, "short" + i, "* * * * * @win(" + window + ",40s)", "", 0, script);
    }
    if (KILLS > OF_EVERY_BUILD) {
      for (int i = 0; i < 6; i++) {
        String each = "* * * * * @win(after,40s)";
        job(krontab, schedules, "long" + i, each, "", 5, script);
        job(krontab, schedules, "retry" + i, each, " retries=2 retrydelay=1s", 0, script);
        String second = "*/2 * * * * @win(after,30s)";
        job(krontab, schedules, "again" + i, second, " loss=rerun", 45, script);
      }
    }
    return krontab.toString();
  }

  private static void job(
      StringBuilder krontab,
      Map<String, Schedule> schedules,
      String name,
      String schedule,
      String fields,
      int seconds,
      Path script) {
    String full = schedule + " @policy(deadline=1m)";
    schedules.put(name, Schedule.parse(full));
    krontab.append(
        "%s name=%s command=\"/bin/sh %s %d\" env=EVIDENCE=%s%s\n"
            .formatted(full, name, script, seconds, script.resolveSibling("evidence"), fields));
  }

  /** One of three nodes dies right before a period that it would have taken. */
  private long takeOver(TestFleet fleet, Map<String, Schedule> schedules, int number)
      throws Exception {
    // In a build it is the same one each time, so that nobody has to wait for the others.
    TestFleet.Node victim =
        fleet.nodes.get(TAKEOVERS > 3 ? random.nextInt(TestFleet.NODES) : SEED % 2 == 0 ? 0 : 1);
    for (TestFleet.Node each : fleet.nodes) {
      each.awaitIn();
    }
    FleetTroubles.await(
        "all to have settled in",
        () ->
            fleet
                .sql(
                    "SELECT count(*) FROM kron.node WHERE NOT removed AND kron.clock() >= joined +"
                        + " CASE WHEN name = '%s' THEN 1500 ELSE %d END"
                            .formatted(victim.name, SETTLED_MILLIS))
                .equals(Integer.toString(TestFleet.NODES)));
    long earliest = fleet.clock() + 1000;
    Expected next =
        new FleetEvidence(fleet, schedules, Known.nothing())
            .expected(earliest, earliest + 60_000).stream()
                .filter(each -> each.identity().startsWith(FleetEvidence.identity("short")))
                .filter(each -> each.dueMillis() >= earliest && isFirst(victim, each))
                .min(Comparator.comparingLong(Expected::dueMillis))
                .orElseThrow();
    long kill = next.dueMillis() - 100 - random.nextInt(800);
    FleetTroubles.await("the moment", () -> fleet.clock() >= kill);
    victim.kill();
    boolean inTime = fleet.clock() < next.dueMillis();
    FleetTroubles.await(
        "another node to run " + next,
        () -> new FleetEvidence(fleet, schedules, Known.nothing()).begun(next) != null);
    Begun begun =
        Objects.requireNonNull(new FleetEvidence(fleet, schedules, Known.nothing()).begun(next));
    victim.start();
    if (begun.node().equals(victim.name) && !inTime) {
      return takeOver(fleet, schedules, number); // this machine was too busy to kill it before
    }
    assertTrue(!begun.node().equals(victim.name), () -> seed() + begun);
    long late = begun.millis() - next.dueMillis();
    assertTrue(
        late <= TAKEOVER_MILLIS,
        () -> seed() + "takeover " + number + ": " + next + " began " + late + " ms late");
    return late;
  }

  private static boolean isFirst(TestFleet.Node node, Expected period) {
    return Ranking.of(period.identity(), period.period(), List.of("n1", "n2", "n3"))
        .getFirst()
        .equals(node.name);
  }

  private void check(
      TestFleet fleet, Map<String, Schedule> schedules, FleetTroubles troubles, long from)
      throws Exception {
    long to = fleet.clock();
    var last = new AtomicReference<>(new FleetEvidence(fleet, schedules, troubles.known));
    try {
      FleetTroubles.await(
          "everything to be run and told",
          () -> {
            last.set(new FleetEvidence(fleet, schedules, troubles.known));
            return fleet.clock() > to + SETTLED_MILLIS // for what might be taken once more
                && last.get().missing(from, to).isEmpty()
                && last.get().untrue().isEmpty();
          });
    } catch (AssertionError not) {
      String what = String.join("\n", troubles.done);
      assertEquals(List.of(), last.get().missing(from, to), seed() + what);
      assertEquals(List.of(), last.get().untrue(), seed() + what);
      throw not;
    }
    nothingTooMuch(last.get(), KILLS);
    assertTrue(!last.get().expected(from, to).isEmpty(), seed() + "nothing was due");
    System.out.printf(
        "%d kills, %d periods due, %d attempts ran; before the kills: %s%n",
        KILLS, last.get().expected(from, to).size(), last.get().runs(), troubles.summary());
  }

  private static void nothingTooMuch(FleetEvidence evidence, int kill) {
    assertEquals(List.of(), evidence.tooMuch(), () -> seed() + "after kill " + kill);
  }

  private static void figures(List<Long> late) {
    if (late.isEmpty()) {
      return;
    }
    List<Long> sorted = late.stream().sorted().toList();
    System.out.printf(
        "%d takeovers: median %d ms, worst %d ms after the due time%n",
        sorted.size(), sorted.get(sorted.size() / 2), sorted.getLast());
  }

  private static String seed() {
    return "seed " + SEED + ": ";
  }
}
