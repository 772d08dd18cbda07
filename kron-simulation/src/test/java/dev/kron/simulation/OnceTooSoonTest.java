package dev.kron.simulation;

import static dev.kron.simulation.ShortHistories.holds;
import static dev.kron.simulation.ShortHistories.holdsForServices;
import static dev.kron.simulation.ShortHistories.job;
import static dev.kron.simulation.ShortHistories.service;
import static dev.kron.simulation.ShortHistories.step;

import dev.kron.simulation.HistoryStep.Kind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Time limits that the daemon once did not keep, as short histories. */
class OnceTooSoonTest {
  private static final String CHECKED =
      """
      autostart = true
      [lifecycle]
      start_timeout_ms = 8000
      stop_timeout_ms = 3000
      [health]
      exec = "/bin/check"
      interval_ms = 11000
      retries = 2
      """;

  @Test
  void theTimeToBeReadyBeginsWithTheProcessHoweverLateThatIs() {
    holdsForServices(
        List.of(service("s0", CHECKED)),
        Kind.START,
        step(Kind.PAUSE, Duration.ofMinutes(8).toNanos()),
        step(Kind.SLEEP, Duration.ofMinutes(20).toNanos()), // between the intent and the launch
        Duration.ofMinutes(1));
  }

  @Test
  void theTimeToEndBeginsWithTheSignalHoweverLateThatIs() {
    holdsForServices(
        List.of(service("s0", CHECKED)),
        Kind.START,
        Duration.ofMinutes(1),
        Kind.SERVICE_STOP,
        step(Kind.PAUSE, Duration.ofMinutes(8).toNanos()),
        step(Kind.SLEEP, Duration.ofMinutes(20).toNanos()), // between the decision and the signal
        Duration.ofMinutes(1));
  }

  /** The machine sleeps, or the daemon is stopped, at any moment after somebody asks for an end. */
  @Test
  void theTimeToEndBeginsWithTheSignalThoughTheMachineSleepsRightBeforeThat() {
    for (int millis = 0; millis < 12; millis++) {
      holdsThrough(Kind.END_RUNS, millis, step(Kind.SLEEP, Duration.ofMinutes(20).toNanos()));
      holdsThrough(Kind.END_RUNS, millis, step(Kind.PAUSE, Duration.ofMinutes(8).toNanos()));
      holdsThrough(Kind.SERVICE_STOP, millis, step(Kind.SLEEP, Duration.ofMinutes(20).toNanos()));
      holdsThrough(Kind.SERVICE_STOP, millis, step(Kind.PAUSE, Duration.ofMinutes(8).toNanos()));
      holdsThrough(Kind.STOP_WITH_JOBS, millis, step(Kind.SLEEP, Duration.ofSeconds(40).toNanos()));
    }
  }

  private static void holdsThrough(Kind request, int millis, HistoryStep absence) {
    holds(
        6,
        1 << 20,
        List.of(job("a", "allow", "0s")),
        List.of(service("s0", "autostart = true\n[lifecycle]\nstop_timeout_ms = 3000\n")),
        Kind.START,
        Duration.ofSeconds(36), // in the middle of a minute's run
        request,
        Duration.ofMillis(millis),
        absence,
        Duration.ofMinutes(1));
  }

  @Test
  void whatBeginsOnlyWhenItsTimeToEndIsOverDoesNotBegin() {
    holdsForServices(
        List.of(service("s0", CHECKED)),
        step(Kind.SLOW_CLAIMS, Duration.ofSeconds(6).toNanos()),
        Kind.START,
        Kind.SERVICE_STOP,
        Duration.ofMinutes(1));
  }

  @Test
  void whatBeginsAsItsTimeToEndIsOverIsAskedBeforeItIsKilled() {
    holdsForServices(
        List.of(service("s0", "[lifecycle]\nstop_timeout_ms = 100\n")),
        step(Kind.SLOW_CLAIMS, Duration.ofMillis(110).toNanos()),
        Kind.START,
        Kind.SERVICE_RESTART,
        Duration.ofMinutes(1));
  }

