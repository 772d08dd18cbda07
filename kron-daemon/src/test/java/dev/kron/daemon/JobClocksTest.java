package dev.kron.daemon;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kron.daemon.loop.Request;
import dev.kron.daemon.notices.Receiver;
import dev.kron.job.ActiveRun;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The clocks that watch jobs, and what is told of services and of the daemon itself. */
final class JobClocksTest {
  private static final String JOBS =
      """
      [[rule]]
      jobs = ["*"]
      on = ["late", "long", "short", "silent", "missed", "recovered"]
      notify = ["hook"]
      """;

  @TempDir Path directory;

  private TestDaemon daemon() throws Exception {
    return new TestDaemon(directory, "2026-03-01T00:00:30Z");
  }

  /** Time passes until all of this was told: a channel gathers for ten seconds. */
  private static void awaitTold(TestDaemon daemon, Receiver receiver, String... messages) {
    awaitTold(daemon, receiver, told -> told.equals(List.of(messages)));
  }

  private static void awaitTold(
      TestDaemon daemon, Receiver receiver, Predicate<List<String>> expected) {
    var looks = new AtomicInteger();
    daemon.await(
        "what is told, not " + receiver.told(),
        () -> {
          boolean told = expected.test(receiver.told());
          if (!told && looks.incrementAndGet() % 15 == 0) {
            daemon.pass(Duration.ofSeconds(1));
          }
          return told;
        });
  }

  @Test
  void aRunThatTakesLongerThanExpectedIsToldOnceAndItsEndIsToo() throws Exception {
    Path go = directory.resolve("go");
    try (var receiver = new Receiver();
        var daemon = daemon()) {
      receiver.at(daemon.config(), JOBS);
      daemon
          .write(
              "0 * * * * name=slow expect=10m shell=true command=\"while [ ! -e %s ]; do sleep"
                      .formatted(go)
                  + " 0.05; done\"")
          .start()
          .passUntil("2026-03-01T01:00:01Z");
      daemon.await(
          "it to run", () -> daemon.job("slow").active().stream().anyMatch(run -> run.pid() != 0));
      daemon.passUntil("2026-03-01T01:10:05Z");
      awaitTold(daemon, receiver, "long slow");
      assertTrue(
          receiver.requests().getFirst().contains("still running after 10m0s"),
          receiver.requests()::toString);
      Files.writeString(go, "");
      daemon.awaitEntries("slow", 1);
      awaitTold(daemon, receiver, "long slow", "recovered slow");
    }
  }

  /** Nobody is reminded for days of a run that was ended because of the first message. */
  @Test
  void aLongRunThatAnOperatorEndsIsToldAsEndedAndIsNoFailureToAnybody() throws Exception {
    try (var receiver = new Receiver();
        var daemon = daemon()) {
      receiver.at(
          daemon.config(),
          JOBS.replace("\"hook\"", "\"hook\", \"life\""),
          "[channel.life]\ntype = \"ping\"\nprofile = \"life\"");
      daemon
          .write("0 * * * * name=slow expect=10m command=\"/bin/sleep 1000\"")
          .start()
          .passUntil("2026-03-01T01:00:01Z");
      daemon.await(
          "it to run", () -> daemon.job("slow").active().stream().anyMatch(run -> run.pid() != 0));
      daemon.passUntil("2026-03-01T01:10:05Z");
      awaitTold(daemon, receiver, "long slow");
      daemon.ask(new Request.EndRuns(daemon.identity("slow"), null, "ada", null));
      daemon.awaitEntries("slow", 1);
      awaitTold(daemon, receiver, "long slow", "recovered slow");
      assertEquals(
          List.of("/ping/slow/start "),
          receiver.requests().stream().filter(each -> each.startsWith("/ping/")).toList());
    }
  }

  @Test
  void aRunThatBeganLateOrWasOverTooSoonIsTold() throws Exception {
    try (var receiver = new Receiver();
        var daemon = daemon()) {
      receiver.at(daemon.config(), JOBS);
      daemon
          .write(
              "0 * * * * @policy(deadline=1h) name=tardy late=1m command=/bin/true",
              "10 1 * * * name=hasty least=1m command=/bin/true")
          .start()
          .pass(Duration.ofSeconds(2));
      daemon.stop();
      daemon.clocks.set("2026-03-01T01:05:00Z");
      daemon.clocks.pass(Duration.ofSeconds(1));
      daemon.start();
      daemon.awaitEntries("tardy", 1);
      awaitTold(daemon, receiver, "late tardy", "recovered tardy");
      daemon.passUntil("2026-03-01T01:10:01Z");
      daemon.awaitEntries("hasty", 1);
      awaitTold(daemon, receiver, "late tardy", "recovered tardy", "short hasty");
    }
  }

