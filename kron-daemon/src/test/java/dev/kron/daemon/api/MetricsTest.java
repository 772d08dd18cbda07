package dev.kron.daemon.api;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kron.daemon.FailingDisk;
import dev.kron.daemon.TestDaemon;
import dev.kron.daemon.api.Caller.Response;
import dev.kron.daemon.loop.Request;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MetricsTest {
  private static final Path ROOT =
      Path.of(System.getProperty("kron.root", "..")).toAbsolutePath().normalize();

  @TempDir Path directory;

  private static String scrape(TestDaemon krontabs) throws IOException {
    Response response = krontabs.caller().get("/metrics");
    assertEquals(200, response.status(), response.body());
    assertTrue(response.header("content-type").startsWith("text/plain; version=0.0.4"));
    return response.body();
  }

  private static void assertHas(String metrics, String line) {
    assertTrue(metrics.lines().anyMatch(line::equals), line + " is not in\n" + metrics);
  }

  @Test
  void countsRunsByOutcomeAndTellsWhatIsNext() throws Exception {
    try (var krontabs = new TestDaemon(directory, "2026-03-01T00:00:30Z").withApi()) {
      krontabs
          .write(
              "* * * * * name=good command=/bin/true",
              "* * * * * name=bad command=/bin/false",
              "* * * * * name=gone command=/no/such/file",
              "0 0 1 1 * name=endless command=\"/bin/sleep 1000\"")
          .start();
      krontabs.ask(new Request.Trigger(krontabs.identity("endless")));
      krontabs.passUntil("2026-03-01T00:01:00Z");
      krontabs.awaitEntries("good", 1);
      krontabs.awaitEntries("bad", 1);
      krontabs.awaitEntries("gone", 1);
      // An end is in its file a moment before the loop hears of it.
      krontabs.await(
          "the endless one alone", () -> scrape(krontabs).contains("kron_runs_active 1.0\n"));
      String metrics = scrape(krontabs);
      assertHas(metrics, "kron_runs_total{outcome=\"succeeded\"} 1.0");
      assertHas(metrics, "kron_runs_total{outcome=\"failed\"} 1.0");
      assertHas(metrics, "kron_runs_total{outcome=\"not_started\"} 1.0");
      assertHas(metrics, "kron_runs_total{outcome=\"missed\"} 0.0");
      assertHas(metrics, "kron_jobs 4.0");
      assertHas(metrics, "kron_persistence_healthy 1.0");
      assertHas(metrics, "kron_next_run_timestamp_seconds 1.77232332E9");
      assertTrue(metrics.contains("kron_start_latency_seconds_bucket{le=\"0.05\"}"), metrics);
      assertTrue(metrics.contains("kron_loop_lag_seconds_bucket{le=\"0.1\"}"), metrics);
      assertTrue(metrics.contains("kron_state_write_seconds_count "), metrics);
    }
  }

  @Test
  void tellsThatStateCannotBeWritten() throws Exception {
    var disk = new FailingDisk(1);
    try (var krontabs = new TestDaemon(directory, "2026-03-01T00:00:30Z").withApi().on(disk)) {
      krontabs.write("* * * * * name=a command=/bin/true").start();
      disk.begin(FailingDisk.Trouble.FULL);
      krontabs.passUntil("2026-03-01T00:01:00Z");
      krontabs.await(
          "metrics that say so", () -> scrape(krontabs).contains("kron_persistence_healthy 0.0"));
      assertFalse(krontabs.caller().isHealthy());
      disk.end();
      krontabs.pass(Duration.ofSeconds(3));
      krontabs.await(
          "metrics that say so", () -> scrape(krontabs).contains("kron_persistence_healthy 1.0"));
    }
  }

  @Test
  void areAllExplained() throws Exception {
    try (var krontabs = new TestDaemon(directory, "2026-03-01T00:00:30Z").withApi()) {
      krontabs.write("* * * * * name=a command=/bin/true").start();
      Set<String> exported =
          Pattern.compile("# TYPE (kron_\\w+) ")
              .matcher(scrape(krontabs))
              .results()
              .map(result -> result.group(1))
              .collect(Collectors.toCollection(TreeSet::new));
      Set<String> explained =
          Pattern.compile("^\\| `(kron_\\w+)", Pattern.MULTILINE)
              .matcher(Files.readString(ROOT.resolve("docs/metrics.md")))
              .results()
              .map((MatchResult result) -> result.group(1))
              .collect(Collectors.toCollection(TreeSet::new));
      assertEquals(explained, exported);
      String rules = Files.readString(ROOT.resolve("docs/kron.rules.yml"));
      Pattern.compile("kron_\\w+")
          .matcher(rules)
          .results()
          .map(result -> result.group().replaceAll("_(bucket|count|sum)$", ""))
          .forEach(name -> assertTrue(exported.contains(name), name + " is in no metric"));
    }
  }
}
