package dev.kron.daemon.api;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kron.daemon.TestDaemon;
import dev.kron.daemon.loop.Request;
import dev.kron.job.HistoryEntry;
import dev.kron.job.Outcome;
import dev.kron.json.Json;
import dev.kron.store.LinuxDisk;
import dev.kron.store.StateDirectory;
import dev.kron.store.StateSettings;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The picture of jobs over time, and the lists that go with it. */
class TimelineTest {
  @TempDir Path directory;

  private static Json get(TestDaemon daemon, String path) throws Exception {
    Caller.Response response = daemon.caller().get(path);
    assertEquals(200, response.status(), path + ": " + response.body());
    return Caller.json(response.body());
  }

  private static String refusal(TestDaemon daemon, String path) throws Exception {
    Caller.Response response = daemon.caller().get(path);
    assertEquals(400, response.status(), response.body());
    return response.body();
  }

  private static Json row(Json timeline, String name) {
    return timeline.list("rows").stream()
        .filter(row -> row.text("job").equals(name))
        .findFirst()
        .orElseThrow();
  }

  private static List<String> names(Json list, String of) {
    return list.list(of).stream().map(one -> one.text("name")).toList();
  }

  /** What is drawn of a job, by period: a word of what became of it, or will. */
  private static Map<String, String> drawn(Json row) {
    Map<String, String> drawn = new HashMap<>();
    row.list("past").forEach(run -> drawn.put(run.text("period", "-"), run.text("outcome")));
    row.list("marks").forEach(mark -> drawn.put(mark.text("period", "-"), mark.text("outcome")));
    row.list("coming").forEach(due -> drawn.put(due.text("period", "-"), "coming"));
    return drawn;
  }

  /** The word that the timeline has for a period of `why`. */
  private static String word(Json period) {
    return switch (period.text("verdict")) {
      case "executed", "skipped", "missed", "unschedulable" -> period.get("run").text("result");
      case "coming" -> period.get("chosenTime").isNull() ? "unschedulable" : period.text("verdict");
      default -> period.text("verdict");
    };
  }

