package dev.kron.daemon.services;

import dev.kron.daemon.runs.KnownRun;
import dev.kron.process.ProcessIdentity;
import dev.kron.process.Signal;
import dev.kron.service.Hook;
import dev.kron.service.InstanceId;
import dev.kron.service.ServiceSpec;
import org.jspecify.annotations.Nullable;

/**
 * A run of a service, or of a hook of it, that is not over. A signal to it waits until it has a
 * keeper.
 */
final class ServiceRun extends KnownRun {
  final InstanceId instance;
  final ServiceSpec spec;
  final @Nullable Hook hook;
  final Signal stopSignal;
  final long stopTimeoutMillis;
  final @Nullable ProcessIdentity keeper;
  volatile boolean launchedHere;
  private boolean reachable;
  private @Nullable Signal signalLater;
  private boolean killed;
  private boolean toEnd;
  private long killAtMillis = Long.MAX_VALUE;
  private boolean beginningIsTold;
  private boolean ready;

  /**
   * @param hook null: it is the service's own command
   * @param keeper the keeper of a run that was seen to begin; null: it was not
   */
  ServiceRun(
      InstanceId instance,
      ServiceSpec spec,
      @Nullable Hook hook,
      @Nullable ProcessIdentity keeper) {
    this.instance = instance;
    this.spec = spec;
    this.hook = hook;
    this.keeper = keeper;
    this.stopSignal =
        hook == null
            ? Signal.of(spec.lifecycle().stopSignal()).orElse(Signal.TERM)
            : Signal.TERM; // its own signal is the service's affair
    this.stopTimeoutMillis = spec.lifecycle().stopTimeoutMillis();
  }

  /** Whether the signal may be sent; otherwise it is kept. */
  synchronized boolean signalsNow(Signal signal) {
    toEnd = true;
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

  /** Whether it was told to end; a hook gets no other signals. */
  synchronized boolean isToEnd() {
    return toEnd;
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
