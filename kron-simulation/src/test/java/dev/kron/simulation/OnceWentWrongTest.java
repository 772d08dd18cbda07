package dev.kron.simulation;

import static org.junit.jupiter.api.Assertions.assertNull;

import dev.kron.simulation.Step.Kind;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What the simulator found in the daemon, as short histories, each with many different lucks. */
class OnceWentWrongTest {
  private static final int LUCKS = 25;

  private static String job(String name, String concurrency, String deadline) {
    return "* * * * * @policy(concurrency=%s,deadline=%s) name=%s command=/bin/job stdout=discard stderr=discard"
        .formatted(concurrency, deadline, name);
  }

  private static void holds(long outputLimitBytes, List<String> entries, Object... steps) {
    long start = Instant.parse("2026-05-11T09:13:25Z").toEpochMilli();
    for (int luck = 0; luck < LUCKS; luck++) {
      var list = new ArrayList<Step>();
      for (int i = 0; i < steps.length; i++) {
        long seed = luck * 1000L + i;
        list.add(
            switch (steps[i]) {
              case Kind kind -> new Step(kind, seed, 0, 0);
              case Duration time -> new Step(Kind.PASS, seed, time.toNanos(), 0);
              case Step step -> new Step(step.kind(), seed, step.amount(), step.which());
              default -> throw new IllegalArgumentException(steps[i].toString());
            });
      }
      var scenario = new Scenario(luck, start, 100, outputLimitBytes, entries, list);
      assertNull(History.play(scenario, false).violation(), "luck " + luck);
    }
  }

  private static Step step(Kind kind, long amount) {
    return new Step(kind, 0, amount, 0);
  }

  @Test
  void twoReloadsAtOnceDoNotEndTheDaemon() {
    holds(
        1 << 20,
        List.of(job("a", "forbid", "1m"), job("b", "forbid", "1m")),
        Kind.START,
        Kind.REMOVE,
        Kind.RELOAD,
        Kind.RELOAD,
        Duration.ofMinutes(2));
  }

  @Test
  void theEndOfARunWithoutAKeeperIsRecordedByADaemonThatFoundIt() {
    holds(
        1 << 20,
        List.of(job("a", "allow", "1m")),
        Kind.START,
        Duration.ofSeconds(40),
        Kind.KILL_KEEPER,
        Kind.CRASH,
        Kind.START,
        Duration.ofMinutes(3));
  }

  @Test
  void aRunWhoseEndCouldNotBeRecordedKeepsItsDirectory() {
    holds(
        1,
        List.of(job("a", "forbid", "24h")),
        Kind.START,
        Duration.ofSeconds(36),
        Kind.DISK_FULL,
        Duration.ofSeconds(40),
        Kind.KEEP_HOUSE,
        Kind.DISK_HEALS,
        Duration.ofMinutes(2));
  }

  @Test
  void aJobWhoseFileWasLostStartsNothingBesideTheRunThatGoesOn() {
    holds(
        1 << 20,
        List.of(job("a", "forbid", "24h")),
        Kind.START,
        Duration.ofSeconds(40),
        Kind.CRASH,
        Kind.DAMAGE,
        Kind.START,
        Duration.ofMinutes(3));
  }

  @Test
  void anOutcomeThatIsVisibleButNotDurableIsNotDecidedOnceMore() {
    holds(
        1 << 20,
        List.of(job("a", "forbid", "0s"), job("b", "forbid", "0s")),
        Kind.START,
        Duration.ofSeconds(100),
        step(Kind.DISK_ERRORS, 8),
        Duration.ofMinutes(3),
        Kind.DISK_HEALS,
        Duration.ofMinutes(2));
  }

  @Test
  void aRecordThatCannotBeReadForAWhileHangsNobody() {
    holds(
        1 << 20,
        List.of(job("a", "replace", "1h"), job("b", "allow", "1h")),
        Kind.START,
        Duration.ofSeconds(30),
        step(Kind.DISK_ERRORS, 3),
        Duration.ofMinutes(2),
        Kind.CRASH,
        Kind.START,
        Duration.ofMinutes(1),
        Kind.DISK_HEALS,
        Duration.ofMinutes(2));
  }

  @Test
  void resumingAJobThatWasNotSuspendedMakesNothingLate() {
    holds(
        1 << 20,
        List.of(job("a", "forbid", "0s")),
        Kind.START,
        step(Kind.BUSY, Duration.ofMinutes(2).toNanos()),
        Kind.RESUME,
        Duration.ofMinutes(3));
  }

  @Test
  void aDaemonThatRefusesToStartLeavesInOrder() {
    holds(
        1 << 20,
        List.of(job("a", "forbid", "0s")),
        Kind.START,
        Duration.ofSeconds(100),
        Kind.STOP,
        Duration.ofSeconds(1),
        Kind.NEWER_VERSION,
        Kind.START);
  }
}
