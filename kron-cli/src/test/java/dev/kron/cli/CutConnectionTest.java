package dev.kron.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kron.cli.Call.Result;
import dev.kron.cli.line.ExitCode;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Followers of a daemon that is killed: the connection is cut, and the next daemon goes on. */
class CutConnectionTest {
  private static final String HEAD =
      "HTTP/1.1 %s\r\nX-Offset: %d\r\nTransfer-Encoding: chunked\r\n\r\n";

  @TempDir Path directory;
  private final List<String> asked = new CopyOnWriteArrayList<>();

  @Test
  void aLogGoesOnBehindTheLastByte() throws Exception {
    Path socket = directory.resolve("krond.sock");
    try (var server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
      server.bind(UnixDomainSocketAddress.of(socket));
      Thread.ofPlatform().daemon().start(() -> serve(server));
      Result result =
          new Call().online().run("logs", "web@0", "-f", "--all", "--socket", socket.toString());
      assertEquals(new Result(ExitCode.OK, "one\ntwo\n", ""), result);
    }
    assertTrue(asked.getLast().contains("instance=0&follow=true&offset=6 "), asked.getLast());
  }

  private void serve(ServerSocketChannel server) {
    try {
      while (true) {
        try (SocketChannel client = server.accept()) {
          String request = request(client);
          asked.add(request);
          client.write(StandardCharsets.UTF_8.encode(answer(request)));
        }
      }
    } catch (IOException e) {
      // The test is over.
    }
  }

  private static String request(SocketChannel client) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate(4096);
    while (!text(bytes).contains("\r\n\r\n")) {
      client.read(bytes);
    }
    return text(bytes).lines().findFirst().orElseThrow();
  }

  private static String text(ByteBuffer bytes) {
    return StandardCharsets.US_ASCII.decode(bytes.duplicate().flip()).toString();
  }

  private static String answer(String request) {
    if (!request.contains("/logs")) {
      boolean service = request.contains("/v1/services/web ");
      return HEAD.formatted(service ? "200 OK" : "404 Not Found", 0) + "2\r\n{}\r\n0\r\n\r\n";
    }
    return request.contains("offset=")
        ? HEAD.formatted("200 OK", 6) + "2\r\no\n\r\n0\r\n\r\n"
        : HEAD.formatted("200 OK", 0) + "6\r\none\ntw\r\n"; // and it is killed
  }
}
