package dev.kron.daemon.api;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kron.daemon.TestDaemon;
import dev.kron.daemon.notices.Receiver;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** docs/openapi.json and a running daemon: every operation, status and member, both ways. */
class OpenApiTest {
  private static final String RELOAD = "/v1/services/{service}/reload";

  private static final Path ROOT =
      Path.of(System.getProperty("kron.root", "..")).toAbsolutePath().normalize();

  @TempDir Path directory;
  private final OpenApiDocument document = OpenApiDocument.read();
  private final TreeSet<String> exercised = new TreeSet<>();

  @Test
  void listsTheOperationsThatThereAre() throws Exception {
    try (var daemon = new TestDaemon(directory, "2026-03-01T00:00:30Z").withApi()) {
      daemon.write("0 * * * * name=a command=/bin/true").start();
      var documented = new TreeSet<String>();
      document
          .paths()
          .forEach(
              (path, operations) ->
                  OpenApiDocument.object(operations)
                      .forEach(
                          (method, operation) ->
                              documented.add(
                                  method.toUpperCase(Locale.ROOT)
                                      + " "
                                      + path
                                      + " "
                                      + OpenApiDocument.object(operation).get("x-authority")
                                      + " "
                                      + parameters(OpenApiDocument.object(operation)))));
      assertEquals(documented, new TreeSet<>(daemon.operations()));
    }
  }

  /** docs/control.md says in one sentence what operators may do. */
  @Test
  void theManualNamesAllThatOperatorsMayDo() throws IOException {
    String page = Files.readString(ROOT.resolve("docs/control.md"));
    int begin = page.indexOf("With `--reader-group G`");
    String sentence = page.substring(begin, page.indexOf("Everyone else gets 403", begin));
    document
        .paths()
        .forEach(
            (path, operations) -> {
              boolean operators =
                  OpenApiDocument.object(operations).values().stream()
                      .anyMatch(
                          each ->
                              "operate".equals(OpenApiDocument.object(each).get("x-authority")));
              String verb = path.substring(path.lastIndexOf('/') + 1);
              assertTrue(!operators || sentence.contains(verb), path);
            });
  }

  private static Set<String> parameters(Map<String, @Nullable Object> operation) {
    var names = new TreeSet<String>();
    if (operation.get("parameters") instanceof List<?> list) {
      for (Object parameter : list) {
        Map<String, @Nullable Object> map = OpenApiDocument.object(parameter);
        if ("query".equals(map.get("in"))) {
          names.add(String.valueOf(map.get("name")));
        }
      }
    }
    return names;
  }

