package dev.kron.simulation.mutants;

import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kron.simulation.MutatedHouse;
import dev.kron.simulation.Mutation;
import dev.kron.simulation.Unhurried;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.InvocationTargetException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Bugs that a seed chooses in the code of claims, leases, generations and fencing, and in the
 * stand-in for the database: most of them are found by the first few histories of fleets. {@code
 * -Dkron.mutants.seed=S} chooses others.
 */
@Tag("histories")
class FleetMutantsTest {
  private static final long SEED = Long.getLong("kron.mutants.seed", 18);
  private static final int SAMPLE = Integer.getInteger("kron.mutants.count", 48);
  private static final int HISTORIES = Integer.getInteger("kron.mutants.histories", 60);
  private static final int AT_LEAST = 15;
  private static final int QUIET = 20;
  private static final long ENDLESS_SECONDS = 60;

  private static final List<String> CLASSES =
      List.of(
          "ClaimDesk",
          "FleetNode",
          "Lane",
          "MemoryDatabase",
          "MemoryTables",
          "MemoryTables$Job",
          "MemoryTables$Node",
          "Neighbours",
          "NodeRuns",
          "RetryTimes",
          "Rules",
          "Timing",
          "Verdict",
          "Watched");

  /** What simulations look at, what only people see, and what every other method stands upon. */
  private static final Set<String> LEFT_OUT =
      Set.of("<init>", "<clinit>", "backup", "copy", "told", "overlaps", "prune", "offset", "owed");

  @BeforeAll
  static void takeWhatOthersLeave() {
    Unhurried.fromHereOn();
  }

  @Test
  void historiesOfFleetsFindMostBugs() throws Exception {
    List<Mutation> bugs = sample();
    var house = new MutatedHouse(bugs);
    house.wake(null);
    for (long seed = 1; seed <= QUIET; seed++) {
      assertNull(house.fleetViolation(seed), "what sleeps does nothing");
    }
    List<String> found = new ArrayList<>();
    List<String> missed = new ArrayList<>();
    for (Mutation bug : bugs) {
      house.wake(bug);
      @Nullable String how = null;
      for (long seed = 1; how == null && seed <= HISTORIES; seed++) {
        how = outcome(house, seed);
      }
      (how == null ? missed : found).add(bug.name() + (how == null ? "" : " | " + how));
    }
    house.wake(null);
    System.out.printf("%d of %d bugs found in %d histories%n", found.size(), SAMPLE, HISTORIES);
    found.forEach(System.out::println);
    missed.forEach(each -> System.out.println("not found: " + each));
    assertTrue(found.size() >= AT_LEAST, "seed " + SEED + ", found only " + found);
  }

  /** What goes wrong with a seed: a broken promise, an error, or a history that never ends. */
  private static @Nullable String outcome(MutatedHouse house, long seed)
      throws InterruptedException {
    var played = new FutureTask<@Nullable String>(() -> house.fleetViolation(seed));
    Thread.ofPlatform().daemon().start(played);
    try {
      String violation = played.get(ENDLESS_SECONDS, TimeUnit.SECONDS);
      return violation == null ? null : seed + ": " + violation.lines().findFirst().orElse("");
    } catch (TimeoutException e) {
      return seed + ": does not end";
    } catch (ExecutionException e) {
      return seed + ": " + root(e);
    }
  }

  private static Throwable root(Throwable thrown) {
    Throwable cause = thrown;
    while ((cause instanceof ExecutionException || cause instanceof InvocationTargetException)
        && cause.getCause() != null) {
      cause = cause.getCause();
    }
    return cause;
  }

  /** Any place is as likely as any other, but no method has two. */
  private static List<Mutation> sample() throws IOException {
    List<Mutant> all = new ArrayList<>();
    for (String name : CLASSES) {
      all.addAll(Mutant.in(bytes("dev.kron.fleet." + name)));
    }
    all.removeIf(each -> LEFT_OUT.contains(each.method()));
    // A millisecond more or less is nobody's loss.
    all.removeIf(each -> each.operator() == Operator.CONSTANT);
    Collections.shuffle(all, new Random(SEED));
    Set<String> methods = new HashSet<>();
    List<Mutation> sample = new ArrayList<>();
    for (Mutant each : all) {
      if (sample.size() < SAMPLE
          && methods.add(each.methodId())
          && Sample.isSound(each.plantedIn(bytes(each.className())))) {
        sample.add(each.asleep());
      }
    }
    return sample;
  }

  private static byte[] bytes(String className) throws IOException {
    String file = "/" + className.replace('.', '/') + ".class";
    try (InputStream in = FleetMutantsTest.class.getResourceAsStream(file)) {
      return Objects.requireNonNull(in, file).readAllBytes();
    }
  }
}
