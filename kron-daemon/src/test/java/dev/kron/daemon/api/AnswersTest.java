package dev.kron.daemon.api;

import static java.util.stream.Collectors.joining;

import dev.kron.daemon.TestDaemon;
import dev.kron.job.ActiveRun;
import java.io.InputStream;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Whole answers of a daemon that has something of everything, member by member: {@code
 * answers.txt}. What they are now stands in {@code target/answers.txt} after the test.
 */
class AnswersTest {
  private static final Path NOW = Path.of("target", "answers.txt");

  private static final List<String> ASKED =
      List.of(
          "/v1/status",
          "/v1/overview",
          "/v1/overview?limit=1",
          "/v1/load",
          "/v1/timeline?from=2026-03-01T00:00:00Z&to=2026-03-01T00:10:00Z&buckets=100",
          "/v1/timeline?from=2026-03-01T00:00:00Z&to=2026-03-01T04:00:00Z&buckets=5",
          "/v1/jobs",
          "/v1/jobs/good",
          "/v1/jobs/bad",
          "/v1/jobs/slow",
          "/v1/jobs/never",
          "/v1/jobs/night",
          "/v1/jobs/paused",
          "/v1/jobs/hand",
          "/v1/jobs/next",
          "/v1/runs",
          "/v1/jobs/bad/runs",
          "/v1/jobs/slow/runs",
          "/v1/jobs/bad/history",
          "/v1/jobs/slow/history",
          "/v1/jobs/hand/history",
          "/v1/jobs/night/decisions?count=2",
          "/v1/jobs/never/decisions?count=1",
          "/v1/jobs/good/why",
          "/v1/jobs/bad/why",
          "/v1/jobs/slow/why",
          "/v1/jobs/never/why",
          "/v1/jobs/night/why",
          "/v1/jobs/paused/why",
          "/v1/jobs/hand/why",
          "/v1/jobs/next/why",
          "/v1/search?q=n",
          "/v1/services",
          "/v1/services/web",
          "/v1/services/once",
          "/v1/services/waits",
          "/v1/services/all",
          "/v1/services/down",
          "/v1/graph",
          "/v1/notify/log",
          "/v1/fleet");

  @TempDir Path directory;

  private TestDaemon daemon() throws Exception {
    return new TestDaemon(directory, "2026-03-01T00:00:30Z")
        .withApi()
        .write(
            "*/5 * * * * @tz(Asia/Tokyo) name=good command=/bin/true",
            "1,3,9 * * * * @tz(Europe/Paris) name=bad retries=2 retrydelay=10m"
                + " shell=true command=\"exit 7\" description=\"it fails\"",
            "*/2 * * * * @tz(Asia/Tokyo) name=slow timeout=2h command=\"/bin/sleep 1000\"",
            "1 0 * * * @tz(UTC) @avoid(hours=0) @win(after,1m) name=never command=/bin/true",
            "0 3 * * * @tz(Europe/Paris) name=night command=/bin/true",
            "*/3 * * * * @tz(Asia/Tokyo) name=paused command=/bin/true",
            "@manual name=hand command=/bin/true then=next",
            "@manual name=next shell=true command=\"kill -9 $$\"")
        .service(
            "web",
            "[service]",
            "exec = \"sleep 1000\"",
            "description = \"the site\"",
            "instances = 2",
            "[hooks]",
            "reload = \"true\"")
        .service(
            "once", "[service]", "exec = \"sh -c 'exit 3'\"", "[lifecycle]", "restart = \"never\"")
        .service(
            "waits",
            "[service]",
            "exec = \"sleep 1000\"",
            "[dependencies]",
            "requires = [\"web\"]",
            "after = [\"web\"]")
        .service("all", "[service]", "type = \"target\"", "[dependencies]", "wants = [\"web\"]")
        .service("down", "[service]", "exec = \"sleep 1000\"");
  }

