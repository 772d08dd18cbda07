package dev.kron.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class KeptRunTest extends WorkshopTest {

  @Test
  void recordsTheExitStatus() throws IOException {
    Run run = workshop.run();
    assertEquals(new RunStatus.Ended(7, null), workshop.finish(Workshop.shell(run, "exit 7")));
    assertEquals(new RunStatus.Ended(7, null), workshop.processes().status(run));
  }

  @Test
  void recordsWhatTheCommandUsedOfTheProcessor() throws IOException {
    Run run = workshop.run();
    assertNull(workshop.processes().cpuMillis(run));
    String busy = "i=0; while [ $i -lt 400000 ]; do i=$((i+1)); done";
    workshop.finish(Workshop.shell(run, "sh -c '" + busy + "'; kill -KILL $$"));
    Long used = workshop.processes().cpuMillis(run);
    assertTrue(used != null && used > 0, () -> Workshop.text(RunFiles.file(run)));
    assertEquals(new RunStatus.Ended(137, 9), workshop.processes().status(run));
  }

  @Test
  void aNiceCommandGivesWay() {
    int usual = niceness(0);
    assertEquals(Math.min(19, usual + 7), niceness(7));
  }

  private int niceness(int nice) {
    Run run = workshop.run();
    Launch launch = Workshop.shell(run, "read -r stat </proc/self/stat; set -- $stat; echo ${19}");
    workshop.finish(launch.toBuilder().nice(nice).build());
    return Integer.parseInt(Workshop.text(run.stdout()).strip());
  }

  @Test
  void capturesBothStreamsApart() {
    Run run = workshop.run();
    workshop.finish(Workshop.shell(run, "echo out; echo err >&2"));
    assertEquals("out\n", Workshop.text(run.stdout()));
    assertEquals("err\n", Workshop.text(run.stderr()));
  }

  @Test
  void tellsTheSignalThatEndedTheCommandFromAnExitStatusThatLooksLikeIt() {
    assertEquals(
        new RunStatus.Ended(143, 15),
        workshop.finish(Workshop.shell(workshop.run(), "kill -TERM $$")));
    assertEquals(
        new RunStatus.Ended(143, null),
        workshop.finish(Workshop.shell(workshop.run(), "exit 143")));
  }

  @Test
  void adoptsAKeeperThatAnotherDaemonStarted() throws Exception {
    Run run = workshop.run();
    ProcessIdentity keeper = workshop.start(Workshop.shell(run, "echo up; exec sleep 300"));
    Workshop.untilItSays(run, "up");
    CompletableFuture<RunStatus> end = new CompletableFuture<>();
    try (LinuxProcesses other =
        LinuxProcesses.openBesideOthers((r, k, status) -> end.complete(status), "/bin/sh")) {
      assertEquals(new RunStatus.Running(keeper), other.status(run));
      other.watch(run, keeper);
      assertEquals(SignalDelivery.SENT, other.signal(run, Signal.TERM));
      assertEquals(
          new RunStatus.Ended(143, 15),
          end.get(Workshop.PATIENCE.toMillis(), TimeUnit.MILLISECONDS));
    }
  }

  @Test
  void tellsAnEndWhoseRecordCannotBeRead() throws Exception {
    Run run = workshop.run();
    Path gate = root.resolve("gate");
    workshop.start(
        Workshop.with(
            Workshop.shell(run, "echo up; while [ ! -e \"$GATE\" ]; do sleep 0.02; done"),
            "GATE=" + gate));
    Workshop.untilItSays(run, "up");
    Files.delete(RunFiles.file(run));
    Files.createDirectory(RunFiles.file(run));
    Workshop.touch(gate);
    assertInstanceOf(RunStatus.Unknown.class, workshop.await(run));
    Files.delete(RunFiles.file(run));
  }

  @Test
  void aSignalThatComesBeforeTheClaimIsNotLost() throws IOException {
    for (boolean prepared : new boolean[] {true, false, true, false}) {
      Run run = workshop.run();
      Launch launch = Workshop.shell(run, "exec sleep 300");
      if (prepared) {
        workshop.processes().prepare(launch).start();
      } else {
        workshop.processes().launch(launch);
      }
      SignalDelivery delivery = workshop.processes().signal(run, Signal.TERM);
      while (delivery == SignalDelivery.NOT_YET) {
        Thread.onSpinWait();
        delivery = workshop.processes().signal(run, Signal.TERM);
      }
      assertEquals(SignalDelivery.SENT, delivery);
      workshop.await(run);
    }
  }
}
