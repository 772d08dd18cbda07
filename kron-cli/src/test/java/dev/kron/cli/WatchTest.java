package dev.kron.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.kron.cli.line.ExitCode;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code kron watch} at a real terminal, looking at a real daemon. */
class WatchTest {
  private static final String LEAVE = "\u001b[?25h\u001b[?1049l";

  @TempDir Path directory;
  private RunningDaemon daemon;

  @BeforeEach
  void start() throws Exception {
    assumeTrue(Pty.isPossible(), "there is no /usr/bin/script to make a terminal");
    String[] jobs = new String[40];
    for (int i = 0; i < jobs.length; i++) {
      jobs[i] = "0 3 * * * name=job%02d command=\"/bin/echo this is %d\"".formatted(i, i);
    }
    daemon = new RunningDaemon(directory, null, jobs);
  }

  @AfterEach
  void stop() throws Exception {
    if (daemon != null) {
      daemon.close();
    }
  }

  private Pty watch(int rows, int columns) throws Exception {
    return new Pty(directory, rows, columns, "watch", "--socket", daemon.socket().toString());
  }

  private static boolean has(List<String> picture, String text) {
    return picture.stream().anyMatch(line -> line.contains(text));
  }

  @Test
  void showsJobsServicesRunsEventsAndLogsAndLeavesTheTerminalAsItWas() throws Exception {
    assertEquals(ExitCode.OK, daemon.kron("trigger", "job01", "--wait").code());
    try (Pty terminal = watch(24, 100)) {
      var status = terminal.awaitPicture("status", it -> has(it, "healthy") && has(it, "40 jobs"));
      assertTrue(status.getFirst().startsWith("[1 status]"), status.getFirst());
      assertTrue(status.getLast().startsWith("q quit  ? keys  Tab next"), status.getLast());
      assertEquals(24, status.size());
      terminal.press("2");
      terminal.awaitPicture("jobs", it -> has(it, "[2 jobs]") && has(it, "> job00"));
      terminal.press("j\u001b[B\u001b[A");
      terminal.awaitPicture("the second job", it -> has(it, "> job01"));
      terminal.press("\n");
      terminal.awaitPicture("its log", it -> has(it, "this is 1") && has(it, "log of job01"));
      terminal.press("\u007f");
      terminal.awaitPicture("the jobs again", it -> has(it, "> job01"));
      terminal.press("G");
      terminal.awaitPicture("the last job", it -> has(it, "> job39") && !has(it, "job00"));
      terminal.press("\t");
      terminal.awaitPicture("services", it -> has(it, "[3 services]") && has(it, "  web "));
      terminal.press("G\n");
      terminal.awaitPicture("what a service wrote", it -> has(it, "hello"));
      terminal.press("4");
      terminal.awaitPicture("runs", it -> has(it, "exit 0, by hand"));
      terminal.press("5");
      terminal.awaitPicture("events", it -> has(it, "run_ended"));
      terminal.press("q");
      assertEquals(ExitCode.OK, terminal.awaitEnd());
      assertTrue(terminal.all().contains(LEAVE));
      assertTrue(terminal.isAsBefore());
    }
  }

  @Test
  void fitsEveryTerminalAndFollowsItsSize() throws Exception {
    try (Pty terminal = watch(6, 30)) {
      terminal.press("2");
      var small = terminal.awaitPicture("jobs", it -> has(it, "> job00"));
      assertEquals(6, small.size());
      assertTrue(small.stream().allMatch(line -> line.length() <= 30), small::toString);
      terminal.resize(30, 120);
      var large = terminal.awaitPicture("more jobs", it -> it.size() == 30);
      assertTrue(has(large, "job26") && !has(large, "job27"), large::toString);
      terminal.resize(2, 10);
      var tiny = terminal.awaitPicture("next to nothing", it -> it.size() <= 2);
      assertTrue(has(tiny, "> job00"), tiny::toString);
      assertTrue(tiny.stream().allMatch(line -> line.length() <= 10), tiny::toString);
      terminal.press("\u0003");
      assertEquals(130, terminal.awaitEnd());
      assertTrue(terminal.all().contains(LEAVE));
      assertTrue(terminal.isAsBefore());
    }
  }

