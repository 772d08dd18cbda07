package dev.kron.daemon.api;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kron.daemon.FailingDisk;
import dev.kron.daemon.TestDaemon;
import dev.kron.daemon.api.Caller.Response;
import dev.kron.daemon.loop.Request;
import dev.kron.json.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
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

  private static String scrape(TestDaemon daemon) throws IOException {
    Response response = daemon.caller().get("/metrics");
    assertEquals(200, response.status(), response.body());
    assertTrue(response.header("content-type").startsWith("text/plain; version=0.0.4"));
    return response.body();
  }

  private static void assertHas(String metrics, String line) {
    assertTrue(metrics.lines().anyMatch(line::equals), line + " is not in\n" + metrics);
  }

  @Test
  void countsRunsByOutcomeAndTellsWhatIsNext() throws Exception {
    try (var daemon = new TestDaemon(directory, "2026-03-01T00:00:30Z").withApi()) {
      daemon
          .write(
              "* * * * * name=good command=/bin/true",
              "* * * * * name=bad command=/bin/false",
              "* * * * * name=gone command=/no/such/file",
              "0 0 1 1 * name=endless command=\"/bin/sleep 1000\"")
          .start();
      daemon.ask(new Request.Trigger(daemon.identity("endless")));
      daemon.passUntil("2026-03-01T00:01:00Z");
      daemon.awaitEntries("good", 1);
      daemon.awaitEntries("bad", 1);
      daemon.awaitEntries("gone", 1);
      // An end is in its file a moment before the loop hears of it.
      daemon.await(
          "the endless one alone", () -> scrape(daemon).contains("kron_runs_active 1.0\n"));
      String metrics = scrape(daemon);
      assertHas(metrics, "kron_runs_total{outcome=\"succeeded\"} 1.0");
      assertHas(metrics, "kron_runs_total{outcome=\"failed\"} 1.0");
      assertHas(metrics, "kron_runs_total{outcome=\"not_started\"} 1.0");
      assertHas(metrics, "kron_runs_total{outcome=\"missed\"} 0.0");
      assertHas(metrics, "kron_jobs 4.0");
      assertHas(metrics, "kron_persistence_healthy 1.0");
      assertHas(metrics, "kron_next_run_timestamp_seconds 1.77232332E9");
      assertTrue(metrics.contains("kron_start_latency_seconds_bucket{le=\"0.05\"}"), metrics);
      assertTrue(metrics.contains("kron_loop_lag_seconds_bucket{le=\"0.1\"}"), metrics);
      for (String sum : List.of("kron_loop_lag_seconds_sum ", "kron_loop_hold_seconds_sum ")) {
        String line = metrics.lines().filter(it -> it.startsWith(sum)).findFirst().orElse(sum + -1);
        double seconds = Double.parseDouble(line.substring(sum.length()));
        assertTrue(seconds >= 0 && seconds < 300, line); // and not since the machine's start
      }
      assertTrue(metrics.contains("kron_state_write_seconds_count "), metrics);
    }
  }

  @Test
  void tellsThatStateCannotBeWritten() throws Exception {
    var disk = new FailingDisk(1);
    try (var daemon = new TestDaemon(directory, "2026-03-01T00:00:30Z").withApi().on(disk)) {
      daemon.write("* * * * * name=a command=/bin/true").start();
      disk.begin(FailingDisk.Trouble.FULL);
      daemon.passUntil("2026-03-01T00:01:00Z");
      daemon.await(
          "metrics that say so", () -> scrape(daemon).contains("kron_persistence_healthy 0.0"));
      assertFalse(daemon.caller().isHealthy());
      disk.end();
      daemon.pass(Duration.ofSeconds(3));
      daemon.await(
          "metrics that say so", () -> scrape(daemon).contains("kron_persistence_healthy 1.0"));
    }
  }

  @Test
  void tellWhatOneAskedForOfSingleJobs() throws Exception {
    try (var daemon =
        new TestDaemon(directory, "2026-03-01T00:00:30Z")
            .withApi()
            .withJobMetrics("backup*", directory + "/*:bad")) {
      daemon
          .write(
              "* * * * * name=backup/db command=/bin/true",
              "* * * * * name=bad command=/bin/false",
              "@manual name=backup/never command=/bin/true",
              "* * * * * name=other command=/bin/true")
          .start()
          .passUntil("2026-03-01T00:01:00Z");
      daemon.awaitEntries("backup/db", 1);
      daemon.awaitEntries("bad", 1);
      daemon.passUntil("2026-03-01T00:02:00Z");
      daemon.awaitEntries("backup/db", 2);
      daemon.awaitEntries("bad", 2);
      String of = "{file=\"" + daemon.identity("").replaceFirst(":$", "") + "\",name=";
      daemon.await(
          "both failures",
          () -> scrape(daemon).contains("kron_job_consecutive_failures" + of + "\"bad\"} 2.0"));
      String metrics = scrape(daemon);
      String seen = "kron_job_last_success_timestamp_seconds" + of;
      assertTrue(metrics.contains(seen + "\"backup/db\"} 1.77232332"), metrics);
      assertHas(metrics, seen + "\"bad\"} 0.0");
      assertHas(metrics, seen + "\"backup/never\"} 0.0");
      assertHas(
          metrics, "kron_job_first_seen_timestamp_seconds" + of + "\"backup/never\"} 1.77232323E9");
      assertTrue(
          metrics.contains("kron_job_last_duration_seconds" + of + "\"backup/db\"}"), metrics);
      assertFalse(
          metrics.contains("kron_job_last_duration_seconds" + of + "\"backup/never"), metrics);
      assertHas(metrics, "kron_job_metrics_left_out 0.0");
      assertFalse(metrics.contains("other"), metrics);
    }
  }

  @Test
  void aSuccessIsKnownAfterARestartAlsoWhereOnlyFailuresAreInTheHistory() throws Exception {
    try (var daemon =
        new TestDaemon(directory, "2026-03-01T00:00:30Z")
            .withApi()
            .withJobMetrics("*")
            .keeping(2, 1 << 20)) {
      daemon.write("* * * * * name=a command=/bin/true").start();
      daemon.passUntil("2026-03-01T00:01:00Z");
      daemon.awaitEntries("a", 1);
      String before = success(scrape(daemon));
      daemon.write("* * * * * name=a command=/bin/false");
      daemon.ask(new Request.Reload());
      for (int minute = 2; minute <= 4; minute++) {
        daemon.passUntil("2026-03-01T00:0" + minute + ":00Z");
        int failures = minute - 1;
        daemon.await(
            failures + " failures",
            () -> scrape(daemon).contains("name=\"a\"} " + failures + ".0\n"));
      }
      daemon.stop();
      daemon.start();
      assertEquals(before, success(scrape(daemon)));
    }
  }

  private static String success(String metrics) {
    return metrics
        .lines()
        .filter(line -> line.startsWith("kron_job_last_success_timestamp_seconds{"))
        .collect(Collectors.joining());
  }

  @Test
  void areAllExplained() throws Exception {
    try (var daemon =
        new TestDaemon(directory, "2026-03-01T00:00:30Z").withApi().withJobMetrics("*")) {
      daemon.write("* * * * * name=a command=/bin/true").start();
      daemon.passUntil("2026-03-01T00:01:00Z");
      daemon.awaitEntries("a", 1);
      daemon.await(
          "its duration", () -> scrape(daemon).contains("kron_job_last_duration_seconds{"));
      Set<String> exported =
          Pattern.compile("# TYPE (kron_\\w+) ")
              .matcher(scrape(daemon))
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
      String users =
          Files.readString(ROOT.resolve("docs/kron.rules.yml"))
              + Files.readString(ROOT.resolve("docs/grafana.json"));
      Pattern.compile("kron_\\w+")
          .matcher(users)
          .results()
          .map(result -> result.group().replaceAll("_(bucket|count|sum)$", ""))
          .forEach(name -> assertTrue(exported.contains(name), name + " is in no metric"));
      asksForWhatThereIs(scrape(daemon));
    }
  }

  /** Alert rules and panels ask for labels, and values of labels, that metrics have. */
  private static void asksForWhatThereIs(String metrics) throws IOException {
    List<String> expressions = new ArrayList<>();
    for (Map<String, String> rule : AlertRulesTest.rules()) {
      String expression = rule.getOrDefault("expr", "");
      expressions.add(expression);
      Set<String> labels = new TreeSet<>(PromQl.groupsOf(expression));
      if (labels.isEmpty()) {
        PromQl.selectorsOf(expression).forEach(it -> labels.addAll(labels(metrics, it.metric())));
      }
      Pattern.compile("\\$labels\\.(\\w+)")
          .matcher(rule.toString())
          .results()
          .forEach(it -> assertTrue(labels.contains(it.group(1)), it.group() + " of " + rule));
    }
    for (Json panel :
        Json.parse(Files.readString(ROOT.resolve("docs/grafana.json"))).list("panels")) {
      panel.list("targets").stream()
          .map(target -> target.text("expr").replace("$__rate_interval", "5m"))
          .forEach(expressions::add);
    }
    assertTrue(expressions.size() > 25, expressions::toString);
    for (String expression : expressions) {
      Set<String> known = new TreeSet<>();
      for (PromQl.Selector selector : PromQl.selectorsOf(expression)) {
        Set<String> labels = labels(metrics, selector.metric());
        known.addAll(labels);
        assertTrue(labels.containsAll(selector.labels().keySet()), expression);
        selector
            .labels()
            .forEach((label, value) -> isValue(selector.metric(), label, value, expression));
      }
      assertTrue(known.containsAll(PromQl.groupsOf(expression)), expression);
    }
  }

  /** Those of the exported series, and those that Prometheus adds. */
  private static Set<String> labels(String metrics, String metric) {
    Set<String> labels = new TreeSet<>(Set.of("instance", "job"));
    Pattern.compile("(?m)^" + metric + "\\{(.*)} ")
        .matcher(metrics)
        .results()
        .flatMap(series -> Pattern.compile("(\\w+)=\"").matcher(series.group(1)).results())
        .forEach(label -> labels.add(label.group(1)));
    return labels;
  }

  /** Outcomes and states are those that the page lists with the metric. */
  private static void isValue(String metric, String label, String value, String expression) {
    if (!label.equals("outcome") && !label.equals("state")) {
      return;
    }
    try {
      String row =
          Files.readAllLines(ROOT.resolve("docs/metrics.md")).stream()
              .filter(line -> line.startsWith("| `" + metric + "`"))
              .findFirst()
              .orElseThrow();
      for (String one : value.split("\\|")) {
        assertTrue(row.contains("`" + one + "`"), one + " is no " + label + ": " + expression);
      }
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }
}
