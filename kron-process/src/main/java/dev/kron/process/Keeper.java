package dev.kron.process;

/** The shell that stands between the daemon and a command, and outlives both. */
final class Keeper {

  /** Variables of the keeper's own start with this; a command may have such ones all the same. */
  static final String RESERVED_PREFIX = "kron_keeper_";

  private Keeper() {}
}
