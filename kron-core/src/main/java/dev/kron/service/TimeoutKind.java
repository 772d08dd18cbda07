package dev.kron.service;

/** The purpose of a timer. */
public enum TimeoutKind {
  /** The time within which a service must be ready. */
  START,
  /** The time within which a process must be gone. */
  STOP,
  /** The time until the next health check. */
  HEALTH_CHECK,
  /** The delay before a restart. */
  RESTART_DELAY,
  /** The uptime after which the backoff is reset. */
  UPTIME,
  /** The uptime after which a start is a success. */
  STABLE
}
