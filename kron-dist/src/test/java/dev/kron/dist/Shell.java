package dev.kron.dist;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.fail;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** Commands in a directory, with an environment that is known. */
final class Shell {
  private static final long PATIENCE_SECONDS = 90;

  private final Path directory;
  private final Map<String, String> environment = new HashMap<>();

  Shell(Path directory) {
    this.directory = directory;
    environment.put("HOME", directory.toString());
  }

  Shell with(String name, String value) {
    environment.put(name, value);
    return this;
  }

  Process start(Path log, List<String> command) throws IOException {
    ProcessBuilder builder = new ProcessBuilder(command).directory(directory.toFile());
    builder.environment().clear();
    builder.environment().putAll(environment);
    Process process = builder.redirectErrorStream(true).redirectOutput(log.toFile()).start();
    process.getOutputStream().close();
    return process;
  }

  /** Runs a command that has to succeed; what it said. */
  String run(String... command) throws IOException, InterruptedException {
    Path log = Files.createTempFile(directory, "shell", ".log");
    Process process = start(log, List.of(command));
    if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
      process.destroyForcibly();
      fail(String.join(" ", command) + " did not end\n" + Files.readString(log, UTF_8));
    }
    String said = Files.readString(log, UTF_8);
    assertEquals(0, process.exitValue(), () -> String.join(" ", command) + "\n" + said);
    Files.delete(log);
    return said;
  }

  /** Waits, with a bound, until a file holds a text. */
  static void awaitText(Path file, String text) throws IOException, InterruptedException {
    await(
        () -> {
          try {
            return Files.exists(file) && Files.readString(file, UTF_8).contains(text);
          } catch (IOException e) {
            return false;
          }
        },
        () -> text + " in " + file + ":\n" + (Files.exists(file) ? read(file) : "(no file)"));
  }

  /** Waits, with a bound, until a line of a file holds all of these. */
  static void awaitLine(Path file, String... texts) throws InterruptedException {
    await(
        () -> read(file).lines().anyMatch(line -> Arrays.stream(texts).allMatch(line::contains)),
        () -> String.join(" and ", texts) + " in " + file + ":\n" + read(file));
  }

  private static String read(Path file) {
    try {
      return Files.readString(file, UTF_8);
    } catch (IOException e) {
      return e.toString();
    }
  }

  static void await(BooleanSupplier condition, java.util.function.Supplier<String> what)
      throws InterruptedException {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() > deadline) {
        fail("not within " + PATIENCE_SECONDS + " s: " + what.get());
      }
      TimeUnit.MILLISECONDS.sleep(20);
    }
  }

  static boolean has(String program) {
    return List.of("/usr/bin", "/bin", "/usr/sbin").stream()
        .anyMatch(directory -> Files.isExecutable(Path.of(directory, program)));
  }
}
