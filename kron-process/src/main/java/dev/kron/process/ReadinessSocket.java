package dev.kron.process;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.Map;

/**
 * The socket of a service manager that waits for the daemon to be ready: the protocol of {@code
 * sd_notify}, which several service managers speak. Without a socket nothing is sent.
 */
public final class ReadinessSocket {
  private final String socket;

  private ReadinessSocket(String socket) {
    this.socket = socket;
  }

  /** The socket that the daemon's environment names. */
  public static ReadinessSocket of(Map<String, String> environment) {
    return new ReadinessSocket(environment.getOrDefault("NOTIFY_SOCKET", ""));
  }

  /**
   * Reports that everything is checked and taken up, so that programs that depend on the daemon may
   * start.
   */
  public void ready(String status) {
    tell("READY=1\nSTATUS=" + status);
  }

  public void stopping() {
    tell("STOPPING=1");
  }

  private void tell(String message) {
    if (socket.startsWith("/") || socket.startsWith("@")) {
      try (var datagrams = new LocalDatagrams(socket)) {
        datagrams.send(message.getBytes(UTF_8));
      }
    }
  }
}
