package dev.kron.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class UrgencyTest {
  private static final int NICE = 16;

  @TempDir Path root;

  private static <T> T onItsOwnThread(Callable<T> work) throws Exception {
    var task = new FutureTask<>(work);
    Thread.ofPlatform().start(task);
    return task.get();
  }

  /** Counted from behind the name, which may hold spaces. */
  private static int nice(String stat) {
    return Integer.parseInt(stat.substring(stat.lastIndexOf(')') + 2).split(" ")[NICE]);
  }

  private static int ownNice() throws Exception {
    return nice(Files.readString(Path.of("/proc/thread-self/stat")));
  }

  @Test
  void isOfOneThreadAndNotOfThoseThatItStarts() throws Exception {
    int before = onItsOwnThread(UrgencyTest::ownNice);
    int[] nices =
        onItsOwnThread(
            () -> {
              Urgency.ofThisThread();
              return new int[] {ownNice(), onItsOwnThread(UrgencyTest::ownNice)};
            });
    // Who is not root, or was given a priority by somebody, keeps it.
    assertTrue(nices[0] == before || (before == 0 && nices[0] == Urgency.NICE), "" + nices[0]);
    assertEquals(before, nices[1]);
    assertEquals(before, onItsOwnThread(UrgencyTest::ownNice));
  }

  @Test
  void isNotHandedOnToCommands() throws Exception {
    int before = onItsOwnThread(UrgencyTest::ownNice);
    try (Workshop workshop = new Workshop(root)) {
      Run run = workshop.run();
      RunStatus end =
          onItsOwnThread(
              () -> {
                Urgency.ofThisThread();
                return workshop.finish(Workshop.launch(run, "cat", "/proc/self/stat"));
              });
      assertEquals(new RunStatus.Ended(0, null), end);
      assertEquals(before, nice(Workshop.text(run.stdout())));
    }
  }

  /** A program of its own, so that this one goes on being compiled. */
  static final class Patient {
    private Patient() {}

    public static void main(String[] arguments) throws IOException {
      Urgency.ofCompilers();
      try (var threads = Files.newDirectoryStream(Path.of("/proc/self/task"))) {
        for (Path thread : threads) {
          String stat = Files.readString(thread.resolve("stat"));
          System.out.println(stat.substring(stat.indexOf('('), stat.indexOf(')') + 1) + nice(stat));
        }
      }
    }
  }

  @Test
  void ofCompilersIsLowered() throws Exception {
    int before = onItsOwnThread(UrgencyTest::ownNice);
    Process program =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                System.getProperty("java.class.path"),
                Patient.class.getName())
            .redirectErrorStream(true)
            .start();
    List<String> threads = program.inputReader().lines().toList();
    assertEquals(0, program.waitFor(), threads::toString);
    int expected = before == 0 ? Urgency.PATIENT : before;
    assertTrue(threads.contains("(C1 CompilerThre)" + expected), threads::toString);
    assertTrue(
        threads.stream()
            .filter(line -> !line.contains("Compiler"))
            .allMatch(line -> line.endsWith(")" + before)),
        threads::toString);
  }
}
