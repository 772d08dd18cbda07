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
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The past that is kept beside the state. */
class HistoryTest {
  @TempDir Path directory;

  private static Json get(TestDaemon krontabs, String path) throws Exception {
    Caller.Response response = krontabs.caller().get(path);
    assertEquals(200, response.status(), path + ": " + response.body());
    return Caller.json(response.body());
  }

  private static int runs(TestDaemon krontabs) throws Exception {
    return get(krontabs, "/v1/jobs/bad/history").list("runs").size();
  }

  private static void awaitRuns(TestDaemon krontabs, int count) {
    krontabs.await(count + " runs to be kept", () -> runs(krontabs) == count);
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
    try (var krontabs =
        new TestDaemon(directory, "2026-03-01T00:00:30Z").withApi().keeping(3, 1 << 20)) {
      krontabs
          .write(
              "* * * * * @tz(Asia/Tokyo) name=bad shell=true command=\"exit 7\"",
              "0 0 1 1 * name=idle command=/bin/true")
          .start();
      for (int minute = 1; minute <= 6; minute++) {
        krontabs.passUntil("2026-03-01T00:0" + minute + ":00Z");
        awaitRuns(krontabs, minute);
      }
      krontabs.stop(); // what waits is written
      krontabs.start();
      Json history = get(krontabs, "/v1/jobs/bad/history?runs=4");
      assertEquals(4, history.list("runs").size());
      assertEquals("2026-03-01T00:06:00Z", history.list("runs").getFirst().text("period"));
      assertEquals(7, history.list("runs").getFirst().number("exit"));
      assertEquals(1, history.list("days").size());
      assertEquals("2026-03-01", history.list("days").getFirst().text("date"));
      assertEquals(6, history.list("days").getFirst().get("counts").number("failed"));
      assertEquals(6, runs(krontabs));
      String why =
          get(krontabs, "/v1/jobs/bad/why?from=2026-03-01T00:01:00Z")
              .list("periods")
              .getFirst()
              .text("explanation");
      assertTrue(why.contains("it ran at"), why);
      assertEquals(0, get(krontabs, "/v1/jobs/idle/history").list("runs").size());
      krontabs.stop();

      for (Path file : files()) {
        Files.write(file, new byte[] {(byte) 0xA7, 'r', 1, 2, 3, 4, 5, 6, 7, 8});
      }
      krontabs.start();
      assertEquals(3, runs(krontabs), "as many as the state has");
      krontabs.passUntil("2026-03-01T00:07:00Z");
      krontabs.awaitEntry("bad", "the next", entry -> entry.nominal() % 3600 == 420);
      krontabs.await("a whole file again", () -> Files.size(files().getFirst()) > 100);
      for (Path file : files()) {
        Files.delete(file);
      }
      Files.delete(directory.resolve("state/history"));
      krontabs.passUntil("2026-03-01T00:08:00Z");
      krontabs.awaitEntry("bad", "the next", entry -> entry.nominal() % 3600 == 480);
      krontabs.await(
          "the loss to be noticed", () -> krontabs.log().contains("event=history_not_written"));
      krontabs.passUntil("2026-03-01T00:09:00Z");
      awaitRuns(krontabs, 3);
      krontabs.await("files to be there again", () -> files().size() == 1);
    }
  }

  @Test
  void onAFullDiskItGivesWayToStates() throws Exception {
    var disk = new FailingDisk(1);
    try (var krontabs = new TestDaemon(directory, "2026-03-01T00:00:30Z").on(disk).withApi()) {
      krontabs.write("* * * * * name=bad shell=true command=\"exit 7\"").start();
      krontabs.passUntil("2026-03-01T00:01:00Z");
      krontabs.awaitEntry("bad", "the first", entry -> entry.nominal() % 3600 == 60);
      krontabs.await("it to be kept", () -> files().size() == 1);
      disk.begin(FailingDisk.Trouble.FULL);
      krontabs.passUntil("2026-03-01T00:02:00Z");
      krontabs.await("room to be made", () -> krontabs.log().contains("event=history_dropped"));
      assertEquals(List.of(), files());
      assertTrue(krontabs.log().contains("event=persistence_failed"), "it is full all the same");
      disk.end();
      krontabs.await(
          "writing to work again",
          () -> {
            krontabs.pass(Duration.ofSeconds(1));
            return krontabs.log().contains("event=persistence_restored");
          });
      krontabs.await("the state's past to be told", () -> runs(krontabs) >= 1);
    }
  }

