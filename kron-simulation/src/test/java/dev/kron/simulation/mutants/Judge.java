package dev.kron.simulation.mutants;

import dev.kron.simulation.mutants.Laboratory.Test;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Looks for a bug with one means after the other, those first that cost little. */
final class Judge {
  private static final long FEW = 150;
  private static final long ALL = Long.getLong("kron.mutants.histories", 20_000);
  private static final Duration HISTORIES = Duration.ofMinutes(30);
  private static final int NEAR = 4;

  /** By what a bug may be found. */
  enum Means {
    /** The simulator, in a few histories. */
    FEW_HISTORIES,
    /** The few tests that reach it and are nearest to it. */
    NEAR_TESTS,
    /** The others that reach it. */
    ALL_TESTS,
    /** The simulator, in as many histories as every build plays. */
    ALL_HISTORIES
  }

  private final Laboratory laboratory;
  private final Baseline baseline;
  private final Path directory;

  Judge(Laboratory laboratory, Baseline baseline, Path directory) {
    this.laboratory = laboratory;
    this.baseline = baseline;
    this.directory = directory;
  }

  /** What finds it, in words; null: nothing does. */
  @Nullable String found(Mutant mutant, Means means) throws IOException, InterruptedException {
    Path classes = directory.resolve("planted");
    Path file = classes.resolve(mutant.className().replace('.', '/') + ".class");
    Files.createDirectories(file.getParent());
    Files.write(file, mutant.plantedIn(Sample.bytes(laboratory.classes(), mutant.className())));
    try {
      return switch (means) {
        case FEW_HISTORIES -> foundInHistories(mutant, classes, 1, FEW);
        case NEAR_TESTS -> foundByTest(mutant, classes, 0, NEAR);
        case ALL_TESTS -> foundByTest(mutant, classes, NEAR, Integer.MAX_VALUE);
        case ALL_HISTORIES -> foundInHistories(mutant, classes, FEW + 1, ALL);
      };
    } finally {
      Laboratory.delete(classes);
    }
  }

  private @Nullable String foundInHistories(Mutant mutant, Path classes, long from, long last)
      throws IOException, InterruptedException {
    return baseline.isPlayed(mutant) && from <= last
        ? laboratory.histories(classes, from, last, HISTORIES).found()
        : null;
  }

  /** The tests of a module share a JVM, the nearest first. */
  private @Nullable String foundByTest(Mutant mutant, Path classes, int from, int to)
      throws IOException, InterruptedException {
    Map<String, List<Test>> rounds = new LinkedHashMap<>();
    List<Test> reaching = baseline.reaching(mutant);
    for (Test test :
        reaching.subList(Math.min(from, reaching.size()), Math.min(to, reaching.size()))) {
      rounds.computeIfAbsent(test.module(), _ -> new ArrayList<>()).add(test);
    }
    for (List<Test> together : rounds.values()) {
      long millis = together.stream().mapToLong(baseline::millis).sum();
      Duration bound = Duration.ofMillis(3 * millis).plusSeconds(60);
      Verdict verdict = laboratory.tests(classes, together, bound);
      String found = verdict.found();
      if (found != null && isNoChance(found, classes, together)) {
        return found;
      }
    }
    return null;
  }

  /** The test class that failed fails again, and does not without the bug. */
  private boolean isNoChance(String found, Path classes, List<Test> tests)
      throws IOException, InterruptedException {
    List<Test> failed =
        tests.stream().filter(test -> found.startsWith(test.simpleName() + ".")).toList();
    if (failed.isEmpty()) {
      return true; // it hangs, or the JVM ended
    }
    Duration bound = Duration.ofMillis(3 * baseline.millis(failed.getFirst())).plusSeconds(60);
    return laboratory.tests(classes, failed, bound).found() != null
        && laboratory.tests(directory.resolve("nothing"), failed, bound).found() == null;
  }
}
