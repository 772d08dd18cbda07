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
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

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

  /** Between a command and a real daemon: the first that is followed loses its connection. */
  @ParameterizedTest
  @ValueSource(strings = {"", "--timestamps"})
  void aRealDaemonsAnswerTellsAnEndFromADeath(String option) throws Exception {
    Path socket = directory.resolve("between.sock");
    try (var daemon = new RunningDaemon(directory, null, "0 0 1 1 * name=a command=/bin/true");
        var server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
      daemon.await("it writes", () -> daemon.kron("logs", "web").out().equals("hello\n"));
      server.bind(UnixDomainSocketAddress.of(socket));
      Thread.ofPlatform().daemon().start(() -> between(server, daemon.socket()));
      var follows =
          new FutureTask<>(
              () ->
                  new Call()
                      .online()
                      .run(("logs web -f " + option + " --socket " + socket).strip().split(" +")));
      Thread.ofPlatform().daemon().start(follows);
      daemon.await("it asks again", () -> asked.stream().anyMatch(it -> it.contains("offset=6")));
      daemon.kron("stop", "web");
      Result result = follows.get(60, TimeUnit.SECONDS);
      assertEquals(ExitCode.OK, result.code(), result.err());
      assertTrue(result.out().matches("(\\S+ \\S+ +)?hello\n"), result.out());
    }
  }

  private void between(ServerSocketChannel server, Path daemon) {
    while (true) {
      try {
        SocketChannel client = server.accept();
        Thread.ofPlatform().daemon().start(() -> pass(client, daemon));
      } catch (IOException e) {
        return; // The test is over.
      }
    }
  }

  private void pass(SocketChannel client, Path socket) {
    try (client;
        SocketChannel daemon = SocketChannel.open(UnixDomainSocketAddress.of(socket))) {
      String request = request(client);
      boolean cut = request.contains("follow=true") && !request.contains("offset=");
      asked.add(request);
      daemon.write(StandardCharsets.US_ASCII.encode(request + "\r\nHost: localhost\r\n\r\n"));
      ByteBuffer bytes = ByteBuffer.allocate(4096);
      boolean said = false;
      while (!(cut && said) && daemon.read(bytes) >= 0) {
        said |= text(bytes).contains("hello\n");
        bytes.flip();
        client.write(bytes);
        bytes.clear();
      }
    } catch (IOException e) {
      // One of the two has gone.
    }
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
