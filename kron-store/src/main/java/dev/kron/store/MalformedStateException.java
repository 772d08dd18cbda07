package dev.kron.store;

/**
 * Bytes that are not a state file of a known version. It has no stack trace, since fuzzing makes
 * many of them.
 */
public final class MalformedStateException extends Exception {
  private final String message;

  public MalformedStateException(String message) {
    super(message, null, false, false);
    this.message = message;
  }

  @Override
  public String getMessage() {
    return message;
  }
}
