package dev.kron.store;

/** A state directory that cannot be used as it is; the message says why and what to do. */
public final class StateRefusedException extends Exception {
  public StateRefusedException(String message) {
    super(message);
  }

  public StateRefusedException(String message, Throwable cause) {
    super(message, cause);
  }
}
