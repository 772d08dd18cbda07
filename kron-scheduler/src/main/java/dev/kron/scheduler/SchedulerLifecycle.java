package dev.kron.scheduler;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The state of a scheduler, and who is waiting for it to change.
 *
 * <pre>
 * uninitialized --initialize--> initializing --initialized--> running --stop--> stopping --> stopped
 *       ^                            |                                                          |
 *       +---------- failed ----------+         stopped behaves like uninitialized --------------+
 * </pre>
 *
 * Calls come from any thread; the transitions that end initializing and stopping are the loop's. An
 * initialization that is asked for while the scheduler is stopping waits its turn.
 */
final class SchedulerLifecycle {
  enum State {
    UNINITIALIZED,
    INITIALIZING,
    RUNNING,
    STOPPING,
    STOPPED
  }

  /** A valid call of {@code initialize}. */
  static final class Initialization {
    final CheckedRegistrations registrations;
    final CompletableFuture<@Nullable Void> done = new CompletableFuture<>();

    Initialization(CheckedRegistrations registrations) {
      this.registrations = registrations;
    }
  }

  private State state = State.UNINITIALIZED;
  private @Nullable Initialization current;
  private @Nullable Initialization queued;
  private List<CompletableFuture<@Nullable Void>> stops = new ArrayList<>();
  private List<CompletableFuture<@Nullable Void>> stopsAfterQueued = new ArrayList<>();

  synchronized State state() {
    return state;
  }

  /**
   * Reserves the scheduler for one initialization.
   *
   * @return whether it begins now; otherwise it does when the scheduler has {@link #stopped}
   */
  synchronized boolean begin(Initialization initialization, Inside inside) {
    refuseActive();
    if (state == State.STOPPING) {
      inside.refuse("initialize");
      queued = initialization;
      return false;
    }
    state = State.INITIALIZING;
    current = initialization;
    return true;
  }

  /**
   * The same for a list that is known to be invalid: it never waits its turn.
   *
   * @return whether {@link #failed} is to be called
   */
  synchronized boolean beginInvalid() {
    refuseActive();
    if (state == State.STOPPING) {
      return false;
    }
    state = State.INITIALIZING;
    return true;
  }

  private void refuseActive() {
    if (state == State.INITIALIZING || queued != null) {
      throw new SchedulerAlreadyActiveException("initializing");
    }
    if (state == State.RUNNING) {
      throw new SchedulerAlreadyActiveException("running");
    }
  }

  /** The initialization in progress. */
  synchronized Initialization current() {
    if (current == null) {
      throw new IllegalStateException("no initialization is in progress");
    }
    return current;
  }

  /** Takes an initialization that still waits its turn out of the queue; whether it did. */
  synchronized boolean withdraw(Initialization initialization) {
    if (queued != initialization) {
      return false;
    }
    queued = null;
    // Whoever asked to stop after it now waits for the stop in progress.
    stops.addAll(stopsAfterQueued);
    stopsAfterQueued.clear();
    return true;
  }

  /** Completes when the scheduler has stopped. */
  synchronized CompletableFuture<@Nullable Void> requestStop() {
    CompletableFuture<@Nullable Void> stopped = new CompletableFuture<>();
    if (queued != null) {
      stopsAfterQueued.add(stopped);
      return stopped;
    }
    switch (state) {
      case UNINITIALIZED, STOPPED -> stopped.complete(null);
      case INITIALIZING, STOPPING -> stops.add(stopped);
      case RUNNING -> {
        stops.add(stopped);
        state = State.STOPPING;
      }
    }
    return stopped;
  }

  /** The loop has initialized the scheduler; a stop that was asked for meanwhile begins at once. */
  void initialized() {
    Initialization done;
    synchronized (this) {
      done = current();
      current = null;
      state = stops.isEmpty() ? State.RUNNING : State.STOPPING;
    }
    done.done.complete(null);
  }

  /** The initialization failed. Stops that waited for it have nothing left to stop. */
  void failed(SchedulerException failure) {
    Initialization failed;
    List<CompletableFuture<@Nullable Void>> waiting;
    synchronized (this) {
      failed = current;
      current = null;
      state = State.UNINITIALIZED;
      waiting = stops;
      stops = new ArrayList<>();
    }
    if (failed != null) {
      failed.done.completeExceptionally(failure);
    }
    waiting.forEach(stop -> stop.complete(null));
  }

  /**
   * The loop has stopped the scheduler.
   *
   * @param failure what its last write failed with, or null
   * @return whether an initialization was waiting and is in progress now
   */
  boolean stopped(@Nullable SchedulerException failure) {
    boolean goesOn;
    List<CompletableFuture<@Nullable Void>> waiting;
    synchronized (this) {
      waiting = stops;
      stops = stopsAfterQueued;
      stopsAfterQueued = new ArrayList<>();
      current = queued;
      queued = null;
      goesOn = current != null;
      state = goesOn ? State.INITIALIZING : State.STOPPED;
    }
    for (CompletableFuture<@Nullable Void> stop : waiting) {
      if (failure == null) {
        stop.complete(null);
      } else {
        stop.completeExceptionally(failure);
      }
    }
    return goesOn;
  }
}
