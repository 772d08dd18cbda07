package dev.kron.daemon;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kron.daemon.loop.Request;
import dev.kron.job.HistoryEntry;
import dev.kron.job.Outcome;
import dev.kron.process.Exits;
import dev.kron.process.LaunchResult;
import dev.kron.process.LinuxProcesses;
import dev.kron.process.Processes;
import dev.kron.process.Run;
import dev.kron.process.Stage;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** TERM to the whole group, ten seconds, KILL: for timeouts, replacements and stops alike. */
final class EndingRunsTest {
  @TempDir Path directory;

  private TestDaemon daemon() throws Exception {
    return new TestDaemon(directory, "2026-05-04T11:59:58Z");
  }

  private Path file(String name) {
    return directory.resolve(name);
  }

  /** A command that notes TERM and stays, and so does the process it starts in its group. */
  private String stubborn() {
    return "shell=true command=\"trap '' TERM; sleep 600 & trap ': >%s' TERM; echo $$ $! > %s.new; mv %s.new %s; while :; do wait $!; done\""
        .formatted(file("told"), file("pids"), file("pids"), file("pids"));
  }

  private void awaitTerm(TestDaemon daemon) {
    daemon.await("TERM", () -> Files.exists(file("told")));
  }

  private long[] pids(TestDaemon daemon) throws Exception {
    daemon.await("two processes", () -> Files.exists(file("pids")));
    String[] words = Files.readString(file("pids")).strip().split(" ");
    return new long[] {Long.parseLong(words[0]), Long.parseLong(words[1])};
  }

  /** When the loop has answered twice, it has acted on what it has told of. */
  private static void settle(TestDaemon daemon) throws Exception {
    daemon.ask(new Request.Suspend("nobody"));
    daemon.ask(new Request.Suspend("nobody"));
  }

  private static void assertGone(TestDaemon daemon, long[] pids) {
    for (long pid : pids) {
      daemon.await("the end of " + pid, () -> !TestProcesses.lives(pid));
    }
  }

  @Test
  void whatIgnoresTermIsKilledAfterTenSecondsWithItsWholeGroup() throws Exception {
    try (var daemon = daemon()) {
      daemon
          .write("0 * * * * name=deaf timeout=10m " + stubborn())
          .start()
          .pass(Duration.ofSeconds(3));
      long[] pids = pids(daemon);
      // Its time began when its process did, which on a slow machine is a while ago.
      daemon.pass(Duration.ofMinutes(9));
      daemon.await(
          "it is told to end",
          () -> {
            daemon.pass(Duration.ofSeconds(1));
            return daemon.log().contains("event=run_ending");
          });
      awaitTerm(daemon);
      daemon.pass(Duration.ofSeconds(7));
      assertTrue(TestProcesses.lives(pids[0]), "it has ten seconds");
      // Its time began when TERM had been sent, which may be only now.
      daemon.await(
          "its end",
          () -> {
            daemon.pass(Duration.ofSeconds(1));
            return !TestProcesses.lives(pids[0]);
          });
      HistoryEntry entry = daemon.awaitEntries("deaf", 1);
      assertEquals(Outcome.EXECUTED, entry.outcome());
      assertEquals(137, entry.exitCode());
      assertEquals("timed out", entry.reason());
      assertGone(daemon, pids);
    }
  }

  @Test
  void aTimeoutThatFellDueWhileNoDaemonWasThereIsEnforcedByTheNext() throws Exception {
    try (var daemon = daemon()) {
      daemon
          .write("0 * * * * name=long timeout=1s command=\"sleep 600\"")
          .start()
          .passUntil("2026-05-04T12:00:00Z"); // no further: this clock stands still
      daemon.await("it runs", () -> daemon.log().contains("event=run_started"));
      assertEquals(0, daemon.stop());
      long later = System.nanoTime() + Duration.ofMillis(1200).toNanos();
      daemon.await("more than its second", () -> System.nanoTime() - later > 0);
      daemon.start();
      HistoryEntry entry = daemon.awaitEntries("long", 1);
      assertEquals("timed out", entry.reason());
      assertEquals(143, entry.exitCode());
    }
  }

  @Test
  void aStopIsInTheLedgerToTheSecond() throws Exception {
    try (var daemon = daemon()) {
      daemon.start().pass(Duration.ofSeconds(7));
      assertEquals(0, daemon.stop());
      String last = Files.readAllLines(daemon.statePath().resolve("ledger")).getLast();
      assertEquals("down " + daemon.clocks.now().truncatedTo(ChronoUnit.SECONDS), last);
    }
  }

  @Test
  void aTimeoutOfLessThanAMillisecondIsOneAllTheSame() throws Exception {
    try (var daemon = daemon()) {
      daemon
          .write("0 * * * * name=short timeout=1us command=\"sleep 600\"")
          .start()
          .passUntil("2026-05-04T12:00:00Z");
      HistoryEntry entry = daemon.awaitEntries("short", 1);
      assertEquals("timed out", entry.reason());
    }
  }

  @Test
  void aStopThatEndsEverythingKillsWhatIgnoresTermAndRecordsIt() throws Exception {
    assertEquals(137, stopped(daemon(), Duration.ofSeconds(11), Duration.ofSeconds(60)).exitCode());
  }