  @Test
  void tellsWhatEveryAnswerLooksLike() throws Exception {
    try (var daemon = new TestDaemon(directory, "2026-03-01T00:00:30Z").withApi()) {
      daemon
          .write(
              "* * * * * name=quick command=/bin/echo",
              "0 0 1 1 * name=slow command=\"/bin/sleep 1000\" stdout=discard",
              "0 0 * * * @avoid(hours=0) @win(after,5m) name=never command=/bin/true",
              "0 3 * * * @tz(Europe/Paris) @win(around,1h) @dist(normal) name=night"
                  + " command=/bin/true")
          .service("web", "[service]", "exec = \"sleep 1000\"", "[hooks]", "reload = \"true\"")
          .service(
              "all", "[service]", "type = \"target\"", "[dependencies]", "requires = [\"web\"]")
          .start();
      daemon.awaitState("web", "running");
      daemon.passUntil("2026-03-01T00:01:05Z");
      String runId = Objects.requireNonNull(daemon.awaitEntries("quick", 1).runId());
      Caller caller = daemon.caller();
      check(caller, "GET", "/v1/version", "/v1/version", 200);
      check(caller, "GET", "/v1/whoami", "/v1/whoami", 200);
      check(caller, "GET", "/v1/dashboard/sessions", "/v1/dashboard/sessions", 200);
      check(caller, "POST", "/v1/dashboard/links", "/v1/dashboard/links", 200);
      check(caller, "POST", "/v1/dashboard/end", "/v1/dashboard/end", 200);
      check(caller, "POST", "/v1/jobs/{job}/trigger", "/v1/jobs/slow/trigger", 200);
      check(caller, "POST", "/v1/jobs/{job}/trigger", "/v1/jobs/slow/trigger", 409);
      check(caller, "GET", "/v1/status", "/v1/status?limit=3", 200);
      check(caller, "GET", "/v1/status", "/v1/status?limit=x", 400);
      check(caller, "GET", "/v1/status", "/v1/status?limit=0", 200);
      check(caller, "GET", "/v1/status", "/v1/status?limit=1000", 200);
      check(caller, "GET", "/v1/status", "/v1/status?limit=-1", 400);
      check(caller, "GET", "/v1/status", "/v1/status?limit=1001", 400);
      check(caller, "GET", "/v1/jobs", "/v1/jobs", 200);
      check(caller, "GET", "/v1/jobs", "/v1/jobs?name=quick", 200);
      check(caller, "GET", "/v1/jobs", "/v1/jobs?filter=Q&last=succeeded&sort=duration", 200);
      check(caller, "GET", "/v1/jobs", "/v1/jobs?sort=size", 400);
      check(caller, "GET", "/v1/overview", "/v1/overview?limit=5", 200);
      check(caller, "GET", "/v1/load", "/v1/load", 200);
      check(caller, "GET", "/v1/jobs/{job}/history", "/v1/jobs/quick/history?runs=5", 200);
      check(caller, "GET", "/v1/jobs/{job}/history", "/v1/jobs/quick/history?runs=-1", 400);
      check(caller, "GET", "/v1/jobs/{job}/history", "/v1/jobs/x/history", 404);
      check(caller, "GET", "/v1/search", "/v1/search?q=QUI", 200);
      check(caller, "GET", "/v1/search", "/v1/search?limit=101", 400);
      check(caller, "GET", "/v1/timeline", "/v1/timeline?limit=5", 200);
      check(caller, "GET", "/v1/timeline", "/v1/timeline?limit=501", 400);
      check(caller, "GET", "/v1/jobs/{job}", "/v1/jobs/slow", 200);
      check(caller, "GET", "/v1/jobs/{job}", "/v1/jobs/never", 200);
      check(caller, "GET", "/v1/jobs/{job}", "/v1/jobs/nobody", 404);
      check(caller, "GET", "/v1/jobs/{job}/runs", "/v1/jobs/quick/runs", 200);
      check(caller, "GET", "/v1/jobs/{job}/runs", "/v1/jobs/slow/runs?limit=1", 200);
      check(caller, "GET", "/v1/jobs/{job}/runs", "/v1/jobs/nobody/runs", 404);
      check(caller, "GET", "/v1/jobs/{job}/decisions", "/v1/jobs/night/decisions", 200);
      String from = "?from=2026-02-28T00:00:00Z&count=3";
      check(caller, "GET", "/v1/jobs/{job}/decisions", "/v1/jobs/never/decisions" + from, 200);
      check(caller, "GET", "/v1/jobs/{job}/decisions", "/v1/jobs/x/decisions", 404);
      check(caller, "GET", "/v1/jobs/{job}/why", "/v1/jobs/quick/why", 200);
      check(
          caller, "GET", "/v1/jobs/{job}/why", "/v1/jobs/night/why?from=2026-03-02T00:00:00Z", 200);
      check(caller, "GET", "/v1/jobs/{job}/why", "/v1/jobs/x/why", 404);
      check(caller, "POST", "/v1/jobs/{job}/suspend", "/v1/jobs/night/suspend", 200);
      check(caller, "POST", "/v1/jobs/{job}/suspend", "/v1/jobs/x/suspend", 404);
      check(caller, "POST", "/v1/jobs/{job}/resume", "/v1/jobs/night/resume", 200);
      check(caller, "POST", "/v1/jobs/{job}/resume", "/v1/jobs/x/resume", 404);
      check(caller, "POST", "/v1/jobs/{job}/trigger", "/v1/jobs/x/trigger", 404);
      check(caller, "POST", "/v1/jobs/{job}/forget", "/v1/jobs/night/forget", 200);
      check(caller, "POST", "/v1/jobs/{job}/forget", "/v1/jobs/x/forget", 404);
      check(caller, "POST", "/v1/jobs/{job}/stop", "/v1/jobs/night/stop", 409);
      check(caller, "POST", "/v1/jobs/{job}/stop", "/v1/jobs/x/stop", 404);
      check(caller, "POST", "/v1/jobs/{job}/stop", "/v1/jobs/slow/stop?signal=NONE", 400);
      check(caller, "POST", "/v1/jobs/{job}/stop", "/v1/jobs/slow/stop?signal=USR1", 200);
      check(caller, "POST", "/v1/runs/{run}/stop", "/v1/runs/" + runId + "/stop", 409);
      check(caller, "POST", "/v1/runs/{run}/stop", "/v1/runs/none/stop", 404);
      check(caller, "GET", "/v1/runs", "/v1/runs", 200);
      check(caller, "GET", "/v1/runs/{run}", "/v1/runs/" + runId, 200);
      check(caller, "GET", "/v1/runs/{run}", "/v1/runs/none", 404);
      String logs = "/v1/runs/{run}/logs/{stream}";
      check(caller, "GET", logs, "/v1/runs/" + runId + "/logs/stdout", 200);
      check(caller, "GET", logs, "/v1/runs/" + runId + "/logs/stdin", 404);
      check(caller, "GET", "/v1/events", "/v1/events?after=0&follow=false", 200);
      check(caller, "GET", "/v1/events", "/v1/events?job=x", 404);
      check(caller, "GET", "/metrics", "/metrics", 200);
      Path credentials = Files.createDirectories(directory.resolve("config/credentials"));
      Path profile = Files.writeString(credentials.resolve("other.env"), "A=b\n");
      Files.setPosixFilePermissions(profile, PosixFilePermissions.fromString("rw-------"));
      check(caller, "POST", "/v1/jobs/{job}/mute", "/v1/jobs/night/mute?for=2h", 409);
      check(caller, "GET", "/v1/notify/log", "/v1/notify/log", 200);
      String test = "/v1/notify/channels/{channel}/test";
      try (var receiver = new Receiver()) {
        receiver.at(
            daemon.file.resolveSibling("."),
            "[[rule]]",
            "jobs = [\"*\"]",
            "on = [\"failed\"]",
            "notify = [\"hook\"]");
        check(caller, "POST", "/v1/reload", "/v1/reload", 200);
        check(caller, "POST", test, "/v1/notify/channels/hook/test", 200);
        check(caller, "POST", test, "/v1/notify/channels/nobody/test", 404);
        check(caller, "GET", "/v1/notify/log", "/v1/notify/log?limit=5", 200);
        check(caller, "GET", "/v1/notify/log", "/v1/notify/log?limit=0", 400);
      }
      check(caller, "POST", "/v1/jobs/{job}/mute", "/v1/jobs/night/mute?for=2h", 200);
      check(caller, "GET", "/v1/jobs/{job}", "/v1/jobs/night", 200);
      check(caller, "POST", "/v1/jobs/{job}/mute", "/v1/jobs/night/mute?for=2", 400);
      check(caller, "POST", "/v1/jobs/{job}/mute", "/v1/jobs/x/mute?for=2h", 404);
      check(caller, "POST", "/v1/jobs/{job}/unmute", "/v1/jobs/night/unmute", 200);
      check(caller, "POST", "/v1/jobs/{job}/unmute", "/v1/jobs/x/unmute", 404);
      check(caller, "POST", RELOAD, "/v1/services/web/reload", 200);
      daemon.await(
          "the reload to end",
          () ->
              !caller
                  .get("/v1/services/web")
                  .tree()
                  .list("instances")
                  .getFirst()
                  .get("lastReload")
                  .isNull());
      services(caller);
      noFleet(caller);
      check(caller, "POST", "/v1/reload", "/v1/reload?dry-run=true", 200);
      daemon.write("bad line");
      check(caller, "POST", "/v1/reload", "/v1/reload", 422);
      check(caller, "POST", "/v1/shutdown", "/v1/shutdown?jobs=maybe", 400);
      everyOperationRefuses(caller);
      check(caller, "POST", "/v1/shutdown", "/v1/shutdown?jobs=kill", 200);
      daemon.awaitEnd();
    }
    var operations = new TreeSet<String>();
    document
        .paths()
        .forEach(
            (path, methods) ->
                OpenApiDocument.object(methods)
                    .keySet()
                    .forEach(
                        method -> operations.add(method.toUpperCase(Locale.ROOT) + " " + path)));
    assertEquals(operations, exercised);
  }

