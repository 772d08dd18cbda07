package dev.kron.simulation.fleet;

import dev.kron.fleet.Claim;
import dev.kron.fleet.RowKey;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** A command that ran on a machine of a fleet. */
final class FleetExecution {
  static final long GOES_ON = Long.MAX_VALUE;

  final Claim claim;
  final FleetEntry entry;
  final FleetMachine machine;

  /** The node that the machine was when it began. */
  final UUID node;

  final long from;
  long to = GOES_ON;

  /** The outcome, as far as its machine can know; null: it goes on. */
  @Nullable String outcome;

  /** An operator said that it holds its job no longer. */
  boolean released;

  FleetExecution(Claim claim, FleetEntry entry, FleetMachine machine, long from) {
    this.claim = claim;
    this.entry = entry;
    this.machine = machine;
    this.node = machine.disk().node;
    this.from = from;
  }

  RowKey row() {
    return claim.row();
  }

  boolean goesOn() {
    return to == GOES_ON;
  }

  @Override
  public String toString() {
    String id = claim.run() + " (" + claim.kind() + " of " + claim.row().identity();
    String period = claim.kind().hasPeriod() ? " " + instant() : "";
    return id + period + ", attempt " + claim.period().attempt() + ") on " + machine.name();
  }

  private String instant() {
    return Instant.ofEpochSecond(claim.period().nominal()).toString();
  }
}