  @Test
  void knowsWhatBecameOfServicesAndFindsThings() throws Exception {
    try (var krontabs = new TestDaemon(directory, "2026-03-01T00:00:30Z").withApi()) {
      krontabs
          .write(
              "0 0 1 1 * name=website command=/bin/true",
              "0 0 1 1 * name=other command=/bin/true description=\"the web, once a year\"")
          .service(
              "web", "[service]", "exec = \"sh -c 'exit 3'\"", "[lifecycle]", "restart = \"never\"")
          .start();
      krontabs.awaitState("web", "failed");
      var what = new ArrayList<String>();
      krontabs.await(
          "it to be kept",
          () -> {
            what.clear();
            Json history = get(krontabs, "/v1/services/web/history");
            history.list("events").forEach(event -> what.add(event.text("what")));
            return what.contains("failed");
          });
      assertTrue(what.contains("starting"), what.toString());
      Json found = get(krontabs, "/v1/search?q=WEB");
      assertEquals(
          List.of("service web", "job website", "job other"),
          found.list("results").stream()
              .map(one -> one.text("kind") + " " + one.text("name"))
              .toList());
      String run = krontabs.caller().post("/v1/jobs/website/trigger").body();
      String id = Caller.json(run).text("runId");
      krontabs.await(
          "the run to be found",
          () -> get(krontabs, "/v1/search?q=" + id.substring(0, 14)).number("matched") == 1);
      assertEquals(0, get(krontabs, "/v1/search?q=.*").number("matched"));
    }
  }

  private static String why(TestDaemon krontabs, String time) throws Exception {
    return get(krontabs, "/v1/jobs/job/why?from=2026-03-01T00:" + time + "Z")
        .list("periods")
        .getFirst()
        .text("explanation");
  }

  private static void awaitWhy(TestDaemon krontabs, String time, String sentence) {
    krontabs.await(sentence, () -> why(krontabs, time).contains(sentence));
  }

  @Test
  void tellsWhyAJobDidNotRunWhileItWasSuspendedOrInNoFile() throws Exception {
    try (var krontabs = new TestDaemon(directory, "2026-03-01T00:00:30Z").withApi()) {
      String line = "* * * * * @tz(UTC) name=job command=/bin/true";
      String other = "0 0 1 1 * name=other command=/bin/true";
      krontabs.write(line, other).start().passUntil("2026-03-01T00:01:10Z");
      krontabs.awaitEntries("job", 1);
      krontabs.ask(new Request.Suspend(krontabs.identity("job")));
      krontabs.passUntil("2026-03-01T00:03:10Z");
      krontabs.ask(new Request.Resume(krontabs.identity("job")));
      krontabs.passUntil("2026-03-01T00:04:10Z");
      krontabs.awaitEntries("job", 2);
      String suspended = "the job was suspended from 2026-03-01 00:01:10";
      awaitWhy(krontabs, "02:00", suspended);
      krontabs.write(other);
      krontabs.ask(new Request.Reload(false));
      krontabs.passUntil("2026-03-01T00:06:10Z");
      krontabs.write(line, other);
      krontabs.ask(new Request.Reload(false));
      krontabs.passUntil("2026-03-01T00:07:10Z");
      awaitWhy(krontabs, "05:00", "the job was in no file from 2026-03-01 00:04:10");
      awaitWhy(krontabs, "02:00", suspended);
      krontabs.stop();
      krontabs.start();
      awaitWhy(krontabs, "05:00", "the job was in no file from 2026-03-01 00:04:10");
    }
  }

  @Test
  void tellsThatNothingCouldBeWritten() throws Exception {
    var disk = new FailingDisk(1);
    try (var krontabs = new TestDaemon(directory, "2026-03-01T00:00:30Z").withApi().on(disk)) {
      krontabs.write("* * * * * @tz(UTC) name=job command=/bin/true").start();
      krontabs.passUntil("2026-03-01T00:01:10Z");
      krontabs.awaitEntries("job", 1);
      disk.begin(FailingDisk.Trouble.FULL);
      krontabs.passUntil("2026-03-01T00:02:30Z");
      krontabs.await("it says so", () -> krontabs.log().contains("event=persistence_failed"));
      krontabs.passUntil("2026-03-01T00:03:30Z");
      disk.end();
      krontabs.await(
          "it is over",
          () -> {
            krontabs.pass(Duration.ofSeconds(1));
            return krontabs.log().contains("event=persistence_restored");
          });
      awaitWhy(krontabs, "03:00", "state could not be written from 2026-03-01 00:02:");
    }
  }
}
