package dev.kron.service;

/**
 * How much of a service's output is kept: up to {@code keep} rotated files of about {@code
 * maxSizeBytes} each, and the one being written.
 */
public record LogLimits(long maxSizeBytes, int keep) {

  /** What a file that says nothing gets. */
  public static final LogLimits STANDARD = new LogLimits(10L << 20, 5);

  public LogLimits {
    if (maxSizeBytes < 1 || keep < 0) {
      throw new IllegalArgumentException(
          "%s bytes, %s kept: too small".formatted(maxSizeBytes, keep));
    }
  }
}
