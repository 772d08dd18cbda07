package dev.kron.daemon.fleet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.kron.cron.NominalTimes;
import dev.kron.daemon.fleet.FleetLines.DamagedException;
import dev.kron.daemon.fleet.FleetMemory.Given;
import dev.kron.fleet.Claim;
import dev.kron.fleet.NodeSession.Start;
import dev.kron.fleet.RowKey;
import dev.kron.job.FleetRules.Loss;
import dev.kron.schedule.Policy.Concurrency;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** What a node remembers of itself, line by line. */
final class FleetLinesTest {
  private static final UUID NODE = new UUID(1, 2);
  private static final Start FIRST = new Start(1, new UUID(3, 1));
  private static final Start SECOND = new Start(2, new UUID(3, 2));

  private static Given given(String run, Claim.Kind kind, long nominal) {
    return new Given(
        new Claim(
            new RowKey("fleet:a.kron:b \" \n", NODE),
            run,
            kind,
            new Claim.Period(nominal, 2, 3, 4),
            new Claim.Terms("d", 7, 8),
            Concurrency.REPLACE,
            "a note"),
        Loss.RERUN);
  }

  @Test
  void whatIsWrittenIsReadAgain() throws DamagedException {
    Given start = given("r1", Claim.Kind.START, 1_800_000_000L);
    Given trigger = given("r2", Claim.Kind.TRIGGER, NominalTimes.NONE);
    var memory =
        new FleetMemory(NODE, 2, List.of(FIRST, SECOND), 40, 3, Map.of("r1", start, "r2", trigger));
    assertEquals(memory, FleetLines.read(FleetLines.of(memory)));
  }

  @Test
  void aNodeThatWasNeverInAFleetRemembersNothing() {
    assertEquals(new FleetMemory(NODE, 0, List.of(), 0, 0, Map.of()), FleetMemory.fresh(NODE));
  }

  @Test
  void whatWasToldIsForgottenAndWritesOnlyRise() throws DamagedException {
    List<String> lines =
        List.of(
            FleetLines.node(NODE),
            FleetLines.start(FIRST),
            FleetLines.joined(FIRST, 3, 10),
            FleetLines.given(given("r1", Claim.Kind.START, 60), 12),
            FleetLines.given(given("r2", Claim.Kind.START, 60), 13),
            FleetLines.told(List.of("r1"), 11),
            FleetLines.start(SECOND),
            FleetLines.start(SECOND));
    FleetMemory memory = FleetLines.read(lines);
    assertNotNull(memory);
    assertEquals(List.of("r2"), List.copyOf(memory.open().keySet()));
    assertEquals(13, memory.writes());
    assertEquals(List.of(FIRST, SECOND), memory.starts(), "the answer to the second is not known");
    assertEquals(2, memory.number());
  }

  @Test
  void afterADatabaseThatWentBackItsOwnCountHolds() throws DamagedException {
    FleetMemory memory =
        FleetLines.read(
            List.of(
                FleetLines.node(NODE),
                FleetLines.joined(FIRST, 3, 100),
                FleetLines.start(SECOND),
                FleetLines.joined(SECOND, 4, 7)));
    assertNotNull(memory);
    assertEquals(7, memory.writes());
    assertEquals(4, memory.generation());
    assertEquals(List.of(SECOND), memory.starts());
  }

  @Test
  void damageIsNoticedWhereverItIs() throws DamagedException {
    assertNull(FleetLines.read(List.of()), "a machine that never was in a fleet");
    List<String> lines = FleetLines.of(FleetMemory.fresh(NODE));
    List<String> more = new ArrayList<>(lines);
    more.add(FleetLines.start(FIRST));
    for (int line = 0; line < more.size(); line++) {
      for (int at = 0; at < more.get(line).length(); at++) {
        var damaged = new ArrayList<>(more);
        var text = new StringBuilder(more.get(line));
        text.setCharAt(at, text.charAt(at) == 'x' ? 'y' : 'x');
        damaged.set(line, text.toString());
        assertThrows(DamagedException.class, () -> FleetLines.read(damaged), text.toString());
      }
    }
    assertThrows(DamagedException.class, () -> FleetLines.read(List.of("", "short")));
    assertThrows(DamagedException.class, () -> FleetLines.read(List.of(FleetLines.start(FIRST))));
  }
}
