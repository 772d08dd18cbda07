package dev.kron.daemon.services;

import dev.kron.daemon.runs.KnownRun;
import dev.kron.process.ProcessIdentity;
import dev.kron.process.Signal;
import dev.kron.service.InstanceId;
import dev.kron.service.ServiceSpec;
import org.jspecify.annotations.Nullable;

/** A run of a service that is not over. A signal to it waits until it has a keeper. */
final class ServiceRun extends KnownRun {
  final InstanceId instance;
  final ServiceSpec spec;
  final Signal stopSignal;
  final long stopTimeoutMillis;
  final @Nullable ProcessIdentity keeper;
  volatile boolean launchedHere;
  private boolean reachable;
  private @Nullable Signal signalLater;
  private boolean killed;
  private long killAtMillis = Long.MAX_VALUE;
  private boolean beginningIsTold;
  private boolean ready;

  /**
   * @param keeper the keeper of a run that was seen to begin; null: it was not
   */
  ServiceRun(InstanceId instance, ServiceSpec spec, @Nullable ProcessIdentity keeper) {
    this.instance = instance;
    this.spec = spec;
    this.keeper = keeper;
    this.stopSignal = Signal.of(spec.lifecycle().stopSignal()).orElse(Signal.TERM);
    this.stopTimeoutMillis = spec.lifecycle().stopTimeoutMillis();
  }

  /** Whether the signal may be sent; otherwise it is kept. */
  synchronized boolean signalsNow(Signal signal) {
    if (signal == Signal.KILL) {
      killed = true;
    }
    if (!reachable) {
      signalLater = signal;
    }
    return reachable;
  }

  /**
   * The keeper is there, so signals need not wait any more. Returns the signal that waited, once,
   * or null.
   */
  synchronized @Nullable Signal reachable() {
    reachable = true;
    Signal waited = signalLater;
    signalLater = null;
    return waited;
  }

  /** Whether it may be told that the process is ready; otherwise that is kept. */
  synchronized boolean readyNow() {
    ready = true;
    return beginningIsTold;
  }

  /** The loop was told of the process; whether it was ready before that. */
  synchronized boolean toldWhenReady() {
    beginningIsTold = true;
    return ready;
  }

  synchronized boolean isKilled() {
    return killed;
  }

  /** When the processes that the main process left behind are killed; set once. */
  synchronized long killAt(long nowMillis) {
    if (killAtMillis == Long.MAX_VALUE) {
      killAtMillis = nowMillis + stopTimeoutMillis;
    }
    return killAtMillis;
  }

  synchronized boolean isClearing() {
    return killAtMillis != Long.MAX_VALUE;
  }
}
