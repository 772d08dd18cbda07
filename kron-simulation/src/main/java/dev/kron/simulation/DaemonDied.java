package dev.kron.simulation;

/** The daemon was killed between two instructions: nothing of it goes on after this. */
final class DaemonDied extends Error {
  private static final long serialVersionUID = 1L;

  DaemonDied() {
    super("the daemon died", null, false, false);
  }
}
