package dev.kron.scheduler;

import static org.junit.jupiter.api.Assertions.fail;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** S1–S6 and L1–L3 on random traces. More of them: {@code -Dkron.traces=1000000}. */
class TracePropertyTest {
  private static final long SEED = Long.getLong("kron.seed", 20_261_115L);
  private static final int TRACES = Integer.getInteger("kron.traces", 10_000);
  private static final int STEPS = 120;

  @Test
  void everyRuleHoldsOnEveryTrace() {
    for (int trace = 0; trace < TRACES; trace++) {
      long seed = SEED + trace;
      TraceWorld world = new TraceWorld(new SplittableRandom(seed));
      try {
        for (int step = 0; step < STEPS; step++) {
          world.step();
        }
        world.end();
      } catch (AssertionError | RuntimeException broken) {
        fail(
            "The trace with -Dkron.seed="
                + seed
                + " -Dkron.traces=1: "
                + broken
                + "\n"
                + world.lastLines(),
            broken);
      }
    }
  }
}
