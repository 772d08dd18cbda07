package dev.kron.daemon;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import dev.kron.daemon.api.Caller;
import dev.kron.daemon.api.OpenApiDocument;
import dev.kron.json.Json;
import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What people ask of a fleet through one of its nodes: two daemons and a real PostgreSQL. */
@Timeout(600)
final class FleetApiTest {
  private static final long PATIENCE_NANOS = 90_000_000_000L;

  private static final String KRONTAB =
      """
      @manual name=hand command="/bin/sh -c 'echo $KRON_RUN_ID >>$EVIDENCE'" env=EVIDENCE=FILE
      @manual name=long command="/bin/sleep 600"
      0 3 * * * @win(after,1h) name=night command=/bin/true
      0 3 * * * @win(after,1h) name=each on=all command=/bin/true
      """;

  private static @Nullable TestFleet tested;

  @TempDir Path directory;
  private final OpenApiDocument document = OpenApiDocument.read();

  @Test
  void tellsAndDoesWhatPeopleAskFor() throws Exception {
    Path evidence = directory.resolve("evidence");
    try (var fleet =
        new TestFleet(directory, 2, "3s", KRONTAB.replace("FILE", evidence.toString()))) {
      tested = fleet;
      fleet.startAll();
      TestFleet.Node one = fleet.nodes.getFirst();
      TestFleet.Node two = fleet.nodes.getLast();
      lists(one.caller());
      requests(one.caller(), two.caller(), evidence);
      lostRuns(one.caller(), two);
      adopted(one, two);
    }
  }

  private void lists(Caller caller) throws Exception {
    await("two nodes", () -> get(caller, "/v1/fleet").get("node").number("liveNodes") == 2);
    Json status = get(caller, "/v1/fleet");
    assertEquals("in", status.get("node").text("state"));
    assertEquals(4, status.get("database").number("jobs"));
    assertEquals(
        List.of("live", "live"),
        get(caller, "/v1/fleet/nodes").list("nodes").stream()
            .map(node -> node.text("state"))
            .toList());
    Json page = get(caller, "/v1/fleet/jobs?limit=1", "/v1/fleet/jobs");
    assertEquals("fleet:jobs.kron:each", page.text("after"));
    await(
        "a row for each node",
        () -> {
          Json each = get(caller, "/v1/fleet/jobs/each", "/v1/fleet/jobs/{job}");
          return each.list("rows").size() == 2;
        });
    Json rest = get(caller, "/v1/fleet/jobs?after=fleet:jobs.kron:each", "/v1/fleet/jobs");
    assertEquals(
        List.of("hand", "long", "night"),
        rest.list("jobs").stream().map(job -> job.text("name")).toList());
    assertTrue(rest.get("after").isNull());
    answers(caller, "GET", "/v1/fleet/jobs/{job}", "/v1/fleet/jobs/nobody", 404);

    String why = "/v1/fleet/jobs/{job}/why";
    Json told =
        get(caller, "/v1/fleet/jobs/night/why?from=2099-01-01T12:00:00Z", why)
            .list("periods")
            .getFirst();
    assertEquals("coming", told.text("verdict"));
    assertEquals(2, told.list("ranking").size());
    assertEquals(0, told.list("ranking").getFirst().number("turnMillis"));
    String of = "/v1/jobs/{job}/why";
    Json same = get(caller, "/v1/jobs/night/why?from=2099-01-01T12:00:00Z", of);
    assertEquals(told, same.list("periods").getFirst());
    assertFalse(same.get("nextDue").isNull());
    get(caller, "/v1/fleet/jobs/each/why?from=2099-01-01T12:00:00Z", why);
    Json each = get(caller, "/v1/jobs/each/decisions?count=1", "/v1/jobs/{job}/decisions");
    assertEquals("fleet:jobs.kron:each@n1", each.list("decisions").getFirst().text("identity"));
    Json night = get(caller, "/v1/jobs/night", "/v1/jobs/{job}");
    assertFalse(night.get("nextDue").isNull());
    assertEquals("any", night.get("fleet").text("on"));
    String metrics = caller.get("/metrics").body();
    assertTrue(metrics.contains("kron_fleet_participating 1.0"), metrics);
    answers(caller, "POST", "/v1/jobs/{job}/trigger", "/v1/jobs/night/trigger", 409);
  }

