package dev.kron.service;

import java.net.URI;
import java.util.List;

/**
 * A health check of a service.
 *
 * @param retries failures in a row after which the service counts as unhealthy
 */
public record HealthCheck(Probe probe, long intervalMillis, long timeoutMillis, int retries) {

  public HealthCheck {
    if (intervalMillis <= 0 || timeoutMillis <= 0 || retries < 1) {
      throw new IllegalArgumentException(
          "interval %s ms, timeout %s ms, %s retries: all have to be above 0"
              .formatted(intervalMillis, timeoutMillis, retries));
    }
  }

  /** The kind of a check. */
  public sealed interface Probe {
    /** A command that runs as the service itself does; exit code 0 is healthy. */
    record Exec(List<String> command) implements Probe {
      public Exec {
        command = List.copyOf(command);
      }
    }

    /** A GET request; a status from 200 to 399 is healthy. */
    record Http(URI uri) implements Probe {}

    /** A TCP connection; it is healthy if it can be opened. */
    record Tcp(String host, int port) implements Probe {}
  }
}