  @Test
  void drawsWhatRunsWhyAndDecisionsSay() throws Exception {
    try (var daemon = new TestDaemon(directory, "2026-03-01T00:00:30Z").withApi()) {
      daemon
          .write(
              "*/10 * * * * name=good command=/bin/true",
              "*/10 * * * * @win(after,5m) @tz(Europe/Paris) name=bad shell=true"
                  + " command=\"exit 7\"",
              "*/10 * * * * name=slow command=\"/bin/sleep 1000\"",
              "*/20 * * * * @avoid(hours=0) @win(after,1m) name=never command=/bin/true",
              "* * * * * @tz(Europe/Berlin) name=often command=/bin/true")
          .start();
      daemon.ask(new Request.Suspend(daemon.identity("often")));
      daemon.passUntil("2026-03-01T00:20:30Z");
      daemon.awaitEntries("good", 2);
      daemon.awaitEntries("slow", 1); // one is skipped
      daemon.await(
          "all that began to have ended, but for one",
          () -> get(daemon, "/v1/overview").get("counts").number("running") == 1);
      daemon.stop();
      daemon.clocks.pass(Duration.ofMinutes(26)); // all windows that opened meanwhile are over
      daemon.start();
      daemon.keepHouse();
      daemon.await(
          "all that fell due meanwhile to be decided",
          () ->
              get(daemon, "/v1/jobs").list("jobs").stream()
                  .filter(job -> !job.is("suspended"))
                  .allMatch(job -> job.text("lastOutcome", "").matches("missed|unschedulable")));
      String range = "from=2026-03-01T00:00:00Z&to=2026-03-01T02:00:00Z";
      Json timeline = get(daemon, "/v1/timeline?" + range);
      for (String name : List.of("good", "bad", "slow", "never")) {
        Map<String, String> drawn = drawn(row(timeline, name));
        Json why =
            get(
                daemon,
                "/v1/jobs/%s/why?from=2026-03-01T00:00:01Z&to=2026-03-01T01:59:00Z"
                    .formatted(name));
        for (Json period : why.list("periods")) {
          String expected = word(period);
          String nominal = period.text("nominalTime");
          boolean notDrawn = List.of("passed-over", "uncounted", "forgotten").contains(expected);
          assertEquals(
              notDrawn ? "nothing" : expected,
              drawn.getOrDefault(nominal, "nothing"),
              name + " " + nominal + ": " + period.text("explanation"));
        }
        Json runs = get(daemon, "/v1/jobs/" + name + "/runs");
        List<String> ids = new ArrayList<>();
        row(timeline, name).list("past").forEach(run -> ids.add(run.text("run")));
        assertEquals(
            runs.list("runs").stream()
                .filter(run -> !run.get("runId").isNull())
                .map(run -> run.text("runId"))
                .sorted()
                .toList(),
            ids.stream().sorted().toList());
        Json decisions = get(daemon, "/v1/jobs/" + name + "/decisions?count=3");
        for (Json decision : decisions.list("decisions")) {
          Json row = row(timeline, name);
          List<String> at =
              (decision.is("unschedulable") ? row.list("marks") : row.list("coming"))
                  .stream().map(it -> it.text("at")).toList();
          assertTrue(at.contains(decision.text("due")), name + " " + at);
        }
      }
      Json failing =
          get(daemon, "/v1/overview").list("failing").stream()
              .filter(one -> one.text("name").equals("bad"))
              .findFirst()
              .orElseThrow();
      assertEquals("missed", failing.text("what"));
      assertTrue(failing.number("times") >= 2, "one failed, one was missed, at least");
      assertEquals(1, timeline.list("downs").size());
      assertEquals("2026-03-01T00:20:30Z", timeline.list("downs").getFirst().text("from"));
      assertTrue(row(timeline, "often").list("coming").isEmpty(), "suspended");
      Json spring = get(daemon, "/v1/timeline?from=2026-03-28T00:00:00Z&to=2026-03-30T00:00:00Z");
      assertEquals(
          List.of("Europe/Berlin", "Europe/Paris"),
          spring.list("zoneChanges").stream().map(change -> change.text("zone")).toList());
      assertEquals("2026-03-29T01:00:00Z", spring.list("zoneChanges").getFirst().text("at"));
      assertTrue(
          refusal(daemon, "/v1/timeline?from=2026-01-01T00:00:00Z&to=2028-01-01T00:00:00Z")
              .contains("400 days"));
      refusal(daemon, "/v1/timeline?from=%2B999999999-01-01T00:00:00Z");
      refusal(daemon, "/v1/timeline?limit=500&buckets=5000");
      daemon.stop(Request.Stop.END_JOBS);
    }
  }

  @Test
  void putsIntoBucketsWhatCannotBeToldApart() throws Exception {
    try (var daemon = new TestDaemon(directory, "2026-03-01T00:00:30Z").withApi()) {
      daemon.write("* * * * * name=often shell=true command=\"exit 1\"").start();
      daemon.passUntil("2026-03-01T00:05:30Z");
      daemon.awaitEntries("often", 5);
      daemon.await(
          "the last end to be known",
          () -> get(daemon, "/v1/overview").get("counts").number("running") == 0);
      Json row =
          row(
              get(
                  daemon,
                  "/v1/timeline?from=2026-03-01T00:00:00Z&to=2026-03-01T01:00:00Z&buckets=4"),
              "often");
      assertTrue(row.list("past").isEmpty() && row.list("coming").isEmpty());
      List<Json> buckets = row.list("buckets");
      assertEquals(5, buckets.getFirst().number("count"));
      assertEquals("failed", buckets.getFirst().text("outcome"));
      assertEquals("2026-03-01T00:15:00Z", buckets.getFirst().text("to"));
      assertEquals(
          54,
          buckets.stream()
              .filter(bucket -> bucket.text("outcome").equals("coming"))
              .mapToLong(bucket -> bucket.number("count"))
              .sum());
      // A year of minutes is more than is computed: that something comes is known all the same.
      long began = System.nanoTime();
      Json year =
          row(
              get(daemon, "/v1/timeline?to=2027-03-01T00:00:00Z&from=2026-03-01T00:00:00Z"),
              "often");
      assertTrue(System.nanoTime() - began < 10_000_000_000L);
      assertEquals(1000, year.list("buckets").size());
      assertTrue(year.list("buckets").getLast().get("count").isNull());
    }
  }

