package dev.kron.simulation;

import java.nio.file.Path;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;

/** The simulated computer: what a daemon, its keepers and power failures have in common. */
final class Machine {
  private static final Path HOME = Path.of("/sim");
  static final Path STATE = HOME.resolve("krond");

  final SimulatedClock clock;
  final Agenda agenda = new Agenda();
  final SimulatedDisk disk;
  final ProcessTable processes;
  final Keepers keepers;
  final ReadyReports reports = new ReadyReports(this);
  final SimulatedReceivers receivers;
  final Trace trace;
  private RandomGenerator random;

  Machine(long seed, long wallMillis, Trace trace) {
    this.trace = trace;
    this.random = new SplittableRandom(seed);
    this.clock = new SimulatedClock(wallMillis);
    this.disk = new SimulatedDisk(random, HOME);
    this.processes = new ProcessTable(clock, random);
    this.receivers = new SimulatedReceivers(trace);
    this.keepers = new Keepers(this);
    disk.inUse(file -> processes.isIn(file.getParent()));
    keepers.remarks(seed % 16 == 5);
  }

  RandomGenerator random() {
    return random;
  }

  /** Chance follows this seed from now on: what comes does not depend on what was left out. */
  void luck(long seed) {
    random = new SplittableRandom(seed);
    disk.luck(random);
    processes.luck(random);
  }

  /** A task runs within so many nanoseconds from now, at a moment that chance chooses. */
  void soon(long withinNanos, Runnable task) {
    agenda.at(clock.nanos() + random.nextLong(withinNanos + 1), task);
  }

  void later(long nanos, Runnable task) {
    agenda.at(clock.nanos() + nanos, task);
  }

  /** Power was lost and is back: everything in memory is gone, and of the disk what was synced. */
  void reboot() {
    agenda.clear();
    disk.restart();
    processes.reboot();
    keepers.reboot();
    reports.reboot();
    clock.reboot();
  }
}
