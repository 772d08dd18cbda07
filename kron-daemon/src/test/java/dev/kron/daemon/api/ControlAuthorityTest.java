package dev.kron.daemon.api;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.kron.daemon.TestDaemon;
import dev.kron.daemon.api.Caller.Response;
import dev.kron.process.SystemUsers;
import dev.kron.process.Users;
import dev.kron.testing.SomebodyElse;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Who may do what, over the real socket. */
class ControlAuthorityTest {
  @TempDir Path directory;
  private final Users users = new SystemUsers();

  private TestDaemon daemon() throws IOException {
    Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxr-xr-x"));
    return new TestDaemon(directory, "2026-03-01T00:00:30Z")
        .write("0 * * * * name=a command=/bin/true");
  }

  private Users.Account daemonAccount() {
    assumeTrue(users.mayBecomeOthers(), "needs root");
    return users.user("daemon").orElseThrow();
  }

  private static ApiSettings groups(
      TestDaemon daemon, @Nullable String readers, @Nullable String operators) {
    return new ApiSettings(daemon.socket(), null, readers, operators, ApiSettings.NO_PORT, null);
  }

  private static String mode(Path path) throws IOException {
    return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
  }

  @Test
  void keepsEverybodyElseOutByTheModesOfTheSocket() throws Exception {
    try (var daemon = daemon().withApi().start()) {
      assertEquals("rw-------", mode(daemon.socket()));
      assertEquals("rwx------", mode(daemon.socket().resolveSibling(".")));
      assertEquals(200, daemon.caller().get("/v1/version").status());
      Users.Account other = daemonAccount();
      assertThrows(
          Exception.class,
          () ->
              SomebodyElse.does(
                  other.uid(), other.gid(), () -> daemon.caller().get("/v1/version")));
    }
  }

  @Test
  void answersNothingToAnybodyElseEvenWhereTheyReachTheSocket() throws Exception {
    Users.Account other = daemonAccount();
    try (var daemon = daemon().withApi().start()) {
      Files.setPosixFilePermissions(
          daemon.socket().resolveSibling("."), PosixFilePermissions.fromString("rwxr-xr-x"));
      Files.setPosixFilePermissions(daemon.socket(), PosixFilePermissions.fromString("rw-rw-rw-"));
      for (String operation : daemon.operations()) {
        Response response = as(other, daemon, operation);
        assertEquals(403, response.status(), operation);
        assertTrue(response.body().contains("daemon may not talk to this daemon"), operation);
      }
      assertEquals(
          403,
          SomebodyElse.does(other.uid(), other.gid(), () -> daemon.caller().get("/none")).status());
    }
  }

  @Test
  void letsMembersOfTheReaderGroupReadAndNothingElse() throws Exception {
    Users.Account other = daemonAccount();
    try (var daemon = daemon()) {
      daemon.withApi(groups(daemon, "daemon", null)).start();
      assertEquals("rw-rw----", mode(daemon.socket()));
      assertEquals("rwxr-x---", mode(daemon.socket().resolveSibling(".")));
      for (String operation : daemon.operations()) {
        boolean reads = operation.split(" ")[2].equals("read");
        int status = as(other, daemon, operation).status();
        assertEquals(!reads, status == 403, operation + " " + status);
      }
    }
  }

  @Test
  void letsMembersOfTheOperatorGroupActButNotEndTheDaemon() throws Exception {
    Users.Account other = daemonAccount();
    try (var daemon = daemon()) {
      daemon.withApi(groups(daemon, null, "daemon")).start();
      for (String operation : daemon.operations()) {
        boolean all = operation.split(" ")[2].equals("all");
        int status = as(other, daemon, operation).status();
        assertEquals(all, status == 403, operation + " " + status);
      }
    }
  }

