package dev.kron.daemon.api;

/** The rights of a caller; each includes those before it. */
public enum Authority {
  NOTHING,
  /** Read everything that is not a secret. */
  READ,
  /** Start, stop, suspend, reload. */
  OPERATE,
  /** End the daemon, change who gets which credentials. */
  ALL;

  boolean includes(Authority needed) {
    return compareTo(needed) >= 0;
  }
}
