package dev.kron.service;

/** The purpose of a timer. */
public enum TimeoutKind {
  /** The time within which a service must be ready. */
  START,
  /** The time within which a process must be gone. */
  STOP,
  /** The time within which a hook must have ended. */
  HOOK,
  /** The time within which a reload command must have ended. */
  RELOAD,
  /** The time within which a reload command must be gone that was told to end. */
  RELOAD_STOP,
  /** The time until the next health check. */
  HEALTH_CHECK,
  /** The delay before a restart. */
  RESTART_DELAY,
  /** The uptime after which the backoff is reset. */
  UPTIME,
  /** The uptime after which a start is a success. */
  STABLE
}
