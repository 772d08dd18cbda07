package dev.kron.daemon;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kron.daemon.api.Caller;
import dev.kron.json.Json;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * What becomes of nodes whose database, role, tables or files somebody has spoilt: it is told, and
 * they go on by themselves when it is mended.
 */
@Timeout(600)
final class FleetSpoiltTest {
  private static final String LEASE = "3s";
  private static final int LOOKS = 40;

  @TempDir Path directory;

  @Test
  void aRightThatIsMissingIsToldUntilItIsGiven() throws Exception {
    try (var fleet = new TestFleet(directory, 1, LEASE, krontab(""))) {
      TestFleet.Node node = fleet.nodes.getFirst();
      fleet.startAll();
      fleet.execute(
          "CREATE ROLE poor LOGIN PASSWORD 'poor'; GRANT USAGE ON SCHEMA kron TO poor;"
              + "GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA kron TO poor;"
              + "REVOKE ALL ON kron.request FROM poor");
      become(node, "poor");
      // Renewals and others go well meanwhile, and say nothing of what goes wrong.
      toldSteadily(node, "permission denied for table request");
      FleetTroubles.await("people to be told", () -> !node.caller().isHealthy());
      fleet.execute("GRANT SELECT, INSERT, UPDATE, DELETE ON kron.request TO poor");
      awaitState(node, "in");
      begins(fleet, "r1");

      fleet.execute("ALTER ROLE poor SET default_transaction_read_only = on");
      node.relay.cut();
      node.relay.mend();
      toldSteadily(node, "read-only transaction");
      fleet.execute("ALTER ROLE poor RESET default_transaction_read_only");
      node.relay.cut();
      node.relay.mend();
      awaitState(node, "in");
      begins(fleet, "r2");
    }
  }

  @Test
  void passwordsThatVanishAreTold() throws Exception {
    try (var fleet = new TestFleet(directory, 1, LEASE, krontab(""))) {
      TestFleet.Node node = fleet.nodes.getFirst();
      fleet.startAll();
      FleetTroubles.await("both connections", () -> standing(node).number("liveNodes") == 1);
      Path secrets = node.config.resolve("credentials").resolve("fleet.env");
      Path aside = Files.move(secrets, directory.resolve("aside"));
      begins(fleet, "r1"); // the connections that there are stay
      node.relay.cut();
      node.relay.mend();
      toldSteadily(node, "fleet.env");
      Files.move(aside, secrets);
      awaitState(node, "in");
      begins(fleet, "r2");
    }
  }

  /** Another node was updated first, and what it made of the tables this one does not know. */
  @Test
  void aNodeStandsAsideWhereTheTablesAreNewerThanItself() throws Exception {
    try (var fleet = new TestFleet(directory, 1, LEASE, krontab(""))) {
      TestFleet.Node node = fleet.nodes.getFirst();
      fleet.startAll();
      begins(fleet, "r1");
      fleet.execute("INSERT INTO kron.schema_version (version) VALUES (1000)");
      toldSteadily(node, "the fleet's tables are of version 1000");
      trigger(node, "hand", "r2");
      FleetTroubles.pass(2000);
      assertEquals("open", fleet.sql("SELECT state FROM kron.request WHERE id = 'r2'"));
      fleet.execute("DELETE FROM kron.schema_version WHERE version = 1000");
      awaitState(node, "in");
      FleetTroubles.await("it to run", () -> state(fleet, "r2").equals("ended"));
    }
  }

