package dev.kron.testing;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;

/** A real PostgreSQL, to be started on a machine on which other tests run. */
public final class TestServer {
  private static final Duration PATIENCE = Duration.ofMinutes(1);

  /** Below those that systems give to whoever asks for any. */
  private static final int FIRST_PORT = 20_000;

  private static final int LAST_PORT = 30_000;

  private TestServer() {}

  /** One that may be killed, though the machine it runs on may not. */
  public static EmbeddedPostgres.Builder builder() throws IOException {
    return EmbeddedPostgres.builder()
        .setPort(freePort())
        .setPGStartupWait(PATIENCE)
        .setServerConfig("fsync", "off");
  }

  /** Nobody else is given the port in the seconds that pass until the server opens it. */
  private static int freePort() throws IOException {
    while (true) {
      int port = ThreadLocalRandom.current().nextInt(FIRST_PORT, LAST_PORT);
      try (var door = new ServerSocket()) {
        door.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
        return port;
      } catch (BindException taken) {
        // Another one, then.
      }
    }
  }
}
