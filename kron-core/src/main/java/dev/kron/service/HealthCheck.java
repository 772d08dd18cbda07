package dev.kron.service;

import java.net.URI;
import java.util.List;

/**
 * How a service is asked whether it is well.
 *
 * @param retries failures in a row after which it is not
 */
public record HealthCheck(Probe probe, long intervalMillis, long timeoutMillis, int retries) {

  public HealthCheck {
    if (intervalMillis <= 0 || timeoutMillis <= 0 || retries < 1) {
      throw new IllegalArgumentException(
          "interval %s ms, timeout %s ms, %s retries: all have to be above 0"
              .formatted(intervalMillis, timeoutMillis, retries));
    }
  }

  /** The question. */
  public sealed interface Probe {
    /** A command, run as the service itself is; exit 0 is well. */
    record Exec(List<String> command) implements Probe {
      public Exec {
        command = List.copyOf(command);
      }
    }

    /** A GET; a status from 200 to 399 is well. */
    record Http(URI uri) implements Probe {}

    /** A connection that can be opened is well. */
    record Tcp(String host, int port) implements Probe {}
  }
}
