package dev.kron.daemon.api;

import dev.kron.daemon.log.Faults;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The log of one listener. Repeated messages are logged once a minute, and problems are part of the
 * daemon's health.
 */
final class ListenerLog {
  private static final long QUIET_NANOS = TimeUnit.MINUTES.toNanos(1);

  private final String listener;
  private final ControlServer.Log log;
  private final Faults faults;
  private final String part;
  private long refusedTold = System.nanoTime() - QUIET_NANOS;
  private long failureTold = refusedTold;
  private @Nullable String trouble;

  ListenerLog(String listener, ControlServer.Log log, Faults faults) {
    this.listener = listener;
    this.log = log;
    this.faults = faults;
    this.part = "control (" + listener + ")";
  }

  String listener() {
    return listener;
  }

  /** Logs connections that got no slot since the last message. */
  synchronized void refused(Places places) {
    long now = System.nanoTime();
    if (now - refusedTold < QUIET_NANOS) {
      return;
    }
    Places.Refused refused = places.countRefused();
    if (refused.count() > 0) {
      refusedTold = now;
      log.warn(
          "connections_refused",
          "listener",
          listener,
          "count",
          refused.count(),
          "user",
          refused.lastUser());
    }
  }

  /** The listener does not work now. */
  synchronized void failed(String reason) {
    if (reason.equals(trouble)) {
      return;
    }
    trouble = reason;
    faults.raise(part, System.currentTimeMillis(), reason);
    long now = System.nanoTime();
    if (now - failureTold >= QUIET_NANOS) {
      failureTold = now;
      log.warn("listener_failed", "listener", listener, "reason", reason);
    }
  }

  /** The listener works. */
  synchronized void works() {
    if (trouble != null) {
      trouble = null;
      faults.clear(part);
    }
  }

  /** The listener had to listen anew. */
  void restored(String reason) {
    works();
    log.warn("listener_restored", "listener", listener, "reason", reason);
  }
}