  @Test
  void filtersSortsAndPages() throws Exception {
    try (var daemon = new TestDaemon(directory, "2026-03-01T00:00:30Z").withApi()) {
      String many =
          IntStream.range(0, 100)
              .mapToObj(i -> "0 0 1 %s * name=job%02d command=/bin/true".formatted(i % 12 + 1, i))
              .collect(Collectors.joining("\n"));
      daemon
          .write(
              "* * * * * name=bad command=/bin/false",
              "* * * * * name=good command=/bin/true description=\"(.*)+ Nightly\"",
              many)
          .service("web", "[service]", "exec = \"sleep 1000\"")
          .service("db", "[service]", "exec = \"sleep 1000\"")
          .start();
      daemon.awaitState("web", "running").awaitState("db", "running");
      daemon.passUntil("2026-03-01T00:01:30Z");
      daemon.awaitEntries("bad", 1);
      daemon.awaitEntries("good", 1);
      daemon.ask(new Request.Suspend(daemon.identity("job03")));
      Json all = get(daemon, "/v1/jobs");
      assertEquals(102, all.number("total"));
      assertEquals(102, all.list("jobs").size());
      assertTrue(all.is("complete"));
      Json page = get(daemon, "/v1/jobs?filter=JOB0&offset=8&limit=5");
      assertEquals(List.of("job08", "job09"), names(page, "jobs"));
      assertEquals(10, page.number("matched"));
      assertEquals(List.of("bad"), names(get(daemon, "/v1/jobs?last=failing"), "jobs"));
      assertEquals(List.of("good"), names(get(daemon, "/v1/jobs?last=succeeded"), "jobs"));
      assertEquals(List.of("job03"), names(get(daemon, "/v1/jobs?state=suspended"), "jobs"));
      assertEquals(List.of("good"), names(get(daemon, "/v1/jobs?filter=(.*)%2B"), "jobs"));
      assertEquals(0, get(daemon, "/v1/jobs?group=/nowhere").number("matched"));
      assertEquals(
          List.of("bad", "good"), names(get(daemon, "/v1/jobs?sort=next&limit=2"), "jobs"));
      List<String> latest = names(get(daemon, "/v1/jobs?sort=last&order=desc&limit=2"), "jobs");
      assertEquals(List.of("bad", "good"), latest.stream().sorted().toList());
      assertTrue(refusal(daemon, "/v1/jobs?state=odd").contains("ready"));
      assertEquals(
          List.of("web", "db"),
          names(get(daemon, "/v1/services?sort=name&order=desc"), "services"));
      assertEquals(List.of("db"), names(get(daemon, "/v1/services?filter=D"), "services"));
      assertEquals(0, get(daemon, "/v1/services?state=troubled").number("matched"));
      Json overview = get(daemon, "/v1/overview");
      assertEquals(1, overview.get("counts").number("failing"));
      assertEquals(1, overview.list("failing").getFirst().number("times"));
      assertEquals(2, overview.get("counts").number("servicesUp"));
      assertEquals("bad", overview.list("next").getFirst().text("job"));
      Json load = get(daemon, "/v1/load");
      assertTrue(load.is("complete"));
      assertEquals(96, load.list("withWindows").size());
    }
  }

  private static long starts(Json load, String which) {
    return load.get("peak").number(which);
  }

