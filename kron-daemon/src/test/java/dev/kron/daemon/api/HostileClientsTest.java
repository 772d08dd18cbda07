package dev.kron.daemon.api;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kron.daemon.TestDaemon;
import dev.kron.daemon.api.Caller.Response;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Whatever is sent to the socket, nothing changes by it and the daemon stays healthy. */
class HostileClientsTest {
  private static final long SEED = Long.getLong("kron.seed", 20_261_115L);
  private static final int REQUESTS = 400;

  @TempDir Path directory;
  private TestDaemon daemon;
  private String before;

  @BeforeEach
  void start() throws Exception {
    daemon = new TestDaemon(directory, "2026-03-01T00:00:30Z").withApi();
    daemon
        .write("0 * * * * name=a command=/bin/true", "0 * * * * name=b command=/bin/true")
        .start();
    before = picture();
  }

  @AfterEach
  void isUnharmed() throws Exception {
    try (TestDaemon ending = daemon) {
      assertTrue(ending.caller().get("/v1/version").status() == 200);
      assertEquals(before, picture(), "something has changed");
      assertTrue(daemon.caller().isHealthy());
    }
  }

  /** All that can be seen of the jobs and their runs. */
  private String picture() throws IOException {
    Caller caller = daemon.caller();
    return caller.get("/v1/jobs").body() + caller.get("/v1/runs").body();
  }

  /** What a server answers to bytes, or nothing where it just hangs up. */
  private static int send(Caller caller, byte[] bytes) throws IOException {
    try (SocketChannel channel = caller.open()) {
      ByteBuffer buffer = ByteBuffer.wrap(bytes);
      try {
        while (buffer.hasRemaining()) {
          channel.write(buffer);
        }
        channel.shutdownOutput();
        return Caller.read(Channels.newInputStream(channel)).status();
      } catch (IOException e) {
        return 0;
      }
    }
  }

  @Test
  void survivesRequestsThatAreAlmostRight() throws IOException {
    var random = new SplittableRandom(SEED);
    String[] good = {
      "GET /v1/jobs/a HTTP/1.1|Host: localhost|Connection: close||",
      "GET /v1/events?follow=false HTTP/1.1|Host: x|Last-Event-ID: 0|Connection: close||",
      "PATCH /v1/jobs/a/trigger HTTP/1.1|Host: x|Content-Length: 5||hello",
      "PUT /v1/reload HTTP/1.1|Host: x|Transfer-Encoding: chunked||5|hello|0||",
    };
    for (int i = 0; i < REQUESTS; i++) {
      String chosen = good[random.nextInt(good.length)].replace("|", "\r\n");
      byte[] bytes = chosen.getBytes(StandardCharsets.ISO_8859_1);
      byte[] broken = broken(bytes, random);
      int status = send(daemon.caller(), broken);
      // Changing a method into POST is the only way to be understood as an action; none is near.
      assertTrue(status < 500 || status == 505 || status == 501, () -> message(broken, status));
    }
  }

  private static String message(byte[] bytes, int status) {
    return status + " for seed " + SEED + ": " + new String(bytes, StandardCharsets.ISO_8859_1);
  }

  private static byte[] broken(byte[] bytes, RandomGenerator random) {
    byte[] broken = bytes.clone();
    for (int changes = random.nextInt(1, 8); changes > 0; changes--) {
      int at = random.nextInt(broken.length);
      switch (random.nextInt(4)) {
        case 0 -> broken[at] = (byte) random.nextInt(256);
        case 1 -> broken = Arrays.copyOf(broken, Math.max(1, at));
        case 2 -> {
          byte[] longer = new byte[broken.length + 1];
          System.arraycopy(broken, 0, longer, 0, at);
          longer[at] = "\r\n\0 %:/?&".getBytes(StandardCharsets.ISO_8859_1)[random.nextInt(9)];
          System.arraycopy(broken, at, longer, at + 1, broken.length - at);
          broken = longer;
        }
        default -> broken[at] ^= (byte) (1 << random.nextInt(8));
      }
    }
    return broken;
  }

  @Test
  void answersStrangePathsWithAProblem() throws IOException {
    var random = new SplittableRandom(SEED);
    String alphabet = "ab/.%2fF0;:@?&=+~*'()!$,[]{}|^`\"<>\\é";
    for (int i = 0; i < REQUESTS; i++) {
      var path = new StringBuilder("/v1/jobs/");
      for (int length = random.nextInt(30); length > 0; length--) {
        path.append(alphabet.charAt(random.nextInt(alphabet.length())));
      }
      Response response = daemon.caller().get(path.toString());
      int status = response.status();
      assertTrue(
          status == 200 || status == 400 || status == 404 || status == 409,
          status + " for seed " + SEED + ": " + path);
      if (status != 200) {
        assertEquals("application/problem+json", response.header("content-type"), path.toString());
      }
    }
    for (String path : List.of("/v1/../../etc/passwd", "/v1/runs/..%2f..%2ftoken", "//", "*")) {
      int status = daemon.caller().get(path).status();
      assertTrue(status == 400 || status == 404, status + " for " + path);
    }
    String runs = "/v1/runs/..%2F..%2Fledger/logs/stdout";
    assertEquals(404, daemon.caller().get(runs).status());
  }

  @Test
  void refusesWhatIsTooLong() throws IOException {
    Caller caller = daemon.caller();
    int tenMebibytes = 10 << 20;
    String line = "GET /v1/version HTTP/1.1\r\nHost: x\r\n";
    assertEquals(431, caller.get("/v1/version", "X-Long: " + "a".repeat(20_000)).status());
    assertEquals(414, caller.get("/v1/jobs/" + "a".repeat(20_000)).status());
    int header =
        send(caller, (line + "X: " + "a".repeat(tenMebibytes)).getBytes(StandardCharsets.US_ASCII));
    assertTrue(header == 431 || header == 0, "" + header);
    int path =
        send(caller, ("GET /" + "a".repeat(tenMebibytes)).getBytes(StandardCharsets.US_ASCII));
    assertTrue(path == 414 || path == 0, "" + path);
    String post = "POST /v1/jobs/a/trigger HTTP/1.1\r\nHost: x\r\n";
    int body =
        send(
            caller,
            (post + "Content-Length: " + tenMebibytes + "\r\n\r\n" + "a".repeat(tenMebibytes))
                .getBytes(StandardCharsets.US_ASCII));
    assertTrue(body == 413 || body == 0, "" + body);
    int chunked =
        send(
            caller,
            (post + "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n")
                .getBytes(StandardCharsets.US_ASCII));
    assertEquals(413, chunked);
    int smuggled =
        send(
            caller,
            (post + "Content-Length: 0\r\nContent-Length: 5\r\n\r\nhello")
                .getBytes(StandardCharsets.US_ASCII));
    assertEquals(400, smuggled);
  }

  @Test
  void answersOthersWhileConnectionsHangHalfOpen() throws IOException {
    List<SocketChannel> open = new ArrayList<>();
    try {
      for (int i = 0; i < 100; i++) {
        SocketChannel channel = daemon.caller().open();
        open.add(channel);
        if (i % 3 == 0) {
          Caller.send(channel, "GET /v1/jobs HT");
        } else if (i % 3 == 1) {
          Caller.send(
              channel, "POST /v1/reload HTTP/1.1\r\nHost: x\r\nContent-Length: 99\r\n\r\nab");
        }
      }
      for (int i = 0; i < 20; i++) {
        assertEquals(200, daemon.caller().get("/v1/status").status());
      }
    } finally {
      for (SocketChannel channel : open) {
        channel.close();
      }
    }
  }
}
