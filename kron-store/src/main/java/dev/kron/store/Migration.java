package dev.kron.store;

/**
 * A step from one version of the state file to the next. It must be deterministic and keep the
 * identity and {@code LastHandledPeriodID}; both are checked.
 *
 * @param from the version that it reads
 * @param to the version that it writes
 */
public record Migration(String from, String to, Step step) {
  /** The transformation of a file's bytes. */
  @FunctionalInterface
  public interface Step {
    byte[] apply(byte[] file) throws MalformedStateException;
  }
}
