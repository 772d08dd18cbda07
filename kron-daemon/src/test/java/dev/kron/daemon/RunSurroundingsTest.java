package dev.kron.daemon;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.kron.daemon.loop.Answer;
import dev.kron.daemon.loop.Request;
import dev.kron.process.SystemUsers;
import dev.kron.process.Users;
import dev.kron.schedule.Schedule;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Whose a run is, where its output goes, and what the log tells of it. */
final class RunSurroundingsTest {
  private static final Pattern PERIOD = Pattern.compile(" period=(\\S+) ");

  @TempDir Path directory;

  private TestDaemon daemon() throws IOException {
    return new TestDaemon(directory, "2026-05-04T11:59:58Z");
  }

  private static Path stdout(TestDaemon daemon, String name) {
    String runId = Objects.requireNonNull(daemon.awaitEntries(name, 1).runId());
    return daemon.statePath().resolve("runs").resolve(runId).resolve("stdout");
  }

  @Test
  void whatARunUsedIsOnRecordAndToldEverywhere() throws Exception {
    try (var daemon = daemon().withApi()) {
      daemon
          .write(
              "0 * * * * name=busy nice=5 shell=true command=\"i=0; while [ $i -lt 400000 ]; do"
                  + " i=$((i+1)); done\"")
          .start()
          .pass(Duration.ofSeconds(3));
      Long used = daemon.awaitEntries("busy", 1).cpuMillis();
      assertTrue(used != null && used > 0, String.valueOf(used));
      daemon.await( // the file may be durable before the loop knows that it is
          "the run is told with what it used",
          () ->
              daemon
                      .caller()
                      .get("/v1/jobs/busy/runs")
                      .tree()
                      .list("runs")
                      .getFirst()
                      .number("cpuMillis")
                  == used);
      String metrics = daemon.caller().get("/metrics").body();
      assertTrue(metrics.contains("kron_runs_cpu_seconds_total " + used / 1e3), metrics);
      String why = daemon.caller().get("/v1/jobs/busy/why").body();
      assertTrue(why.contains(used / 1000.0 + " s of CPU"), why);
    }
  }

  @Test
  void homeNameAndShellFollowTheUser() throws Exception {
    Users users = new SystemUsers();
    Users.Account nobody = users.user("nobody").orElse(null);
    assumeTrue(users.mayBecomeOthers() && nobody != null, "only root may run it as nobody");
    try (var daemon = daemon()) {
      daemon
          .write("0 * * * * name=theirs user=nobody cwd=/ command=/usr/bin/env")
          .start()
          .pass(Duration.ofSeconds(3));
      Map<String, String> variables = TestProcesses.variables(stdout(daemon, "theirs"));
      assertEquals(nobody.home(), variables.get("HOME"));
      assertEquals("nobody", variables.get("USER"));
      assertEquals("nobody", variables.get("LOGNAME"));
      assertEquals(nobody.shell(), variables.get("SHELL"));
    }
  }

  @Test
  void linesForTheSystemLogGoThereAndAreCaptured() throws Exception {
    try (var daemon = daemon()) { // where nobody takes them
      daemon
          .write("0 * * * * name=logs shell=true command=\"echo one\" stdout=syslog")
          .start()
          .pass(Duration.ofSeconds(3));
      assertEquals("one\n", Files.readString(stdout(daemon, "logs")));
      String lost = "event=syslog_lines_lost identity=" + daemon.identity("logs") + " count=1";
      daemon.await("the line is missed", () -> daemon.log().contains(lost));
      assertEquals(0, daemon.out.size(), "and it is not the daemon's own output");
    }
  }

  @Test
  void anOutputFileIsNamedAfterTheStartInTheJobsZone() throws Exception {
    try (var daemon = daemon()) {
      daemon
          .write(
              "0 21 * * * @tz(Asia/Tokyo) name=far/away shell=true command=\"echo here\" stdout=file:%s/%%Y-%%m-%%dT%%H:%%M:%%S.log"
                  .formatted(directory))
          .start()
          .passUntil("2026-05-04T12:00:00Z");
      daemon.awaitEntries("far/away", 1);
      assertEquals("here\n", Files.readString(directory.resolve("2026-05-04T21:00:00.log")));
    }
  }

  @Test
  void everyEventOfAPeriodCanBeExplainedWithoutTheDaemon() throws Exception {
    Path go = directory.resolve("go");
    String waits = " shell=true command=\"while [ ! -e " + go + " ]; do sleep 0.02; done\"";
    List<String> schedules =
        List.of(
            "* * * * * @policy(concurrency=replace) name=replaces" + waits,
            "* * * * * name=skips" + waits,
            "0 12 * * * name=absent command=/nowhere/at/all",
            "0 12 * * * @win(after,1s) @only(hours=3) name=never command=/bin/true",
            "30 12 * * * @seed(daily,salt=s) name=late command=/bin/true");
    try (var daemon = daemon()) {
      daemon.write(schedules.toArray(String[]::new)).start();
      daemon.passUntil("2026-05-04T12:01:01Z");
      daemon.awaitEntries("replaces", 1);
      daemon.awaitEntries("skips", 1);
      daemon.awaitEntries("never", 1);
      daemon.setClock("2026-05-04T12:30:30Z");
      daemon.awaitEntries("late", 1);
      Files.createFile(go);
      daemon.awaitEntry("skips", "its end", entry -> entry.exitCode() != null);
      assertTrue(daemon.ask(new Request.Suspend("nobody")) instanceof Answer.Refused);
      Set<String> seen = new TreeSet<>();
      for (String schedule : schedules) {
        String name = schedule.replaceAll(".* name=(\\S+) .*", "$1");
        explained(daemon, name, schedule.substring(0, schedule.indexOf(" name=")), seen);
      }
      assertEquals(
          Set.of(
              "decided",
              "missed",
              "replacing",
              "run_ended",
              "run_not_started",
              "run_started",
              "skipped",
              "triggered",
              "unschedulable"),
          seen);
    }
  }

  /** Every line of the job has the period, its second and its seed, as anybody computes them. */
  private static void explained(TestDaemon daemon, String name, String text, Set<String> seen) {
    String identity = daemon.identity(name);
    Schedule schedule = Schedule.parse(text);
    List<String> lines =
        daemon.log().lines().filter(line -> line.contains("identity=" + identity + " ")).toList();
    for (String line : lines) {
      Matcher period = PERIOD.matcher(line);
      assertTrue(period.find(), line);
      long nominal = Instant.parse(period.group(1)).getEpochSecond();
      var decision = schedule.decide(identity, nominal);
      assertTrue(line.contains(" seed=" + decision.seedHash()), line);
      if (!decision.unschedulable()) {
        String chosen = Instant.ofEpochSecond(decision.chosenEpochSecond()).toString();
        assertTrue(line.contains(" chosen=" + chosen), line);
      }
      seen.add(line.replaceAll(".* event=(\\S+) .*", "$1"));
    }
  }
}