  @Test
  void startsAreCountedAnewWhereJobsOrTheQuarterOfAnHourAreOthers() throws Exception {
    try (var daemon = new TestDaemon(directory, "2026-03-01T00:00:30Z").withApi()) {
      daemon.write("* * * * * @policy(suspend=false) name=a command=/bin/true").start();
      daemon.await("all to be counted", () -> get(daemon, "/v1/load").is("complete"));
      Json first = get(daemon, "/v1/load");
      assertEquals("2026-03-01T00:00:00Z", first.text("from"));
      assertEquals("2026-03-01T00:00:30Z", first.text("computedAt"));
      assertEquals(900, first.number("stepSeconds"));
      assertEquals(15, starts(first, "with"));
      assertEquals(15, starts(first, "without"));
      daemon.pass(Duration.ofSeconds(20));
      assertEquals("2026-03-01T00:00:30Z", get(daemon, "/v1/load").text("computedAt"));
      daemon.ask(new Request.Suspend(daemon.identity("a")));
      daemon.await("none to be counted", () -> starts(get(daemon, "/v1/load"), "with") == 0);
      assertEquals("2026-03-01T00:00:50Z", get(daemon, "/v1/load").text("computedAt"));
      daemon.passUntil("2026-03-01T00:15:00Z");
      daemon.await(
          "the next quarter",
          () -> get(daemon, "/v1/load").text("from").equals("2026-03-01T00:15:00Z"));
    }
  }

  /** Two thousand runs are kept one by one; of the days before there is what became of them. */
  @Test
  void drawsDaysWhoseRunsAreNoLongerKept() throws Exception {
    try (var daemon = new TestDaemon(directory, "2026-03-20T12:00:30Z").withApi()) {
      daemon.write("0 0 1 1 * @tz(Asia/Tokyo) name=often command=/bin/true");
      try (StateDirectory state =
          StateDirectory.open(
              daemon.statePath(),
              new LinuxDisk(),
              StateSettings.standard(100, daemon.clocks::now),
              "the test")) {
        long begin = Instant.parse("2026-03-01T15:00:30Z").toEpochMilli(); // midnight there
        List<HistoryEntry> runs = new ArrayList<>();
        for (int i = 0; i < 2001; i++) {
          long at = begin + i * 600_000L; // 144 a day
          runs.add(
              HistoryEntry.builder(at / 60_000 * 60, Outcome.EXECUTED)
                  .startedAt(at)
                  .completedAt(at + 1000)
                  .runId("01k%023d".formatted(i))
                  .exitCode(i == 200 ? 1 : 0)
                  .success(i != 200)
                  .build());
        }
        state.history().append(daemon.identity("often"), ZoneId.of("Asia/Tokyo"), runs);
      }
      daemon.start();
      String range = "/v1/timeline?from=2026-03-01T12:00:00Z&to=2026-03-08T00:00:00Z&buckets=10";
      List<Json> days = row(get(daemon, range), "often").list("buckets");
      List<String> drawn =
          days.stream()
              .map(
                  day ->
                      day.text("from")
                          + " "
                          + day.text("to")
                          + " "
                          + day.text("outcome")
                          + " "
                          + day.number("count"))
              .toList();
      assertEquals("2026-03-01T15:00:00Z 2026-03-02T15:00:00Z succeeded 144", drawn.getFirst());
      assertEquals("2026-03-02T15:00:00Z 2026-03-03T15:00:00Z failed 144", drawn.get(1));
      assertEquals(
          List.of(),
          row(
                  get(daemon, "/v1/timeline?from=2026-02-27T00:00:00Z&to=2026-03-01T15:00:00Z"),
                  "often")
              .list("buckets"));
    }
  }

  private static String range(TestDaemon daemon, String asked) throws Exception {
    Json timeline = get(daemon, "/v1/timeline" + asked);
    return timeline.text("from") + " " + timeline.text("to");
  }

