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

/**
 * Who finds a bug: first the simulator in a few histories, then the tests that reach it, those that
 * are quick and near first, then the simulator in as many histories as every build plays.
 */
final class Judge {
  private static final long FEW = 400;
  private static final long ALL = Long.getLong("kron.mutants.histories", 20_000);
  private static final Duration HISTORIES = Duration.ofMinutes(15);
  private static final long QUICK_MILLIS = 15_000;

  private final Laboratory laboratory;
  private final Baseline baseline;
  private final Path directory;

  Judge(Laboratory laboratory, Baseline baseline, Path directory) {
    this.laboratory = laboratory;
    this.baseline = baseline;
    this.directory = directory;
  }

  /** What finds it, in words; null: it survives. */
  @Nullable String found(Mutant mutant) throws IOException, InterruptedException {
    Path classes = directory.resolve("planted");
    Path file = classes.resolve(mutant.className().replace('.', '/') + ".class");
    Files.createDirectories(file.getParent());
    Files.write(file, mutant.plantedIn(Sample.bytes(laboratory.classes(), mutant.className())));
    try {
      boolean played = baseline.isPlayed(mutant);
      String found = played ? laboratory.histories(classes, 1, FEW, HISTORIES).found() : null;
      if (found == null) {
        found = foundByTest(mutant, classes);
      }
      return found == null && played && ALL > FEW
          ? laboratory.histories(classes, FEW + 1, ALL, HISTORIES).found()
          : found;
    } finally {
      Laboratory.delete(classes);
    }
  }

  private @Nullable String foundByTest(Mutant mutant, Path classes)
      throws IOException, InterruptedException {
    for (List<Test> together : rounds(baseline.reaching(mutant))) {
      long millis = together.stream().mapToLong(baseline::millis).sum();
      Duration bound = Duration.ofMillis(3 * millis).plusSeconds(60);
      Verdict verdict = laboratory.tests(classes, together, bound);
      if (verdict.found() != null
          && laboratory.tests(classes, together, bound).found() != null) { // and not by chance
        return verdict.found();
      }
    }
    return null;
  }

  /** Quick ones of a module share a JVM; the others come after them, each in its own. */
  private List<List<Test>> rounds(List<Test> tests) {
    Map<String, List<Test>> quick = new LinkedHashMap<>();
    List<List<Test>> slow = new ArrayList<>();
    for (Test test : tests) {
      if (baseline.millis(test) < QUICK_MILLIS) {
        quick.computeIfAbsent(test.module(), _ -> new ArrayList<>()).add(test);
      } else {
        slow.add(List.of(test));
      }
    }
    List<List<Test>> rounds = new ArrayList<>(quick.values());
    rounds.addAll(slow);
    return rounds;
  }
}
