package dev.kron.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/**
 * What this process learns about itself and its surroundings: names, signals, the clock that counts
 * sleep.
 */
class OwnSurroundingsTest {

  @Test
  void knowsWhichNamesAShellCanCarry() {
    for (String name : List.of("PATH", "KRON_RUN_ID", "x1", "_private", "LD_PRELOAD", "ENV")) {
      assertTrue(Environment.isName(name), name);
    }
    for (String other : List.of("", "1x", "a.b", "a b", "ä", "BASH_FUNC_a%%", "kron_keeper_1")) {
      assertFalse(Environment.isName(other), other);
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
