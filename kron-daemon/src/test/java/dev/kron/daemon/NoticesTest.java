package dev.kron.daemon;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kron.daemon.loop.Answer;
import dev.kron.daemon.loop.Request;
import dev.kron.daemon.notices.Receiver;
import dev.kron.json.Json;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Messages about jobs, from the outcome to a receiver that is really there. */
class NoticesTest {
  private static final String ALL =
      """
      [[rule]]
      jobs = ["*"]
      on = ["failed", "missed", "skipped", "unschedulable", "recovered"]
      notify = ["hook"]
      again_after = "24h"
      """;

  @TempDir Path directory;

  private TestDaemon daemon() throws Exception {
    return new TestDaemon(directory, "2026-03-01T00:00:30Z");
  }

  /** A job that fails as long as a file says so. */
  private String flaky(String name) {
    return "* * * * * name="
        + name
        + " shell=true command=\"echo last words; test ! -e "
        + directory.resolve("broken")
        + "\"";
  }

  /** Time passes until so many messages have come: a channel gathers for ten seconds. */
  private static void awaitTold(TestDaemon daemon, Receiver receiver, int count) {
    daemon.await(
        count + " messages, not " + receiver.told(),
        slowly(daemon, () -> receiver.told().size() >= count));
  }

  /** A second of the daemon's passes with every fortieth of a real one. */
  private static Condition slowly(TestDaemon daemon, Condition condition) {
    var looks = new AtomicInteger();
    return () -> {
      if (!condition.holds() && looks.incrementAndGet() % 5 == 0) {
        daemon.pass(Duration.ofSeconds(1));
      }
      return condition.holds();
    };
  }

  /** The outbox has what the job owed. */
  private static void awaitTaken(TestDaemon daemon, String job) {
    daemon.await("nothing to be owed", () -> !owes(daemon, job));
  }

  private static boolean owes(TestDaemon daemon, String job) throws Exception {
    return !daemon.stateOf(job).get("Notices").list("owed").isEmpty();
  }

  @Test
  void theFirstFailureIsToldTheNextIsNotAndTheSuccessIs() throws Exception {
    Files.writeString(directory.resolve("broken"), "");
    try (var receiver = new Receiver();
        var daemon = daemon().withApi()) {
      receiver.at(daemon.config(), ALL);
      daemon.write(flaky("backup")).start().passUntil("2026-03-01T00:01:00Z");
      daemon.awaitEntries("backup", 1);
      awaitTaken(daemon, "backup");
      awaitTold(daemon, receiver, 1);
      daemon.passUntil("2026-03-01T00:02:00Z");
      daemon.awaitEntries("backup", 2);
      Files.delete(directory.resolve("broken"));
      daemon.passUntil("2026-03-01T00:03:00Z");
      daemon.awaitEntries("backup", 3);
      awaitTaken(daemon, "backup");
      awaitTold(daemon, receiver, 2);
      assertEquals(List.of("failed backup", "recovered backup"), receiver.told());
      assertTrue(receiver.requests().getFirst().contains("last words"));
      daemon.await(
          "nothing to be left of it", () -> daemon.stateOf("backup").get("Notices").isNull());
      // A receiver knows of a message a moment before the daemon knows of its answer.
      daemon.await(
          "both to be counted",
          () ->
              daemon
                  .caller()
                  .get("/metrics")
                  .body()
                  .contains("kron_notifications_delivered_total 2.0"));
      List<Json> messages = daemon.caller().get("/v1/notify/log").tree().list("messages");
      assertTrue(messages.stream().anyMatch(it -> it.text("what").equals("failed")));
      everythingButTheReceiverIsWithoutSecrets(daemon);
    }
  }

