package dev.kron.process;

/** The outcome of a signal. */
public enum SignalDelivery {
  SENT,
  /** No process is left to signal. */
  GONE,
  /** The run's keeper has not started the command yet; try again soon. */
  NOT_YET,
  /** The process is there, but we may not signal it. */
  DENIED
}
