package dev.kron.simulation.mutants;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A place where code with a bug runs: a JVM of its own with a bounded time, with its own temporary
 * directory, and nothing left of it afterwards.
 */
final class Laboratory {
  static final List<String> MODULES =
      List.of(
          "cron",
          "core",
          "config",
          "store",
          "process",
          "notify",
          "web",
          "scheduler",
          "cluster",
          "test-support",
          "fleet",
          "daemon",
          "simulation",
          "cli");

  /** Optimising code that lives for seconds costs more than it gains. */
  private static final String SHORT_LIVED = "-XX:TieredStopAtLevel=1";

  /** From so many histories on it gains more. */
  private static final long LONG = 1_000;

  private final Path root;

  /**
   * @param root of the checkout, which was compiled
   */
  Laboratory(Path root) {
    this.root = root;
  }

  List<Path> classes() {
    return directories("classes");
  }

  private List<Path> directories(String kind) {
    return MODULES.stream()
        .map(module -> root.resolve("kron-" + module).resolve("target").resolve(kind))
        .filter(Files::isDirectory)
        // Its tests bring a logger of their own along, and ask nothing of the daemon.
        .filter(path -> kind.equals("classes") || !path.startsWith(root.resolve("kron-scheduler")))
        .toList();
  }

  /** A test class, and the module that it is of. */
  record Test(String module, String className) {
    String packageName() {
      return className.substring(0, className.lastIndexOf('.'));
    }

    String simpleName() {
      return className.substring(className.lastIndexOf('.') + 1);
    }
  }

  /** All test classes of a module in a package and those below it. */
  List<Test> tests(String module, String packageName) throws IOException {
    Path directory = root.resolve("kron-" + module).resolve("target/test-classes");
    Path start = directory.resolve(packageName.replace('.', '/'));
    if (!Files.isDirectory(start)) {
      return List.of();
    }
    try (Stream<Path> files = Files.walk(start)) {
      return files
          .map(file -> directory.relativize(file).toString().replace('/', '.'))
          .filter(name -> name.endsWith("Test.class"))
          .map(name -> new Test(module, name.substring(0, name.length() - ".class".length())))
          .sorted(Comparator.comparing(Test::className))
          .toList();
    }
  }

  Verdict histories(Path first, long from, long last, Duration bound)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    if (last - from < LONG) {
      command.add(SHORT_LIVED);
    }
    command.add(RunHistories.class.getName());
    command.add(Long.toString(from));
    command.add(Long.toString(last));
    return run(first, root, command, bound);
  }

  /**
   * @param first directory of classes that come before all others
   * @param tests of one module
   */
  Verdict tests(Path first, List<Test> tests, Duration bound)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of(SHORT_LIVED, RunTests.class.getName()));
    tests.forEach(test -> command.add(test.className()));
    return run(first, root.resolve("kron-" + tests.getFirst().module()), command, bound);
  }

  private Verdict run(Path first, Path directory, List<String> command, Duration bound)
      throws IOException, InterruptedException {
    long start = System.nanoTime();
    Path temporary = Files.createTempDirectory("km");
    Files.setPosixFilePermissions(temporary, PosixFilePermissions.fromString("rwxr-xr-x"));
    Path output = temporary.resolve("out");
    List<String> words = new ArrayList<>();
    words.add(ProcessHandle.current().info().command().orElseThrow());
    words.addAll(
        List.of(
            "--enable-native-access=ALL-UNNAMED",
            "-Xshare:auto",
            "-XX:+UseSerialGC",
            "-Xmx1g",
            "-Dkron.root=" + root,
            "-Djava.io.tmpdir=" + temporary,
            "-cp",
            classPath(first)));
    words.addAll(command);
    try {
      Process process =
          new ProcessBuilder(words)
              .directory(directory.toFile())
              .redirectErrorStream(true)
              .redirectOutput(output.toFile())
              .start();
      process.getOutputStream().close();
      boolean ended = process.waitFor(bound.toMillis(), TimeUnit.MILLISECONDS);
      List<ProcessHandle> left = new ArrayList<>(process.descendants().toList());
      process.destroyForcibly();
      process.waitFor();
      left.forEach(ProcessHandle::destroyForcibly);
      killAllOf(temporary);
      String text = Files.readString(output, StandardCharsets.ISO_8859_1);
      long millis = (System.nanoTime() - start) / 1_000_000;
      return new Verdict(found(ended, process.exitValue(), text, command), millis, text);
    } finally {
      delete(temporary);
    }
  }

  private static @Nullable String found(
      boolean ended, int code, String text, List<String> command) {
    if (!ended) {
      return "does not end: " + command.getLast();
    }
    if (code == 0) {
      return null;
    }
    return text.lines()
        .filter(line -> line.startsWith(Verdict.MARK))
        .reduce((_, last) -> last)
        .map(line -> line.substring(Verdict.MARK.length()))
        .orElse("ends with exit code " + code + ": " + command.getLast());
  }

  /** Daemons and keepers that the run left behind: their arguments name its directory. */
  private static void killAllOf(Path temporary) {
    ProcessHandle.allProcesses()
        .filter(it -> it.info().commandLine().orElse("").contains(temporary + "/"))
        .forEach(ProcessHandle::destroyForcibly);
  }

  private String classPath(Path first) {
    List<String> parts = new ArrayList<>(List.of(first.toString()));
    Stream.concat(directories("classes").stream(), directories("test-classes").stream())
        .forEach(directory -> parts.add(directory.toString()));
    Arrays.stream(System.getProperty("java.class.path", "").split(File.pathSeparator))
        .filter(part -> part.endsWith(".jar") && !part.contains("/kron-"))
        .forEach(parts::add);
    return String.join(File.pathSeparator, parts);
  }

  /** As far as that is possible: what cannot be deleted is only in the way of nobody. */
  static void delete(Path directory) {
    try (Stream<Path> files = Files.walk(directory)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(file);
      }
    } catch (IOException | UncheckedIOException e) {
      System.out.println("left behind: " + e);
    }
  }
}
