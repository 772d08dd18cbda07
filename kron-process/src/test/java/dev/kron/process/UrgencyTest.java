package dev.kron.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
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
}
