package dev.kron.daemon;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.fail;

import dev.kron.daemon.api.Caller;
import dev.kron.store.JobStates;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * What a node tells the fleet of runs that it was given and that no job of it knows any more. The
 * state of the job is put back to what it was before the run, while the database hears nothing.
 */
@Timeout(600)
final class FleetRecoveryTest {
  private static final long PATIENCE_NANOS = 90_000_000_000L;
  private static final String JOB = "fleet:jobs.kron:hand";

  @TempDir Path directory;

  /** What happens to the directory of a run while its daemon is dead. */
  private interface Blow {
    void strike(Path run) throws IOException;
  }

  @Test
  void theDirectoryOfARunTellsWhatNoJobKnows() throws Exception {
    Path hold = directory.resolve("hold");
    Path script =
        Files.writeString(
            directory.resolve("job.sh"),
            """
            echo "$KRON_RUN_ID" >>"$EVIDENCE"
            while [ -e "$HOLD" ]; do sleep 0.02; done
            exit 3
            """);
    String krontab =
        "@manual name=hand command=\"/bin/sh %s\" env=EVIDENCE=%s env=HOLD=%s\n"
            .formatted(script, directory.resolve("evidence"), hold);
    try (var fleet = new TestFleet(directory, 1, "3s", krontab)) {
      fleet.startAll();
      assertEquals("failed 3: ", lost(fleet, "r1", hold, run -> {}));
      assertEquals(1, onRecord(fleet, "r1"));
      // The daemon dies between the directory and the name of the intent.
      assertEquals(
          "missed -: its node stopped between claim and start",
          lost(fleet, "r2", hold, FleetRecoveryTest::empty));
      assertEquals(
          "missed -: its node stopped between claim and start",
          lost(fleet, "r3", hold, FleetRecoveryTest::remove));
      // Its command has printed something, and there is no record of it.
      assertEquals(
          "unknown -: its node has lost what was known of it",
          lost(
              fleet,
              "r4",
              hold,
              run -> {
                empty(run);
                Files.writeString(run.resolve("stdout"), "begun\n");
              }));
    }
  }

  @Test
  void aNodeThatIsOutEndsWhatOthersMayRunAgain() throws Exception {
    String krontab = "@manual name=hand loss=rerun command=\"/bin/sleep 600\"\n";
    try (var fleet = new TestFleet(directory, 1, "3s", krontab)) {
      fleet.startAll();
      Caller caller = fleet.nodes.getFirst().caller();
      trigger(caller, "r1");
      await(
          "it to run",
          () ->
              caller.get("/v1/jobs/hand").tree().list("active").stream()
                  .anyMatch(run -> run.text("state").equals("started")));
      fleet.execute("UPDATE kron.node SET removed = true");
      await("the node to be out", () -> state(caller).equals("out"));
      await("it to end", () -> active(caller) == 0);
    }
  }

  @Test
  void aMachineThatBecomesAnotherNodeEndsWhatOthersMayRunAgain() throws Exception {
    String krontab = "@manual name=hand loss=rerun command=\"/bin/sleep 600\"\n";
    try (var fleet = new TestFleet(directory, 1, "1h", krontab)) {
      fleet.startAll();
      Caller caller = fleet.nodes.getFirst().caller();
      trigger(caller, "r1");
      await(
          "it to run",
          () ->
              caller.get("/v1/jobs/hand").tree().list("active").stream()
                  .anyMatch(run -> run.text("state").equals("started")));
      fleet.execute("UPDATE kron.node SET removed = true");
      await("the node to be out", () -> state(caller).equals("out"));
      assertEquals(1, active(caller)); // its lease is not over
      assertEquals(200, caller.post("/v1/fleet/adopt").status());
      await("it to end", () -> active(caller) == 0);
      await("the machine to be a node", () -> state(caller).equals("in"));
    }
  }

  @Test
  void aDaemonThatLeavesBeginsWhatItWasGiven() throws Exception {
    Path evidence = directory.resolve("begun");
    String krontab =
        "@manual name=hand shell=true command=\"echo $KRON_RUN_ID >>%s\"\n".formatted(evidence);
    try (var fleet = new TestFleet(directory, 1, "30s", krontab)) {
      fleet.startAll();
      TestFleet.Node node = fleet.nodes.getFirst();
      leaves(fleet, "r1", () -> node.signal("-TERM"), evidence);
      node.start();
      node.awaitIn();
      leaves(fleet, "r2", () -> node.caller().post("/v1/shutdown?jobs=wait"), evidence);
    }
  }

