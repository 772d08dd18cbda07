package dev.kron.daemon;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kron.daemon.loop.Request;
import dev.kron.daemon.loop.ServiceRequest;
import dev.kron.process.Exits;
import dev.kron.process.LinuxProcesses;
import dev.kron.process.Processes;
import dev.kron.process.SignalDelivery;
import dev.kron.service.Hook;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** When everything ends with the daemon, its own time limit stands above all others. */
class EndOfEverythingTest {
  private static final long LONGEST_STEP_NANOS = 50_000_000L;

  @TempDir Path directory;
  private TestDaemon daemon;

  @BeforeEach
  void makeOne() throws Exception {
    daemon = new TestDaemon(directory, "2026-03-01T10:00:00Z");
  }

  private Path file(String name) {
    return directory.resolve(name);
  }

  /** Notes the stop signal, and goes on. */
  private void deaf(String name, String requires) throws Exception {
    daemon.service(
        name,
        "[service]",
        "shell = true",
        "exec = \"\"\"trap 'echo %s >>%s' TERM; echo $$ >%s; while :; do sleep 1000 & wait; done\"\"\""
            .formatted(name, file("asked"), file("pid-" + name)),
        requires.isEmpty() ? "" : "[dependencies]\nrequires = [\"" + requires + "\"]",
        "[lifecycle]",
        "stop_timeout_ms = 3600000");
  }

