package dev.kron.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

/** At most one execution of a run, whoever starts it how often. */
class ClaimTest extends WorkshopTest {

  @Test
  void executesOnceHoweverManyStartIt() throws Exception {
    Run run = workshop.run();
    Launch launch = Workshop.shell(run, "echo ran >>\"$OUT\"");
    launch = Workshop.with(launch, "OUT=" + root.resolve("evidence"));
    List<Callable<LaunchResult>> starts = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      Launch same = launch;
      starts.add(() -> workshop.processes().launch(same));
    }
    try (ExecutorService threads = Executors.newFixedThreadPool(8)) {
      for (Future<LaunchResult> result : threads.invokeAll(starts)) {
        assertFalse(result.get() instanceof LaunchResult.Failed, () -> "" + result.resultNow());
      }
    }
    Workshop.until(
        "it has ended", () -> workshop.processes().status(run) instanceof RunStatus.Ended);
    Workshop.until("all keepers left", () -> workshop.watched() == 0);
    assertEquals("ran\n", Files.readString(root.resolve("evidence")));
    assertEquals(new RunStatus.Ended(0, null), workshop.processes().status(run));
  }

  @Test
  void whoComesAfterTheLatestMomentDoesNotClaim() throws Exception {
    Run run = workshop.run();
    Launch launch = Workshop.shell(run, "echo ran >>\"$OUT\"");
    launch = Workshop.with(launch, "OUT=" + root.resolve("evidence"));
    long now = BootClock.nanos() / 1_000_000L;
    Launch late = launch.toBuilder().latestBootMillis(now - 20).build();
    assertNotNull(workshop.processes().launch(late));
    Workshop.until("its keeper left", () -> workshop.watched() == 0);
    assertEquals(new RunStatus.Unclaimed(), workshop.processes().status(run));
    assertTrue(Files.exists(run.directory().resolve(Launch.LATE)), "it says why");
    assertFalse(Files.exists(root.resolve("evidence")));

    Launch inTime = launch.toBuilder().latestBootMillis(now + 60_000).build();
    assertNotNull(workshop.processes().launch(inTime));
    Workshop.until(
        "it has ended", () -> workshop.processes().status(run) instanceof RunStatus.Ended);
    assertEquals("ran\n", Files.readString(root.resolve("evidence")));
  }

  @Test
  void executesOnceHoweverManyKeepersRace() throws Exception {
    Run run = workshop.run();
    Launch launch = Workshop.shell(run, "echo ran >>\"$OUT\"");
    Launch same = Workshop.with(launch, "OUT=" + root.resolve("evidence"));
    List<Prepared> keepers = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      keepers.add(workshop.processes().prepare(same));
    }
    for (Prepared keeper : keepers) {
      assertNotNull(keeper.start());
    }
    Workshop.until("all keepers left", () -> workshop.watched() == 0);
    assertEquals("ran\n", Files.readString(root.resolve("evidence")));
    assertEquals(new RunStatus.Ended(0, null), workshop.processes().status(run));
  }

  @Test
  void eitherTheDaemonOrTheKeeperHasTheRun() throws Exception {
    int begun = 0;
    int forestalled = 0;
    for (int i = 0; i < 60; i++) {
      Run run = workshop.run();
      Path evidence = root.resolve("evidence-" + i);
      Prepared prepared =
          workshop
              .processes()
              .prepare(Workshop.with(Workshop.shell(run, ">\"$OUT\""), "OUT=" + evidence));
      prepared.start();
      // Somewhere around the moment of the claim, a little later each time.
      Workshop.spinMicros(i * 20L);
      boolean taken = workshop.processes().forestall(run);
      workshop.await(run);
      RunStatus status = workshop.processes().status(run);
      assertEquals(!taken, Files.exists(evidence), () -> run + ": " + status);
      if (taken) {
        forestalled++;
        assertEquals(new RunStatus.Forestalled(), status);
      } else {
        begun++;
        assertEquals(new RunStatus.Ended(0, null), status);
      }
    }
    assertEquals(60, begun + forestalled);
  }

  @Test
  void aForestalledRunNeverBegins() throws IOException {
    Run run = workshop.run();
    assertTrue(workshop.processes().forestall(run));
    assertFalse(workshop.processes().forestall(run));
    assertEquals(
        new LaunchResult.AlreadyClaimed(new RunStatus.Forestalled()),
        workshop.processes().launch(Workshop.shell(run, "exit 0")));
  }

  @Test
  void aRefusalIsOnRecordForEver() throws IOException {
    Run run = workshop.run();
    RunStatus refused = new RunStatus.FailedToStart(Stage.USER, "there is no user nobody2");
    assertEquals(refused, workshop.processes().refuse(run, Stage.USER, "there is no user nobody2"));
    assertEquals(refused, workshop.processes().status(run));
    assertEquals(
        new LaunchResult.AlreadyClaimed(refused),
        workshop.processes().launch(Workshop.shell(run, "exit 0")));
  }

  @Test
  void aRefusalComesTooLateForARunThatBegan() throws IOException {
    Run run = workshop.run();
    workshop.finish(Workshop.shell(run, "exit 2"));
    assertEquals(
        new RunStatus.Ended(2, null), workshop.processes().refuse(run, Stage.EXEC, "too late"));
  }

  @Test
  void aLineWithoutItsNewlineSaysNothing() throws IOException {
    for (String record :
        List.of("", "command 1 1\nexit 0", "command 1 1\nexi", "exit\n", "exit 256\n")) {
      Run run = workshop.run();
      Files.writeString(RunFiles.file(run), gone() + "\n" + record);
      assertInstanceOf(RunStatus.Unknown.class, workshop.processes().status(run), record);
    }
  }

  @Test
  void aClaimThatCannotBeReadIsAClaim() throws IOException {
    for (String claim : List.of("", "12 34", "12 34 boot", "no such thing\n", "0 0 boot\n")) {
      Run run = workshop.run();
      Files.writeString(RunFiles.file(run), claim);
      assertInstanceOf(RunStatus.Unknown.class, workshop.processes().status(run), claim);
      assertFalse(workshop.processes().forestall(run), claim);
    }
  }

  @Test
  void aRunOfAnotherBootHasEndedSomehow() throws IOException {
    Run run = workshop.run();
    ProcessHandle self = ProcessHandle.current();
    long ticks = ProcFiles.entry((int) self.pid()).orElseThrow().startTicks();
    Files.writeString(RunFiles.file(run), self.pid() + " " + ticks + " 00000000-another-boot\n");
    RunStatus.Unknown unknown =
        assertInstanceOf(RunStatus.Unknown.class, workshop.processes().status(run));
    assertTrue(unknown.reason().contains("restarted"), unknown.reason());
    assertEquals(SignalDelivery.GONE, workshop.processes().signal(run, Signal.KILL));
  }

  /** A claim by a keeper that is not there: our own pid with somebody else's start time. */
  private String gone() {
    return ProcessHandle.current().pid() + " 1 " + workshop.processes().bootId();
  }
}
