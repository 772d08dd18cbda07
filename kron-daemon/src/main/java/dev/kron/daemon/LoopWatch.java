package dev.kron.daemon;

import dev.kron.daemon.log.EventLog;
import dev.kron.daemon.log.Faults;
import dev.kron.daemon.log.Reports;
import dev.kron.daemon.loop.Clocks;
import dev.kron.daemon.loop.EventLoop;
import dev.kron.daemon.loop.Presence;
import dev.kron.store.DiskException;
import dev.kron.store.StateDirectory;
import java.util.concurrent.TimeUnit;

/** The watch on clocks, state directory and loop, on its own thread. */
final class LoopWatch {
  private static final long STUCK_NANOS = 10_000_000_000L;

  private final StateDirectory directory;
  private final EventLoop<Input> loop;
  private final Presence presence;
  private final Clocks clocks;
  private final EventLog log;
  private final Faults faults;
  private boolean directoryInPlace = true;
  private boolean loopStuck;

  LoopWatch(
      StateDirectory directory,
      EventLoop<Input> loop,
      Presence presence,
      Clocks clocks,
      Reports reports) {
    this.directory = directory;
    this.loop = loop;
    this.presence = presence;
    this.clocks = clocks;
    this.log = reports.log();
    this.faults = reports.meters().faults;
  }

  /** Checks that the state directory is still this daemon's; otherwise nothing more is started. */
  private void lookAtTheDirectory() {
    String reason = null;
    try {
      directory.requireInPlace();
    } catch (DiskException e) {
      reason = String.valueOf(e.getMessage());
    }
    if (reason != null && directoryInPlace) {
      loop.post(new Input.Unwritable(reason));
    }
    directoryInPlace = reason == null;
  }

  /** Looks at the clocks; called twice a second. */
  void lookAtTheClocks() {
    lookAtTheDirectory();
    if (presence.hasUntold(clocks)) {
      loop.post(new Input.Away());
    }
  }

  /** Reports a loop that does not turn, since it cannot report that itself. */
  private void lookAtTheLoop() {
    long lagNanos = loop.lagNanos();
    boolean stuck = lagNanos > STUCK_NANOS;
    if (stuck && !loopStuck) {
      long seconds = TimeUnit.NANOSECONDS.toSeconds(lagNanos);
      log.error("daemon", "loop_stuck", "seconds", seconds);
      faults.raise("loop", clocks.wallMillis(), "nothing was decided for " + seconds + " s");
    } else if (!stuck && loopStuck) {
      faults.clear("loop");
    }
    loopStuck = stuck;
  }

  /** One turn of the thread that watches. */
  boolean turn() throws InterruptedException {
    lookAtTheClocks();
    lookAtTheLoop();
    TimeUnit.NANOSECONDS.sleep(clocks.waitNanos(Presence.OBSERVE_EVERY_NANOS));
    return true;
  }
}
