package dev.kron.simulation;

import static dev.kron.simulation.ShortHistories.holds;
import static dev.kron.simulation.ShortHistories.holdsForServices;
import static dev.kron.simulation.ShortHistories.job;
import static dev.kron.simulation.ShortHistories.service;
import static dev.kron.simulation.ShortHistories.step;
import static org.junit.jupiter.api.Assertions.assertNull;

import dev.kron.simulation.HistoryStep.Kind;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What the simulator found in the daemon, as short histories, each with many different lucks. */
class OnceWentWrongTest {
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

  /** A matter of milliseconds, which no short history with another luck has met. */
  @Test
  void aJobThatAReloadBringsBackIsNotForgottenMeanwhile() {
    assertNull(History.play(Scenario.plain(445532, Simulation.STEPS), false).violation());
  }

  /** Two reads have to fail, of all that a start makes. */
  @Test
  void aJobWhoseFileWasLostStartsNothingBesideARunThatCouldNotBeRead() {
    assertNull(History.play(Scenario.plain(704299, Simulation.STEPS), false).violation());
  }

  @Test
  void aTimeoutIsKeptThoughTheNoteThatTellsItCouldNotBeReadAtOnce() {
    holds(
        1 << 20,
        List.of(job("a", "forbid", "1m") + " timeout=30s"),
        Kind.START,
        Duration.ofSeconds(36), // its run has begun
        step(Kind.DISK_ERRORS, 3),
        Duration.ofSeconds(50), // its time is up, and that cannot be written at once
        Kind.DISK_HEALS,
        Duration.ofMinutes(1));
  }

  /** The run's end is put on record between the look and the release (seed 7054406). */
  @Test
  void aPeriodThatRanIsNotReleasedByOneWhoLookedBeforeItsEndWasOnRecord() {
    holds(
        1 << 20,
        List.of(job("a", "allow", "1m")),
        Kind.START,
        Duration.ofSeconds(37),
        Kind.POWER_LOSS,
        step(Kind.CLOCK_JUMP, Duration.ofMinutes(-10).toNanos()),
        Kind.START,
        Kind.FORGET,
        Duration.ofMinutes(15));
  }

