package dev.kron.simulation;

import static dev.kron.simulation.ShortHistories.holds;
import static dev.kron.simulation.ShortHistories.holdsForServices;
import static dev.kron.simulation.ShortHistories.job;
import static dev.kron.simulation.ShortHistories.service;
import static dev.kron.simulation.ShortHistories.step;

import dev.kron.simulation.HistoryStep.Kind;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a daemon that took everything down once wrongly said to be left behind, as histories. */
class OnceLeftBehindTest {
  @Test
  void whatEndedOnAFullDiskIsNotSaidToBeLeftBehind() {
    holdsForServices(
        List.of(service("s0", "")),
        Kind.START,
        Duration.ofSeconds(8),
        Kind.DISK_FULL,
        step(Kind.KILL_COMMAND, 0),
        Duration.ofSeconds(20),
        Kind.STOP_WITH_JOBS,
        Duration.ofMinutes(2));
  }

  @Test
  void aRunThatEndedWhileTheDaemonWasStoppedIsNotSaidToBeLeftBehind() {
    holds(
        1 << 20,
        List.of(job("a", "allow", "0s")),
        Kind.START,
        Duration.ofSeconds(36), // in the middle of a minute's run
        Kind.STOP_WITH_JOBS,
        Duration.ofSeconds(9),
        step(Kind.PAUSE, Duration.ofMinutes(8).toNanos()),
        Duration.ofMinutes(1));
  }

  @Test
  void aRunThatEndedWithTheMachineIsNotSaidToBeLeftBehindOnAFullDisk() {
    holds(
        1 << 20,
        List.of(job("a", "forbid", "1h")),
        Kind.START,
        Duration.ofSeconds(36), // in the middle of a minute's run
        step(Kind.POWER_LOSS_SOON, 8),
        Duration.ofMinutes(1),
        Kind.DISK_FULL,
        Kind.START,
        Kind.STOP_WITH_JOBS,
        Duration.ofMinutes(2));
  }

  @Test
  void aRunThatNobodyKeepsIsNotSaidToBeLeftBehindOnAFullDisk() {
    for (int effect = 5; effect < 30; effect += 2) {
      holds(
          2,
          1 << 20,
          List.of(job("a", "forbid", "1h")),
          List.of(),
          Kind.START,
          Duration.ofSeconds(34),
          step(Kind.CRASH_SOON, effect),
          Duration.ofMinutes(1),
          Kind.START,
          Kind.DISK_FULL,
          Kind.STOP_WITH_JOBS,
          Duration.ofMinutes(2));
    }
  }
}
