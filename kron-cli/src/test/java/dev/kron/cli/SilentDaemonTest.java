package dev.kron.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kron.cli.line.ExitCode;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SilentDaemonTest {
  @TempDir Path directory;

  @Test
  void aDaemonThatSaysNothingIsGivenUp() throws Exception {
    Path socket = directory.resolve("krond.sock");
    try (var server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
      server.bind(UnixDomainSocketAddress.of(socket));
      Call.Result result = call("1", socket);
      assertEquals(ExitCode.UNAVAILABLE, result.code());
      assertTrue(result.err().contains("has not answered for 1 s"), result.err());
    }
  }

  @Test
  void patienceIsANumberOfSeconds() {
    Call.Result result = call("soon", directory.resolve("krond.sock"));
    assertEquals(ExitCode.USAGE, result.code());
    assertTrue(result.err().contains("KRON_TIMEOUT"), result.err());
  }

  private Call.Result call(String patience, Path socket) {
    return new Call()
        .in(directory)
        .online()
        .with("KRON_TIMEOUT", patience)
        .run("status", "--socket", socket.toString());
  }
}
