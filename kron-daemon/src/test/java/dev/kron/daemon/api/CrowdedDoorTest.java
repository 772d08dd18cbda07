package dev.kron.daemon.api;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.kron.daemon.TestDaemon;
import dev.kron.process.SystemUsers;
import dev.kron.process.Users;
import dev.kron.testing.SomebodyElse;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Whoever holds connections, others are answered, and a way in that is lost is made again. */
class CrowdedDoorTest {
  private static final int CROWD = 640;
  private static final int SHARE = 64;
  private static final int TCP = 128;
  private static final long PATIENT = 600_000;
  private static final long IMPATIENT = 400;

  @TempDir Path directory;
  private final Users users = new SystemUsers();
  private final List<SocketChannel> held = new ArrayList<>();
  private TestDaemon daemon;

  @BeforeEach
  void prepare() throws IOException {
    Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxr-xr-x"));
    daemon = new TestDaemon(directory, "2026-03-01T00:00:30Z");
    daemon.write("0 * * * * name=a command=/bin/true");
  }

  @AfterEach
  void close() throws IOException {
    letGo();
    daemon.close();
  }

  private void start(@Nullable String readers, int port, long stalledMillis) throws Exception {
    Path token = directory.resolve("token");
    daemon.withApi(
        new ApiSettings(daemon.socket(), null, readers, null, port, token, stalledMillis));
    daemon.start();
  }

  private void letGo() throws IOException {
    for (SocketChannel channel : held) {
      channel.close();
    }
    held.clear();
  }

  private int status() {
    try {
      return daemon.caller().get("/v1/version").status();
    } catch (IOException e) {
      return 0;
    }
  }

  /** Half a request on each, so that none of them is idle. */
  private void hold(Caller caller, int count) throws IOException {
    for (int i = 0; i < count; i++) {
      SocketChannel channel = caller.open();
      held.add(channel);
      try {
        Caller.send(channel, "GET /v1/ver");
      } catch (IOException e) {
        // Refused already.
      }
    }
  }

  private boolean isRefused(SocketChannel channel) {
    try {
      return Caller.read(Channels.newInputStream(channel)).status() == 503;
    } catch (IOException e) {
      return true;
    }
  }

  /** Sends one byte more of the header; false once the other side has hung up. */
  private static boolean trickles(SocketChannel channel) {
    try {
      return channel.write(ByteBuffer.wrap(new byte[] {'x'})) == 1;
    } catch (IOException e) {
      return false;
    }
  }

  @Test
  void aCrowdOfOneUserLeavesOthersTheirPlacesAndTheSocketOutlivesIt() throws Exception {
    assumeTrue(users.mayBecomeOthers(), "needs root");
    Users.Account reader = users.user("daemon").orElseThrow();
    start("daemon", ApiSettings.NO_PORT, PATIENT);
    SomebodyElse.does(
        reader.uid(),
        reader.gid(),
        () -> {
          hold(daemon.caller(), CROWD);
          return held.size();
        });
    assertEquals(200, status());
    assertTrue(isRefused(held.get(SHARE)) && isRefused(held.get(CROWD - 1)));
    letGo();
    daemon.await(
        "the reader to be let in again",
        () ->
            SomebodyElse.does(reader.uid(), reader.gid(), () -> daemon.caller().get("/v1/version"))
                    .status()
                == 200);
    assertEquals(200, status());
    assertTrue(daemon.caller().isHealthy());
  }

  @Test
  void theSocketOutlivesACrowdOfItsOwnUser() throws Exception {
    start(null, ApiSettings.NO_PORT, PATIENT);
    hold(daemon.caller(), CROWD);
    assertTrue(isRefused(held.get(CROWD - 1)));
    daemon.await(
        "it to be told",
        () -> daemon.log().contains("event=connections_refused listener=unix count="));
    letGo();
    daemon.await("a place", () -> status() == 200);
  }

  @Test
  void slowClientsByTcpLockNobodyOutOfTheSocketAndAreCutOff() throws Exception {
    start(null, 0, IMPATIENT);
    hold(Caller.at(daemon.port()), TCP + 50);
    assertEquals(200, status());
    assertTrue(isRefused(held.get(TCP)));
    List<SocketChannel> slow = held.subList(0, TCP);
    daemon.await(
        "slow requests to be cut off", () -> slow.stream().noneMatch(CrowdedDoorTest::trickles));
    String host = "Host: 127.0.0.1:" + daemon.port();
    assertEquals(401, Caller.at(daemon.port()).get("/v1/version", host).status());
  }

  @Test
  void whoIsNotWelcomeKeepsNoConnection() throws Exception {
    start(null, 0, PATIENT);
    try (SocketChannel channel = Caller.at(daemon.port()).open()) {
      Caller.send(
          channel, "GET /v1/version HTTP/1.1\r\nHost: 127.0.0.1:" + daemon.port() + "\r\n\r\n");
      String answer =
          new String(Channels.newInputStream(channel).readAllBytes(), StandardCharsets.UTF_8);
      assertTrue(answer.startsWith("HTTP/1.1 401 "), answer);
    }
  }

  @Test
  void aSocketThatIsTakenAwayIsMadeAgainButNotStolenFromALivingDaemon() throws Exception {
    start(null, ApiSettings.NO_PORT, IMPATIENT);
    Path socket = daemon.socket();
    Files.delete(socket);
    daemon.await("the socket", () -> status() == 200);
    assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(socket)));
    assertTrue(daemon.log().contains("event=listener_restored listener=unix"), daemon.log());

    Files.move(directory.resolve("run"), directory.resolve("gone"));
    daemon.await("the directory and the socket", () -> status() == 200);

    Path aside = directory.resolve("aside");
    try (var other = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
      other.bind(UnixDomainSocketAddress.of(aside));
      Files.move(aside, socket, StandardCopyOption.REPLACE_EXISTING);
      Object key = key(socket);
      daemon.await(
          "it to be told", () -> daemon.log().contains("reason=\"another daemon answers at "));
      assertEquals(key, key(socket));
    }
    daemon.await("its own socket", () -> status() == 200);
    assertTrue(daemon.caller().isHealthy());
    daemon.stop();
    assertTrue(Files.notExists(socket));
  }

  private static Object key(Path path) throws IOException {
    return Files.readAttributes(path, BasicFileAttributes.class).fileKey();
  }
}