  @Test
  void filtersSortsAndActsOnARowAfterAQuestion() throws Exception {
    try (Pty terminal = watch(24, 100)) {
      terminal.press("?");
      terminal.awaitPicture("the keys", it -> has(it, "suspend a job, resume it"));
      terminal.press(" 2/OB1");
      var filtered =
          terminal.awaitPicture("ten jobs", it -> has(it, "10 jobs") && has(it, "> job10"));
      assertTrue(has(filtered, "only lines with: OB1"), filtered::toString);
      assertFalse(has(filtered, "job20"), filtered::toString);
      terminal.press("\u007fq\u007f1\nt");
      terminal.awaitPicture("a question", it -> has(it, "run job10 now? [y/N]"));
      terminal.press("n");
      terminal.awaitPicture("that nothing was done", it -> has(it, "nothing was done"));
      terminal.press("ty");
      terminal.awaitPicture("its run", it -> has(it, "> job10") && has(it, "exit 0"));
      terminal.press("py");
      terminal.awaitPicture("that it is suspended", it -> has(it, "suspended"));
      terminal.press("py");
      terminal.awaitPicture("that it is ready", it -> has(it, "> job10  ready"));
      terminal.press("\u001b");
      terminal.awaitPicture("all jobs", it -> has(it, "40 jobs"));
      terminal.press("ss");
      terminal.awaitPicture(
          "another order", it -> has(it, "by last") && it.get(2).contains("job10"));
      terminal.press("3");
      terminal.awaitPicture("services", it -> has(it, "[3 services]") && has(it, "  web "));
      terminal.press("G");
      terminal.awaitPicture("the last service", it -> has(it, "> web "));
      terminal.press("x");
      terminal.awaitPicture("a question", it -> has(it, "stop web?"));
      terminal.press("y");
      terminal.awaitPicture("that it is down", it -> has(it, "> web ") && has(it, "inactive"));
      terminal.press("ty");
      terminal.awaitPicture("that it is up", it -> has(it, "> web ") && has(it, "running"));
      terminal.press("q");
      assertEquals(ExitCode.OK, terminal.awaitEnd());
    }
  }

  @Test
  void fortyColumnsStayReadable() throws Exception {
    assertEquals(ExitCode.OK, daemon.kron("trigger", "job01", "--wait").code());
    try (Pty terminal = watch(12, 40)) {
      terminal.press("2j");
      var jobs = terminal.awaitPicture("jobs", it -> has(it, "> job01"));
      assertEquals(" 1 [2 jobs] 3  4  5 40 jobs", jobs.getFirst());
      assertTrue(has(jobs, "> job01  ready  exit 0  in "), jobs::toString);
      terminal.press("3");
      terminal.awaitPicture("services", it -> has(it, "running") && has(it, "web "));
      terminal.press("4");
      var runs = terminal.awaitPicture("runs", it -> has(it, "job01"));
      assertTrue(has(runs, "exit 0"), runs::toString);
      terminal.press("q");
      assertEquals(ExitCode.OK, terminal.awaitEnd());
    }
  }

  @Test
  void waitsForADaemonThatWentAway() throws Exception {
    try (Pty terminal = watch(24, 100)) {
      terminal.press("2");
      terminal.awaitPicture("jobs", it -> has(it, "> job00"));
      daemon.close();
      var away = terminal.awaitPicture("that it is gone", it -> has(it, "no daemon answers at"));
      assertTrue(has(away, "> job00"), away::toString);
      daemon.again();
      terminal.awaitPicture("that it is back", it -> has(it, "[2 jobs]"));
      terminal.press("5");
      terminal.awaitPicture("its own events", it -> has(it, "ready jobs=40"));
      terminal.press("q");
      assertEquals(ExitCode.OK, terminal.awaitEnd());
    }
  }

  /** Not what is watched, but what is waited for: at a terminal too. */
  @Test
  void aWaitShowsThatItGoesOnAndIsInterruptedCleanly() throws Exception {
    daemon.write("0 3 * * * name=endless command=\"/bin/sleep 1000\"");
    assertEquals(ExitCode.OK, daemon.kron("reload").code());
    String socket = daemon.socket().toString();
    try (Pty terminal =
        new Pty(directory, 24, 100, "trigger", "endless", "--wait", "--socket", socket)) {
      terminal.await("that it waits", all -> all.contains("goes on, "));
      terminal.press("\u0003");
      assertEquals(130, terminal.awaitEnd());
      String all = terminal.all();
      assertTrue(all.lastIndexOf("\r\u001b[K") > all.lastIndexOf("goes on"), all);
      assertFalse(all.contains("Exception"), all);
    }
    assertTrue(daemon.kron("jobs").out().contains("running"), "the run goes on");
  }
}
