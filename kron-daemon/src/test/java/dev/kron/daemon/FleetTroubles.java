package dev.kron.daemon;

import static org.junit.jupiter.api.Assertions.fail;

import dev.kron.daemon.FleetEvidence.Known;
import dev.kron.daemon.FleetEvidence.Restored;
import dev.kron.daemon.api.Caller;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;

/** What becomes of a fleet's nodes, of their ways to the database, and of the database. */
final class FleetTroubles {
  private static final long PATIENCE_NANOS = 120_000_000_000L;

  private final TestFleet fleet;
  private final SplittableRandom random;
  final Known known = new Known(new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
  final List<String> done = new ArrayList<>();
  private final List<Kind> bag = new ArrayList<>();
  private final Map<Kind, Integer> counts = new EnumMap<>(Kind.class);
  private int copies;
  private long aheadMillis;

  FleetTroubles(TestFleet fleet, SplittableRandom random) {
    this.fleet = fleet;
    this.random = random;
  }

  /** The five that every build has, one after the other; each ends with a kill. */
  void ofEveryBuild(int number) throws Exception {
    TestFleet.Node node = any();
    switch (number % 5) {
      case 1 -> loseAnswer(node);
      case 2 -> freeze(node, 3500);
      case 3 -> cut(node, 1000);
      case 4 -> node.relay.delay(300);
      default -> {}
    }
    kill(node, number % 2 == 0);
  }

  /** Whatever can happen before a kill. */
  private enum Kind {
    ANSWER_LOST_AT_COMMIT,
    NEXT_ANSWER_LOST,
    STOPPED,
    CUT_OFF,
    CUT_OFF_FOR_LONG,
    DELAYED,
    DROPPED,
    DIRECTORY_COPIED,
    DIRECTORY_PUT_BACK,
    DATABASE_KILLED,
    DATABASE_PUT_BACK,
    CLOCK_SET,
    NOTHING_ELSE
  }

  /** Any of all; each but those of the database ends with a kill. All come before one again. */
  void anyOfAll() throws Exception {
    if (bag.isEmpty()) {
      bag.addAll(List.of(Kind.values()));
      bag.addAll(List.of(Kind.ANSWER_LOST_AT_COMMIT, Kind.DATABASE_PUT_BACK, Kind.NOTHING_ELSE));
    }
    TestFleet.Node node = any();
    Kind kind = bag.remove(random.nextInt(bag.size()));
    counts.merge(kind, 1, Integer::sum);
    done.add(System.currentTimeMillis() + " " + kind + " " + node.name);
    switch (kind) {
      case ANSWER_LOST_AT_COMMIT -> loseAnswer(node);
      case NEXT_ANSWER_LOST -> node.relay.loseAnswer();
      case STOPPED -> freeze(node, 500 + random.nextInt(6000));
      case CUT_OFF -> cut(node, random.nextInt(5000));
      case DELAYED -> node.relay.delay(100 + random.nextInt(900));
      case DROPPED -> {
        node.relay.drop();
        pass(500 + random.nextInt(5000));
        node.relay.mend();
      }
      case CUT_OFF_FOR_LONG -> cut(node, 32_000);
      case DIRECTORY_COPIED -> twin(node);
      case DIRECTORY_PUT_BACK -> putBack(node);
      case DATABASE_KILLED -> {
        long from = now();
        fleet.postgres.kill();
        pass(random.nextInt(3000));
        fleet.postgres.restart();
        known.outages().add(new TestFleet.Away("database", from, now()));
      }
      case DATABASE_PUT_BACK -> goBack(node);
      case CLOCK_SET -> setClock(random.nextInt(-5000, 5001));
      case NOTHING_ELSE -> {}
    }
    kill(node, random.nextBoolean());
  }

  /** How often each of them was done, for whoever reads what a run has shown. */
  String summary() {
    return counts.toString().toLowerCase(Locale.ROOT).replace('_', ' ');
  }

  private TestFleet.Node any() {
    return fleet.nodes.get(random.nextInt(fleet.nodes.size()));
  }

  private void kill(TestFleet.Node node, boolean awaited) throws Exception {
    pass(random.nextInt(700));
    node.kill();
    node.relay.mend();
    node.start();
    if (awaited) {
      node.awaitIn();
    }
  }

  /** The next claim or end is committed, and its answer does not arrive. */
  private void loseAnswer(TestFleet.Node node) {
    node.relay.loseAnswerTo("START");
    long until = System.currentTimeMillis() + 3000;
    await(
        "an answer to be lost",
        () -> node.relay.hasLostAnswer() || System.currentTimeMillis() > until);
  }

  private static void freeze(TestFleet.Node node, long millis) throws Exception {
    node.freeze();
    pass(millis);
    node.thaw();
  }

  private static void cut(TestFleet.Node node, long millis) {
    node.relay.cut();
    pass(millis);
    node.relay.mend();
  }

  /** A copy of the node's directory is started beside it. */
  private void twin(TestFleet.Node node) throws Exception {
    node.awaitIn();
    long from = System.currentTimeMillis();
    Path copy = fleet.directory.resolve("copy" + copies++);
    node.freeze();
    copy(node.state, copy);
    node.thaw();
    boolean tookItsPlace;
    try (DaemonProcess twin = node.daemon(copy, fleet.directory.resolve("s" + copies))) {
      twin.await(
          () -> twin.logged("component=fleet event=joined") || twin.logged("event=out"),
          "the copy to join");
      tookItsPlace = twin.logged("component=fleet event=joined");
      pass(2000);
    }
    if (tookItsPlace) {
      awaitOut(node);
      adopt(node);
    }
    known.copied().add(new TestFleet.Away(node.name, from, System.currentTimeMillis()));
  }

  private static void awaitOut(TestFleet.Node node) {
    await(
        node.name + " to take no part",
        () -> node.caller().get("/v1/fleet").tree().get("node").text("state").equals("out"));
  }

  /** The node's directory is put back to what it was before its last start. */
  private void putBack(TestFleet.Node node) throws Exception {
    node.kill();
    Path copy = fleet.directory.resolve("copy" + copies++);
    copy(node.state, copy);
    node.start();
    node.awaitIn();
    pass(random.nextInt(5000));
    node.kill();
    run("rm", "-rf", node.state.toString());
    copy(copy, node.state);
    node.start();
    awaitOut(node);
    adopt(node);
  }

  /** The machine becomes another node, and the one that it was is taken out. */
  private void adopt(TestFleet.Node node) {
    Caller caller = node.caller();
    String[] before = {""};
    await(
        "its id",
        () -> {
          before[0] = caller.get("/v1/fleet").tree().get("node").text("id");
          return caller.post("/v1/fleet/adopt").status() == 200;
        });
    await(
        "it to be another node",
        () -> {
          var now = caller.get("/v1/fleet").tree().get("node");
          return now.text("state").equals("in") && !now.text("id").equals(before[0]);
        });
    await(
        "the node that it was to be removed",
        () -> caller.post("/v1/fleet/nodes/" + before[0] + "/remove").status() == 200);
  }

  /** The database is put back by some seconds; sometimes a node is killed in between. */
  private void goBack(TestFleet.Node node) throws Exception {
    for (TestFleet.Node each : fleet.nodes) {
      each.awaitIn();
    }
    pass(1500);
    long to = fleet.clock();
    String generation = generation();
    fleet.postgres.remember();
    pass(random.nextInt(2000, 6000));
    if (random.nextBoolean()) {
      kill(node, true);
      pass(1500);
    }
    fleet.postgres.goBack();
    await("somebody to notice", () -> !generation().equals(generation));
    long from = Long.parseLong(fleet.sql("SELECT max(counts_from) FROM kron.job"));
    known.restores().add(new Restored(to, from, aheadMillis));
  }

  private String generation() throws Exception {
    return fleet.sql("SELECT generation FROM kron.fleet");
  }

  /** The database's clock differs from the machine's. */
  void setClock(long ahead) throws Exception {
    fleet.execute(
        "CREATE OR REPLACE FUNCTION kron.clock() RETURNS bigint LANGUAGE sql VOLATILE AS $$ SELECT"
            + " floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint + ("
            + ahead
            + ") $$");
    long before = now();
    aheadMillis = ahead;
    known.outages().add(new TestFleet.Away("clock", Math.min(before, now()), now()));
  }

  /** The fleet's time. */
  private long now() {
    return System.currentTimeMillis() + aheadMillis;
  }

  private static void copy(Path from, Path to) throws Exception {
    run("cp", "-a", from.toString(), to.toString());
  }

  private static void run(String... command) throws Exception {
    int code = new ProcessBuilder(command).inheritIO().start().waitFor();
    if (code != 0) {
      throw new IOException(String.join(" ", command) + " ended with " + code);
    }
  }

  static void pass(long millis) {
    long until = System.currentTimeMillis() + millis;
    await("a moment", () -> System.currentTimeMillis() >= until);
  }

  static void await(String what, Callable<Boolean> condition) {
    long deadline = System.nanoTime() + PATIENCE_NANOS;
    Exception last = null;
    while (System.nanoTime() < deadline) {
      try {
        if (condition.call()) {
          return;
        }
      } catch (Exception notYet) { // a daemon on its way up, a database that is away
        last = notYet;
      }
      LockSupport.parkNanos(5_000_000L);
    }
    fail("not within two minutes: " + what, last);
  }
}