  @Test
  void aRunThatBeginsOnlyWhenItsTimeToEndIsOverDoesNotBegin() {
    holds(
        1 << 20,
        List.of(job("a", "replace", "1h")),
        step(Kind.SLOW_CLAIMS, Duration.ofMinutes(2).toNanos()),
        Kind.START,
        Duration.ofMinutes(5));
  }

  @Test
  void aCheckThatTheDaemonsOwnDiskKeepsFromRunningHasNotFailed() {
    holdsForServices(
        List.of(service("s0", CHECKED)),
        Kind.START,
        Duration.ofSeconds(40),
        Kind.DISK_FULL,
        Duration.ofSeconds(100),
        Kind.DISK_HEALS,
        Duration.ofMinutes(2));
  }

  @Test
  void aCheckThatHasPassedHasPassedThoughTheMachineSleepsBeforeThatIsHeard() {
    var steps = new ArrayList<Object>(List.of(Kind.START, Duration.ofSeconds(40)));
    for (int i = 0; i < 30; i++) {
      steps.add(Duration.ofMillis(3_000 + 37 * i)); // some sleep begins just after a check's end
      steps.add(step(Kind.SLEEP, Duration.ofMinutes(3).toNanos()));
    }
    holdsForServices(
        List.of(service("s0", "[health]\nexec = \"/bin/check\"\ninterval_ms = 500\nretries = 1\n")),
        steps.toArray());
  }

  /** The second keeper of an alert comes too late, and says nothing of the one that goes on. */
  @Test
  void anAlertThatTwoDaemonsStartedIsEndedWhenItsTimeIsOver() {
    String failing = " command=/bin/job stdout=discard stderr=discard onfailure=/bin/alert";
    var jobs = new ArrayList<String>();
    for (String name : "a b c d e f g h".split(" ")) {
      jobs.add("14 * * * * @policy(deadline=0s) timeout=1s name=" + name + failing);
    }
    holds(
        1 << 20,
        jobs,
        Kind.START,
        Duration.ofMillis(35_500), // runs go on that are about to use up their time
        step(Kind.SLOW_CLAIMS, Duration.ofMinutes(2).toNanos()),
        Duration.ofSeconds(40), // they have failed, and their alerts are on their way
        Kind.CRASH,
        Kind.START,
        Duration.ofMinutes(16));
  }

  @Test
  void theTimeoutOfARunBeginsWithItsLaunchNotWithItsKeeper() {
    holds(
        1 << 20,
        List.of(
            job("a", "allow", "1m"),
            job("b", "allow", "1m"),
            job("c", "allow", "1m"),
            job("d", "allow", "1m"),
            job("e", "allow", "1m")),
        Kind.START,
        step(Kind.SLOW_DISK, Duration.ofSeconds(10).toNanos()),
        Duration.ofMillis(35_100), // runs are ready, and their intents are being written
        Kind.POLICY_EDIT,
        Kind.RELOAD,
        Duration.ofMinutes(2));
  }

  /** It goes on, and its job's file goes bad before the next daemon has asked after the failure. */
  @Test
  void anAlertThatAnEarlierDaemonRaisedIsEndedThoughItsJobsFileIsBad() {
    for (int minutes = 1; minutes <= 4; minutes++) {
      holds(
          60,
          1 << 20,
          List.of(job("a", "forbid", "1m") + " onfailure=/bin/alert"),
          List.of(),
          Kind.START,
          Duration.ofMinutes(minutes),
          Kind.CRASH,
          Duration.ofSeconds(5),
          Kind.REMOVE, // nobody writes the file anew
          Kind.START,
          Kind.DAMAGE,
          Duration.ofMinutes(4),
          Duration.ofMinutes(4),
          Duration.ofMinutes(4));
    }
  }
}
