package dev.kron.daemon.api;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kron.daemon.FailingDisk;
import dev.kron.daemon.TestDaemon;
import dev.kron.daemon.loop.Request;
import dev.kron.json.Json;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The past that is kept beside the state. */
class HistoryTest {
  @TempDir Path directory;

  private static Json get(TestDaemon daemon, String path) throws Exception {
    Caller.Response response = daemon.caller().get(path);
    assertEquals(200, response.status(), path + ": " + response.body());
    return Caller.json(response.body());
  }

  private static int runs(TestDaemon daemon) throws Exception {
    return get(daemon, "/v1/jobs/bad/history").list("runs").size();
  }

  private static void awaitRuns(TestDaemon daemon, int count) {
    daemon.await(count + " runs to be kept", () -> runs(daemon) == count);
  }

  private List<Path> files() throws Exception {
    Path history = directory.resolve("state/history");
    if (!Files.exists(history)) {
      return List.of();
    }
    try (var files = Files.list(history)) {
      return new ArrayList<>(files.toList());
    }
  }

  @Test
  void outlivesTheStateAndTheDaemonAndItsOwnLoss() throws Exception {
    try (var daemon =
        new TestDaemon(directory, "2026-03-01T00:00:30Z").withApi().keeping(3, 1 << 20)) {
      daemon
          .write(
              "* * * * * @tz(Asia/Tokyo) name=bad shell=true command=\"exit 7\"",
              "0 0 1 1 * name=idle command=/bin/true")
          .start();
      for (int minute = 1; minute <= 6; minute++) {
        daemon.passUntil("2026-03-01T00:0" + minute + ":00Z");
        awaitRuns(daemon, minute);
      }
      daemon.stop(); // what waits is written
      daemon.start();
      Json history = get(daemon, "/v1/jobs/bad/history?runs=4");
      assertEquals(4, history.list("runs").size());
      assertEquals("2026-03-01T00:06:00Z", history.list("runs").getFirst().text("period"));
      assertEquals(7, history.list("runs").getFirst().number("exit"));
      assertEquals(1, history.list("days").size());
      assertEquals("2026-03-01", history.list("days").getFirst().text("date"));
      assertEquals(6, history.list("days").getFirst().get("counts").number("failed"));
      assertEquals(6, runs(daemon));
      String why =
          get(daemon, "/v1/jobs/bad/why?from=2026-03-01T00:01:00Z")
              .list("periods")
              .getFirst()
              .text("explanation");
      assertTrue(why.contains("it ran at"), why);
      assertEquals(0, get(daemon, "/v1/jobs/idle/history").list("runs").size());
      daemon.stop();

      for (Path file : files()) {
        Files.write(file, new byte[] {(byte) 0xA7, 'r', 1, 2, 3, 4, 5, 6, 7, 8});
      }
      daemon.start();
      assertEquals(3, runs(daemon), "as many as the state has");
      daemon.passUntil("2026-03-01T00:07:00Z");
      daemon.awaitEntry("bad", "the next", entry -> entry.nominal() % 3600 == 420);
      daemon.await("a whole file again", () -> Files.size(files().getFirst()) > 100);
      for (Path file : files()) {
        Files.delete(file);
      }
      Files.delete(directory.resolve("state/history"));
      daemon.passUntil("2026-03-01T00:08:00Z");
      daemon.awaitEntry("bad", "the next", entry -> entry.nominal() % 3600 == 480);
      daemon.await(
          "the loss to be noticed", () -> daemon.log().contains("event=history_not_written"));
      daemon.passUntil("2026-03-01T00:09:00Z");
      awaitRuns(daemon, 3);
      daemon.await("files to be there again", () -> files().size() == 1);
    }
  }

