package dev.kron.daemon;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What cannot even be tried is a failure that is told, and no start that never ends. */
class RefusedServiceTest {
  @TempDir Path directory;

  @Test
  void aServiceOfAUserThatDoesNotExistFails() throws Exception {
    var daemon =
        new TestDaemon(directory, "2026-03-01T10:00:00Z")
            .service(
                "web",
                "[service]",
                "exec = \"sleep 1000\"",
                "user = \"no-such-user\"",
                "[lifecycle]",
                "restart = \"never\"");
    try (TestDaemon running = daemon.start()) {
      running.awaitState("web", "failed");
      assertTrue(running.log().contains("no-such-user"), running.log());
    }
  }
}