  @Test
  void aStopWithLittleTimeKillsWithinIt() throws Exception {
    TestDaemon hurried = daemon().stopTimeout(Duration.ofSeconds(6));
    assertEquals(137, stopped(hurried, Duration.ofSeconds(4), Duration.ofMillis(1500)).exitCode());
  }

  /**
   * @param atMost how much later it may be killed, where TERM is known to have been sent only after
   *     that time
   */
  private HistoryEntry stopped(TestDaemon daemon, Duration killedWithin, Duration atMost)
      throws Exception {
    try (daemon) {
      daemon.write("0 * * * * name=deaf " + stubborn()).start().pass(Duration.ofSeconds(3));
      long[] pids = pids(daemon);
      daemon.ask(Request.Stop.END_JOBS);
      daemon.await("it is told to end", () -> daemon.log().contains("event=run_ending"));
      awaitTerm(daemon);
      daemon.clocks.pass(killedWithin);
      long begin = System.nanoTime();
      var later = new AtomicLong();
      daemon.await(
          "its end",
          () -> {
            long due = (System.nanoTime() - begin) / 2_000_000_000L * 500;
            if (due > later.get() && due <= atMost.toMillis()) {
              daemon.clocks.pass(Duration.ofMillis(due - later.getAndSet(due)));
            }
            return !TestProcesses.lives(pids[0]);
          });
      assertEquals(0, daemon.awaitEnd());
      assertGone(daemon, pids);
      HistoryEntry entry = daemon.history("deaf").getFirst();
      assertEquals("stopped", entry.reason());
      return entry;
    }
  }

  @Test
  void aRunThatIsReplacedBeforeItHasBegunGetsItsTermWhenItBegins() throws Exception {
    var signalled = new CountDownLatch(1);
    try (var daemon =
        daemon().with(exits -> waiting(exits, signalled, () -> {}, signalled::countDown))) {
      daemon
          .write("* * * * * @policy(concurrency=replace) name=newest command=\"sleep 600\"")
          .start()
          .pass(Duration.ofSeconds(3));
      daemon.await("an intent", () -> daemon.log().contains("event=triggered"));
      daemon.passUntil("2026-05-04T12:01:01Z");
      HistoryEntry entry = daemon.awaitEntries("newest", 1);
      assertEquals("replaced", entry.reason());
      assertEquals(143, entry.exitCode(), "TERM, although the clock has stood still since");
    }
  }

  @Test
  void aStopThatLeavesJobsRunningWaitsForTheStartThatIsUnderWay() throws Exception {
    var go = new CountDownLatch(1);
    var reached = new CountDownLatch(1);
    try (var daemon = daemon().with(exits -> waiting(exits, go, reached::countDown, () -> {}))) {
      daemon
          .write("0 * * * * name=late shell=true command=\"echo ran >> " + file("ran") + "\"")
          .start()
          .pass(Duration.ofSeconds(3));
      daemon.await("its start", () -> reached.getCount() == 0);
      daemon.ask(Request.Stop.LEAVE_JOBS);
      settle(daemon);
      go.countDown();
      assertEquals(0, daemon.awaitEnd());
      daemon.clocks.pass(Duration.ofMinutes(5));
      daemon.start();
      HistoryEntry entry = daemon.awaitEntries("late", 1);
      assertEquals(Outcome.EXECUTED, entry.outcome(), "it was due before the eyes of the daemon");
      assertEquals(0, entry.exitCode());
      assertEquals("ran\n", Files.readString(file("ran")));
    }
  }

  @Test
  void aStartThatDoesNotComeToAnEndHoldsAStopTenSecondsOnly() throws Exception {
    var never = new CountDownLatch(1);
    var reached = new CountDownLatch(1);
    try (var daemon = daemon().with(exits -> waiting(exits, never, reached::countDown, () -> {}))) {
      daemon.write("0 * * * * name=hangs command=/bin/true").start().pass(Duration.ofSeconds(3));
      daemon.await("its start", () -> reached.getCount() == 0);
      daemon.ask(Request.Stop.LEAVE_JOBS);
      settle(daemon);
      daemon.clocks.pass(Duration.ofSeconds(11));
      assertEquals(0, daemon.awaitEnd());
      assertFalse(daemon.job("hangs").active().isEmpty(), "its intent stays on record");
    }
  }

  /**
   * The system's processes, but a launch waits for a word.
   *
   * @param launching when a launch was asked for
   * @param signalled when a signal to a run was answered
   */
  private static Processes waiting(
      Exits exits, CountDownLatch go, Runnable launching, Runnable signalled) {
    Processes real = LinuxProcesses.open(exits);
    return (Processes)
        Proxy.newProxyInstance(
            Processes.class.getClassLoader(),
            new Class<?>[] {Processes.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals("launch")) {
                launching.run();
                if (!waited(go)) {
                  return new LaunchResult.Failed(Stage.SPAWN, "the daemon has left");
                }
              }
              Object result = invoke(real, method, arguments);
              if (method.getName().equals("signal") && arguments[0] instanceof Run) {
                signalled.run();
              }
              return result;
            });
  }

  private static boolean waited(CountDownLatch go) {
    try {
      go.await();
      return true;
    } catch (InterruptedException e) {
      return false;
    }
  }

  private static Object invoke(Processes real, Method method, Object[] arguments) throws Throwable {
    try {
      return method.invoke(real, arguments);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }
}
