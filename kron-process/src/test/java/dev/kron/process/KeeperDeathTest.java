package dev.kron.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.fail;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.Map;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import org.junit.jupiter.api.Test;

/** A keeper killed at any moment leaves the truth behind, or nothing that could be taken for it. */
class KeeperDeathTest extends WorkshopTest {

  private static final int ROUNDS = 100;

  private enum Seen {
    NEVER_BEGAN,
    UNKNOWN,
    TRUE_STATUS
  }

  @Test
  void theRecordIsRightOrSaysUnknown() throws IOException {
    long seed = Long.getLong("kron.seed", 20261115L);
    RandomGenerator random = RandomGeneratorFactory.of("SplittableRandom").create(seed);
    Map<Seen, Integer> seen = new EnumMap<>(Seen.class);
    for (int round = 0; round < ROUNDS; round++) {
      Run run = workshop.run();
      Path evidence = root.resolve("evidence-" + round);
      ProcessIdentity keeper =
          workshop.start(
              Workshop.with(Workshop.shell(run, ">\"$OUT\"; exit 23"), "OUT=" + evidence));
      Workshop.spinMicros(random.nextInt(6000));
      workshop.processes().signal(keeper, Signal.KILL);
      seen.merge(judge(run, evidence, "seed " + seed + ", round " + round), 1, Integer::sum);
    }
    assertEquals(ROUNDS, seen.values().stream().mapToInt(Integer::intValue).sum());
  }

  private Seen judge(Run run, Path evidence, String where) throws IOException {
    switch (workshop.await(run)) {
      case RunStatus.Unclaimed() -> {
        assertEquals(true, workshop.processes().forestall(run), where);
        assertFalse(Files.exists(evidence), where);
        assertEquals(0, workshop.processes().members(run).size(), where);
        return Seen.NEVER_BEGAN;
      }
      case RunStatus.Unknown _ -> {
        assertFalse(workshop.processes().forestall(run), where);
        return Seen.UNKNOWN;
      }
      case RunStatus.Ended(int exitCode, Integer signal) -> {
        assertEquals(23, exitCode, where);
        assertNull(signal, where);
        return Seen.TRUE_STATUS;
      }
      case RunStatus other -> fail(where + ": " + other);
    }
    throw new AssertionError();
  }
}
