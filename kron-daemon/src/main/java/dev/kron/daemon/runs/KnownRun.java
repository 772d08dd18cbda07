package dev.kron.daemon.runs;

import dev.kron.process.RunStatus;
import dev.kron.process.Signal;
import org.jspecify.annotations.Nullable;

/**
 * A run that is not over. A short one may end before its own launch has returned: its end waits, so
 * that the loop hears of everything in order.
 */
public class KnownRun {
  private boolean begun;
  private @Nullable RunStatus early;
  private @Nullable Signal unheard;

  /** A signal to end that was not delivered yet; null if there is none. */
  final synchronized @Nullable Signal unheard() {
    return unheard;
  }

  final synchronized void unheard(@Nullable Signal signal) {
    unheard = signal;
  }

  /** Whether the end may be reported now; otherwise it is kept. */
  final synchronized boolean endsNow(RunStatus status) {
    if (!begun) {
      early = status;
    }
    return begun;
  }

  public final synchronized boolean hasBegun() {
    return begun;
  }

  /** Marks the beginning as reported; returns an end that came before it, once, or null. */
  final synchronized @Nullable RunStatus beginningTold() {
    begun = true;
    RunStatus told = early;
    early = null;
    return told;
  }
}