  private void requests(Caller one, Caller two, Path evidence) throws Exception {
    String trigger = "/v1/fleet/jobs/{job}/trigger";
    String hand = "/v1/fleet/jobs/hand/trigger?node=n2&request=r1";
    assertEquals("r1", answers(one, "POST", trigger, hand, 200).text("request"));
    Json run = ended(one, "r1");
    assertEquals("n2", run.text("node"));
    assertEquals("success", run.text("outcome"));
    assertEquals(run.text("runId"), answers(two, "POST", trigger, hand, 200).text("runId"));
    assertEquals(List.of(run.text("runId")), Files.readAllLines(evidence));
    String suspend = "/v1/fleet/jobs/{job}/suspend";
    answers(one, "POST", suspend, "/v1/fleet/jobs/hand/suspend?request=r1", 409);
    answers(one, "POST", suspend, "/v1/fleet/jobs/hand/suspend?request=no%20id", 400);
    answers(one, "POST", suspend, "/v1/fleet/jobs/nobody/suspend", 404);
    answers(one, "POST", trigger, "/v1/fleet/jobs/hand/trigger?node=n9", 404);
    answers(one, "POST", trigger, "/v1/fleet/jobs/each/trigger", 409);

    answers(one, "POST", suspend, "/v1/fleet/jobs/hand/suspend", 200);
    assertEquals(
        "suspended", get(two, "/v1/fleet/jobs/hand", "/v1/fleet/jobs/{job}").text("state"));
    await(
        "the other node to know",
        () -> get(two, "/v1/jobs/hand", "/v1/jobs/{job}").is("suspended"));
    answers(two, "POST", trigger, "/v1/fleet/jobs/hand/trigger?request=r2", 200);
    answers(two, "POST", "/v1/fleet/jobs/{job}/resume", "/v1/fleet/jobs/hand/resume", 200);
    Json second = ended(two, "r2");
    assertEquals(List.of(run.text("runId"), second.text("runId")), Files.readAllLines(evidence));
    String runs = "/v1/fleet/runs";
    assertEquals(2, get(one, runs + "?job=hand", runs).list("runs").size());
    assertEquals(0, get(one, runs + "?failed=true&node=n1", runs).list("runs").size());
    answers(one, "GET", runs, runs + "?state=done", 400);
    answers(one, "GET", runs + "/{run}", runs + "/none", 404);
  }

  /** The run of a request, once it has ended. */
  private Json ended(Caller caller, String request) throws Exception {
    String run = "/v1/fleet/runs/" + begun(caller, request);
    await(
        request + " to end",
        () -> get(caller, run, "/v1/fleet/runs/{run}").text("state").equals("ended"));
    return get(caller, run, "/v1/fleet/runs/{run}");
  }

  private String begun(Caller caller, String request) throws Exception {
    String path = "/v1/fleet/requests/" + request;
    String template = "/v1/fleet/requests/{request}";
    await(request + " to be taken", () -> get(caller, path, template).text("state").equals("done"));
    return get(caller, path, template).text("runId");
  }

  private void lostRuns(Caller one, TestFleet.Node two) throws Exception {
    String trigger = "/v1/fleet/jobs/{job}/trigger";
    answers(one, "POST", trigger, "/v1/fleet/jobs/long/trigger?node=n2&request=r3", 200);
    String run = begun(one, "r3");
    await("the run to go on", () -> isActive(two.caller(), run));
    String release = "/v1/fleet/runs/{run}/release";
    String path = "/v1/fleet/runs/" + run + "/release?request=r4";
    answers(one, "POST", release, path, 409);
    String remove = "/v1/fleet/nodes/{node}/remove";
    answers(one, "POST", remove, "/v1/fleet/nodes/n2/remove", 409);
    answers(one, "POST", remove, "/v1/fleet/nodes/nobody/remove", 404);

    two.kill();
    await("it to be lost", () -> get(one, "/v1/fleet").get("node").list("lost").size() == 1);
    assertEquals("held", get(one, "/v1/fleet/jobs/long", "/v1/fleet/jobs/{job}").text("state"));
    assertEquals("held", get(one, "/v1/jobs/long", "/v1/jobs/{job}").text("state"));
    await("people to be told", () -> !one.isHealthy());
    answers(one, "POST", release, path, 200);
    answers(one, "POST", release, path, 200);
    await("it to hold nothing", () -> get(one, "/v1/fleet").get("node").list("lost").isEmpty());
    await("all to be well", one::isHealthy);

    two.start();
    two.awaitIn();
    await(
        "the overlap to be told",
        () -> get(one, "/v1/fleet/runs/" + run, "/v1/fleet/runs/{run}").is("overlap"));
    await(
        "its node to end it", () -> two.caller().post("/v1/runs/" + run + "/stop").status() != 404);
    await("it to be over", () -> !isActive(two.caller(), run));
  }

