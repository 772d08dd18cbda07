package dev.kron.store;

/**
 * Takes a state file from one version to the next. Must be deterministic, and must keep the
 * identity and {@code LastHandledPeriodID}: both are checked.
 *
 * @param from the version it takes
 * @param to the version it makes
 */
public record Migration(String from, String to, Step step) {
  /** The transformation of a file's bytes. */
  @FunctionalInterface
  public interface Step {
    byte[] apply(byte[] file) throws MalformedStateException;
  }
}