  @Test
  void showsADayAroundNowUnlessAskedForAnother() throws Exception {
    try (var daemon = new TestDaemon(directory, "2026-03-01T18:00:00Z").withApi()) {
      daemon.write("0 0 1 1 * name=a command=/bin/true").start();
      assertEquals("2026-03-01T06:00:00Z 2026-03-02T06:00:00Z", range(daemon, ""));
      assertEquals(
          "2026-02-01T00:00:00Z 2026-02-02T00:00:00Z", range(daemon, "?from=2026-02-01T00:00:00Z"));
      assertEquals(
          "2026-01-31T00:00:00Z 2026-02-01T00:00:00Z", range(daemon, "?to=2026-02-01T00:00:00Z"));
    }
  }

  @Test
  void listsAreAsOfAnEvent() throws Exception {
    try (var daemon = new TestDaemon(directory, "2026-03-01T00:00:30Z").withApi()) {
      daemon.write("0 0 * * * name=a command=/bin/true").start();
      for (String path : List.of("/v1/jobs", "/v1/services", "/v1/overview", "/v1/timeline")) {
        String before = get(daemon, path).text("asOf");
        daemon.ask(new Request.Suspend(daemon.identity("a")));
        daemon.ask(new Request.Resume(daemon.identity("a")));
        String news = daemon.caller().get("/v1/events?follow=false&after=" + before).body();
        assertTrue(news.contains("event: suspended") && news.contains("event: resumed"), news);
        String after = get(daemon, path).text("asOf");
        String none = daemon.caller().get("/v1/events?follow=false&after=" + after).body();
        assertFalse(none.contains("event: suspended"), none);
      }
    }
  }

  @Test
  void rowsWithoutAnythingToSeeAreLeftOutAndCounted() throws Exception {
    try (var daemon = new TestDaemon(directory, "2026-03-01T00:00:30Z").withApi()) {
      daemon
          .write(
              "*/10 * * * * name=often command=/bin/true",
              "0 5 * * * name=later command=/bin/true",
              "30 2 * * * @win(after,6h) name=window command=/bin/true",
              "@manual name=asked command=/bin/true",
              "@manual name=never command=/bin/true",
              "*/5 * * * * name=asleep command=/bin/true")
          .start();
      daemon.ask(new Request.Suspend(daemon.identity("asleep")));
      daemon.ask(new Request.Trigger(daemon.identity("asked")));
      daemon.awaitEntries("asked", 1);
      String hour = "/v1/timeline?from=2026-03-01T00:00:00Z&to=2026-03-01T01:00:00Z";
      Json shown = get(daemon, hour + "&empty=hide");
      assertEquals(List.of("asked", "often"), jobs(shown));
      assertEquals(4, shown.number("hidden"));
      assertEquals(2, shown.number("matched"));
      // Few rows are all shown; so are all where nothing else is asked for.
      for (String all : List.of(hour, hour + "&empty=show", hour + "&empty=auto")) {
        assertEquals(6, get(daemon, all).number("matched"));
        assertEquals(0, get(daemon, all).number("hidden"));
      }
      String early = "/v1/timeline?empty=hide&from=2026-03-01T02:00:00Z&to=2026-03-01T04:00:00Z";
      assertEquals(List.of("often", "window"), jobs(get(daemon, early)));
      String five = "/v1/timeline?empty=hide&from=2026-03-02T05:00:00Z&to=2026-03-02T05:01:00Z";
      assertEquals(List.of("later", "often", "window"), jobs(get(daemon, five)));
      String day = "/v1/timeline?empty=hide&from=2026-03-01T00:00:00Z&to=2026-03-02T00:00:00Z";
      assertEquals(List.of("asked", "later", "often", "window"), jobs(get(daemon, day)));
      String seen = day + "&rowsFrom=2026-03-01T05:00:00Z&rowsTo=2026-03-01T05:01:00Z";
      assertEquals(List.of("later", "often", "window"), jobs(get(daemon, seen)));
      refusal(daemon, day + "&rowsFrom=2026-03-01T05:00:00Z&rowsTo=2026-03-01T04:00:00Z");
      assertTrue(refusal(daemon, "/v1/timeline?empty=maybe").contains("auto, hide, show"));
    }
  }

  private static List<String> jobs(Json timeline) {
    return timeline.list("rows").stream().map(row -> row.text("job")).toList();
  }
}