  @Test
  void tablesThatAreEmptiedOrDroppedAreMadeAgain() throws Exception {
    Path evidence = directory.resolve("begun");
    Path hold = Files.createFile(directory.resolve("hold"));
    String more =
        "@manual name=hold shell=true command=\"echo 1 >>%s; while [ -e %s ]; do sleep 0.05; done\"\n"
            .formatted(evidence, hold);
    try (var fleet = new TestFleet(directory, 2, LEASE, krontab(more))) {
      fleet.startAll();
      begins(fleet, "r1");
      trigger(fleet.nodes.getFirst(), "hold", "r2");
      FleetTroubles.await("it to run", () -> Files.readAllLines(evidence).size() == 2);
      fleet.execute("DELETE FROM kron.job; DELETE FROM kron.vote");
      Files.delete(hold); // its end has no row: otherwise a claim, or ten minutes
      FleetTroubles.await("a new generation", () -> generation(fleet).equals("2"));
      FleetTroubles.await("its end to be told", () -> state(fleet, "r2").equals("ended"));

      fleet.execute("DELETE FROM kron.node");
      FleetTroubles.await(
          "both to be back",
          () -> fleet.sql("SELECT count(*) FROM kron.node WHERE NOT removed").equals("2"));
      begins(fleet, "r3");

      fleet.execute(
          "TRUNCATE kron.fleet, kron.node, kron.job, kron.vote, kron.request, kron.open_run,"
              + " kron.settled_run");
      FleetTroubles.await(
          "both to be back", () -> fleet.sql("SELECT count(*) FROM kron.node").equals("2"));
      begins(fleet, "r4");

      fleet.execute("DROP SCHEMA kron CASCADE");
      FleetTroubles.await(
          "both to be back", () -> fleet.sql("SELECT count(*) FROM kron.node").equals("2"));
      begins(fleet, "r5");
      assertEquals(5, Files.readAllLines(evidence).size());
    }
  }

  /** A backup of before the last generation is put back while the node is away. */
  @Test
  void aGenerationThatWasEndedOnceIsEndedAgain() throws Exception {
    try (var fleet = new TestFleet(directory, 1, LEASE, krontab(""))) {
      TestFleet.Node node = fleet.nodes.getFirst();
      fleet.startAll();
      begins(fleet, "r1");
      fleet.postgres.remember();
      begins(fleet, "r2");
      fleet.postgres.goBack();
      FleetTroubles.await("it to be noticed", () -> generation(fleet).equals("2"));
      begins(fleet, "r3");
      node.kill();
      fleet.postgres.goBack();
      node.start();
      FleetTroubles.await("it to be noticed again", () -> generation(fleet).equals("2"));
      begins(fleet, "r4");
    }
  }

  /** A machine that stood still is back, and meanwhile another one has taken its name. */
  @Test
  void twoNodesOfOneNameAreTold() throws Exception {
    try (var fleet = new TestFleet(directory, 1, LEASE, krontab(""))) {
      TestFleet.Node node = fleet.nodes.getFirst();
      fleet.startAll();
      node.freeze();
      Path socket = directory.resolve("other.s");
      try (DaemonProcess other = node.daemon(directory.resolve("other"), socket)) {
        other.awaitLine("component=fleet event=joined");
        node.thaw();
        Caller second = Caller.at(socket);
        FleetTroubles.await(
            "one of them to be told",
            () -> isDouble(standing(node)) != isDouble(second.get("/v1/fleet").tree().get("node")));
      }
      FleetTroubles.await("the one that is left", () -> standing(node).text("state").equals("in"));
    }
  }

  private static boolean isDouble(Json standing) {
    return standing.text("state").equals("cut-off")
        && String.valueOf(standing.text("problem")).contains("is called n1");
  }

  /** Others run it again, and this machine would tell nobody of it. */
  @Test
  void aMachineThatLeavesItsFleetEndsWhatOthersMayRunAgain() throws Exception {
    String more = "@manual name=again loss=rerun command=\"/bin/sleep 600.0%d\"\n";
    String mark = Long.toString(ProcessHandle.current().pid());
    String other = "@manual name=other command=\"/bin/sleep 601.0%s\"\n".formatted(mark);
    try (var fleet = new TestFleet(directory, 1, "1h", krontab(more.replace("%d", mark) + other))) {
      TestFleet.Node node = fleet.nodes.getFirst();
      fleet.startAll();
      Path toml = node.config.resolve("fleet.toml");
      String settings = Files.readString(toml);
      runs(node, "again", "r1", "600.0" + mark);
      runs(node, "other", "r2", "601.0" + mark);
      Files.delete(toml);
      Json plan = node.caller().post("/v1/reload").tree();
      assertTrue(plan.toString().contains("loss=rerun are ended"), plan.toString());
      FleetTroubles.await("it to end", () -> Marked.count("600.0" + mark) == 0);
      assertEquals(1, Marked.count("601.0" + mark));

      Files.writeString(toml, settings);
      assertEquals(200, node.caller().post("/v1/reload").status());
      awaitState(node, "in");
      FleetTroubles.await("its end to be told", () -> state(fleet, "r1").equals("ended"));
      runs(node, "again", "r3", "600.0" + mark);
      node.kill();
      Files.delete(toml);
      node.start();
      FleetTroubles.await("it to end", () -> Marked.count("600.0" + mark) == 0);
      assertEquals(1, Marked.count("601.0" + mark));

      Files.writeString(toml, settings);
      assertEquals(200, node.caller().post("/v1/reload").status());
      FleetTroubles.await("its end to be told", () -> state(fleet, "r3").equals("ended"));
      assertEquals(1, Marked.count("601.0" + mark));
      FleetTroubles.await(
          "a stop", () -> node.caller().post("/v1/jobs/other/stop").status() == 200);
      FleetTroubles.await("the other to end", () -> Marked.count("601.0" + mark) == 0);
    }
  }

