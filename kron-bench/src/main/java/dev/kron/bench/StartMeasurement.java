package dev.kron.bench;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * How long {@code ./kron} takes to answer, against a bare hello-world of the same JDK, run in
 * turns. Target: three times as long or less, at the median.
 *
 * <p>{@code kron-bench/run start}
 */
final class StartMeasurement implements Measurement {
  private static final double TARGET_RATIO = 3;

  @Override
  public String title() {
    return "the time ./kron explain and ./kron lint take, against a Java hello-world";
  }

  @Override
  public boolean run(List<String> options) throws IOException, InterruptedException {
    Path root = Child.root();
    Path directory = Files.createTempDirectory("kron-bench");
    try {
      return run(root, directory, options.contains("--quick") ? 5 : 30);
    } finally {
      try (var files = Files.walk(directory)) {
        for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
          Files.delete(file);
        }
      }
    }
  }

  private static boolean run(Path root, Path directory, int rounds)
      throws IOException, InterruptedException {
    String schedule = "0 0 * * * @tz(Europe/Paris) @win(after,2h)";
    Path krontab = directory.resolve("small.krontab");
    Files.writeString(krontab, schedule + " name=backup command=/bin/true\n");
    List<List<String>> commands =
        List.of(
            hello(directory),
            List.of(
                "./kron",
                "explain",
                "--schedule",
                schedule,
                "--identity",
                "a:b",
                "--at",
                "2026-03-01T12:00:00Z"),
            List.of("./kron", "lint", krontab.toString()));
    List<List<Double>> millis = new ArrayList<>();
    for (List<String> command : commands) {
      millis.add(new ArrayList<>());
      time(root, command); // builds, if need be
    }
    for (int round = 0; round < rounds; round++) {
      for (int i = 0; i < commands.size(); i++) {
        millis.get(i).add(time(root, commands.get(i)));
      }
    }
    double hello = median(millis.get(0));
    double explain = median(millis.get(1));
    double lint = median(millis.get(2));
    System.out.printf("%n%-14s %8s %8s%n", "median of " + rounds, "ms", "ratio");
    System.out.printf("%-14s %8.1f%n", "hello world", hello);
    boolean explainMet = print("kron explain", explain, hello);
    boolean lintMet = print("kron lint", lint, hello);
    System.out.printf("target: %.0f times hello world or less%n", TARGET_RATIO);
    return explainMet && lintMet;
  }

  private static boolean print(String what, double millis, double hello) {
    boolean met = millis <= TARGET_RATIO * hello;
    System.out.printf("%-14s %8.1f %8.2f %s%n", what, millis, millis / hello, met ? "" : "MISSED");
    return met;
  }

  /** The class alone in a directory: nobody starts a hello-world from a jar with half a Spring. */
  private static List<String> hello(Path directory) throws IOException {
    String name = Hello.class.getName();
    Path file = directory.resolve("classes").resolve(name.replace('.', '/') + ".class");
    Files.createDirectories(file.getParent());
    try (InputStream in = Hello.class.getResourceAsStream("Hello.class")) {
      if (in == null) {
        throw new IOException("the jar has no " + name);
      }
      Files.copy(in, file);
    }
    String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    return List.of(java, "-cp", directory.resolve("classes").toString(), name);
  }

  private static double time(Path root, List<String> command)
      throws IOException, InterruptedException {
    Child.Cost cost = Child.run(root, command);
    if (cost.exitCode() != 0) {
      throw new IOException(String.join(" ", command) + " ended with " + cost.exitCode());
    }
    return cost.wallMillis();
  }

  private static double median(List<Double> values) {
    return values.stream().sorted().skip(values.size() / 2).findFirst().orElseThrow();
  }
}
