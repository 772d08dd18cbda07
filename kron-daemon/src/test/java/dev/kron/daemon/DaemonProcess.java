package dev.kron.daemon;

import static org.junit.jupiter.api.Assertions.fail;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** A daemon in a process of its own, and what it has logged so far. */
final class DaemonProcess implements AutoCloseable {
  private static final long PATIENCE_SECONDS = 60;

  private final Process process;
  private final List<String> lines = new ArrayList<>();
  private final Thread reader;

  private DaemonProcess(Process process) {
    this.process = process;
    this.reader = Thread.ofVirtual().start(this::readLog);
  }

  static DaemonProcess start(Path config, Path state, FastClocks clocks, String fault)
      throws IOException {
    return start(List.of(), config, state, clocks, fault);
  }

  /** Starts it by way of another command, with more arguments as {@link FastDaemon} has them. */
  static DaemonProcess start(
      List<String> prefix, Path config, Path state, FastClocks clocks, String fault, String... more)
      throws IOException {
    return of(prefix, System.getProperty("java.class.path"), config, state, clocks, fault, more);
  }

  /** Starts it with other classes than the test's own. */
  static DaemonProcess of(
      List<String> prefix,
      String classes,
      Path config,
      Path state,
      FastClocks clocks,
      String fault,
      String... more)
      throws IOException {
    List<String> command = new ArrayList<>(prefix);
    command.addAll(
        List.of(
            ProcessHandle.current().info().command().orElseThrow(),
            "-XX:TieredStopAtLevel=1",
            "-XX:+UseSerialGC",
            "-Xmx256m",
            "--enable-native-access=ALL-UNNAMED",
            "-cp",
            classes,
            FastDaemon.class.getName(),
            config.toString(),
            state.toString(),
            clocks.text(),
            fault));
    command.addAll(List.of(more));
    return new DaemonProcess(
        new ProcessBuilder(command).redirectOutput(ProcessBuilder.Redirect.DISCARD).start());
  }

  private void readLog() {
    try (var reader =
        new BufferedReader(
            new InputStreamReader(process.getErrorStream(), StandardCharsets.UTF_8))) {
      for (String line = reader.readLine(); line != null; line = reader.readLine()) {
        synchronized (lines) {
          lines.add(line);
          lines.notifyAll();
        }
      }
    } catch (IOException e) {
      // It was killed.
    }
  }

  /** Waits until a line holds the text; a daemon that ends first fails the test. */
  void awaitLine(String text) throws InterruptedException {
    await(() -> logged(text), text);
  }

  boolean logged(String text) {
    synchronized (lines) {
      return lines.stream().anyMatch(line -> line.contains(text));
    }
  }

  List<String> log() {
    synchronized (lines) {
      return List.copyOf(lines);
    }
  }

  void await(BooleanSupplier condition, String what) throws InterruptedException {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
    while (!condition.getAsBoolean()) {
      if (!process.isAlive() && !condition.getAsBoolean()) {
        fail("the daemon ended with " + process.exitValue() + " before: " + what + "\n" + tail());
      }
      if (System.nanoTime() > deadline) {
        fail("not within " + PATIENCE_SECONDS + " s: " + what + "\n" + tail() + "\n" + stacks());
      }
      synchronized (lines) {
        lines.wait(20);
      }
    }
  }

  /** What the daemon's threads are doing; without it nobody finds out why one stands still. */
  private String stacks() throws InterruptedException {
    Path jstack = Path.of(System.getProperty("java.home"), "bin", "jstack");
    try {
      Process dump =
          new ProcessBuilder(jstack.toString(), Long.toString(pid()))
              .redirectErrorStream(true)
              .start();
      String stacks = new String(dump.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      dump.waitFor();
      return stacks;
    } catch (IOException e) {
      return "no stacks: " + e.getMessage();
    }
  }

  private String tail() {
    List<String> log = log();
    return String.join("\n", log.subList(Math.max(0, log.size() - 40), log.size()));
  }

  long pid() {
    return process.pid();
  }

  /** SIGKILL, a moment from now. */
  void killAfterMillis(long millis) throws InterruptedException {
    if (process.waitFor(millis, TimeUnit.MILLISECONDS)) {
      fail("the daemon ended by itself with " + process.exitValue() + "\n" + tail());
    }
    close();
  }

  /** Whether it dies at its fault point within the time; otherwise it is killed. */
  boolean diesWithinMillis(long millis) throws InterruptedException {
    if (!process.waitFor(millis, TimeUnit.MILLISECONDS)) {
      close();
      return false;
    }
    if (process.exitValue() != Fault.DIED) {
      fail("the daemon ended by itself with " + process.exitValue() + "\n" + tail());
    }
    return true;
  }

  /** The daemon itself, where it was started by way of another command. */
  long onlyChild() {
    return process.children().findFirst().orElseThrow().pid();
  }

  /** SIGTERM; its exit code. */
  int stop() throws InterruptedException {
    process.destroy();
    return awaitEnd();
  }

  /** Its exit code, once it has ended by itself. */
  int awaitEnd() throws InterruptedException {
    if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
      close();
      fail("the daemon did not stop\n" + tail());
    }
    reader.join();
    return process.exitValue();
  }

  @Override
  public void close() {
    process.destroyForcibly();
    try {
      process.waitFor();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
