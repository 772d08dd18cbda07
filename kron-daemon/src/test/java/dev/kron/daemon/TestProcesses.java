package dev.kron.daemon;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;

/** Processes of tests, as the kernel knows them. */
public final class TestProcesses {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final Duration STRAGGLERS = Duration.ofSeconds(5);

  private TestProcesses() {}

  /** Whether a process is there; a zombie is not, whoever should have buried it. */
  public static boolean lives(long pid) {
    try {
      String stat = Files.readString(Path.of("/proc/" + pid + "/stat"));
      return stat.charAt(stat.lastIndexOf(')') + 2) != 'Z';
    } catch (IOException e) {
      return false;
    }
  }

  /**
   * Waits until a process is gone. KILL has an effect when its receiver next runs, which on a busy
   * machine is some time after its leader was buried.
   */
  public static void awaitGone(long pid) {
    long giveUp = System.nanoTime() + PATIENCE.toNanos();
    while (lives(pid)) {
      assertTrue(System.nanoTime() < giveUp, () -> "process " + pid + " is still there");
      LockSupport.parkNanos(5_000_000);
    }
  }

  /** The variables that a command printed with {@code env}. */
  public static Map<String, String> variables(Path file) throws IOException {
    var variables = new java.util.TreeMap<String, String>();
    for (String line : Files.readAllLines(file)) {
      int equals = line.indexOf('=');
      if (equals > 0) {
        variables.put(line.substring(0, equals), line.substring(equals + 1));
      }
    }
    return variables;
  }

  /**
   * An alert outlives the daemon, and would write to a directory that the test removes. Whom a test
   * leaves behind on purpose is not waited for long.
   */
  static void awaitStragglers(Path directory) throws InterruptedException {
    long giveUp = System.nanoTime() + STRAGGLERS.toNanos();
    while (System.nanoTime() < giveUp
        && ProcessHandle.current().descendants().anyMatch(process -> knows(process, directory))) {
      LockSupport.parkNanos(5_000_000);
    }
  }

  private static boolean knows(ProcessHandle process, Path directory) {
    Path proc = Path.of("/proc", Long.toString(process.pid()));
    try {
      String known =
          Files.readString(proc.resolve("environ"), StandardCharsets.ISO_8859_1)
              + Files.readString(proc.resolve("cmdline"), StandardCharsets.ISO_8859_1);
      return known.contains(directory.toString());
    } catch (IOException e) {
      return false; // it has ended
    }
  }
}
