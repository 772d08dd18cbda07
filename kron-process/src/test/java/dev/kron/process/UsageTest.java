package dev.kron.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

class UsageTest extends WorkshopTest {
  /** A shell that counts for a while, and a child that sleeps. */
  @Test
  void countsAllProcessesOfARunAndNobodyElse() throws IOException {
    Run busy = workshop.run();
    workshop.start(
        Workshop.shell(
            busy, "sleep 300 & i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done; echo up; wait"));
    Run idle = workshop.run();
    workshop.start(Workshop.shell(idle, "echo up; exec sleep 300"));
    Workshop.untilItSays(busy, "up");
    Workshop.untilItSays(idle, "up");
    var usage = workshop.processes().usage(List.of(busy, idle));
    Usage much = usage.getOrDefault(busy, Usage.NONE);
    Usage little = usage.getOrDefault(idle, Usage.NONE);
    assertEquals(2, much.processes());
    assertEquals(1, little.processes());
    assertTrue(little.cpuMillis() < much.cpuMillis(), little + " " + much);
    assertTrue(little.memoryBytes() > 100_000, little.toString());
    assertTrue(little.memoryBytes() < much.memoryBytes(), little + " " + much);
  }

  @Test
  void tellsNothingOfARunThatNeverBeganAndNobodyOfOneThatEnded() throws IOException {
    Run never = workshop.run();
    Run over = workshop.run();
    workshop.finish(Workshop.shell(over, "exit 0"));
    var usage = workshop.processes().usage(List.of(never, over));
    assertFalse(usage.containsKey(never));
    Usage nobody = usage.getOrDefault(over, new Usage(1, 1, 1));
    assertEquals(0, nobody.processes());
    assertEquals(0, nobody.memoryBytes());
  }
}