  @Test
  void onAFullDiskItGivesWayToStates() throws Exception {
    var disk = new FailingDisk(1);
    try (var daemon = new TestDaemon(directory, "2026-03-01T00:00:30Z").on(disk).withApi()) {
      daemon.write("* * * * * name=bad shell=true command=\"exit 7\"").start();
      daemon.passUntil("2026-03-01T00:01:00Z");
      daemon.awaitEntry("bad", "the first", entry -> entry.nominal() % 3600 == 60);
      daemon.await("it to be kept", () -> files().size() == 1);
      disk.begin(FailingDisk.Trouble.FULL);
      daemon.passUntil("2026-03-01T00:02:00Z");
      daemon.await("room to be made", () -> daemon.log().contains("event=history_dropped"));
      assertEquals(List.of(), files());
      assertTrue(daemon.log().contains("event=persistence_failed"), "it is full all the same");
      disk.end();
      daemon.await(
          "writing to work again",
          () -> {
            daemon.pass(Duration.ofSeconds(1));
            return daemon.log().contains("event=persistence_restored");
          });
      daemon.await("the state's past to be told", () -> runs(daemon) >= 1);
    }
  }

  @Test
  void knowsWhatBecameOfServicesAndFindsThings() throws Exception {
    try (var daemon = new TestDaemon(directory, "2026-03-01T00:00:30Z").withApi()) {
      daemon
          .write(
              "0 0 1 1 * name=website command=/bin/true",
              "0 0 1 1 * name=other command=/bin/true description=\"the web, once a year\"")
          .service(
              "web", "[service]", "exec = \"sh -c 'exit 3'\"", "[lifecycle]", "restart = \"never\"")
          .start();
      daemon.awaitState("web", "failed");
      var what = new ArrayList<String>();
      daemon.await(
          "it to be kept",
          () -> {
            what.clear();
            Json history = get(daemon, "/v1/services/web/history");
            history.list("events").forEach(event -> what.add(event.text("what")));
            return what.contains("failed");
          });
      assertTrue(what.contains("starting"), what.toString());
      Json found = get(daemon, "/v1/search?q=WEB");
      assertEquals(
          List.of("service web", "job website", "job other"),
          found.list("results").stream()
              .map(one -> one.text("kind") + " " + one.text("name"))
              .toList());
      String run = daemon.caller().post("/v1/jobs/website/trigger").body();
      String id = Caller.json(run).text("runId");
      daemon.await(
          "the run to be found",
          () -> get(daemon, "/v1/search?q=" + id.substring(0, 14)).number("matched") == 1);
      assertEquals(0, get(daemon, "/v1/search?q=.*").number("matched"));
    }
  }

  /** Starts, exits, failures and restarts of a service. */
  private static List<Long> counts(TestDaemon daemon, String service) throws Exception {
    List<Json> days = get(daemon, "/v1/services/" + service + "/history").list("days");
    assertTrue(days.size() <= 1, days.toString());
    return days.isEmpty()
        ? List.of()
        : Stream.of("starts", "exits", "failures", "restarts")
            .map(what -> days.getFirst().number(what))
            .toList();
  }

  @Test
  void countsStartsExitsFailuresAndRestartsOfAServiceByDay() throws Exception {
    try (var daemon = new TestDaemon(directory, "2026-03-01T10:00:30Z").withApi()) {
      daemon.write("0 0 1 1 * name=idle command=/bin/true");
      Map<String, List<Long>> expected = new LinkedHashMap<>();
      for (String restart : List.of("never", "on-failure")) {
        for (int exit : List.of(0, 3)) {
          boolean again = exit != 0 && restart.equals("on-failure");
          expected.put(
              restart + exit,
              List.of(1L, exit == 0 ? 1L : 0L, exit == 0 ? 0L : 1L, again ? 1L : 0L));
          daemon.service(
              restart + exit,
              "[service]",
              "exec = \"sh -c 'exit " + exit + "'\"",
              "[lifecycle]",
              "restart = \"" + restart + "\"");
        }
      }
      daemon.start();
      for (Map.Entry<String, List<Long>> each : expected.entrySet()) {
        String name = each.getKey();
        daemon.await(
            name + " to be " + each.getValue(), () -> counts(daemon, name).equals(each.getValue()));
      }
    }
  }

