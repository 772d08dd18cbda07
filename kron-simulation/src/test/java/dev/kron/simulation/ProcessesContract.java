package dev.kron.simulation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kron.process.Launch;
import dev.kron.process.LaunchResult;
import dev.kron.process.OutputTarget;
import dev.kron.process.ProcessIdentity;
import dev.kron.process.Processes;
import dev.kron.process.Run;
import dev.kron.process.RunStatus;
import dev.kron.process.Signal;
import dev.kron.process.SignalDelivery;
import dev.kron.process.Stage;
import dev.kron.simulation.Keepers.Point;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a daemon may expect of processes and their keepers: the real ones and the simulated. */
abstract class ProcessesContract {
  static final int STATUS = 7;

  abstract Processes processes();

  /** A run with a directory of its own. */
  abstract Run run();

  /** Lets a run's keeper come to its end, and gives what was told of it. */
  abstract RunStatus awaitEnd(Run run);

  /**
   * Makes it so that the condition holds after a while. It is not asked again once it held: one
   * that sends a signal would find the run gone.
   */
  abstract void await(Condition condition) throws IOException;

  /** What a test waits for. */
  interface Condition {
    boolean holds() throws IOException;
  }

  /** What is left of a run whose keeper was killed at this point, its command ended or not. */
  abstract void killedAt(Point point, Run run) throws IOException;

  abstract Launch exiting(Run run);

  abstract Launch lasting(Run run);

  static Launch launch(Run run, String... words) {
    return Launch.builder(
            run, List.of(words), List.of("PATH=/usr/bin:/bin", Run.ID_VARIABLE + "=" + run.id()))
        .stdout(new OutputTarget.Discard())
        .stderr(new OutputTarget.Discard())
        .build();
  }

  private ProcessIdentity start(Launch launch) throws IOException {
    return assertInstanceOf(LaunchResult.Launched.class, processes().launch(launch)).keeper();
  }

  @Test
  void recordsTheExitStatus() throws IOException {
    Run run = run();
    start(exiting(run));
    assertEquals(new RunStatus.Ended(STATUS, null), awaitEnd(run));
    assertEquals(new RunStatus.Ended(STATUS, null), processes().status(run));
  }

  @Test
  void aRunThatBeganIsNotStartedAgain() throws IOException {
    Run run = run();
    start(exiting(run));
    awaitEnd(run);
    assertEquals(
        new LaunchResult.AlreadyClaimed(new RunStatus.Ended(STATUS, null)),
        processes().launch(exiting(run)));
    assertFalse(processes().forestall(run));
  }

  @Test
  void aRunThatWasTakenAwayNeverBegins() throws IOException {
    Run run = run();
    assertTrue(processes().forestall(run));
    assertFalse(processes().forestall(run));
    assertEquals(
        new LaunchResult.AlreadyClaimed(new RunStatus.Forestalled()),
        processes().launch(exiting(run)));
  }

  @Test
  void aRefusalIsOnRecord() throws IOException {
    Run run = run();
    RunStatus refused = new RunStatus.FailedToStart(Stage.USER, "there is no such user");
    assertEquals(refused, processes().refuse(run, Stage.USER, "there is no such user"));
    assertEquals(refused, processes().status(run));
  }

  @Test
  void aRunGoesOnUntilItIsSignalled() throws IOException {
    Run run = run();
    ProcessIdentity keeper = start(lasting(run));
    await(() -> !processes().members(run).isEmpty());
    await(() -> processes().signal(run, Signal.TERM) == SignalDelivery.SENT);
    assertEquals(new RunStatus.Ended(143, 15), awaitEnd(run));
    assertFalse(processes().isAlive(keeper));
    assertEquals(SignalDelivery.GONE, processes().signal(run, Signal.TERM));
  }

  @Test
  void theAlertOfARunIsNotTakenForTheRun() throws IOException {
    Run failed = run();
    killedAt(Point.CLAIM_UNFINISHED, failed);
    Run alert = new Run(failed.id(), run().directory());
    var lasting = lasting(alert);
    var environment = new ArrayList<>(lasting.environment());
    environment.add(Run.ALERT_VARIABLE + "=" + alert.directory().getFileName());
    start(
        Launch.builder(alert, lasting.command(), environment)
            .stdout(lasting.stdout())
            .stderr(lasting.stderr())
            .build());
    await(() -> !processes().members(alert).isEmpty());
    assertEquals(List.of(), processes().members(failed));
    assertEquals(SignalDelivery.GONE, processes().signal(failed, Signal.KILL));
    await(() -> processes().signal(alert, Signal.KILL) == SignalDelivery.SENT);
    assertEquals(new RunStatus.Ended(137, 9), awaitEnd(alert));
  }

  @Test
  void aKeeperKilledBeforeItsClaimLeavesARunThatNeverBegan() throws IOException {
    Run run = run();
    killedAt(Point.BEFORE_CLAIM, run);
    assertInstanceOf(RunStatus.Unclaimed.class, processes().status(run));
    assertTrue(processes().forestall(run));
  }

  @Test
  void aKeeperKilledAnywhereElseBeforeItsLastLineLeavesNothingThatCouldBeTakenForAnEnd()
      throws IOException {
    for (Point point :
        List.of(
            Point.CLAIM_UNFINISHED, Point.CLAIMED, Point.COMMAND_ENDED, Point.EXIT_UNFINISHED)) {
      Run run = run();
      killedAt(point, run);
      assertInstanceOf(RunStatus.Unknown.class, processes().status(run), point.toString());
      assertFalse(processes().forestall(run), point.toString());
      assertEquals(List.of(), processes().members(run), point.toString());
    }
  }

  @Test
  void aKeeperKilledWhileItsCommandRunsLeavesTheCommandToBeFound() throws IOException {
    Run run = run();
    killedAt(Point.COMMAND_RUNS, run);
    assertInstanceOf(RunStatus.Unknown.class, processes().status(run));
    assertEquals(1, processes().members(run).size());
    assertEquals(SignalDelivery.SENT, processes().signal(run, Signal.KILL));
    await(() -> processes().members(run).isEmpty());
    assertInstanceOf(RunStatus.Unknown.class, processes().status(run));
  }

  @Test
  void aKeeperKilledAfterItsLastLineHasToldTheTruth() throws IOException {
    Run run = run();
    killedAt(Point.EXIT_WRITTEN, run);
    assertEquals(new RunStatus.Ended(STATUS, null), processes().status(run));
  }
}
