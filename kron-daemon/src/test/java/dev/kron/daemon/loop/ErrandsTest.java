package dev.kron.daemon.loop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kron.daemon.FailingDisk;
import dev.kron.daemon.TestDaemon;
import dev.kron.daemon.log.EventLog;
import dev.kron.daemon.log.Faults;
import dev.kron.daemon.loop.Errands.Place;
import dev.kron.daemon.notices.Receiver;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Every kind of work that the daemon hands to a thread throws something the first time it is begun,
 * and everybody who waits for it is answered all the same.
 */
final class ErrandsTest {
  @TempDir Path directory;

  /** The daemon's own threads, on which each kind of work fails once. */
  private static final class FaultyWorkers implements Background {
    private final Set<String> reached;
    private final Background workers = new Workers();

    FaultyWorkers(Set<String> reached) {
      this.reached = reached;
    }

    @Override
    public void reached(String place) {
      if (reached.add(place)) {
        switch (reached.size() % 4) {
          case 0 -> throw new IllegalStateException("a test's, at " + place);
          case 1 -> throw new StackOverflowError("a test's, at " + place);
          case 2 -> throw new NoClassDefFoundError("a test's, at " + place);
          default -> throw new OutOfMemoryError("a test's, at " + place);
        }
      }
    }

    @Override
    public void execute(Runnable task) {
      workers.execute(task);
    }

    @Override
    public void execute(String user, Runnable task) {
      workers.execute(user, task);
    }

    @Override
    public void ahead(String user, Runnable task) {
      workers.ahead(user, task);
    }

    @Override
    public void after(long millis, Runnable task) {
      workers.after(millis, task);
    }

    @Override
    public boolean byHand() {
      return false;
    }

    @Override
    public RandomGenerator random() {
      return workers.random();
    }

    @Override
    public void close() {
      workers.close();
    }
  }

  /** Until it is closed: what nobody accepts fills the queue of the port, and later checks wait. */
  private static void answerAll(ServerSocket port) {
    try {
      while (true) {
        port.accept().close();
      }
    } catch (IOException e) {
      // The test is over.
    }
  }

  private static void service(TestDaemon daemon, String name, String check) throws Exception {
    daemon.service(
        name,
        "[service]",
        "exec = \"/bin/sh -c 'yes | head -c 300000; exec sleep 1000'\"",
        "[lifecycle]",
        "start_timeout_ms = 100000000",
        "stop_timeout_ms = 100000000",
        "restart = \"always\"",
        "[health]",
        check,
        "timeout_ms = 100000",
        "[log]",
        "max_size = \"64KiB\"");
  }

  @Test
  void everyPieceOfWorkIsAnsweredWhateverItThrows() throws Exception {
    Set<String> reached = ConcurrentHashMap.newKeySet();
    var disk = new FailingDisk(1);
    Path alerted = directory.resolve("alerted");
    try (var port = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
        var receiver = new Receiver();
        var daemon =
            new TestDaemon(directory, "2026-03-01T00:00:30Z")
                .withApi()
                .on(disk)
                .keeping(2, 1L << 30)
                .onFailure("/bin/sh", "-c", "echo alert >>" + alerted)
                .onFailureLimit(Duration.ofSeconds(5))
                .background(() -> new FaultyWorkers(reached))) {
      Thread.ofVirtual().start(() -> answerAll(port));
      receiver.at(
          daemon.file.resolveSibling("."),
          "[[rule]]",
          "jobs = [\"bad\"]",
          "on = [\"failed\"]",
          "notify = [\"hook\"]");
      service(daemon, "checked", "exec = \"true\"");
      service(daemon, "asked", "tcp = \"127.0.0.1:" + port.getLocalPort() + "\"");
      daemon
          .write(
              "* * * * * name=a command=/bin/true",
              "* * * * * name=b command=/bin/true",
              "* * * * * name=c command=/bin/true",
              "* * * * * name=bad command=/bin/false",
              "0 0 1 1 * name=endless timeout=5s command=\"/bin/sleep 1000\"",
              "0 0 1 1 * name=longer command=\"/bin/sleep 1000\"")
          .start();
      runs(daemon, reached);
      assertTrue(Files.exists(alerted));
      requests(daemon, reached);
      troubleWithTheDisk(daemon, disk);
      services(daemon);
      daemon.keepHouse();
      daemon.stop();

      daemon.start();
      daemon.passUntil("2026-03-01T00:20:00Z");
      awaitIdle(daemon, "a");
      daemon.awaitState("checked", "running");
      daemon.keepHouse();
      assertInstanceOf(Answer.Done.class, daemon.ask(new ServiceRequest.Stop(List.of("checked"))));
      daemon.awaitState("checked", "exited");

      daemon.await("somebody to be told", () -> !receiver.told().isEmpty());
      daemon.await("the limit of an alert", () -> reached.contains(Place.END_ALERT.text()));
      daemon.await("a log to be rotated", () -> reached.contains(Place.ROTATE_LOG.text()));
      // Work for a fleet comes up only in a daemon that belongs to one.
      Set<String> all =
          Arrays.stream(Place.values())
              .filter(place -> place != Place.TEND_FLEET)
              .map(Place::text)
              .collect(Collectors.toCollection(TreeSet::new));
      assertEquals(
          all,
          new TreeSet<>(reached),
          "a kind of work that this test does not come to: add what does, and what must come of"
              + " it");
      daemon.await(
          "no fault to stand",
          () -> daemon.caller().get("/metrics").body().contains("kron_faults 0.0"));
    }
  }