  @Test
  void aJobWithoutASuccessForSoLongIsToldAlsoAfterARestartAndNotWhileItIsSuspended()
      throws Exception {
    try (var receiver = new Receiver();
        var daemon = daemon()) {
      receiver.at(daemon.config(), JOBS);
      daemon
          .write(
              "@manual name=backup silent=26h command=/bin/true",
              "@manual @policy(suspend=true) name=asleep silent=1h command=/bin/true")
          .start()
          .pass(Duration.ofSeconds(5));
      daemon.stop();
      daemon.clocks.pass(Duration.ofHours(25));
      daemon.start();
      daemon.clocks.pass(Duration.ofMinutes(55));
      daemon.pass(Duration.ofSeconds(2));
      assertEquals(List.of(), receiver.told());
      daemon.clocks.pass(Duration.ofMinutes(6));
      awaitTold(daemon, receiver, "silent backup");
      daemon.ask(new Request.Trigger(daemon.identity("backup")));
      daemon.awaitEntries("backup", 1);
      awaitTold(daemon, receiver, "silent backup", "recovered backup");
    }
  }

  @Test
  void aJobThatWasSuspendedIsSilentSoLongAfterItWasResumedAlsoAfterARestart() throws Exception {
    try (var receiver = new Receiver();
        var daemon = daemon()) {
      receiver.at(daemon.config(), JOBS);
      daemon
          .write(
              "@manual name=backup silent=26h command=/bin/true",
              "@manual name=other command=/bin/true")
          .start();
      daemon.ask(new Request.Suspend(daemon.identity("backup")));
      daemon.clocks.pass(Duration.ofHours(100));
      daemon.ask(new Request.Resume(daemon.identity("backup")));
      daemon.clocks.pass(Duration.ofHours(25));
      daemon.stop();
      daemon.start().pass(Duration.ofSeconds(15));
      daemon.ask(new Request.Trigger(daemon.identity("other")));
      daemon.awaitEntries("other", 1); // what was to be written before that is
      assertTrue(daemon.stateOf("backup").get("Notices").isNull(), "nothing is owed");
      daemon.clocks.pass(Duration.ofHours(1));
      awaitTold(daemon, receiver, "silent backup");
    }
  }

  @Test
  void aSuccessBeforeTheHistoryBeginsKeepsAJobFromBeingSilent() throws Exception {
    Path broken = directory.resolve("broken");
    try (var receiver = new Receiver();
        var daemon = daemon().keeping(1, 1 << 20)) {
      receiver.at(daemon.config(), JOBS);
      daemon
          .write("@manual name=backup silent=26h shell=true command=\"test ! -e " + broken + "\"")
          .start();
      daemon.clocks.pass(Duration.ofHours(20));
      daemon.ask(new Request.Trigger(daemon.identity("backup")));
      daemon.awaitEntries("backup", 1);
      Files.writeString(broken, "");
      for (int run = 0; run < 2; run++) {
        daemon.ask(new Request.Trigger(daemon.identity("backup")));
        daemon.await("its end", () -> daemon.job("backup").active().isEmpty());
      }
      daemon.stop();
      daemon.clocks.pass(Duration.ofHours(20));
      daemon.start().pass(Duration.ofSeconds(30));
      assertEquals(List.of(), receiver.told());
      daemon.clocks.pass(Duration.ofHours(6));
      awaitTold(daemon, receiver, "silent backup");
    }
  }

  @Test
  void aRunThatWaitsForTheOneItReplacesIsLateOnce() throws Exception {
    Path began = directory.resolve("began");
    Path over = directory.resolve("over");
    try (var receiver = new Receiver();
        var daemon = daemon()) {
      receiver.at(daemon.config(), JOBS);
      daemon
          .write(
              "* * * * * @policy(concurrency=replace) name=slow late=5s shell=true"
                  + " command=\"trap '' TERM; echo >>%s; while [ ! -e %s ]; do sleep 0.05; done\""
                      .formatted(began, over))
          .start()
          .passUntil("2026-03-01T00:01:00Z");
      daemon.await("its first run", () -> Files.exists(began));
      daemon.await(
          "that to be on record",
          () -> daemon.job("slow").active().getFirst().phase() == ActiveRun.Phase.STARTED);
      daemon.passUntil("2026-03-01T00:02:00Z");
      daemon.await("a run that waits", () -> daemon.job("slow").active().size() == 2);
      daemon.passUntil("2026-03-01T00:02:06Z");
      assertEquals(1, Files.readAllLines(began).size());
      awaitTold(daemon, receiver, "late slow");
      // Step by step, so that the first run has the time to end that it is given.
      var looks = new AtomicInteger();
      daemon.await(
          "the other run",
          () -> {
            if (looks.incrementAndGet() % 15 == 0) {
              daemon.pass(Duration.ofSeconds(1));
            }
            return Files.readAllLines(began).size() == 2;
          });
      daemon.pass(Duration.ofSeconds(15));
      assertEquals(List.of("late slow"), receiver.told());
      Files.writeString(over, "");
      awaitTold(daemon, receiver, "late slow", "recovered slow");
    }
  }

