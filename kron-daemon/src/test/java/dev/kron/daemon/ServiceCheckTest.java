package dev.kron.daemon;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import dev.kron.process.Exits;
import dev.kron.process.Launch;
import dev.kron.process.LinuxProcesses;
import dev.kron.process.Processes;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Checks of health that go wrong in every way that a check can go wrong. */
class ServiceCheckTest {
  private static final List<String> GOOD =
      List.of("well", "elsewhere", "early", "endless", "stuck", "headers");

  @TempDir Path directory;
  private TestDaemon daemon;

  @BeforeEach
  void makeOne() throws Exception {
    daemon = new TestDaemon(directory, "2026-03-01T10:00:00Z");
  }

  /** One that has all the time that a slow machine may need, unless it never answers. */
  private void service(String name, String check, String... never) throws Exception {
    daemon.service(
        name,
        "[service]",
        "exec = \"sleep 1000\"",
        "[lifecycle]",
        "start_timeout_ms = 100000000",
        "[health]",
        check,
        "timeout_ms = " + (List.of(never).contains(name) ? 2000 : 100000));
  }

  private static void awaitAnswer(TestDaemon running, String name, String reason) throws Exception {
    running.await(
        name + ": " + reason,
        () ->
            running
                .log()
                .lines()
                .anyMatch(
                    line ->
                        line.contains("event=health_check_failed instance=" + name + "@0 ")
                            && line.contains(reason)));
  }

  @Test
  void aServerIsAskedForItsStatusAndNothingMore() throws Exception {
    Map<String, String> failures = new LinkedHashMap<>();
    try (var server = new RawServer()) {
      for (String path : GOOD) {
        service(path, "http = \"" + server.address("/" + path) + "\"");
      }
      failures.put("broken", server.address("/broken") + " answered 503");
      failures.put(
          "garbage", server.address("/garbage") + ": expected an answer like HTTP/1.1 200");
      failures.put("babble", server.address("/babble") + ": said 65536 bytes and no status");
      failures.put("silent", server.address("/silent") + ": no answer within 2000 ms");
      failures.put("drip", server.address("/drip") + ": no answer within 2000 ms");
      for (String path : failures.keySet()) {
        service(path, "http = \"" + server.address("/" + path) + "\"", "silent", "drip");
      }
      String refused = "127.0.0.1:" + closedPort();
      service("refused", "http = \"http://" + refused + "/\"");
      failures.put("refused", "http://" + refused + "/: Connection refused");
      service("closed", "tcp = \"" + refused + "\"");
      failures.put("closed", refused + ": Connection refused");
      service("nowhere", "tcp = \"no-such-host.invalid:80\"");
      failures.put("nowhere", "no-such-host.invalid:80: ");
      try (TestDaemon running = daemon.start()) {
        for (String name : failures.keySet()) {
          running.awaitState(name, "starting");
        }
        running.pass(Duration.ofSeconds(1));
        for (String path : GOOD) {
          running.awaitState(path, "running");
        }
        for (Map.Entry<String, String> failure : failures.entrySet()) {
          awaitAnswer(running, failure.getKey(), failure.getValue());
          assertEquals("starting", running.state(failure.getKey()));
        }
        for (String path :
            List.of("/endless", "/stuck", "/silent", "/headers", "/babble", "/drip")) {
          running.await("nobody to read on from " + path, () -> server.wasLeft(path));
        }
      }
    }
  }

  private static int closedPort() throws Exception {
    try (var port = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return port.getLocalPort();
    }
  }

  @Test
  void aCommandIsEndedAtItsTimeoutWithAllThatItStarted() throws Exception {
    String mark = Marked.unique();
    Path left = directory.resolve("left");
    Map<String, String> checks = new LinkedHashMap<>();
    checks.put("fails", "exit 3");
    checks.put("hangs", "sleep 1000");
    checks.put("stubborn", "trap : TERM INT; while :; do sleep 1; done");
    checks.put("prints", "while :; do echo y; done");
    checks.put("forks", "(setsid sh -c 'while :; do sleep 1; done' " + mark + " &) ; sleep 1000");
    checks.put(
        "leaves",
        "(setsid sh -c 'echo up >>"
            + left
            + "; while :; do sleep 1; done' "
            + mark
            + " &) ;"
            + " while ! test -e "
            + left
            + "; do sleep 0.02; done; exit 0");
    for (Map.Entry<String, String> check : checks.entrySet()) {
      service(
          check.getKey(),
          "exec = ['sh', '-c', \"\"\"%s\"\"\", '%s']".formatted(check.getValue(), mark),
          "hangs",
          "stubborn",
          "prints",
          "forks");
    }
    service("missing", "exec = \"/no/such/check\"");
    try (TestDaemon running = daemon.start()) {
      for (String name : checks.keySet()) {
        running.awaitState(name, "starting");
      }
      running.pass(Duration.ofSeconds(1));
      awaitAnswer(running, "fails", "the check ended with 3");
      awaitAnswer(running, "missing", "/no/such/check");
      for (String name : List.of("hangs", "stubborn", "prints", "forks")) {
        awaitAnswer(running, name, "no answer within 2000 ms");
      }
      running.awaitState("leaves", "running");
      running.await("nothing to be left of any check", () -> Marked.count(mark) == 0);
      running.await("their directories to be gone", () -> !anyCheckIsThere());
      assertFalse(running.log().contains("internal_error"));
    }
  }

  /** The system's processes, where checks cannot be started. */
  private static Processes withoutChecks(Exits exits) {
    Processes real = LinuxProcesses.open(exits);
    return (Processes)
        Proxy.newProxyInstance(
            Processes.class.getClassLoader(),
            new Class<?>[] {Processes.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals("launch")
                  && Files.exists(((Launch) arguments[0]).run().directory().resolve("check"))) {
                throw new IOException("no room for its record");
              }
              try {
                return method.invoke(real, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  @Test
  void aCheckThatCouldNotBeAskedLeavesNothingBehind() throws Exception {
    daemon.with(ServiceCheckTest::withoutChecks);
    service("web", "exec = \"true\"");
    try (TestDaemon running = daemon.start()) {
      running.awaitState("web", "starting");
      running.await(
          "a check that waits",
          () -> {
            running.pass(Duration.ofSeconds(1));
            return running.log().contains("event=check_waits instance=web@0");
          });
      running.await("its directory to be gone", () -> !anyCheckIsThere());
      assertFalse(running.log().contains("health_check_failed"));
    }
  }

  private boolean anyCheckIsThere() throws IOException {
    try (var runs = Files.list(daemon.statePath().resolve("supervisor/runs"))) {
      return runs.anyMatch(run -> Files.exists(run.resolve("check")));
    }
  }

  @Test
  void aDiskOfTheDaemonsThatIsFullIsNoFailureOfTheService() throws Exception {
    var disk = new FailingDisk(1);
    daemon
        .on(disk)
        .service(
            "web",
            "[service]",
            "exec = \"sleep 1000\"",
            "[health]",
            "exec = \"true\"",
            "interval_ms = 1000",
            "timeout_ms = 100000",
            "retries = 1");
    try (TestDaemon running = daemon.start()) {
      running.awaitState("web", "running");
      disk.begin(FailingDisk.Trouble.FULL);
      running.await(
          "a check that waits",
          () -> {
            running.pass(Duration.ofSeconds(1));
            return running.log().contains("event=check_waits instance=web@0");
          });
      disk.end();
      assertFalse(running.log().contains("health_check_failed"));
      assertEquals("running", running.state("web"));
    }
  }
}
