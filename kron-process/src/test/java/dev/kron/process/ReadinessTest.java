package dev.kron.process;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Commands that report that they are ready, and others who say so. */
@Timeout(120)
class ReadinessTest {
  private static final Readiness PIPE = new Readiness.Descriptor(3);

  @TempDir Path root;
  private Workshop workshop;

  @BeforeEach
  void open() {
    workshop = new Workshop(root);
  }

  @AfterEach
  void close() {
    workshop.close();
  }

  /** What was heard. */
  private static final class Ears implements Readiness.Listener {
    final AtomicInteger ready = new AtomicInteger();
    final List<Integer> refused = new CopyOnWriteArrayList<>();

    @Override
    public void ready() {
      ready.incrementAndGet();
    }

    @Override
    public void refused(int pid, int user) {
      refused.add(pid);
    }

    void awaitReady() {
      Workshop.until("it is ready", () -> ready.get() > 0);
    }
  }

  private Ears listen(Run run, Readiness how) throws IOException {
    var ears = new Ears();
    workshop.processes().listen(run, how, ears);
    return ears;
  }

  private static Launch telling(Launch launch, int descriptor) {
    return launch.toBuilder().readyDescriptor(descriptor).build();
  }

  @ParameterizedTest
  @MethodSource("dev.kron.process.Shells#installed")
  void aLineOnTheDescriptorMeansReadyWhateverTheShell(String shell) throws IOException {
    try (var other = new Workshop(root, Shells.path(shell))) {
      for (int descriptor : new int[] {3, 5, 9}) {
        aLineMeansReady(other, descriptor, launch -> other.start(launch));
      }
      for (int descriptor : new int[] {4, 6}) {
        aLineMeansReady(other, descriptor, launch -> other.processes().prepare(launch).start());
      }
    }
  }

  private interface Start {
    void of(Launch launch) throws IOException;
  }

  private void aLineMeansReady(Workshop other, int descriptor, Start start) throws IOException {
    Run run = other.run();
    var ears = new Ears();
    other.processes().listen(run, new Readiness.Descriptor(descriptor), ears);
    Path go = root.resolve("go-" + run.id());
    String line =
        ("echo \"$kron_keeper_ready\"; ls -m /proc/$$/fd; until [ -e %s ]; do sleep 0.01; done;"
                + " echo >&%s")
            .formatted(go, descriptor);
    start.of(telling(Workshop.shell(run, line), descriptor));
    Workshop.untilItSays(run, "0, 1, 2, " + descriptor);
    assertTrue(Workshop.text(run.stdout()).startsWith("\n"), "nothing of the keeper's");
    assertEquals(0, ears.ready.get());
    Workshop.touch(go);
    ears.awaitReady();
    assertEquals(new RunStatus.Ended(0, null), other.await(run));
    assertEquals(1, ears.ready.get());
  }

  @Test
  void whatIsWrittenWhileNobodyListensIsHeardLaterAndNoWriteFails() throws IOException {
    Run run = workshop.run();
    Ears first = listen(run, PIPE);
    Path go = root.resolve("go");
    workshop.start(
        telling(
            Workshop.shell(
                run,
                "until [ -e %s ]; do sleep 0.01; done; echo up >&3; echo more >&3; echo well; sleep 300"
                    .formatted(go)),
            3));
    workshop.processes().stopListening(run);
    Workshop.touch(go);
    Workshop.untilItSays(run, "well");
    Ears second = listen(run, PIPE);
    second.awaitReady();
    assertEquals(0, first.ready.get());
    Ears third = listen(run, PIPE);
    assertEquals(1, third.ready.get(), "who asks again is told again");
  }

  @Test
  void whatHasNoLineIsNoReportAndIsNotReadForEver() throws IOException {
    Run run = workshop.run();
    Ears ears = listen(run, PIPE);
    workshop.start(
        telling(
            Workshop.shell(
                run, "head -c 100000 /dev/zero >&3; echo written; (echo >&3) & sleep 300"),
            3));
    Workshop.untilItSays(run, "written");
    Ears again = listen(run, PIPE);
    assertEquals(0, ears.ready.get() + again.ready.get());
  }

  @ParameterizedTest
  @ValueSource(strings = {"file", "link", "directory"})
  void whateverIsInThePlaceOfThePipeIsRefusedAtOnce(String what) throws IOException {
    Run run = workshop.run();
    Path pipe = run.directory().resolve("ready");
    switch (what) {
      case "file" -> Files.createFile(pipe);
      case "link" -> Files.createSymbolicLink(pipe, Path.of("/dev/zero"));
      default -> Files.createDirectory(pipe);
    }
    assertThrows(IOException.class, () -> listen(run, PIPE));
  }

  private Launch reporting(Run run, String socket, String before, String after) {
    String java = ProcessHandle.current().info().command().orElseThrow();
    String path =
        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
    return Workshop.with(
        Workshop.shell(
            run,
            before
                + " "
                + java
                + " -XX:TieredStopAtLevel=1 -XX:+UseSerialGC --enable-native-access=ALL-UNNAMED"
                + " -cp '"
                + path
                + "' "
                + ReportReady.class.getName()
                + after),
        "NOTIFY_SOCKET=" + socket);
  }

  private static String socket(Run run) {
    return "@kron-test/" + run.id();
  }