  @Test
  void aServiceThatDoesNotStayUpIsToldOfOnceAndWhenItStays() throws Exception {
    Path mended = directory.resolve("mended");
    try (var receiver = new Receiver();
        var daemon = daemon()) {
      receiver.at(
          daemon.config(),
          """
          [[rule]]
          services = ["*"]
          on = ["failed", "flapping", "recovered"]
          notify = ["hook"]
          """);
      daemon
          .service(
              "web",
              "[service]",
              "exec = \"/bin/sh -c '[ -e %s ] && exec sleep 1000'\"".formatted(mended),
              "[lifecycle]",
              "restart = \"always\"",
              "restart_delay_ms = 1000",
              "restart_delay_max_ms = 1000",
              "max_restarts = 1000",
              "min_uptime_ms = 3000")
          .write("@manual name=a command=/bin/true")
          .start();
      awaitTold(daemon, receiver, "flapping web");
      assertTrue(daemon.instance("web", 0).restartCount() >= 3);
      daemon.pass(Duration.ofSeconds(6));
      assertEquals(List.of("flapping web"), receiver.told());
      Files.writeString(mended, "");
      awaitTold(daemon, receiver, "flapping web", "recovered web");
    }
  }

  @Test
  void servicesThatFailAndADaemonThatIsNotWellAreTold() throws Exception {
    Path broken = directory.resolve("broken");
    Files.writeString(broken, "");
    try (var receiver = new Receiver();
        var daemon = daemon()) {
      receiver.at(
          daemon.config(),
          """
          [[rule]]
          services = ["w*"]
          on = ["failed", "flapping", "recovered"]
          notify = ["hook"]

          [[rule]]
          daemon = true
          on = ["unhealthy", "recovered"]
          notify = ["hook"]
          """);
      daemon
          .service(
              "web",
              "[service]",
              "exec = \"/bin/sh -c '[ ! -e %s ] && exec sleep 1000'\"".formatted(broken),
              "[lifecycle]",
              "restart = \"never\"")
          .write("@manual name=a command=/bin/true")
          .start()
          .awaitState("web", "failed");
      awaitTold(daemon, receiver, "failed web");
      Files.delete(broken);
      daemon.ask(new dev.kron.daemon.loop.ServiceRequest.Start(List.of("web")));
      daemon.awaitState("web", "running");
      awaitTold(daemon, receiver, "failed web", "recovered web");
      daemon.write("not a krontab");
      daemon.ask(new Request.Reload());
      awaitTold(daemon, receiver, "failed web", "recovered web", "unhealthy krond");
      daemon.write("@manual name=a command=/bin/true");
      daemon.ask(new Request.Reload());
      awaitTold(
          daemon, receiver, "failed web", "recovered web", "unhealthy krond", "recovered krond");
    }
  }

  /** Nobody is reminded of a service that was stopped or removed because it failed. */
  @Test
  void aFailedServiceThatIsNotWantedAnyMoreIsNoProblem() throws Exception {
    try (var receiver = new Receiver();
        var daemon = daemon()) {
      receiver.at(
          daemon.config(),
          """
          [[rule]]
          services = ["*"]
          on = ["failed", "recovered"]
          notify = ["hook"]
          """);
      for (String name : List.of("gone", "stopped")) {
        daemon.service(
            name, "[service]", "exec = \"/bin/false\"", "[lifecycle]", "restart = \"never\"");
      }
      daemon
          .write("@manual name=a command=/bin/true")
          .start()
          .awaitState("gone", "failed")
          .awaitState("stopped", "failed");
      awaitTold(
          daemon, receiver, told -> told.containsAll(List.of("failed gone", "failed stopped")));
      daemon.ask(new dev.kron.daemon.loop.ServiceRequest.Stop(List.of("stopped")));
      Files.delete(daemon.config().resolve("gone.toml"));
      daemon.ask(new Request.Reload());
      awaitTold(
          daemon,
          receiver,
          told -> told.containsAll(List.of("recovered gone", "recovered stopped")));
      assertTrue(
          receiver.requests().stream().anyMatch(each -> each.contains("is no problem any more")),
          receiver.requests()::toString);
    }
  }
}
