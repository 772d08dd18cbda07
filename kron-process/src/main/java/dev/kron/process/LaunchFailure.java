package dev.kron.process;

/**
 * The stage and reason of a failed check, on their way out of the checks; never leaves this
 * package.
 */
final class LaunchFailure extends Exception {

  private final Stage stage;
  private final String reason;

  LaunchFailure(Stage stage, String reason) {
    super(reason, null, false, false);
    this.stage = stage;
    this.reason = reason;
  }

  Stage stage() {
    return stage;
  }

  String reason() {
    return reason;
  }
}