  /** Seed 7014392. */
  @Test
  void aServiceThatIsStoppedDuringRecoveryIsNotStarted() {
    String service = "[service]\nname = \"%s\"\nexec = \"/bin/service\"\n";
    holds(
        1 << 20,
        List.of(),
        List.of(service.formatted("s0"), service.formatted("s1")),
        step(Kind.SERVICE_REMOVE, 0),
        Kind.START,
        Duration.ofSeconds(20),
        Kind.CRASH,
        step(Kind.SERVICE_EDIT, 0),
        Kind.START,
        Kind.SERVICE_STOP,
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
  void aJobWhoseFileWasLostKnowsItsRunThoughTheDiskFailedWhenItBegan() {
    holds(
        8,
        1 << 20,
        List.of(job("a", "forbid", "1m"), job("b", "forbid", "1m"), job("c", "forbid", "1m")),
        List.of(),
        Kind.START,
        step(Kind.DISK_ERRORS, 5),
        Duration.ofSeconds(140),
        Kind.DISK_HEALS,
        Kind.CRASH,
        Kind.DAMAGE,
        new HistoryStep(Kind.DAMAGE, 0, 0, 1),
        new HistoryStep(Kind.DAMAGE, 0, 0, 2),
        Kind.START,
        Duration.ofSeconds(90));
  }

  @Test
  void whatRanBeforeItsFileWasLostIsNotReleased() {
    holds(
        8,
        1 << 20,
        List.of(job("a", "allow", "24h")),
        List.of(),
        Kind.START,
        Duration.ofSeconds(120),
        Kind.CRASH,
        Kind.DAMAGE,
        Kind.START,
        step(Kind.CLOCK_JUMP, Duration.ofMinutes(-4).toNanos()),
        Duration.ofSeconds(2),
        Kind.FORGET,
        Duration.ofMinutes(4));
  }

  @Test
  void whatCouldNotBeNotedAtAStartIsTakenInThoughSomebodySpoilsTheFileMeanwhile() {
    holds(
        8,
        1 << 20,
        List.of(job("a", "forbid", "1m")),
        List.of(),
        Kind.START,
        Duration.ofSeconds(40),
        Kind.CRASH,
        Kind.EDIT,
        Kind.DISK_FULL,
        Kind.START,
        Kind.BAD_EDIT,
        Duration.ofSeconds(5),
        Kind.DISK_HEALS,
        Duration.ofMinutes(1));
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

  @Test
  void anAlertThatIsOwedWaitsForADiskThatCannotBeRead() {
    holds(
        new Scenario(
            18003L,
            1325238682930L,
            100,
            1 << 20,
            List.of(
                "*/3 * * * * @tz(Europe/Paris) @win(after,30s) @only(dow=MON,WED,SUN)"
                    + " @policy(concurrency=forbid,deadline=5m) name=a command=/bin/job"
                    + " stdout=discard stderr=discard timeout=5s",
                job("b", "replace", "1m"),
                "0,15,30,45 * * * * @policy(concurrency=replace,deadline=20000h) name=c"
                    + " command=/bin/job stdout=discard stderr=discard onfailure=/bin/alert"),
            List.of(),
            List.of(
                new HistoryStep(Kind.START, 433827820322866758L, 0L, 0),
                new HistoryStep(Kind.PASS, -2797698078737308390L, 201063453055838L, 0),
                new HistoryStep(Kind.STOP_AFTER_JOBS, 2279997156878770118L, 0L, 0),
                new HistoryStep(Kind.PASS, 3596528219612470301L, 267287960930L, 0),
                new HistoryStep(Kind.START, 6552540671100375643L, 0L, 0),
                new HistoryStep(Kind.PASS, -2963826235056509637L, 19533715977L, 0),
                new HistoryStep(Kind.STOP_AFTER_JOBS, -5967286008279725306L, 0L, 0),
                new HistoryStep(Kind.PASS, 5075075955612118562L, 784032086746L, 0),
                new HistoryStep(Kind.START, 3169573715568472259L, 0L, 0),
                new HistoryStep(Kind.DISK_ERRORS, -1069985011735637655L, 4L, 0),
                new HistoryStep(Kind.PASS, -5073310278757732418L, 406228328L, 0))));
  }

  /**
   * The directory of an alert has no note, and was taken for that of a run of a lost job: one
   * without a name, of which the alert was then recorded as a run.
   */
  @Test
  void anAlertThatIsOwedIsRaisedThoughTheArrivalsAreLost() {
    for (int effects = 20; effects <= 32; effects += 3) {
      holds(
          6,
          1 << 20,
          List.of(
              job("a", "forbid", "1m") + " timeout=5s onfailure=/bin/alert",
              "0 3 29 2 * name=b command=/bin/job stdout=discard stderr=discard"),
          List.of(),
          Kind.START,
          Duration.ofSeconds(40),
          step(Kind.CRASH_SOON, effects),
          Duration.ofMinutes(2),
          step(Kind.VANISH, Vanishing.KINDS.indexOf(Vanishing.What.ARRIVALS)));
    }
  }

  /** Where an intent's directory were not missed, its run would begin twice. */
  @Test
  void aRunWhoseDirectoryIsLostMayHaveBegun() {
    for (int effect = 16; effect < 28; effect++) {
      holds(
          1 << 20,
          List.of(job("a", "forbid", "1h")),
          Kind.START,
          Duration.ofSeconds(34),
          step(Kind.CRASH_SOON, effect),
          Duration.ofMinutes(1),
          step(Kind.VANISH, Vanishing.KINDS.indexOf(Vanishing.What.ALL_RUNS)),
          Kind.START,
          Duration.ofMinutes(2));
    }
  }

  @Test
  void aFailureIsToldThoughAllDirectoriesOfRunsWereLostBefore() {
    holds(
        1 << 20,
        List.of(job("a", "forbid", "0s") + " onfailure=/bin/alert"),
        Kind.START,
        Duration.ofMinutes(1),
        Kind.CRASH,
        Duration.ofMinutes(3),
        Kind.START,
        step(Kind.VANISH, Vanishing.KINDS.indexOf(Vanishing.What.ALL_RUNS)),
        Kind.STOP);
  }

  @Test
  void aJobWithoutAFileMayHaveRunWhereTheArrivalsAreLostOnAFullDiskAndTheClockIsSetBack() {
    holds(
        1 << 20,
        List.of("* * * * * @win(after,7m) name=a command=/bin/job stdout=discard stderr=discard"),
        Kind.START,
        Kind.DISK_FULL,
        Kind.STOP,
        step(Kind.VANISH, Vanishing.KINDS.indexOf(Vanishing.What.ARRIVALS)),
        Duration.ofMinutes(5),
        Kind.START,
        Duration.ofMinutes(1),
        step(Kind.CLOCK_JUMP, Duration.ofMinutes(-25).toNanos()),
        Duration.ofMinutes(1));
  }

  @Test
  void aServiceThatIsStoppedAsItIsStartedIsToldToEndBeforeItIsKilled() {
    holdsForServices(
        List.of(service("s0", "")), Kind.START, Kind.SERVICE_STOP, Duration.ofMinutes(1));
  }

  @Test
  void aReloadIsTakenOverAlsoWhereItCouldNotBeWrittenAtOnce() {
    holdsForServices(
        List.of(service("s0", ""), service("s1", "")),
        Kind.START,
        Duration.ofSeconds(20),
        Kind.DISK_FULL,
        Kind.SERVICE_RESTART,
        Duration.ofSeconds(3),
        new HistoryStep(Kind.SERVICE_REMOVE, 0, 0, 1),
        Kind.RELOAD,
        Duration.ofSeconds(30),
        Kind.DISK_HEALS,
        Duration.ofMinutes(2));
  }

  @Test
  void aReloadThatCouldNotBeWrittenIsNotTakenOverAfterALaterOne() {
    holdsForServices(
        List.of(service("s0", "autostart = true\n"), service("s1", "autostart = true\n")),
        Kind.START,
        Duration.ofSeconds(11),
        Kind.DISK_FULL,
        Kind.RELOAD,
        Kind.SERVICE_RESTART,
        Duration.ofMillis(600),
        step(Kind.SLEEP, Duration.ofMinutes(29).toNanos()),
        new HistoryStep(
            Kind.SERVICE_REMOVE, 0, 0, 1)); // as the disk heals, before all runs are looked at
  }

  @Test
  void whoGoesDownWithoutADiskStartsNothing() {
    holdsForServices(
        List.of(service("s0", "")),
        Kind.START,
        step(Kind.DISK_ERRORS, 4), // some writes come through: of a run, but not of its intent
        Kind.STOP_WITH_JOBS, // in the same turn in which the service is to be started
        Duration.ofMinutes(1));
  }

  @Test
  void whoGoesDownWithoutADiskSaysThatNothingCanBeWritten() {
    holds(
        5,
        1 << 20,
        List.of(job("a", "forbid", "1m")),
        List.of(service("s0", "")),
        Kind.START,
        Duration.ofSeconds(8),
        Kind.DISK_FULL,
        step(Kind.BUSY, Duration.ofSeconds(90).toNanos()),
        Kind.STOP_WITH_JOBS,
        Duration.ofSeconds(80),
        Kind.SERVICE_STOP, // both are heard of in the same turn
        Duration.ofMinutes(1));
  }

  @Test
  void aCheckWhoseRecordCannotBeReadHasFailedAndNothingElseHas() {
    holdsForServices(
        List.of(service("s0", "[health]\nexec = \"/bin/check\"\ninterval_ms = 2000\n")),
        Kind.START,
        Duration.ofSeconds(10),
        step(Kind.DISK_ERRORS, 5),
        Duration.ofMinutes(2),
        Kind.CRASH,
        Kind.START,
        Duration.ofMinutes(1),
        Kind.DISK_HEALS,
        Duration.ofMinutes(1));
  }

  @Test
  void aBackoffIsNoShorterForADaemonThatComesBack() {
    String slowToGo =
        """
        [service]
        name = "s0"
        type = "oneshot"
        exec = "/bin/once"
        autostart = false
        [lifecycle]
        restart = "on-failure"
        max_restarts = 0
        start_timeout_ms = 1000
        stop_timeout_ms = 500
        """;
    holds(
        10,
        1 << 20,
        List.of(job("a", "forbid", "1m")),
        List.of(slowToGo),
        Kind.START,
        Duration.ofMinutes(1), // what follows a change at once is not judged
        Kind.SERVICE_START,
        Duration.ofMillis(1200), // it has failed, and may take half a second to go
        Kind.CRASH,
        Duration.ofMillis(50),
        Kind.START,
        Duration.ofMinutes(1));
  }

  @Test
  void aServiceThatComesBackAsItsLastProcessGoesIsStarted() {
    holdsForServices(
        List.of(service("s0", "autostart = true\n")),
        Kind.START,
        Duration.ofSeconds(8),
        Kind.DISK_FULL,
        Kind.SERVICE_REMOVE,
        step(Kind.CRASH_SOON, 12),
        Duration.ofSeconds(66),
        Kind.KILL_COMMAND,
        Kind.START,
        Duration.ofSeconds(97),
        Kind.SERVICE_EDIT);
  }

  @Test
  void aServiceThatBecomesATargetAsItIsStartedEndsNobody() {
    holds(
        400, // it takes much luck
        1 << 20,
        List.of(job("a", "forbid", "1m")),
        List.of(service("s0", ""), service("s1", "[dependencies]\nrequires = [\"s0\"]\n")),
        Kind.START,
        new HistoryStep(Kind.SERVICE_EDIT, 0, 0, 1));
  }

  @Test
  void whatADaemonFindsOfServicesIsDurableBeforeItIsActedOn() {
    for (int effects = 2; effects < 12; effects++) {
      holdsForServices(
          List.of(service("s0", "")),
          Kind.START,
          Duration.ofSeconds(20),
          step(Kind.CRASH_SOON, effects),
          Kind.SERVICE_STOP,
          Duration.ofSeconds(30));
    }
  }

  /** The time to get ready begins with the launch, not when a slow keeper claims its run. */
  @Test
  void theTimeOfAServiceWhoseKeeperIsSlowBeginsWithItsLaunch() {
    String reports = "[lifecycle]\nready = \"notify\"\nstart_timeout_ms = 3000\n";
    for (int tenths = 1; tenths < 30; tenths += 4) {
      holdsForServices(
          List.of(service("s0", reports)),
          Kind.START,
          Duration.ofSeconds(40),
          step(Kind.SLOW_CLAIMS, Duration.ofSeconds(8).toNanos()),
          Kind.SERVICE_RESTART,
          Duration.ofMillis(100L * tenths),
          Kind.CRASH, // nobody hears of it for a moment
          Kind.START,
          Duration.ofMinutes(1));
    }
  }

  /** It died between the write of the outbox, which is listed, and the line of its log. */
  @Test
  void aMessageThatADyingDaemonGaveUpIsSaidToBeByItsOutbox() {
    assertNull(Simulation.violation(4_019_845, Simulation.STEPS));
  }
}