  private boolean isActive(Caller caller, String run) throws Exception {
    return get(caller, "/v1/jobs/long", "/v1/jobs/{job}").list("active").stream()
        .anyMatch(
            active -> active.text("runId").equals(run) && active.text("state").equals("started"));
  }

  /** A state directory that was put back takes no part until it is adopted. */
  private void adopted(TestFleet.Node one, TestFleet.Node two) throws Exception {
    answers(one.caller(), "POST", "/v1/fleet/adopt", "/v1/fleet/adopt", 409);
    String before = id(two.caller());
    two.kill();
    Path copy = directory.resolve("copy");
    copy(two.state, copy);
    two.start();
    two.awaitIn();
    two.kill();
    delete(two.state);
    copy(copy, two.state);
    two.start();
    Caller caller = two.caller();
    await("an answer", () -> Files.exists(two.socket) && caller.get("/v1/version").status() == 200);
    await(
        "it to take no part",
        () -> get(caller, "/v1/fleet").get("node").text("state").equals("out"));
    assertTrue(get(caller, "/v1/fleet").get("node").text("problem").contains("kron fleet adopt"));
    answers(caller, "POST", "/v1/fleet/adopt", "/v1/fleet/adopt", 200);
    await("it to be in", () -> get(caller, "/v1/fleet").get("node").text("state").equals("in"));
    assertFalse(id(caller).equals(before));
    String remove = "/v1/fleet/nodes/{node}/remove";
    Json named = answers(one.caller(), "POST", remove, "/v1/fleet/nodes/n2/remove", 409);
    assertTrue(named.text("detail").contains(before), named.text("detail"));
    answers(one.caller(), "POST", remove, "/v1/fleet/nodes/" + before + "/remove", 200);
    assertEquals(
        List.of("live", "live", "removed"),
        get(caller, "/v1/fleet/nodes").list("nodes").stream()
            .map(node -> node.text("state"))
            .toList());
  }

  private String id(Caller caller) throws IOException {
    return get(caller, "/v1/fleet").get("node").text("id");
  }

  private Json get(Caller caller, String path) throws IOException {
    return get(caller, path, path);
  }

  private Json get(Caller caller, String path, String template) throws IOException {
    return answers(caller, "GET", template, path, 200);
  }

  private Json answers(Caller caller, String method, String template, String path, int status)
      throws IOException {
    Caller.Response response = method.equals("GET") ? caller.get(path) : caller.post(path);
    document.check(method, template, response, status);
    return response.tree();
  }

  private static void copy(Path from, Path to) throws IOException {
    Files.walkFileTree(
        from,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult preVisitDirectory(Path each, BasicFileAttributes attributes)
              throws IOException {
            Files.copy(each, to.resolve(from.relativize(each)), StandardCopyOption.COPY_ATTRIBUTES);
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFile(Path each, BasicFileAttributes attributes)
              throws IOException {
            if (attributes.isRegularFile()) {
              Files.copy(
                  each, to.resolve(from.relativize(each)), StandardCopyOption.COPY_ATTRIBUTES);
            }
            return FileVisitResult.CONTINUE;
          }
        });
  }

  private static void delete(Path directory) throws IOException {
    try (var files = Files.walk(directory)) {
      for (Path each : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(each);
      }
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

  /** What the database and the first node know, for who reads of a failure. */
  private static String known() throws Exception {
    TestFleet fleet = tested;
    if (fleet == null) {
      return "";
    }
    return String.join(
        "\n",
        fleet.sql("SELECT string_agg(n::text, E'\\n') FROM kron.node n"),
        fleet.sql("SELECT string_agg(j::text, E'\\n') FROM kron.job j"),
        fleet.sql("SELECT string_agg(r::text, E'\\n') FROM kron.run r"),
        fleet.nodes.getFirst().caller().get("/v1/fleet").body(),
        String.join("\n", fleet.nodes.getFirst().process().log()));
  }

  private static void await(String what, Callable<Boolean> condition) throws Exception {
    long deadline = System.nanoTime() + PATIENCE_NANOS;
    while (!holds(condition)) {
      if (System.nanoTime() > deadline) {
        fail("not within a minute and a half: " + what + "\n" + known());
      }
      LockSupport.parkNanos(20_000_000L);
    }
  }
}
