package dev.kron.simulation;

import static org.junit.jupiter.api.Assertions.assertNull;

import dev.kron.simulation.HistoryStep.Kind;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Histories in which messages once got lost, or came twice. */
class MessagesOnceTest {
  private static final long START = Instant.parse("2026-05-11T09:13:25Z").toEpochMilli();
  private static final int LUCKS = 12;

  /** Plays steps with seeds whose histories have somebody who is told. */
  private static void holds(Object... steps) {
    List<String> entries =
        List.of(
            Entries.captured(ShortHistories.job("a", "allow", "0s")),
            Entries.captured(ShortHistories.job("b", "forbid", "0s")),
            Entries.captured(ShortHistories.job("c", "replace", "0s")));
    for (int luck = 0; luck < LUCKS; luck++) {
      var list = new ArrayList<HistoryStep>();
      for (int i = 0; i < steps.length; i++) {
        long seed = luck * 1000L + i;
        list.add(
            switch (steps[i]) {
              case Kind kind -> new HistoryStep(kind, seed, 0, 0);
              case Duration time -> new HistoryStep(Kind.PASS, seed, time.toNanos(), 0);
              case SimulatedReceivers.Mood mood ->
                  new HistoryStep(
                      Kind.RECEIVERS, seed, SimulatedReceivers.Mood.ALL.indexOf(mood), 0);
              default -> throw new IllegalArgumentException(steps[i].toString());
            });
      }
      var scenario = new Scenario(8L * luck + 5, START, 100, 1 << 20, entries, List.of(), list);
      assertNull(History.play(scenario, false).violation(), "luck " + luck);
    }
  }

  /** What was missed is told while a reload hands over once more what jobs owe. */
  @Test
  void aReloadWhileMessagesAreTakenOverDoublesNone() {
    holds(Kind.START, Duration.ofSeconds(70), Kind.CRASH, Duration.ofMinutes(7), Kind.START);
  }

  @Test
  void aListThatADaemonLeftIsNoPartOfAnother() {
    holds(
        SimulatedReceivers.Mood.AWAY,
        Kind.START,
        Duration.ofSeconds(70),
        Kind.CRASH,
        Duration.ofMinutes(7),
        Kind.START,
        Duration.ofMinutes(4),
        Kind.CRASH,
        Duration.ofMinutes(7),
        Kind.START,
        Duration.ofMinutes(4),
        Kind.CRASH,
        Duration.ofMinutes(3),
        Kind.START,
        Duration.ofMinutes(3));
  }

  /** The daemon knows what its file said, and writes it down again. */
  @Test
  void aFileThatWasDamagedHasItsProblemsAgain() {
    holds(
        Kind.START,
        Duration.ofSeconds(70),
        Kind.CRASH,
        Duration.ofMinutes(7),
        Kind.START,
        Duration.ofMinutes(1),
        Kind.DAMAGE,
        Duration.ofMinutes(3));
  }
}
