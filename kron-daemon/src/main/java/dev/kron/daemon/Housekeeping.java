package dev.kron.daemon;

import dev.kron.daemon.jobs.Sweeper;
import dev.kron.daemon.log.Reports;
import dev.kron.daemon.loop.Clocks;
import dev.kron.daemon.loop.Errands;
import dev.kron.scheduler.DeclarativeScheduler;
import dev.kron.scheduler.MemoryTaskStore;
import dev.kron.scheduler.Registration;
import dev.kron.store.DiskException;
import dev.kron.store.Ledger;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** The regular chores of the daemon. They are scheduled by Kron's own library. */
final class Housekeeping implements AutoCloseable {
  private static final long TOGETHER_MILLIS = 2_000;
  private static final String LEDGER = "ledger";

  private final Ledger ledger;
  private final Sweeper sweeper;
  private final Clocks clocks;
  private final Errands errands;
  private final Reports reports;
  private final List<String> ended = new ArrayList<>();
  private final DeclarativeScheduler scheduler =
      DeclarativeScheduler.create(MemoryTaskStore.create());

  Housekeeping(Ledger ledger, Sweeper sweeper, Clocks clocks, Errands errands, Reports reports) {
    this.ledger = ledger;
    this.sweeper = sweeper;
    this.clocks = clocks;
    this.errands = errands;
    this.reports = reports;
  }

  /** Notes that the daemon is up; a full disk does not keep it from coming up. */
  void begin(String bootId) {
    try {
      ledger.begin(Math.floorDiv(clocks.wallMillis(), 1000L), bootId);
    } catch (DiskException e) {
      notWritten(e);
    }
  }

  /** A daemon with nothing else to write learns from the ledger that nothing can be written. */
  private void notWritten(DiskException e) {
    String reason = String.valueOf(e.getMessage());
    reports.meters().faults.raise(LEDGER, clocks.wallMillis(), reason);
    reports.log().warn("store", "ledger_not_written", "reason", reason);
  }

  void start() {
    errands.execute(Errands.Place.KEEP_HOUSE, sweeper::begin, thrown -> {});
    scheduler.initialize(
        List.of(
            new Registration(LEDGER, "* * * * *", this::touch, Duration.ofSeconds(10)),
            new Registration("output", "7,22,37,52 * * * *", this::sweep, Duration.ofMinutes(1))));
  }

  /** Sweeps; after a failure the next sweep tries again. */
  private void sweep() {
    errands.now(Errands.Place.KEEP_HOUSE, sweeper::sweep, thrown -> {});
  }

  /** A run has ended; its output is counted soon, together with that of others. */
  void ended(String runId) {
    if (errands.byHand()) {
      return;
    }
    synchronized (ended) {
      ended.add(runId);
      if (ended.size() > 1) {
        return; // they are counted together
      }
    }
    errands.after(TOGETHER_MILLIS, Errands.Place.KEEP_HOUSE, this::count, thrown -> {});
  }

  private void count() {
    List<String> taken;
    synchronized (ended) {
      taken = List.copyOf(ended);
      ended.clear();
    }
    sweeper.ended(taken);
  }

  /** Does all chores now. */
  void once() {
    try {
      touch();
    } catch (DiskException e) {
      // Told already; the next time is the next attempt.
    }
    sweep();
  }

  private void touch() throws DiskException {
    try {
      ledger.touch(Math.floorDiv(clocks.wallMillis(), 1000L));
      reports.meters().faults.clear(LEDGER);
    } catch (DiskException e) {
      notWritten(e);
      throw e; // tried again
    }
  }

  @Override
  public void close() {
    scheduler.stop();
    try {
      ledger.end(Math.floorDiv(clocks.wallMillis(), 1000L));
    } catch (DiskException e) {
      notWritten(e);
    }
  }
}
