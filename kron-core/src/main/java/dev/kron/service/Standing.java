package dev.kron.service;

/** The state of a service as seen by services that require it. */
enum Standing {
  /** The service is what they wait for. */
  SATISFIED,
  /** The service is starting, or waits for a restart. */
  COMING,
  /** The service will not come up by itself. */
  OVER,
  /** The service is not wanted up. */
  IDLE
}
