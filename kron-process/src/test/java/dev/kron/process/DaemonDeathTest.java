package dev.kron.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Runs do not depend on the daemon that started them. */
class DaemonDeathTest extends WorkshopTest {

  /** Starts one run, prepares another, and then waits to be killed. */
  static final class Doomed {
    private Doomed() {}

    public static void main(String[] arguments) throws IOException, InterruptedException {
      Run started = new Run(Path.of(arguments[0]).getFileName().toString(), Path.of(arguments[0]));
      Run prepared = new Run(Path.of(arguments[1]).getFileName().toString(), Path.of(arguments[1]));
      LinuxProcesses processes = LinuxProcesses.open((run, keeper, status) -> {});
      Prepared waiting = processes.prepare(Workshop.shell(prepared, "echo never"));
      processes.launch(
          Workshop.in(
              Workshop.shell(
                  started,
                  "ulimit -S -n; seq 1 1000; echo up;"
                      + " while [ ! -e ../go ]; do sleep 0.02; done; seq 1001 2000; exit 11"),
              started.directory()));
      System.out.println("started");
      new CountDownLatch(1).await();
      waiting.discard();
    }
  }

  private Run named(String name) throws IOException {
    return new Run(name, Files.createDirectory(root.resolve(name)));
  }

  @Test
  void aRunGoesOnAndTellsItsTrueStatusAndAllItsOutput() throws IOException {
    Run run = named("started");
    Run other = named("prepared");
    try (Helper daemon =
        Helper.start(
            List.of("sh", "-c", "ulimit -S -n 512; exec \"$@\"", "sh"),
            Doomed.class,
            run.directory().toString(),
            other.directory().toString())) {
      assertTrue(daemon.says("started"));
      Workshop.untilItSays(run, "up");
      daemon.kill();
    }
    RunStatus.Running running =
        assertInstanceOf(RunStatus.Running.class, workshop.processes().status(run));
    workshop.processes().watch(run, running.keeper());
    Files.createFile(root.resolve("go"));
    assertEquals(new RunStatus.Ended(11, null), workshop.await(run));
    List<String> lines = Workshop.text(run.stdout()).lines().toList();
    List<String> expected = IntStream.rangeClosed(1, 2000).mapToObj(Integer::toString).toList();
    // The limit on open files is the daemon's first, not the one it needs for itself.
    assertEquals("512", lines.getFirst());
    assertEquals(expected, lines.stream().skip(1).filter(line -> !line.equals("up")).toList());

    // The one that was only prepared never began, and never will.
    assertTrue(workshop.processes().forestall(other));
    Workshop.until(
        "its keeper left",
        () ->
            ProcFiles.all().stream()
                .map(entry -> ProcFiles.arguments(entry.pid()))
                .noneMatch(words -> words.contains(other.directory().toString())));
    assertEquals("", Workshop.text(other.stdout()));
  }

  /** Has orphans made below it and waits until none is left, not even dead. */
  static final class Foster {
    private Foster() {}

    public static void main(String[] arguments) throws IOException, InterruptedException {
      Path directory = Path.of(arguments[0]);
      Run run = new Run(directory.getFileName().toString(), directory);
      CountDownLatch ended = new CountDownLatch(1);
      LinuxProcesses processes = LinuxProcesses.open((r, keeper, status) -> ended.countDown());
      processes.launch(
          Workshop.shell(
              run,
              "for i in 1 2 3; do (setsid sh -c 'echo orphan; exec sleep 0.1' &) & done; wait;"
                  + " exit 4"));
      ended.await();
      int self = (int) ProcessHandle.current().pid();
      Workshop.until(
          "the orphans are buried",
          () ->
              Workshop.text(run.stdout()).lines().count() == 3
                  && ProcFiles.all().stream().noneMatch(entry -> entry.parent() == self));
      System.out.println("pid " + (self == 1) + " " + processes.status(run));
      processes.close();
    }
  }

  @Test
  void buriesOrphansAsSubreaper() throws IOException {
    Run run = named("fostered");
    try (Helper daemon = Helper.start(List.of(), Foster.class, run.directory().toString())) {
      assertTrue(daemon.says("pid false " + new RunStatus.Ended(4, null)));
    }
  }

  @Test
  void worksAsTheFirstProcessOfAContainer() throws IOException {
    List<String> container = List.of("unshare", "--pid", "--fork", "--mount-proc", "--kill-child");
    assumeTrue(
        Workshop.command("unshare", "--pid", "--fork", "--mount-proc", "--kill-child", "true"),
        "needs the right to make a PID namespace");
    Run run = named("first");
    try (Helper daemon = Helper.start(container, Foster.class, run.directory().toString())) {
      assertTrue(daemon.says("pid true " + new RunStatus.Ended(4, null)));
    }
  }
}