  @Test
  void theListOfServicesTellsWhatTheirProcessesUseIfAskedFor() throws Exception {
    try (var daemon = new TestDaemon(directory, "2026-03-01T10:00:30Z").withApi()) {
      daemon
          .write("0 0 1 1 * name=idle command=/bin/true")
          .service("web", "[service]", "exec = \"sh -c 'sleep 1000; true'\"", "instances = 2")
          .service("down", "[service]", "exec = \"sleep 1000\"", "autostart = false")
          .start();
      daemon.awaitState("web", "running");
      daemon.await(
          "at least two processes of each of both",
          () ->
              instances(daemon, "web").stream()
                  .allMatch(
                      one ->
                          !one.get("processes").isNull()
                              && one.number("processes") >= 2
                              && one.number("memoryBytes") > 0));
      assertTrue(instances(daemon, "down").stream().allMatch(one -> one.get("processes").isNull()));
    }
  }

  private static List<Json> instances(TestDaemon daemon, String service) throws Exception {
    return get(daemon, "/v1/services?usage=true").list("services").stream()
        .filter(one -> one.text("name").equals(service))
        .findFirst()
        .orElseThrow()
        .list("instances");
  }

  private static String why(TestDaemon daemon, String time) throws Exception {
    return get(daemon, "/v1/jobs/job/why?from=2026-03-01T00:" + time + "Z")
        .list("periods")
        .getFirst()
        .text("explanation");
  }

  private static void awaitWhy(TestDaemon daemon, String time, String sentence) {
    daemon.await(sentence, () -> why(daemon, time).contains(sentence));
  }

  @Test
  void tellsWhyAJobDidNotRunWhileItWasSuspendedOrInNoFile() throws Exception {
    try (var daemon = new TestDaemon(directory, "2026-03-01T00:00:30Z").withApi()) {
      String line = "* * * * * @tz(UTC) name=job command=/bin/true";
      String other = "0 0 1 1 * name=other command=/bin/true";
      daemon.write(line, other).start().passUntil("2026-03-01T00:01:10Z");
      daemon.awaitEntries("job", 1);
      daemon.ask(new Request.Suspend(daemon.identity("job")));
      daemon.passUntil("2026-03-01T00:03:10Z");
      daemon.ask(new Request.Resume(daemon.identity("job")));
      daemon.passUntil("2026-03-01T00:04:10Z");
      daemon.awaitEntries("job", 2);
      String suspended = "the job was suspended from 2026-03-01 00:01:10";
      awaitWhy(daemon, "02:00", suspended);
      daemon.write(other);
      daemon.ask(new Request.Reload(false));
      daemon.passUntil("2026-03-01T00:06:10Z");
      daemon.write(line, other);
      daemon.ask(new Request.Reload(false));
      daemon.passUntil("2026-03-01T00:07:10Z");
      awaitWhy(daemon, "05:00", "the job was in no file from 2026-03-01 00:04:10");
      awaitWhy(daemon, "02:00", suspended);
      daemon.stop();
      daemon.start();
      awaitWhy(daemon, "05:00", "the job was in no file from 2026-03-01 00:04:10");
    }
  }

  @Test
  void tellsThatNothingCouldBeWritten() throws Exception {
    var disk = new FailingDisk(1);
    try (var daemon = new TestDaemon(directory, "2026-03-01T00:00:30Z").withApi().on(disk)) {
      daemon.write("* * * * * @tz(UTC) name=job command=/bin/true").start();
      daemon.passUntil("2026-03-01T00:01:10Z");
      daemon.awaitEntries("job", 1);
      disk.begin(FailingDisk.Trouble.FULL);
      daemon.passUntil("2026-03-01T00:02:30Z");
      daemon.await("it says so", () -> daemon.log().contains("event=persistence_failed"));
      daemon.passUntil("2026-03-01T00:03:30Z");
      disk.end();
      daemon.await(
          "it is over",
          () -> {
            daemon.pass(Duration.ofSeconds(1));
            return daemon.log().contains("event=persistence_restored");
          });
      awaitWhy(daemon, "03:00", "state could not be written from 2026-03-01 00:02:");
    }
  }
}
