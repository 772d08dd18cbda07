package dev.kron.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A pid alone proves nothing. */
class IdentityTest {

  @TempDir Path root;
  private Workshop workshop;
  private Run run;
  private ProcessIdentity keeper;

  @BeforeEach
  void open() {
    workshop = new Workshop(root);
    run = workshop.run();
    keeper = workshop.start(Workshop.shell(run, "echo up; exec sleep 300"));
    Workshop.untilItSays(run, "up");
  }

  @AfterEach
  void close() {
    workshop.close();
  }

  @Test
  void knowsAProcessByPidStartTimeAndBoot() {
    assertTrue(workshop.processes().isAlive(keeper));
    assertFalse(workshop.processes().isAlive(later(keeper)));
    assertFalse(workshop.processes().isAlive(otherBoot(keeper)));
  }

  @Test
  void signalsNobodyWhoMerelyHasTheSamePid() {
    assertEquals(SignalDelivery.GONE, workshop.processes().signal(later(keeper), Signal.KILL));
    assertEquals(SignalDelivery.GONE, workshop.processes().signal(otherBoot(keeper), Signal.KILL));
    assertTrue(workshop.processes().isAlive(keeper));
  }

  @Test
  void signalsNoGroupWhoseLeaderMerelyHasTheCommandsPid() throws Exception {
    Path claim = RunFiles.file(run);
    String truth = Files.readString(claim);
    // Our keeper's pid and our command's pid, as if both belonged to somebody else by now.
    Files.writeString(claim, truth.replaceAll("(?m)^((?:command )?[0-9]+) [0-9]+", "$1 1"));
    Run other = new Run("not-" + run.id(), run.directory());
    assertEquals(SignalDelivery.GONE, workshop.processes().signal(other, Signal.KILL));
    assertInstanceOf(RunStatus.Unknown.class, workshop.processes().status(other));
    Files.writeString(claim, truth);
    assertEquals(new RunStatus.Running(keeper), workshop.processes().status(run));
  }

  @Test
  void tellsAtOnceOfAKeeperThatIsGoneAlready() {
    Run gone = workshop.run();
    workshop.processes().watch(gone, later(keeper));
    assertInstanceOf(RunStatus.Unclaimed.class, workshop.await(gone));
  }

  @Test
  void countsAgeFromTheKernelsStartTime() {
    Duration age = workshop.processes().age(keeper);
    assertTrue(age.compareTo(Duration.ofMinutes(5)) < 0, age::toString);
    ProcessIdentity first = new ProcessIdentity(1, 0, keeper.bootId());
    assertTrue(workshop.processes().age(first).compareTo(age) > 0);
    assertThrows(IllegalArgumentException.class, () -> workshop.processes().age(otherBoot(keeper)));
  }

  @Test
  void readsTheNameOfAProcessThatLooksLikeFields() {
    String stat =
        "42 (a) Z 1 (b) S 7 8 9 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 4711 0 0 0 0 0 0 0 0 0 0 0 0";
    assertEquals(new ProcFiles.Entry(42, 'S', 7, 8, 9, 4711), ProcFiles.parse(stat).orElseThrow());
  }

  private static ProcessIdentity later(ProcessIdentity process) {
    return new ProcessIdentity(process.pid(), process.startTicks() + 1, process.bootId());
  }

  private static ProcessIdentity otherBoot(ProcessIdentity process) {
    return new ProcessIdentity(process.pid(), process.startTicks(), "another boot");
  }
}
