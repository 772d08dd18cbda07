package dev.kron.service;

/**
 * The amount of a service's output that is kept: up to {@code keep} rotated files of about {@code
 * maxSizeBytes} each, and the file being written.
 */
public record LogLimits(long maxSizeBytes, int keep) {

  /** The limits for a service whose file says nothing about them. */
  public static final LogLimits STANDARD = new LogLimits(10L << 20, 5);

  public LogLimits {
    if (maxSizeBytes < 1 || keep < 0) {
      throw new IllegalArgumentException(
          "%s bytes, %s kept: too small".formatted(maxSizeBytes, keep));
    }
  }
}
