package dev.kron.process;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.Map;

/**
 * The socket of a service manager that wants to know when the daemon is ready: the protocol of
 * {@code sd_notify}, which more than one service manager speaks. Without one, nobody is told.
 */
public final class ReadinessSocket {
  private final String socket;

  private ReadinessSocket(String socket) {
    this.socket = socket;
  }

  /** The one that the daemon's environment names. */
  public static ReadinessSocket of(Map<String, String> environment) {
    return new ReadinessSocket(environment.getOrDefault("NOTIFY_SOCKET", ""));
  }

  /** Everything is checked and taken up; what depends on the daemon may start. */
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
