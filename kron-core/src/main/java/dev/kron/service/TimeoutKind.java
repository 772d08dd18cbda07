package dev.kron.service;

/** The purpose of a wait. */
public enum TimeoutKind {
  /** To be ready. */
  START,
  /** To be gone. */
  STOP,
  /** To be asked again whether it is well. */
  HEALTH_CHECK,
  /** To be started again. */
  RESTART_DELAY,
  /** To have been running for long enough that its backoff is reset. */
  UPTIME
}