  @Test
  void saysOfEverythingWhatIsSo() throws Exception {
    String expected = expected();
    try (var daemon = daemon().start()) {
      daemon.awaitState("web", "running");
      daemon.awaitState("once", "failed");
      daemon.awaitState("waits", "running");
      daemon.awaitState("down", "running");
      daemon.caller().post("/v1/services/down/stop");
      daemon.awaitState("down", "exited");
      daemon.caller().post("/v1/jobs/paused/suspend");
      daemon.passUntil("2026-03-01T00:01:00Z");
      daemon.awaitEntries("bad", 1);
      daemon.passUntil("2026-03-01T00:03:00Z");
      daemon.awaitEntries("bad", 2);
      daemon.await(
          "slow to run",
          () ->
              daemon.job("slow").active().stream()
                  .anyMatch(run -> run.phase() == ActiveRun.Phase.STARTED));
      daemon.passUntil("2026-03-01T00:03:30Z");
      daemon.caller().post("/v1/jobs/hand/trigger");
      daemon.awaitEntries("next", 1);
      daemon.passUntil("2026-03-01T00:04:00Z");
      daemon.awaitEntries("slow", 1);
      daemon.passUntil("2026-03-01T00:05:00Z");
      daemon.awaitEntries("good", 1);
      daemon.awaitEntries("never", 1);
      daemon.passUntil("2026-03-01T00:05:30Z");
      daemon.keepHouse();
      daemon.await(
          "the answers to be as in answers.txt",
          () -> {
            String now = answers(daemon);
            Files.createDirectories(NOW.getParent());
            Files.writeString(NOW, now);
            return now.equals(expected);
          });
    }
  }

  private static String expected() throws Exception {
    try (InputStream in = AnswersTest.class.getResourceAsStream("answers.txt")) {
      return new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  private String answers(TestDaemon daemon) throws Exception {
    List<String> answers = new ArrayList<>();
    for (String path : ASKED) {
      answers.add("GET " + path + "\n" + daemon.caller().get(path).body());
    }
    return withoutChance(String.join("\n", answers));
  }

  /** With names for what is another one each time. */
  private String withoutChance(String text) {
    String known =
        text.replace(directory.toString(), "DIR")
            .replace(URLEncoder.encode(directory.toString(), StandardCharsets.UTF_8), "DIR")
            .replaceAll(
                "(\"now\":\"[^\"]+\",\"zone\":)\"[^\"]+\",\"state\"", "$1\"HERE\",\"state\"")
            .replaceAll("\"(pid|keeperPid|cpuMillis)\":[0-9]+", "\"$1\":1")
            .replaceAll("\"(memoryBytes|processes)\":(null|[0-9]+)", "\"$1\":1")
            .replaceAll("\"execution\":\\{[^{}]*}", "\"execution\":{}")
            .replaceAll("T[0-9:]+[.][0-9]{3}Z", "T-LATER") // each wait has a part by chance
            .replaceAll("\"downs\":\\[[^\\]]*]", "\"downs\":[]") // when the ledger was touched
            .replaceAll("pid [0-9]+", "pid 1")
            .replaceAll("waits until [-+0-9: ]+", "waits until LATER")
            .replaceAll("[0-9.]+ s of CPU", "1 s of CPU")
            .replaceAll("\"(host|version|boot|seedHash|asOf)\":\"[^\"]+\"", "\"$1\":\"$1\"");
    Map<String, String> names = new HashMap<>();
    Matcher runs = Pattern.compile("\\b[0-9a-z]{26}\\b").matcher(known);
    String named =
        runs.replaceAll(it -> names.computeIfAbsent(it.group(), id -> "RUN-" + (names.size() + 1)));
    return named.lines().map(AnswersTest::memberByMember).collect(joining("\n", "", "\n"));
  }

  private static String memberByMember(String json) {
    return json.replaceAll("(?<=[{\\[,])(?=[\"{])", "\n");
  }
}
