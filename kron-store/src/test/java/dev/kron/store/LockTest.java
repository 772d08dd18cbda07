package dev.kron.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
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
      List<String> found = descriptors(store.path());
      assertEquals(1, found.size());
      for (String line : Files.readAllLines(Path.of("/proc/self/fdinfo", found.getFirst()))) {
        if (line.startsWith("flags:")) {
          int flags = Integer.parseInt(line.substring("flags:".length()).strip(), 8);
          assertEquals(O_CLOEXEC, flags & O_CLOEXEC);
        }
      }
    }
  }

  /** Until it executes its program, a child has all descriptors of whoever started it. */
  @Test
  void aChildThatIsBeingStartedDoesNotKeepIt() throws Exception {
    Path directory = temporary.resolve("state");
    int inChild;
    try (StateDirectory store = open(directory)) {
      inChild = call("dup", Integer.parseInt(descriptors(store.path()).getFirst()));
      assertTrue(inChild >= 0);
    }
    try {
      open(directory).close();
    } finally {
      assertEquals(0, call("close", inChild));
    }
  }

  /** The descriptors of this process under which a directory is open. */
  private static List<String> descriptors(Path directory) throws Exception {
    var found = new ArrayList<String>();
    for (String descriptor : new LinuxDisk().list(Path.of("/proc/self/fd"))) {
      Path link = Path.of("/proc/self/fd", descriptor);
      if (Files.exists(link) && Files.readSymbolicLink(link).equals(directory)) {
        found.add(descriptor);
      }
    }
    return found;
  }

  @SuppressWarnings("restricted")
  private static int call(String name, int descriptor) throws Exception {
    Linker linker = Linker.nativeLinker();
    MethodHandle handle =
        linker.downcallHandle(
            linker.defaultLookup().find(name).orElseThrow(),
            FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT));
    try {
      return (int) handle.invokeExact(descriptor);
    } catch (Throwable e) {
      throw new AssertionError(e);
    }
  }
}