  private static void awaitIdle(TestDaemon daemon, String name) {
    daemon.await(name + " to have no run", () -> daemon.job(name).active().isEmpty());
  }

  private static void awaitEnds(TestDaemon daemon, String name, int count) {
    daemon.await(
        count + " ends of " + name,
        () ->
            daemon
                    .log()
                    .lines()
                    .filter(line -> line.contains("jobs:" + name + " "))
                    .filter(line -> line.matches(".* event=run_(ended|not_started) .*"))
                    .count()
                >= count);
  }

  /** Their first write throws, and so does the first probe; nothing begins before the second. */
  private static void awaitSavedServices(TestDaemon daemon) {
    daemon.pass(Duration.ofSeconds(1));
    daemon.await(
        "the first write to fail", () -> daemon.log().contains("event=persistence_failed"));
    var looks = new AtomicInteger();
    daemon.await(
        "a probe to succeed",
        () -> {
          if (looks.getAndIncrement() % 40 == 0) {
            daemon.pass(Duration.ofSeconds(1)); // slowly: the first minute has not come
          }
          return daemon.log().contains("event=persistence_restored");
        });
  }

  private static void runs(TestDaemon daemon, Set<String> reached) throws Exception {
    awaitSavedServices(daemon);
    daemon.passUntil("2026-03-01T00:00:55Z"); // made ready, where the machine has time
    assertInstanceOf(Answer.Plan.class, retried(daemon, new Request.Reload())); // let go
    for (int minute = 1; minute <= 4; minute++) {
      daemon.passUntil("2026-03-01T00:0" + minute + ":00Z");
      for (String name : List.of("a", "b", "c", "bad")) {
        awaitEnds(daemon, name, minute);
      }
    }
    assertTrue(daemon.log().contains("event=run_not_started"), "one start threw before it began");
    daemon.passUntil("2026-03-01T00:04:50Z");
    daemon.await(
        "a run that was made ready to be let go",
        () -> {
          if (!reached.contains(Place.DISCARD_RUN.text())) {
            daemon.pass(Duration.ofSeconds(1));
            assertInstanceOf(Answer.Plan.class, retried(daemon, new Request.Reload()));
          }
          return reached.contains(Place.DISCARD_RUN.text());
        });
    daemon.passUntil("2026-03-01T00:05:00Z"); // and nothing is being made ready any more
    for (String name : List.of("a", "b", "c", "bad")) {
      awaitEnds(daemon, name, 5);
    }
    assertInstanceOf(
        Answer.Done.class, daemon.ask(new Request.Trigger(daemon.identity("endless"))));
    daemon.await(
        "its beginning",
        () -> daemon.job("endless").active().stream().anyMatch(run -> run.pid() > 0));
    daemon.pass(Duration.ofSeconds(6));
    awaitIdle(daemon, "endless");
    assertInstanceOf(Answer.Done.class, daemon.ask(new Request.Trigger(daemon.identity("longer"))));
  }

  /** Refused with the reason, once for each kind of work that is in it; then done. */
  private static Answer retried(TestDaemon daemon, Request request) throws Exception {
    Answer reply = daemon.ask(request);
    for (int i = 0; i < 3 && reply instanceof Answer.Refused refused; i++) {
      assertTrue(refused.reason().contains("an error of the daemon itself: "), refused.reason());
      reply = daemon.ask(request);
    }
    return reply;
  }

