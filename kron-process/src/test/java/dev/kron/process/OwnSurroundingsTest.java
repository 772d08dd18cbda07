package dev.kron.process;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What this process learns about itself: environment, signals, the clock that counts sleep. */
class OwnSurroundingsTest {

  @Test
  void inheritsAllButWhatDescribesAShellsMoment() {
    List<String> inherited = Environment.inherited();
    assertTrue(inherited.stream().anyMatch(variable -> variable.startsWith("PATH=")));
    assertFalse(inherited.stream().anyMatch(variable -> variable.startsWith("PWD=")));
    assertFalse(inherited.stream().anyMatch(variable -> variable.startsWith("_=")));
  }

  @Test
  void leavesOutWhatIsNotText() {
    assertEquals(List.of("A=ä", "B="), Environment.variables("A=ä\0B=\0".getBytes(UTF_8)));
    assertEquals(List.of("B=1"), Environment.variables("A=ä\0B=1\0".getBytes(ISO_8859_1)));
  }

  @Test
  void tellsOrdinaryNamesFromThoseAShellWouldChange() {
    for (String ordinary : List.of("PATH", "HOME", "KRON_RUN_ID", "x1", "_private", "HOSTNAME")) {
      assertTrue(Environment.isOrdinary(ordinary), ordinary);
    }
    for (String other :
        List.of("", "1x", "a.b", "a b", "ä", "PWD", "IFS", "_", "LD_PRELOAD", "BASH_ENV", "ENV")) {
      assertFalse(Environment.isOrdinary(other), other);
    }
  }

  @Test
  void hearsASignal() throws InterruptedException {
    CountDownLatch heard = new CountDownLatch(1);
    OwnSignals.on(Signal.USR2, Runnable::run, heard::countDown);
    Workshop.command("kill", "-USR2", Long.toString(ProcessHandle.current().pid()));
    assertTrue(heard.await(Workshop.PATIENCE.toSeconds(), TimeUnit.SECONDS));
  }

  @Test
  void readsSignalNames() {
    assertEquals(Optional.of(Signal.TERM), Signal.of("SIGTERM"));
    assertEquals(Optional.of(Signal.USR1), Signal.of("usr1"));
    assertEquals(Optional.empty(), Signal.of("SIGNOTHING"));
  }

  @Test
  void theBootClockRuns() {
    long before = BootClock.nanos();
    assertTrue(before > 0);
    Workshop.until("time has passed", () -> BootClock.nanos() > before);
  }
}