  /** A node that does not know what it was given ends what its files say others run again. */
  @Test
  void aNodeWhoseMemoryIsDamagedEndsWhatOthersMayRunAgain() throws Exception {
    String mark = Long.toString(ProcessHandle.current().pid());
    String more = "@manual name=again loss=rerun command=\"/bin/sleep 602.0%s\"\n".formatted(mark);
    try (var fleet = new TestFleet(directory, 1, LEASE, krontab(more))) {
      TestFleet.Node node = fleet.nodes.getFirst();
      fleet.startAll();
      runs(node, "again", "r1", "602.0" + mark);
      node.kill();
      Path journal = node.state.resolve("fleet");
      Files.writeString(journal, "damaged\n");
      node.start();
      awaitState(node, "out");
      FleetTroubles.await("it to end", () -> Marked.count("602.0" + mark) == 0);
      assertEquals(200, node.caller().post("/v1/fleet/adopt").status());
      awaitState(node, "in");
    }
  }

  private String krontab(String more) {
    return "@manual name=hand shell=true command=\"echo $KRON_RUN_ID >>%s\"\n"
            .formatted(directory.resolve("begun"))
        + more;
  }

  private static void become(TestFleet.Node node, String role) throws Exception {
    Path secrets = node.config.resolve("credentials").resolve("fleet.env");
    Files.writeString(secrets, "PGUSER=%s\nPGPASSWORD=%s\n".formatted(role, role));
    Files.setPosixFilePermissions(secrets, PosixFilePermissions.fromString("rw-------"));
    node.relay.cut();
    node.relay.mend();
  }

  private static Json standing(TestFleet.Node node) throws Exception {
    return node.caller().get("/v1/fleet").tree().get("node");
  }

  private static void awaitState(TestFleet.Node node, String state) {
    FleetTroubles.await(state, () -> standing(node).text("state").equals(state));
  }

  /** For longer than a lease, however often somebody asks. */
  private static void toldSteadily(TestFleet.Node node, String reason) throws Exception {
    FleetTroubles.await(
        reason, () -> String.valueOf(standing(node).text("problem")).contains(reason));
    for (int i = 0; i < LOOKS; i++) {
      FleetTroubles.pass(100);
      Json now = standing(node);
      assertEquals("cut-off", now.text("state"), now.toString());
      assertTrue(String.valueOf(now.text("problem")).contains(reason), now.toString());
    }
  }

  private static String generation(TestFleet fleet) throws Exception {
    return fleet.sql("SELECT generation FROM kron.fleet");
  }

  private static String state(TestFleet fleet, String request) throws Exception {
    return fleet.sql(
        "SELECT r.state FROM kron.run r JOIN kron.request q ON q.run = r.run WHERE q.id = '%s'"
            .formatted(request));
  }

  /** A request leads to a run; one that a new generation has made void is made anew. */
  private static void begins(TestFleet fleet, String request) {
    TestFleet.Node node = fleet.nodes.getFirst();
    int[] tries = {0};
    FleetTroubles.await(
        request + " to run",
        () -> {
          String id = request + "-" + tries[0];
          String asked = fleet.sql("SELECT state FROM kron.request WHERE id = '" + id + "'");
          if (asked.equals("void")) {
            tries[0]++;
          } else if (asked.isEmpty()) {
            trigger(node, "hand", id);
          }
          return state(fleet, id).equals("ended");
        });
  }

  private static void trigger(TestFleet.Node node, String job, String request) {
    FleetTroubles.await(
        "an answer",
        () ->
            node.caller().post("/v1/fleet/jobs/" + job + "/trigger?request=" + request).status()
                == 200);
  }

  private static void runs(TestFleet.Node node, String job, String request, String mark) {
    trigger(node, job, request);
    FleetTroubles.await(job + " to run", () -> Marked.count(mark) == 1);
  }
}
