package dev.kron.simulation;

import dev.kron.service.ServiceSpec;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Requests to daemons of late, and faults, as far as they concern services. */
final class ServiceNews {
  private static final long LONG_AGO = Long.MIN_VALUE / 2;

  /** The time in which the outcome of a request or a reload is seen. */
  static final long PATIENCE_NANOS = 30_000_000_000L;

  private final Machine machine;

  /** The daemon's services as they are now; null while that is changing. */
  @Nullable Map<String, ServiceSpec> specs;

  /** The services as they were before that. */
  Map<String, ServiceSpec> known = Map.of();

  /** When they last changed, or could have. */
  long changedNanos = LONG_AGO;

  /** The same, by a reload. */
  long reloadedNanos = LONG_AGO;

  /** When an operator last asked for something, or was answered. */
  long askedNanos = LONG_AGO;

  /** The same of a restart. */
  long restartAskedNanos = LONG_AGO;

  /** What operators want of the numbers of instances. */
  final Scales scales = new Scales();

  long clockSetNanos = LONG_AGO;

  /** The last time that the daemon was stopped, or the machine slept. */
  long absentFromNanos = LONG_AGO;

  long absentUntilNanos = LONG_AGO;

  /** All services were or are being brought down, and no daemon has come up since. */
  boolean halted;

  /** That began while the daemon could not write: nothing of it is written. */
  boolean haltedInTrouble;

  /** The daemon has not said that it cannot write. */
  boolean writable = true;

  /** Requests that are not answered yet. */
  int asking;

  ServiceNews(Machine machine) {
    this.machine = machine;
  }

  /** A reload is under way, or has just come through. */
  boolean isChanging() {
    return specs == null || machine.clock.nanos() - changedNanos < PATIENCE_NANOS;
  }

  /** An operator has just asked for something, or has not been answered yet. */
  boolean isAsked() {
    return asking > 0 || machine.clock.nanos() - askedNanos < PATIENCE_NANOS;
  }
}
