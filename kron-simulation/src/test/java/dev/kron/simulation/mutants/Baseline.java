package dev.kron.simulation.mutants;

import dev.kron.simulation.mutants.Laboratory.Test;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * What the tests do without any bug: which pass, how long they take, and which methods they reach.
 * A test class that fails here has no say. Kept in a file for as long as no class is newer.
 */
final class Baseline {
  private static final Duration BOUND = Duration.ofMinutes(6);

  /** Stands for the simulator, which does not reach everything either. */
  private static final Test HISTORIES = new Test("simulation", "dev.kron.simulation.Simulation");

  private static final long PLAYED = 500;

  /** Whoever takes so long comes after the others. */
  private static final long SLOW_MILLIS = 40_000;

  /** Where tests are that may reach what bugs are planted in. */
  private static final List<Test> FROM =
      List.of(
          new Test("core", "dev.kron.job.*"),
          new Test("core", "dev.kron.service.*"),
          new Test("config", "dev.kron.config.*"),
          new Test("store", "dev.kron.store.*"),
          new Test("daemon", "dev.kron.daemon.*"),
          new Test("cli", "dev.kron.cli.*"));

  private record Entry(Test test, long millis, Set<String> reached) {}

  private final List<Entry> entries;

  private Baseline(List<Entry> entries) {
    this.entries = entries;
  }

  static Baseline of(Laboratory laboratory, Path directory)
      throws IOException, InterruptedException {
    Path file = directory.resolve("baseline");
    Map<Test, List<String>> known = isCurrent(file, laboratory) ? read(file) : Map.of();
    List<Test> tests = new ArrayList<>();
    for (Test from : FROM) {
      tests.addAll(laboratory.tests(from.module(), from.packageName()));
    }
    tests.addAll(
        laboratory.tests("simulation", "dev.kron.simulation").stream()
            .filter(test -> test.simpleName().equals("OnceWentWrongTest"))
            .toList());
    tests.add(HISTORIES);
    if (known.isEmpty()) {
      Files.createDirectories(directory);
      Files.writeString(file, "");
    }
    var probes = new Reached.Probes(directory.resolve("probes"));
    for (Path path : Sample.files(laboratory.classes())) {
      probes.plantIn(Sample.read(path));
    }
    List<Entry> entries = new ArrayList<>();
    for (Test test : tests) {
      List<String> facts = known.get(test);
      if (facts == null) {
        facts = measure(laboratory, probes, test, directory);
        append(file, test, facts);
      }
      long millis = Long.parseLong(facts.getFirst());
      if (millis >= 0) {
        entries.add(new Entry(test, millis, Set.copyOf(facts.subList(1, facts.size()))));
      }
    }
    Laboratory.delete(directory.resolve("probes"));
    return new Baseline(entries);
  }

  private static boolean isCurrent(Path file, Laboratory laboratory) throws IOException {
    if (!Files.exists(file)) {
      return false;
    }
    var since = Files.getLastModifiedTime(file);
    for (Path path : Sample.files(laboratory.classes())) {
      if (Files.getLastModifiedTime(path).compareTo(since) > 0) {
        return false;
      }
    }
    return true;
  }

  private static List<String> measure(
      Laboratory laboratory, Reached.Probes probes, Test test, Path directory)
      throws IOException, InterruptedException {
    probes.forget();
    Path classes = directory.resolve("probes");
    Verdict verdict =
        test.equals(HISTORIES)
            ? laboratory.histories(classes, 1, PLAYED, BOUND)
            : laboratory.tests(classes, List.of(test), BOUND);
    if (verdict.found() != null) {
      System.out.println("left out, for it fails without a bug: " + test + verdict.found());
      Files.writeString(directory.resolve(test.simpleName() + ".failed"), verdict.output());
      return List.of("-1");
    }
    List<String> facts = new ArrayList<>(List.of(Long.toString(verdict.millis())));
    facts.addAll(new TreeSet<>(probes.reached()));
    return facts;
  }

  private static void append(Path file, Test test, List<String> facts) throws IOException {
    Files.writeString(
        file,
        test.module() + " " + test.className() + " " + String.join(" ", facts) + "\n",
        StandardOpenOption.APPEND);
  }

  private static Map<Test, List<String>> read(Path file) throws IOException {
    Map<Test, List<String>> known = new LinkedHashMap<>();
    try (Stream<String> lines = Files.lines(file)) {
      lines
          .map(line -> List.of(line.split(" ")))
          .forEach(
              words ->
                  known.put(new Test(words.get(0), words.get(1)), words.subList(2, words.size())));
    }
    return known;
  }

  long millis(Test test) {
    return entries.stream()
        .filter(entry -> entry.test().equals(test))
        .mapToLong(Entry::millis)
        .findFirst()
        .orElse(0);
  }

  /** The tests that reach the method of a bug, those first that are near and reach little else. */
  List<Test> reaching(Mutant mutant) {
    return entries.stream()
        .filter(entry -> entry.reached().contains(mutant.methodId()))
        .filter(entry -> !entry.test().equals(HISTORIES))
        .sorted(
            Comparator.comparingInt((Entry entry) -> distance(entry.test(), mutant))
                .thenComparingLong(entry -> entry.millis() / SLOW_MILLIS)
                .thenComparingInt(entry -> entry.reached().size()))
        .map(Entry::test)
        .toList();
  }

  boolean isPlayed(Mutant mutant) {
    return entries.stream()
        .anyMatch(
            entry -> entry.test().equals(HISTORIES) && entry.reached().contains(mutant.methodId()));
  }

  private static int distance(Test test, Mutant mutant) {
    String outer = mutant.className().split("\\$")[0];
    String simple = outer.substring(outer.lastIndexOf('.') + 1);
    if (test.simpleName().startsWith(simple)) {
      return 0;
    }
    return test.packageName().equals(outer.substring(0, outer.lastIndexOf('.'))) ? 1 : 2;
  }
}