  /** A machine in no fleet says so; what one in a fleet answers, FleetApiTest holds. */
  private void noFleet(Caller caller) throws IOException {
    String job = "/v1/fleet/jobs/{job}";
    check(caller, "GET", "/v1/fleet", "/v1/fleet", 200);
    check(caller, "GET", "/v1/fleet/nodes", "/v1/fleet/nodes", 409);
    check(caller, "GET", "/v1/fleet/jobs", "/v1/fleet/jobs", 409);
    check(caller, "GET", "/v1/fleet/runs", "/v1/fleet/runs", 409);
    check(caller, "GET", "/v1/fleet/runs/{run}", "/v1/fleet/runs/r", 409);
    check(caller, "GET", "/v1/fleet/requests/{request}", "/v1/fleet/requests/r", 409);
    check(caller, "GET", job, "/v1/fleet/jobs/quick", 409);
    check(caller, "GET", job + "/why", "/v1/fleet/jobs/quick/why", 409);
    for (String action : List.of("/trigger", "/suspend", "/resume")) {
      check(caller, "POST", job + action, "/v1/fleet/jobs/quick" + action, 409);
    }
    check(caller, "POST", "/v1/fleet/runs/{run}/release", "/v1/fleet/runs/r/release", 409);
    check(caller, "POST", "/v1/fleet/nodes/{node}/remove", "/v1/fleet/nodes/n/remove", 409);
    check(caller, "POST", "/v1/fleet/adopt", "/v1/fleet/adopt", 409);
  }