  private long pid(String name) {
    daemon.await(
        name, () -> Files.exists(file("pid-" + name)) && Files.size(file("pid-" + name)) > 1);
    try {
      return Long.parseLong(Files.readString(file("pid-" + name)).strip());
    } catch (java.io.IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  /**
   * Lets the daemon end everything, by a clock that goes as the real one does, and waits where this
   * machine has no time for the test: processes have theirs by that clock.
   */
  private static void end(TestDaemon running, int exitCode) throws Exception {
    running.ask(Request.Stop.END_JOBS);
    long[] last = {System.nanoTime()};
    running.await(
        "the daemon to stop",
        () -> {
          long now = System.nanoTime();
          running.clocks.pass(Duration.ofNanos(Math.min(now - last[0], LONGEST_STEP_NANOS)));
          last[0] = now;
          return running.hasEnded();
        });
    assertEquals(exitCode, running.awaitEnd());
  }

  @Test
  void aDeepChainThatIgnoresItsStopSignalIsEndedInOrderWithinTheTimeOfTheDaemon() throws Exception {
    List<String> names = List.of("a", "b", "c", "d", "e");
    String before = "";
    for (String name : names) {
      deaf(name, before);
      before = name;
    }
    try (TestDaemon running = daemon.stopTimeout(Duration.ofSeconds(6)).start()) {
      List<Long> pids = new ArrayList<>();
      names.forEach(name -> pids.add(pid(name)));
      end(running, 0);
      assertEquals(List.of("e", "d", "c", "b", "a"), Files.readAllLines(file("asked")));
      pids.forEach(TestProcesses::awaitGone);
    }
  }

  @Test
  void aServiceThatWasBeingStoppedAlreadyIsEndedWithinTheTimeOfTheDaemon() throws Exception {
    deaf("slow", "");
    try (TestDaemon running = daemon.stopTimeout(Duration.ofSeconds(3)).start()) {
      long pid = pid("slow");
      running.ask(new ServiceRequest.Stop(List.of("slow")));
      running.await("its stop signal", () -> Files.exists(file("asked")));
      end(running, 0);
      TestProcesses.awaitGone(pid);
    }
  }

  /** A hook does not listen to TERM, and neither does what it started in a session of its own. */
  @ParameterizedTest
  @EnumSource(Hook.class)
  void aHookThatIgnoresItsStopSignalIsEndedWithAllThatItStarted(Hook hook) throws Exception {
    String loop = "while :; do sleep 1; done";
    daemon.service(
        "web",
        "[service]",
        "shell = true",
        "exec = \"echo $$ >" + file("pid-web") + "; exec sleep 1000\"",
        "[lifecycle]",
        "stop_timeout_ms = 3600000",
        "[hooks]",
        "shell = true",
        "timeout_ms = 3600000",
        "%s = \"\"\"trap '' TERM; setsid sh -c 'echo $$ >%s; %s' & echo $$ >%s; %s\"\"\""
            .formatted(hook.text(), file("pid-child"), loop, file("pid-hook"), loop));
    try (TestDaemon running = daemon.stopTimeout(Duration.ofSeconds(4)).start()) {
      var pids = new ArrayList<Long>();
      if (hook != Hook.BEFORE_START) {
        pids.add(pid("web"));
        running.awaitState("web", "running");
      }
      if (hook == Hook.AFTER_STOP) {
        ProcessHandle.of(pid("web")).orElseThrow().destroyForcibly();
      } else if (hook == Hook.RELOAD) {
        running.ask(new ServiceRequest.Reload("web", null));
      }
      pids.addAll(List.of(pid("hook"), pid("child")));
      end(running, 0);
      pids.forEach(TestProcesses::awaitGone);
      assertFalse(running.log().contains("left_behind"), running.log());
    }
  }

  /** What begins only because everything ends has its part of the time, and no more. */
  @Test
  void anAfterStopThatTheEndBeginsIsEndedToo() throws Exception {
    daemon.service(
        "web",
        "[service]",
        "exec = \"sleep 1000\"",
        "[hooks]",
        "shell = true",
        "timeout_ms = 3600000",
        "after_stop = \"trap '' TERM; echo $$ >"
            + file("pid-hook")
            + "; while :; do sleep 1; done\"");
    try (TestDaemon running = daemon.stopTimeout(Duration.ofSeconds(4)).start()) {
      running.awaitState("web", "running");
      end(running, 0);
      TestProcesses.awaitGone(pid("hook"));
      assertFalse(running.log().contains("left_behind"), running.log());
      assertTrue(running.log().contains("event=hook_failed instance=web@0"), running.log());
    }
  }

  @Test
  void jobsAreEndedAlsoWhereThatCannotBeWritten() throws Exception {
    var disk = new FailingDisk(1);
    String command =
        "shell=true command=\"trap '' TERM; echo $$ > %s; while :; do sleep 1000; done\""
            .formatted(file("pid-job"));
    daemon.on(disk).write("* * * * * name=job " + command);
    try (TestDaemon running = daemon.stopTimeout(Duration.ofSeconds(3)).start()) {
      running.pass(Duration.ofSeconds(61));
      long pid = pid("job");
      running.await("its start", () -> running.log().contains("event=run_started"));
      disk.begin(FailingDisk.Trouble.FULL);
      running.ask(new Request.Suspend(running.identity("job")));
      running.await("it to be said", () -> running.log().contains("persistence_failed"));
      end(running, Shutdown.NOT_WRITTEN);
      TestProcesses.awaitGone(pid);
      disk.end();
    }
  }

  @Test
  void whatCannotBeKilledIsNamedAndTheExitCodeSaysSo() throws Exception {
    var immortal = new AtomicBoolean(true);
    deaf("web", "");
    daemon.with(exits -> unkillable(exits, immortal)).stopTimeout(Duration.ofSeconds(1));
    try (TestDaemon running = daemon.start()) {
      long pid = pid("web");
      running.awaitState("web", "running");
      end(running, Shutdown.LEFT_BEHIND);
      assertTrue(TestProcesses.lives(pid));
      assertTrue(running.log().contains("event=left_behind count=1 what=web@0"), running.log());
      immortal.set(false);
      ProcessHandle.of(pid).ifPresent(EndOfEverythingTest::endWithWhatItStarted);
    }
  }

  private static void endWithWhatItStarted(ProcessHandle shell) {
    List<ProcessHandle> children = shell.descendants().toList();
    shell.destroyForcibly(); // first, or it would start another
    children.forEach(ProcessHandle::destroyForcibly);
  }

  /** The system's processes, which no signal of the daemon reaches. */
  private static Processes unkillable(Exits exits, AtomicBoolean immortal) {
    Processes real = LinuxProcesses.open(exits);
    return (Processes)
        Proxy.newProxyInstance(
            Processes.class.getClassLoader(),
            new Class<?>[] {Processes.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals("signal") && immortal.get()) {
                return method.getReturnType() == SignalDelivery.class ? SignalDelivery.SENT : null;
              }
              try {
                return method.invoke(real, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }
}