  @Test
  void aProcessOfTheRunReportsAlsoFromASessionOfItsOwn() throws IOException {
    Run run = workshop.run();
    Ears ears = listen(run, new Readiness.Socket(socket(run)));
    workshop.start(reporting(run, socket(run), "setsid", " & wait"));
    ears.awaitReady();
    assertEquals(List.of(), ears.refused);
  }

  @Test
  void whoDoesNotBelongToTheRunIsNotBelievedHoweverOftenItSaysSo() throws IOException {
    Run run = workshop.run();
    Run other = workshop.run();
    Ears ears = listen(run, new Readiness.Socket(socket(run)));
    Path go = root.resolve("go");
    workshop.start(
        reporting(run, socket(run), "until [ -e %s ]; do sleep 0.01; done;".formatted(go), ""));
    // A service of its own sends to the socket of the other one.
    workshop.start(reporting(other, socket(run), "exec", ""));
    Workshop.until("it is refused", () -> !ears.refused.isEmpty());
    assertEquals(
        List.of(Objects.requireNonNull(workshop.processes().command(other)).pid()),
        ears.refused,
        "and is told once");
    try (var stranger = new LocalDatagrams(socket(run))) {
      byte[] ready = "READY=1".getBytes(UTF_8);
      for (int sent = 0; sent < 50; ) {
        sent += stranger.send(ready) ? 1 : 0;
      }
      assertEquals(0, ears.ready.get());
      Workshop.touch(go);
      var flood =
          Thread.ofPlatform()
              .daemon()
              .start(
                  () -> {
                    while (ears.ready.get() == 0) {
                      stranger.send(ready);
                    }
                  });
      ears.awaitReady();
      flood.join();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void saysNothingElseThanReadyThatCounts() throws IOException {
    Run run = workshop.run();
    Ears ears = listen(run, new Readiness.Socket(socket(run)));
    try (var stranger = new LocalDatagrams(socket(run))) {
      for (String text :
          List.of("READY=0", "XREADY=1", "READY=1x", "STATUS=READY=1", "", "MAINPID=1")) {
        assertTrue(stranger.send(text.getBytes(UTF_8)));
      }
      assertTrue(stranger.send(("READY=1\n" + "x".repeat(5_000)).getBytes(UTF_8)));
    }
    listen(run, new Readiness.Socket(socket(run)));
    listen(run, new Readiness.Socket(socket(run)));
    assertEquals(List.of(), ears.refused, "nobody was asked who it is");
  }

  private static final MethodHandle SEND_MESSAGE =
      Libc.function("sendmsg", FunctionDescriptor.of(JAVA_LONG, JAVA_INT, ADDRESS, JAVA_INT));

  @Test
  void descriptorsThatComeAlongAreNotTaken() throws Throwable {
    Run run = workshop.run();
    Ears ears = listen(run, new Readiness.Socket(socket(run)));
    Path pipe = root.resolve("sent");
    Files.createFile(pipe);
    try (Libc libc = new Libc()) {
      int file = libc.open(pipe.toString(), Platform.O_RDONLY, 0);
      MemorySegment text = libc.arena().allocateFrom("READY=1");
      MemorySegment part = libc.arena().allocate(16, 8);
      part.set(ADDRESS, 0, text);
      part.set(JAVA_LONG, 8, 7);
      MemorySegment control = libc.arena().allocate(16 + 4 * 50, 8);
      control.set(JAVA_LONG, 0, control.byteSize());
      control.set(JAVA_INT, 8, 1);
      control.set(JAVA_INT, 12, 1);
      for (int i = 0; i < 50; i++) {
        control.set(JAVA_INT, 16 + 4L * i, file);
      }
      MemorySegment address = LocalDatagrams.address(libc, socket(run));
      MemorySegment header = libc.arena().allocate(56, 8);
      header.set(ADDRESS, 0, address);
      header.set(JAVA_INT, 8, (int) address.byteSize());
      header.set(ADDRESS, 16, part);
      header.set(JAVA_LONG, 24, 1);
      header.set(ADDRESS, 32, control);
      header.set(JAVA_LONG, 40, control.byteSize());
      int socket = LocalDatagrams.socket(libc);
      assertEquals(
          7, libc.orErrno((long) SEND_MESSAGE.invokeExact(libc.state(), socket, header, 0)));
      libc.close(file);
      libc.close(socket);
    }
    Workshop.until("it is refused", () -> !ears.refused.isEmpty());
    assertFalse(isOpen(pipe), "a descriptor of the sender's is open here");
  }

  private static boolean isOpen(Path file) throws IOException {
    try (var open = Files.list(Path.of("/proc/self/fd"))) {
      return open.anyMatch(
          link -> {
            try {
              return Files.readSymbolicLink(link).equals(file);
            } catch (IOException e) {
              return false; // closed meanwhile
            }
          });
    }
  }

  @Test
  void aSocketThatIsTakenIsSaidSo() throws IOException {
    Run run = workshop.run();
    Run other = workshop.run();
    listen(run, new Readiness.Socket(socket(run)));
    assertThrows(IOException.class, () -> listen(other, new Readiness.Socket(socket(run))));
    workshop.processes().stopListening(run);
    listen(other, new Readiness.Socket(socket(run)));
  }
}
