package dev.kron.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** One daemon at a time, shown with two real processes. */
final class LockTest {
  private static final int O_CLOEXEC = 02000000;

  @TempDir Path temporary;

  /** The other daemon: takes the lock, says so, and waits to be killed. */
  static final class Holder {
    private Holder() {}

    public static void main(String[] arguments) throws Exception {
      StateDirectory.open(
          Path.of(arguments[0]),
          new LinuxDisk(),
          Samples.settings(),
          "pid " + ProcessHandle.current().pid());
      System.out.println("held");
      System.in.read();
      Runtime.getRuntime().halt(0);
    }
  }

  private static Process start(Path directory) throws IOException {
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "-Xshare:auto",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                Holder.class.getName(),
                directory.toString())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    BufferedReader output =
        new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    assertEquals("held", output.readLine());
    return process;
  }

  private static StateDirectory open(Path directory) throws Exception {
    return StateDirectory.open(directory, new LinuxDisk(), Samples.settings(), "pid 1");
  }

  @Test
  void aSecondDaemonLeavesAndNamesTheHolderAndAKillReleasesTheLock() throws Exception {
    Path directory = temporary.resolve("state");
    Process other = start(directory);
    try {
      LockHeldException held = assertThrows(LockHeldException.class, () -> open(directory));
      assertEquals("pid " + other.pid() + ", since 2026-03-01T00:05:00Z", held.holder());
      assertTrue(String.valueOf(held.getMessage()).contains("is in use by another krond"));
      Files.delete(directory.resolve("lock"));
      assertThrows(LockHeldException.class, () -> open(directory), "the file is not the lock");
    } finally {
      other.destroyForcibly();
      assertTrue(other.waitFor(30, TimeUnit.SECONDS));
    }
    open(directory).close();
  }

  @Test
  void aLockIsHeldWithinAProcessToo() throws Exception {
    Path directory = temporary.resolve("state");
    try (StateDirectory first = open(directory)) {
      assertEquals(directory, first.path());
      assertThrows(LockHeldException.class, () -> open(directory));
    }
    open(directory).close();
  }

  @Test
  void childrenDoNotInheritIt() throws Exception {
    Path directory = temporary.resolve("state");
    try (StateDirectory store = open(directory)) {
      int found = 0;
      for (String descriptor : new LinuxDisk().list(Path.of("/proc/self/fd"))) {
        Path link = Path.of("/proc/self/fd", descriptor);
        if (Files.exists(link) && Files.readSymbolicLink(link).equals(store.path())) {
          found++;
          for (String line : Files.readAllLines(Path.of("/proc/self/fdinfo", descriptor))) {
            if (line.startsWith("flags:")) {
              int flags = Integer.parseInt(line.substring("flags:".length()).strip(), 8);
              assertEquals(O_CLOEXEC, flags & O_CLOEXEC);
            }
          }
        }
      }
      assertEquals(1, found);
    }
  }
}
