package dev.kron.process;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;

/** Another JVM with the same classes: a daemon that may be killed, or be PID 1. */
final class Helper implements AutoCloseable {

  private final Process process;
  private final BufferedReader output;

  private Helper(Process process) {
    this.process = process;
    output = new BufferedReader(new InputStreamReader(process.getInputStream(), UTF_8));
  }

  /** Starts the main method of a class, behind the given words if there are any. */
  static Helper start(List<String> before, Class<?> main, String... arguments) {
    List<String> words = new ArrayList<>(before);
    words.add(ProcessHandle.current().info().command().orElseThrow());
    words.addAll(
        List.of(
            "-XX:TieredStopAtLevel=1",
            "-XX:+UseSerialGC",
            "-Xshare:auto",
            "-XX:-MaxFDLimit",
            "--enable-native-access=ALL-UNNAMED",
            "-cp",
            System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
            main.getName()));
    words.addAll(List.of(arguments));
    try {
      return new Helper(
          new ProcessBuilder(words).redirectError(ProcessBuilder.Redirect.INHERIT).start());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Reads on until it says a line; false if it ended first. */
  boolean says(String wanted) {
    try {
      for (String line = output.readLine(); line != null; line = output.readLine()) {
        if (line.equals(wanted)) {
          return true;
        }
      }
      return false;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** SIGKILL, and it is gone. */
  void kill() {
    process.destroyForcibly();
    process.onExit().join();
  }

  long pid() {
    return process.pid();
  }

  @Override
  public void close() {
    kill();
  }
}