  private void everythingButTheReceiverIsWithoutSecrets(TestDaemon daemon) throws Exception {
    assertFalse(daemon.log().contains(Receiver.SECRET));
    try (Stream<Path> files = Files.walk(daemon.statePath())) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        assertFalse(
            new String(Files.readAllBytes(file), ISO_8859_1).contains(Receiver.SECRET),
            file.toString());
      }
    }
  }

  @Test
  void whatIsOwedOutlivesTheDaemonAndComesOnce() throws Exception {
    Files.writeString(directory.resolve("broken"), "");
    try (var receiver = new Receiver();
        var daemon = daemon()) {
      receiver.at(daemon.config(), ALL);
      receiver.answer(503);
      daemon.write(flaky("backup")).start().passUntil("2026-03-01T00:01:00Z");
      daemon.awaitEntries("backup", 1);
      awaitTaken(daemon, "backup");
      daemon.await(
          "the channel to fail",
          slowly(daemon, () -> daemon.log().contains("event=channel_failed")));
      daemon.stop();
      receiver.answer(200);
      daemon.start();
      awaitTold(daemon, receiver, 1);
      Path outbox = daemon.statePath().resolve("outbox");
      daemon.await("that to be on record", () -> Files.readString(outbox).contains("DELIVERED"));
      daemon.stop();
      daemon.start().pass(Duration.ofSeconds(21));
      assertEquals(
          List.of("failed backup"),
          receiver.told(),
          () -> receiver.requests() + "\n" + daemon.log());
    }
  }

  @Test
  void aDaemonThatDiesAtAnyWriteLosesNothingAndDoublesNoId() throws Exception {
    Files.writeString(directory.resolve("broken"), "");
    for (int writes = 1; writes <= 9; writes += 4) {
      Path place = Files.createDirectory(directory.resolve("n" + writes));
      var disk = new LastWritesDisk();
      try (var receiver = new Receiver();
          var daemon = new TestDaemon(place, "2026-03-01T00:00:30Z").on(disk)) {
        receiver.at(daemon.config(), ALL);
        daemon.write(flaky("backup")).start();
        disk.dieAfter(writes);
        daemon.passUntil("2026-03-01T00:01:00Z");
        daemon.await(
            "the disk to be gone, or all written",
            slowly(daemon, () -> disk.isDead() || !receiver.told().isEmpty()));
        daemon.stop();
        disk.live();
        daemon.start();
        daemon.await("what became of it", () -> daemon.job("backup").active().isEmpty());
        if (daemon.history("backup").isEmpty()) {
          daemon.pass(Duration.ofSeconds(1));
          daemon.awaitEntries("backup", 1);
        }
        awaitTaken(daemon, "backup");
        awaitTold(daemon, receiver, 1);
        assertEquals(1, Set.copyOf(receiver.ids()).size(), receiver.requests().toString());
      }
    }
  }

  @Test
  void manyThatFailTogetherAreOneMessageAndTheirRecoveryIsOne() throws Exception {
    int jobs = 1000;
    try (var receiver = new Receiver();
        var daemon = daemon()) {
      receiver.at(daemon.config(), ALL);
      daemon.write(jobs(jobs, "cwd=/no/such command=/bin/true")).start();
      daemon.passUntil("2026-03-01T00:01:00Z");
      awaitAllTaken(daemon, jobs, 1);
      daemon.pass(Duration.ofSeconds(11));
      awaitTold(daemon, receiver, 1);
      assertEquals(List.of("list " + jobs), receiver.told());
      daemon.write(jobs(jobs, "command=/bin/true"));
      daemon.ask(new Request.Reload());
      daemon.passUntil("2026-03-01T00:02:00Z");
      awaitAllTaken(daemon, jobs, 2);
      daemon.pass(Duration.ofSeconds(11));
      awaitTold(daemon, receiver, 2);
      assertEquals(List.of("list " + jobs, "list " + jobs), receiver.told());
      assertEquals(2, Set.copyOf(receiver.ids()).size());
    }
  }

  private static String[] jobs(int count, String fields) {
    return IntStream.range(0, count)
        .mapToObj(i -> "* * * * * name=j" + i + " " + fields)
        .toArray(String[]::new);
  }

  private static void awaitAllTaken(TestDaemon daemon, int jobs, int entries) {
    Set<String> open = new LinkedHashSet<>();
    IntStream.range(0, jobs).mapToObj(i -> "j" + i).forEach(open::add);
    // As long as some of them come to their ends, a busy machine may take its time.
    while (!open.isEmpty()) {
      daemon.await(
          open.size() + " jobs to have ended, and to owe nothing: " + open,
          () -> open.removeIf(job -> isTaken(daemon, job, entries)));
    }
  }

  private static boolean isTaken(TestDaemon daemon, String job, int entries) {
    try {
      return isTaken(daemon.stateOf(job), entries);
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  private static boolean isTaken(Json state, int entries) {
    return state.list("History").size() >= entries && state.get("Notices").list("owed").isEmpty();
  }

  @Test
  void nobodyIsToldOfAMutedJobUntilTheMuteEnds() throws Exception {
    Files.writeString(directory.resolve("broken"), "");
    try (var receiver = new Receiver();
        var daemon = daemon()) {
      receiver.at(daemon.config(), ALL);
      daemon.write(flaky("backup")).start();
      long until = java.time.Instant.parse("2026-03-01T00:05:00Z").toEpochMilli();
      assertInstanceOf(
          Answer.Done.class, daemon.ask(new Request.Mute(daemon.identity("backup"), until)));
      daemon.passUntil("2026-03-01T00:01:00Z");
      daemon.awaitEntries("backup", 1);
      daemon.stop();
      daemon.start().passUntil("2026-03-01T00:04:59Z");
      daemon.awaitEntries("backup", 4);
      assertEquals(List.of(), receiver.told());
      daemon.passUntil("2026-03-01T00:05:01Z");
      daemon.pass(Duration.ofSeconds(1));
      awaitTaken(daemon, "backup");
      awaitTold(daemon, receiver, 1);
      assertEquals(List.of("failed backup"), receiver.told());
    }
  }

  @Test
  void remindersComeWhileAProblemStands() throws Exception {
    try (var receiver = new Receiver();
        var daemon = daemon()) {
      receiver.at(daemon.config(), ALL);
      daemon.write("1 0 1 3 * name=once command=/bin/false").start();
      daemon.passUntil("2026-03-01T00:01:00Z");
      daemon.awaitEntries("once", 1);
      awaitTaken(daemon, "once");
      awaitTold(daemon, receiver, 1);
      daemon.clocks.pass(Duration.ofHours(24)); // nobody saw it pass
      daemon.pass(Duration.ofSeconds(2));
      daemon.await(
          "a reminder",
          () ->
              daemon.stateOf("once").get("Notices").list("threads").stream()
                  .anyMatch(thread -> thread.number("count") == 2));
      awaitTaken(daemon, "once");
      awaitTold(daemon, receiver, 2);
      assertTrue(receiver.requests().getLast().contains("(reminder)"));
      assertEquals(2, Set.copyOf(receiver.ids()).size());
    }
  }

  @Test
  void nobodyIsRemindedOfASuspendedJobUntilItIsResumed() throws Exception {
    try (var receiver = new Receiver();
        var daemon = daemon()) {
      receiver.at(daemon.config(), ALL);
      daemon.write("1 0 1 3 * name=once command=/bin/false", "@manual name=b command=/bin/true");
      daemon.start().passUntil("2026-03-01T00:01:00Z");
      daemon.awaitEntries("once", 1);
      awaitTold(daemon, receiver, 1);
      awaitTaken(daemon, "once");
      daemon.ask(new Request.Suspend(daemon.identity("once")));
      passDays(daemon, 1);
      daemon.stop();
      daemon.start();
      passDays(daemon, 2);
      assertEquals(1, count(daemon, "once"));
      daemon.ask(new Request.Resume(daemon.identity("once")));
      daemon.await("a reminder", () -> count(daemon, "once") == 2);
      awaitTaken(daemon, "once");
      awaitTold(daemon, receiver, 2);
      assertTrue(receiver.requests().getLast().contains("(reminder)"));
      daemon.write("1 0 1 3 * @policy(suspend=true) name=once command=/bin/false");
      daemon.ask(new Request.Reload());
      passDays(daemon, 1);
      assertEquals(2, count(daemon, "once"));
    }
  }

  /** Days pass, and the daemon has looked at its timers since. */
  private static void passDays(TestDaemon daemon, int days) throws Exception {
    daemon.clocks.pass(Duration.ofDays(days));
    daemon.pass(Duration.ofSeconds(2));
    for (boolean suspend : new boolean[] {true, false}) {
      String other = daemon.identity("b");
      daemon.ask(suspend ? new Request.Suspend(other) : new Request.Resume(other));
    }
  }

  /** How many messages the job's problem has had. */
  private static long count(TestDaemon daemon, String job) throws Exception {
    return daemon.stateOf(job).get("Notices").list("threads").getFirst().number("count");
  }

  @Test
  void startSuccessAndFailureArePinged() throws Exception {
    Files.writeString(directory.resolve("broken"), "");
    try (var receiver = new Receiver();
        var daemon = daemon()) {
      receiver.at(
          daemon.config(),
          """
          [channel.life]
          type = "ping"
          profile = "life"

          [[rule]]
          jobs = ["*"]
          on = ["failed"]
          notify = ["life"]
          """);
      Files.writeString(
          daemon.config().resolve("notify.toml"),
          Files.readString(daemon.config().resolve("notify.toml"))
              .replaceFirst("(?s)^.*?lines = 3\n", ""));
      daemon.write(flaky("a")).start().passUntil("2026-03-01T00:01:00Z");
      daemon.awaitEntries("a", 1);
      daemon.await("two pings", () -> receiver.requests().size() == 2);
      assertEquals(List.of("/ping/a/start ", "/ping/a/1 "), receiver.requests());
      Files.delete(directory.resolve("broken"));
      daemon.passUntil("2026-03-01T00:02:00Z");
      daemon.await("four pings", () -> receiver.requests().size() == 4);
      assertEquals("/ping/a ", receiver.requests().getLast());
      assertEquals(List.of(), receiver.told(), "a ping takes no messages");
      assertTrue(daemon.stateOf("a").get("Notices").list("owed").isEmpty());
      assertFalse(daemon.log().contains("event=channel_failed"));
    }
  }

  @Test
  void aReloadBringsAndTakesChannels() throws Exception {
    try (var receiver = new Receiver();
        var daemon = daemon()) {
      daemon.write("* * * * * name=a command=/bin/false").start();
      assertInstanceOf(Answer.Refused.class, daemon.ask(new Request.Mute(daemon.identity("a"), 5)));
      daemon.passUntil("2026-03-01T00:01:00Z");
      daemon.awaitEntries("a", 1);
      receiver.at(daemon.config(), ALL);
      List<String> coming = List.of("channel hook is new", "the rules change");
      for (boolean dryRun : new boolean[] {true, false}) {
        var plan = assertInstanceOf(Answer.Plan.class, daemon.ask(new Request.Reload(dryRun)));
        assertEquals(coming, plan.notices());
      }
      daemon.passUntil("2026-03-01T00:02:00Z");
      daemon.awaitEntries("a", 2);
      awaitTaken(daemon, "a");
      awaitTold(daemon, receiver, 1);
      Files.writeString(daemon.config().resolve("notify.toml"), "[channel.x]\n");
      assertInstanceOf(Answer.Refused.class, daemon.ask(new Request.Reload()));
      Files.delete(daemon.config().resolve("notify.toml"));
      var plan = assertInstanceOf(Answer.Plan.class, daemon.ask(new Request.Reload()));
      assertEquals(
          List.of("channel hook goes, with what waits for it", "the rules change"), plan.notices());
    }
  }
}
