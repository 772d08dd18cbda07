package dev.kron.process;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Paths that do not answer, or whose owner sees to it that they do not, hold nobody up for long.
 */
class UnansweredPathsTest {

  private static final int F_SETSIG = 10;
  private static final int F_SETLEASE = 1024;
  private static final int F_WRLCK = 1;
  private static final int SIGURG = 23;

  @TempDir Path root;
  private final CountDownLatch answers = new CountDownLatch(1);
  private final AtomicBoolean dead = new AtomicBoolean();
  private Workshop workshop;
  private Inspection inspection;

  /**
   * A file system on which everything below {@code dead} does not answer until the test lets it.
   */
  @BeforeEach
  void open() {
    inspection =
        new Inspection(
            new SystemUsers(),
            this::touch,
            () -> dead.get() ? Duration.ofSeconds(1) : Workshop.PATIENCE);
    workshop = new Workshop(root, inspection);
  }

  private void touch(String path) {
    if (dead.get() && path.contains("/dead")) {
      try {
        assertTrue(answers.await(60, SECONDS));
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt(); // the daemon leaves
      }
    }
  }

  @AfterEach
  void close() {
    answers.countDown();
    workshop.close();
  }

  private Path script(String name) throws IOException {
    Path file = Files.writeString(root.resolve(name), "#!/bin/sh\necho ran\n");
    return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  /** The next daemon starts it: a record would say that it failed, and it was never tried. */
  @Test
  void aLaunchThatADaemonLeavesBehindIsNotOnRecord() throws Exception {
    Run interrupted = workshop.run();
    dead.set(true);
    Files.createDirectory(root.resolve("dead"));
    Launch waiting = Workshop.launch(interrupted, script("dead/tool").toString());
    Thread.currentThread().interrupt();
    assertThrows(RejectedExecutionException.class, () -> workshop.processes().launch(waiting));
    assertTrue(Thread.interrupted());
    assertEquals(new RunStatus.Unclaimed(), workshop.processes().status(interrupted));

    Run late = workshop.run();
    inspection.close();
    assertThrows(
        RejectedExecutionException.class,
        () -> workshop.processes().launch(Workshop.launch(late, "/bin/true")));
    assertEquals(new RunStatus.Unclaimed(), workshop.processes().status(late));
  }

  private String failed(Stage stage, Launch launch) throws IOException {
    LaunchResult result = workshop.processes().launch(launch);
    LaunchResult.Failed failed = assertInstanceOf(LaunchResult.Failed.class, result);
    assertEquals(stage, failed.stage(), failed.reason());
    assertEquals(
        new RunStatus.FailedToStart(stage, failed.reason()),
        workshop.processes().status(launch.run()));
    return failed.reason();
  }

  @Test
  void aPathThatDoesNotAnswerFailsTheStartAndNobodyElses() throws Exception {
    dead.set(true);
    String command = script("dead").toString();
    Launch first = Workshop.launch(workshop.run(), command);
    assertEquals(command + ": did not answer within 1 s", failed(Stage.EXEC, first));

    Launch second = Workshop.launch(workshop.run(), command);
    assertEquals(command + ": has not answered since an earlier start", failed(Stage.EXEC, second));
    assertEquals(
        new RunStatus.Ended(0, null), workshop.finish(Workshop.launch(workshop.run(), "true")));

    dead.set(false);
    answers.countDown();
    Workshop.until("the look has ended", () -> inspection.stuck() == 0);
    assertEquals(
        new RunStatus.Ended(0, null), workshop.finish(Workshop.launch(workshop.run(), command)));
    for (Launch late : List.of(first, second)) {
      assertInstanceOf(RunStatus.FailedToStart.class, workshop.processes().status(late.run()));
      assertEquals("", Workshop.text(late.run().stdout()), "it must never run later");
    }
  }

  @Test
  void theWorkingDirectoryTheInputAndTheOutputAreBoundedToo() throws Exception {
    dead.set(true);
    Path directory = Files.createDirectory(root.resolve("dead"));
    Launch launch = Workshop.in(Workshop.launch(workshop.run(), "true"), directory);
    assertEquals(directory + ": did not answer within 1 s", failed(Stage.CWD, launch));
    Path log = root.resolve("dead-log");
    Launch logged =
        Workshop.to(
            Workshop.launch(workshop.run(), "true"),
            new OutputTarget.Append(log),
            new OutputTarget.Discard());
    assertEquals(log + ": did not answer within 1 s", failed(Stage.OUTPUT, logged));
    Path data = Files.writeString(root.resolve("dead-data"), "");
    Launch reading =
        Workshop.from(Workshop.launch(workshop.run(), "true"), new InputSource.Users(data));
    assertEquals(data + ": did not answer within 1 s", failed(Stage.STDIN, reading));
    answers.countDown();
    Workshop.until("all looks have ended", () -> inspection.stuck() == 0);
    assertTrue(
        openFiles().stream().noneMatch(List.of(log, data)::contains),
        "what was opened too late is closed again");
  }

  private static List<Path> openFiles() throws IOException {
    var targets = new ArrayList<Path>();
    try (var descriptors = Files.list(Path.of("/proc/self/fd"))) {
      for (Path descriptor : descriptors.toList()) {
        try {
          targets.add(Files.readSymbolicLink(descriptor));
        } catch (IOException e) {
          // Closed since.
        }
      }
    }
    return targets;
  }

  @Test
  void aUserHasABoundOfThreadsThatWait() throws Exception {
    dead.set(true);
    var threads = new ArrayList<Thread>();
    for (int i = 0; i < Inspection.MOST_STUCK; i++) {
      Launch launch = Workshop.launch(workshop.run(), script("dead-" + i).toString());
      threads.add(Thread.ofVirtual().start(() -> Workshop.launched(workshop.processes(), launch)));
    }
    for (Thread thread : threads) {
      assertTrue(thread.join(Duration.ofSeconds(20)));
    }
    dead.set(false);
    String reason = failed(Stage.EXEC, Workshop.launch(workshop.run(), "true"));
    assertTrue(reason.contains("nothing of theirs is started until one does"), reason);
    answers.countDown();
    Workshop.until("all looks have ended", () -> inspection.stuck() == 0);
    assertEquals(
        new RunStatus.Ended(0, null), workshop.finish(Workshop.launch(workshop.run(), "true")));
  }

  @Test
  void aLeaseIsNotWaitedFor() throws Exception {
    Path script = script("leased");
    Path log = Files.writeString(root.resolve("log"), "");
    try (Libc libc = new Libc();
        var files = new Descriptors(libc)) {
      lease(libc, files, log);
      Launch logged =
          Workshop.to(
              Workshop.launch(workshop.run(), "true"),
              new OutputTarget.Append(log),
              new OutputTarget.Discard());
      assertEquals(log + ": another process holds a lease on it", failed(Stage.OUTPUT, logged));
      lease(libc, files, script);
      workshop.start(Workshop.launch(workshop.run(), script.toString()));
    }
  }

  private static void lease(Libc libc, Descriptors files, Path file) {
    int descriptor = files.open(file.toString(), Platform.O_RDONLY, 0);
    libc.fcntl(descriptor, F_SETSIG, SIGURG); // which nobody minds
    assumeTrue(libc.fcntl(descriptor, F_SETLEASE, F_WRLCK) == 0, "no leases on this file system");
  }

  /** The old check asked what kind of file it is, and then opened what had become of it. */
  @Test
  void aPipeThatIsPutInPlaceOfTheCommandHoldsNobodyUp() throws Exception {
    Path script = script("script");
    Path pipe = root.resolve("pipe");
    assumeTrue(Workshop.command("mkfifo", "-m", "755", pipe.toString()), "needs mkfifo");
    Path command = Files.createSymbolicLink(root.resolve("command"), script);
    var over = new AtomicBoolean();
    Thread swaps =
        Thread.ofPlatform()
            .start(
                () -> {
                  while (!over.get()) {
                    swap(command, pipe);
                    swap(command, script);
                  }
                });
    try {
      assertTimeoutPreemptively(
          Duration.ofSeconds(60),
          () -> {
            for (int i = 0; i < 60; i++) {
              LaunchResult result =
                  workshop.processes().launch(Workshop.launch(workshop.run(), command.toString()));
              if (result instanceof LaunchResult.Failed failed) {
                assertTrue(!failed.reason().contains("answer"), failed.reason());
              }
            }
          });
    } finally {
      over.set(true);
      swaps.join();
    }
  }

  private static void swap(Path command, Path target) {
    Path other = command.resolveSibling("other");
    try {
      Files.createSymbolicLink(other, target);
      Files.move(other, command, StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void aNulInTheFirstLineEndsTheInterpretersName() throws Exception {
    Path script = script("script");
    Files.writeString(script, "#!/no/such\0/bin/sh\n");
    String reason = failed(Stage.EXEC, Workshop.launch(workshop.run(), script.toString()));
    assertTrue(reason.contains("its interpreter /no/such: No such file"), reason);
    Files.writeString(script, "#!/bin/sh\0\n");
    workshop.finish(Workshop.launch(workshop.run(), script.toString()));
    Files.write(script, new byte[] {'#', '!', '/', (byte) 0xff, '\n'});
    workshop.finish(Workshop.launch(workshop.run(), script.toString()));
  }
}