  private static void look(TestDaemon daemon) {
    try {
      daemon.caller().get("/v1/status");
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private static void requests(TestDaemon daemon, Set<String> reached) throws Exception {
    Files.writeString(
        daemon.file, Files.readString(daemon.file) + "0 0 * * * name=new command=/bin/true\n");
    retried(daemon, new Request.Reload()); // its arrival
    retried(daemon, new Request.Forget(daemon.identity("a")));
    daemon.await(
        "a look so soon after another that it waits",
        () -> {
          var askers = new java.util.ArrayList<Thread>();
          for (int i = 0; i < 8; i++) {
            askers.add(Thread.ofVirtual().start(() -> look(daemon)));
          }
          for (Thread asker : askers) {
            asker.join();
          }
          return reached.contains(Place.LOOK_AT_JOBS.text());
        });
    assertEquals(200, daemon.caller().get("/v1/status").status());
    assertTrue(daemon.caller().get("/v1/overview").tree().is("complete"));
    assertEquals(200, daemon.caller().get("/v1/load").status());
    daemon.await(
        "starts to be counted", () -> daemon.caller().get("/v1/load").tree().is("complete"));
  }

  private static void troubleWithTheDisk(TestDaemon daemon, FailingDisk disk) throws Exception {
    disk.begin(FailingDisk.Trouble.FULL);
    daemon.passUntil("2026-03-01T00:06:00Z");
    daemon.await("it to be noticed", () -> daemon.log().contains("event=persistence_failed"));
    daemon.pass(Duration.ofSeconds(5));
    disk.end();
    daemon.await(
        "it to be over",
        () -> {
          daemon.pass(Duration.ofSeconds(1));
          return daemon.log().contains("event=persistence_restored");
        });
  }

  private static void services(TestDaemon daemon) throws Exception {
    // Their first start could not be saved; they come up by themselves.
    for (String name : List.of("checked", "asked")) {
      daemon.await(
          name + " to be up",
          () -> {
            daemon.pass(Duration.ofSeconds(1));
            return daemon.state(name).equals("running");
          });
    }
    var restart = new ServiceRequest.Restart(List.of("asked"));
    daemon.await(
        "services to be writable again, too",
        () -> {
          daemon.pass(Duration.ofSeconds(1));
          return daemon.ask(restart) instanceof Answer.Done;
        });
    daemon.await(
        "it to be up again",
        () -> {
          daemon.pass(Duration.ofSeconds(1));
          return daemon.state("asked").equals("running");
        });
  }

  @Test
  void aThreadOutlivesWhatItsTurnThrowsAndStatusTellsUntilItWorksAgain() throws Exception {
    var faults = new dev.kron.daemon.log.Faults();
    var out = new java.io.ByteArrayOutputStream();
    var log =
        new EventLog(
            out, EventLog.Format.TEXT, EventLog.Level.INFO, java.time.Instant::now, false, null);
    var turns = new java.util.concurrent.SynchronousQueue<Runnable>();
    try (var errands = new Errands(new Workers(), faults, log)) {
      Thread thread =
          errands.tend(
              "part",
              () -> {
                turns.take().run();
                return true;
              });
      turns.put(
          () -> {
            throw new StackOverflowError("a test's");
          });
      await(() -> faults.standing().size() == 1);
      assertEquals("part", faults.standing().getFirst().component());
      await(
          () ->
              out.toString(java.nio.charset.StandardCharsets.UTF_8)
                  .contains("event=internal_error part=part"));
      turns.put(() -> {});
      await(() -> faults.standing().isEmpty());
      assertEquals(1, faults.raised());
      thread.interrupt();
      thread.join();
    }
  }

  private static void await(java.util.function.BooleanSupplier condition) {
    long end = System.nanoTime() + Duration.ofSeconds(30).toNanos();
    while (!condition.getAsBoolean()) {
      assertFalse(System.nanoTime() > end, "waited in vain");
      java.util.concurrent.locks.LockSupport.parkNanos(1_000_000);
    }
  }

  @Test
  void anAnswerThatCannotBeGivenIsGivenOnceThatWorks() {
    var faults = new Faults();
    var answers = new HashSet<String>();
    try (var errands = new Errands(new Workers(), faults, log())) {
      errands.execute(
          Place.START_RUN,
          () -> {
            throw new IllegalStateException("first");
          },
          thrown -> {
            synchronized (answers) {
              if (answers.add("tried")) {
                throw new OutOfMemoryError("a test's");
              }
              answers.add(String.valueOf(thrown.getMessage()));
            }
          });
      await(
          () -> {
            synchronized (answers) {
              return answers.contains("first");
            }
          });
      await(() -> faults.standing().isEmpty());
    }
  }

  private static EventLog log() {
    return new EventLog(
        OutputStream.nullOutputStream(),
        EventLog.Format.TEXT,
        EventLog.Level.INFO,
        Instant::now,
        false,
        null);
  }

  /** Its answer would put on record that a start failed which the next daemon will try. */
  @Test
  void workThatIsRejectedBecauseTheDaemonLeavesIsNotAnswered() {
    var faults = new Faults();
    var answers = new ArrayList<Throwable>();
    var rejected = new RejectedExecutionException("closed");
    Runnable work =
        () -> {
          throw rejected;
        };
    try (var errands = new Errands(new Workers(), faults, log())) {
      errands.now(Place.START_SERVICE, work, answers::add);
      assertEquals(List.of(rejected), answers, "nobody leaves yet");
      answers.clear();
      errands.leave();
      errands.now(Place.START_SERVICE, work, answers::add);
    }
    assertEquals(List.of(), answers);
    assertTrue(faults.standing().isEmpty());
  }
}
