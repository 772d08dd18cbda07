package dev.kron.simulation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Locale;
import java.util.function.LongConsumer;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The daemon as it is, in thousands of histories with crashes, losses of power, bad disks, clocks
 * and processes. {@code -Dkron.seeds=N} plays more of them, {@code -Dkron.seed=S} begins elsewhere.
 */
@Tag("histories")
class SimulationTest {
  private static final long SEEDS = Long.getLong("kron.seeds", 20_000);
  private static final long FROM = Long.getLong("kron.seed", 1L);
  private static final int THREADS = 2;

  @BeforeAll
  static void takeWhatOthersLeave() {
    Unhurried.fromHereOn();
  }

  @Test
  void everythingHoldsInEveryHistory() throws InterruptedException {
    long start = System.nanoTime();
    var outcome = new Simulation(FROM, SEEDS, Simulation.STEPS, THREADS).runAll(played -> {});
    assertEquals(
        List.of(), outcome.alarms(), "kron simulate --from SEED --seeds 1 shows one in full");
    assertEquals(SEEDS, outcome.histories());
    System.out.printf(
        "%d histories, %d executions, %.0f histories/s%n",
        outcome.histories(),
        outcome.executions(),
        outcome.histories() / ((System.nanoTime() - start) / 1e9));
  }

  @Test
  void theSameSeedGivesTheSameHistoryByteForByte() {
    for (long seed = 1; seed <= 60; seed++) {
      Scenario scenario = Scenario.of(seed, Simulation.STEPS);
      History.Result first = History.play(scenario, true);
      History.Result second = History.play(Scenario.of(seed, Simulation.STEPS), true);
      assertEquals(first.trace().hash(), second.trace().hash(), "seed " + seed);
    }
  }

  /** With jobs alone, with services, and with files that a locale could have written otherwise. */
  @Test
  void aHistoryReadsTheSameInEveryLocale() {
    Locale before = Locale.getDefault();
    try {
      for (long seed = 1; seed <= 24; seed++) {
        Locale.setDefault(Locale.ROOT);
        List<String> expected = Simulation.history(seed, Simulation.STEPS);
        for (String tag : List.of("ar-EG", "tr-TR", "hi-IN-u-nu-deva")) {
          Locale.setDefault(Locale.forLanguageTag(tag));
          assertEquals(expected, Simulation.history(seed, Simulation.STEPS), tag);
        }
      }
    } finally {
      Locale.setDefault(before);
    }
  }

  @Test
  void goesOnAfterAnAlarmAndTellsThemAll() throws ReflectiveOperationException {
    Mutation mutation =
        Mutation.without(
            "no fsync of the directory",
            "dev.kron.store.JobStates",
            "makeNamesDurable",
            "syncDirectory");
    var house = new MutatedHouse(List.of(mutation));
    house.wake(mutation);
    Class<?> simulation = house.loadClass(Simulation.class.getName());
    Object player =
        simulation
            .getConstructor(long.class, long.class, int.class, int.class)
            .newInstance(1, 6, Simulation.STEPS, THREADS);
    LongConsumer progress = played -> {};
    String outcome =
        simulation.getMethod("runAll", LongConsumer.class).invoke(player, progress).toString();
    assertTrue(outcome.contains("histories=6, "), outcome);
    assertTrue(outcome.contains("failure=Failure[seed=1, "), outcome);
    assertTrue(outcome.contains("alarms=[Alarm[seed=1, "), outcome);
    assertTrue(outcome.lastIndexOf("Alarm[seed=") > outcome.indexOf("Alarm[seed="), outcome);
  }

  @Test
  void anotherSeedGivesAnotherHistory() {
    assertNotEquals(
        Simulation.history(1, Simulation.STEPS), Simulation.history(2, Simulation.STEPS));
  }

  @Test
  void whetherItIsTracedChangesNothing() {
    for (long seed = 100; seed < 130; seed++) {
      Scenario scenario = Scenario.of(seed, Simulation.STEPS);
      assertEquals(
          History.play(scenario, true).executions(), History.play(scenario, false).executions());
    }
  }
}
