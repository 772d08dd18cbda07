package dev.kron.simulation.fleet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kron.simulation.Simulation;
import dev.kron.simulation.Unhurried;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Fleets as they are, in thousands of histories. {@code -Dkron.fleetSeeds=N} plays more of them,
 * {@code -Dkron.seed=S} begins elsewhere.
 */
@Tag("histories")
class FleetSimulationTest {
  private static final long SEEDS = Long.getLong("kron.fleetSeeds", 2_000);
  private static final long FROM = Long.getLong("kron.seed", 1L);
  private static final int THREADS = 2;

  @BeforeAll
  static void takeWhatOthersLeave() {
    Unhurried.fromHereOn();
  }

  @Test
  void everythingHoldsInEveryHistory() throws InterruptedException {
    long start = System.nanoTime();
    var simulation = new Simulation(FleetScenario::of, FROM, SEEDS, Simulation.STEPS, THREADS);
    var outcome = simulation.runAll(played -> {});
    assertEquals(
        List.of(),
        outcome.alarms(),
        "kron simulate --fleet --from SEED --seeds 1 shows one in full");
    assertEquals(SEEDS, outcome.histories());
    assertTrue(outcome.executions() > SEEDS * 10, outcome.executions() + " executions");
    System.out.printf(
        "%d histories of fleets, %d executions, %.0f histories/s%n",
        outcome.histories(),
        outcome.executions(),
        outcome.histories() / ((System.nanoTime() - start) / 1e9));
  }

  /** A definition comes into force while a run is lost: its row is seen by polls alone. */
  @Test
  void aDefinitionThatIsSeenByAPollHasPeriodsFromThenOn() {
    assertNull(FleetScenario.of(116_896, Simulation.STEPS).play(false).violation());
  }

  @Test
  void theSameSeedGivesTheSameHistoryByteForByte() {
    for (long seed = 1; seed <= 20; seed++) {
      List<String> first = Simulation.history(FleetScenario::of, seed, Simulation.STEPS);
      assertEquals(
          first, Simulation.history(FleetScenario::of, seed, Simulation.STEPS), "seed " + seed);
      assertNotEquals(first, Simulation.history(FleetScenario::of, seed + 1, Simulation.STEPS));
    }
  }

  @Test
  void whetherItIsTracedChangesNothing() {
    for (long seed = 100; seed < 115; seed++) {
      FleetScenario scenario = FleetScenario.of(seed, Simulation.STEPS);
      assertEquals(scenario.play(true).executions(), scenario.play(false).executions());
    }
  }

  @Test
  void allThatCanHappenHappens() {
    Set<FleetStep.Kind> drawn = EnumSet.noneOf(FleetStep.Kind.class);
    for (long seed = 1; seed <= 200; seed++) {
      FleetScenario.of(seed, Simulation.STEPS).steps().forEach(step -> drawn.add(step.kind()));
    }
    assertEquals(EnumSet.allOf(FleetStep.Kind.class), drawn);
  }
}
