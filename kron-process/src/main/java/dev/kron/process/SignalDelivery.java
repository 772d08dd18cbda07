package dev.kron.process;

/** The outcome of a signal. */
public enum SignalDelivery {
  SENT,
  /** There is nobody left to signal. */
  GONE,
  /** The run's keeper has not come as far as starting the command; try again soon. */
  NOT_YET,
  /** The process is there, but we may not signal it. */
  DENIED
}