  /** How a daemon is told to leave. */
  private interface Word {
    void say() throws Exception;
  }

  /** It is told so while the answer to a claim that is committed is on its way. */
  private static void leaves(TestFleet fleet, String request, Word word, Path evidence)
      throws Exception {
    TestFleet.Node node = fleet.nodes.getFirst();
    trigger(node.caller(), request);
    node.relay.delay(1500);
    await("the run to be claimed", () -> column(fleet, request, "state").equals("running"));
    word.say();
    assertEquals(0, node.process().awaitEnd());
    node.relay.mend();
    String run = column(fleet, request, "run");
    await(
        "it to begin", () -> Files.exists(evidence) && Files.readAllLines(evidence).contains(run));
  }

  private static String state(Caller caller) throws IOException {
    return caller.get("/v1/fleet").tree().get("node").text("state");
  }

  /** What the fleet hears of a run whose job has forgotten it. */
  private static String lost(TestFleet fleet, String request, Path hold, Blow blow)
      throws Exception {
    TestFleet.Node node = fleet.nodes.getFirst();
    Caller caller = node.caller();
    String warm = request + "-before";
    trigger(caller, warm);
    await("a run before", () -> column(fleet, warm, "state").equals("ended"));
    await("the node to rest", () -> active(caller) == 0);
    Path state = node.state.resolve(JobStates.fileName(JOB));
    Path before = Files.copy(state, fleet.directory.resolve(request + ".json"));
    Files.createFile(hold);
    int lines = Files.readAllLines(fleet.evidence).size();
    trigger(caller, request);
    await("it to run", () -> Files.readAllLines(fleet.evidence).size() > lines);
    node.relay.cut();
    Files.delete(hold);
    await("it to end", () -> active(caller) == 0);
    node.kill();
    Files.copy(before, state, StandardCopyOption.REPLACE_EXISTING);
    List<String> runs = Files.readAllLines(fleet.evidence);
    blow.strike(node.state.resolve("runs").resolve(runs.getLast()));
    node.relay.mend();
    node.start();
    node.awaitIn();
    await("its end to be told", () -> column(fleet, request, "state").equals("ended"));
    assertEquals(runs.getLast(), column(fleet, request, "run"));
    assertEquals(runs, Files.readAllLines(fleet.evidence));
    return column(fleet, request, "outcome")
        + " "
        + column(fleet, request, "coalesce(exit_code::text, '-')")
        + ": "
        + column(fleet, request, "reason");
  }

  /** How often this machine's own history has the run of a request. */
  private static long onRecord(TestFleet fleet, String request) throws Exception {
    String run = column(fleet, request, "run");
    return fleet.nodes.getFirst().caller().get("/v1/jobs/hand/runs").tree().list("runs").stream()
        .filter(entry -> run.equals(entry.text("runId")))
        .count();
  }

  private static void trigger(Caller caller, String request) throws Exception {
    await(
        "an answer",
        () -> caller.post("/v1/fleet/jobs/hand/trigger?request=" + request).status() == 200);
  }

  private static int active(Caller caller) throws IOException {
    return caller.get("/v1/jobs/hand").tree().list("active").size();
  }

  private static String column(TestFleet fleet, String request, String column) throws Exception {
    return fleet.sql(
        "SELECT r.%s FROM kron.run r JOIN kron.request q ON q.run = r.run WHERE q.id = '%s'"
            .formatted(column, request)
            .replace("r.coalesce(", "coalesce(r."));
  }

  private static void empty(Path run) throws IOException {
    remove(run);
    Files.createDirectory(run);
  }

  private static void remove(Path run) throws IOException {
    try (var files = Files.list(run)) {
      for (Path file : files.toList()) {
        Files.delete(file);
      }
    }
    Files.delete(run);
  }

  private static void await(String what, Callable<Boolean> condition) throws Exception {
    long deadline = System.nanoTime() + PATIENCE_NANOS;
    while (!holds(condition)) {
      if (System.nanoTime() > deadline) {
        fail("not within a minute and a half: " + what);
      }
      LockSupport.parkNanos(20_000_000L);
    }
  }

  /** A daemon that is on its way up answers nothing yet. */
  private static boolean holds(Callable<Boolean> condition) throws Exception {
    try {
      return condition.call();
    } catch (IOException e) {
      return false;
    }
  }
}