  /** As somebody else, on something that is there or not: what matters is whether they may. */
  private static Response as(Users.Account other, TestDaemon daemon, String operation)
      throws Exception {
    String[] words = operation.split(" ");
    String path = words[1].replace("{job}", "a").replaceAll("\\{[a-z]+}", "x");
    String query = words[1].equals("/v1/events") ? "?follow=false" : "";
    return SomebodyElse.does(
        other.uid(), other.gid(), () -> daemon.caller().call(words[0], path + query));
  }

  @Test
  void takesATokenByTcpAndChecksHostAndOrigin() throws Exception {
    Path token = directory.resolve("token");
    try (var daemon = daemon()) {
      daemon.withApi(new ApiSettings(daemon.socket(), null, null, null, 0, token)).start();
      assertEquals("rw-------", mode(token));
      Caller caller = Caller.at(daemon.port());
      String host = "Host: 127.0.0.1:" + daemon.port();
      String bearer = "Authorization: Bearer " + Files.readString(token).strip();
      assertEquals(401, caller.get("/v1/version", host).status());
      assertEquals("Bearer", caller.get("/v1/version", host).header("www-authenticate"));
      assertEquals(401, caller.get("/v1/version", host, "Authorization: Bearer x").status());
      assertEquals(401, caller.get("/v1/version", host, "Authorization: Basic x").status());
      assertEquals(200, caller.get("/v1/version", host, bearer).status());
      assertEquals(421, caller.get("/v1/version", "Host: evil.example", bearer).status());
      String page = "Origin: http://evil.example";
      assertEquals(403, caller.post("/v1/reload", host, bearer, page).status());
      String own = "Origin: http://127.0.0.1:" + daemon.port();
      assertEquals(200, caller.post("/v1/reload", host, bearer, own).status());
    }
  }

  @Test
  void refusesATokenFileThatOthersCanRead() throws Exception {
    Path token = Files.writeString(directory.resolve("token"), "0123456789abcdef0123\n");
    Files.setPosixFilePermissions(token, PosixFilePermissions.fromString("rw-r--r--"));
    try (var daemon = daemon()) {
      daemon.withApi(new ApiSettings(daemon.socket(), null, null, null, 0, token));
      IOException refused = assertThrows(IOException.class, daemon::start);
      assertTrue(String.valueOf(refused.getMessage()).contains("mode 0600"), refused::toString);
    }
  }

  @Test
  void takesOverTheSocketOfADeadDaemonButNotOfALivingOne() throws Exception {
    try (var daemon = daemon().withApi().start()) {
      var second = new TestDaemon(directory.resolve("2"), "2026-03-01T00:00:30Z");
      try (second) {
        second.write("0 * * * * name=b command=/bin/true");
        second.withApi(ApiSettings.at(daemon.socket()));
        IOException refused = assertThrows(IOException.class, second::start);
        assertTrue(
            String.valueOf(refused.getMessage())
                .toLowerCase(Locale.ROOT)
                .contains("another daemon"));
        Path fallback = directory.resolve("2/run/own.sock");
        second.withApi(
            new ApiSettings(daemon.socket(), fallback, null, null, ApiSettings.NO_PORT, null));
        second.start();
        assertEquals(200, Caller.at(fallback).get("/v1/version").status());
      }
      daemon.stop();
      assertTrue(Files.notExists(daemon.socket()), "the socket is removed at the end");
    }
    Path stale = directory.resolve("run/krond.sock");
    try (var left = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
      left.bind(UnixDomainSocketAddress.of(stale));
    }
    assertTrue(Files.exists(stale));
    try (var daemon = daemon().withApi().start()) {
      assertEquals(200, daemon.caller().get("/v1/version").status());
    }
  }

  @Test
  void neverChangesTheModeOfADirectoryThatIsNotItsOwn() throws Exception {
    try (var daemon = daemon()) {
      daemon.withApi(ApiSettings.at(directory.resolve("krond.sock")));
      IOException refused = assertThrows(IOException.class, daemon::start);
      assertTrue(String.valueOf(refused.getMessage()).contains("rwxr-xr-x"), refused::toString);
      assertEquals("rwxr-xr-x", mode(directory));
    }
  }
}