  private void services(Caller caller) throws IOException {
    check(caller, "GET", "/v1/services", "/v1/services", 200);
    check(caller, "GET", "/v1/services", "/v1/services?state=wanted&sort=restarts", 200);
    check(caller, "GET", "/v1/services", "/v1/services?order=up", 400);
    check(caller, "GET", "/v1/graph", "/v1/graph", 200);
    String service = "/v1/services/{service}";
    check(caller, "POST", RELOAD, "/v1/services/all/reload", 409);
    check(caller, "POST", RELOAD, "/v1/services/x/reload", 404);
    check(caller, "GET", service, "/v1/services/web", 200);
    check(caller, "GET", service, "/v1/services/all", 200);
    check(caller, "GET", service, "/v1/services/x", 404);
    check(caller, "GET", service + "/history", "/v1/services/web/history?events=5", 200);
    check(caller, "GET", service + "/history", "/v1/services/x/history", 404);
    check(caller, "GET", service + "/logs", "/v1/services/web/logs?tail=10", 200);
    check(caller, "GET", service + "/logs", "/v1/services/web/logs?instance=9", 400);
    check(caller, "GET", service + "/logs", "/v1/services/x/logs", 404);
    check(caller, "POST", service + "/signal", "/v1/services/web/signal?signal=CONT", 200);
    check(caller, "POST", service + "/signal", "/v1/services/web/signal?signal=WRONG", 400);
    check(caller, "POST", service + "/signal", "/v1/services/x/signal?signal=HUP", 404);
    check(caller, "POST", service + "/scale", "/v1/services/web/scale?instances=2", 200);
    check(caller, "GET", service, "/v1/services/web@1", 200);
    check(caller, "POST", service + "/stop", "/v1/services/web@1/stop", 200);
    check(caller, "POST", service + "/scale", "/v1/services/web/scale?instances=0", 400);
    check(caller, "POST", service + "/scale", "/v1/services/web@1/scale?instances=2", 400);
    check(caller, "POST", service + "/scale", "/v1/services/web/scale?instances=1", 200);
    String credentials = service + "/credentials/";
    String web = "/v1/services/web/credentials/";
    check(caller, "POST", credentials + "bind", web + "bind?profile=other", 200);
    check(caller, "POST", credentials + "bind", web + "bind?profile=none", 409);
    check(caller, "POST", credentials + "bind", web + "bind?profile=No%20Name", 400);
    check(caller, "POST", credentials + "unbind", web + "unbind", 200);
    check(caller, "POST", credentials + "unbind", "/v1/services/x/credentials/unbind", 404);
    for (String action : List.of("/restart", "/stop", "/start")) {
      check(caller, "POST", service + action, "/v1/services/web" + action, 200);
      check(caller, "POST", service + action, "/v1/services/x" + action, 404);
    }
  }

  /** What every operation refuses: other methods, unknown parameters, bodies. */
  private void everyOperationRefuses(Caller caller) throws IOException {
    for (String operation : List.copyOf(exercised)) {
      String method = operation.split(" ")[0];
      String template = operation.split(" ")[1];
      String path = template.replaceAll("\\{[a-z]+}", "x");
      document.check(method, template, caller.call("PUT", path), 405);
      document.check(method, template, caller.call(method, path + "?surprise=1"), 400);
      Caller.Response body =
          caller.raw(method + " " + path + " HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc");
      document.check(method, template, body, 413);
    }
  }

  private void check(Caller caller, String method, String template, String path, int status)
      throws IOException {
    exercised.add(method + " " + template);
    document.check(method, template, caller.call(method, path), status);
  }
}
