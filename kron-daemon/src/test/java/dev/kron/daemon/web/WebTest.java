package dev.kron.daemon.web;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kron.daemon.TestDaemon;
import dev.kron.daemon.api.ApiSettings;
import dev.kron.daemon.api.Caller;
import dev.kron.daemon.web.PageClient.Heard;
import dev.kron.json.Json;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The dashboard's port, and everybody on this machine who can reach it. */
class WebTest {
  @TempDir Path directory;
  private TestDaemon daemon;

  @BeforeEach
  void aDaemon() throws IOException {
    daemon =
        new TestDaemon(directory, "2026-03-01T00:00:30Z")
            .withApi()
            .write("@manual name=a command=/bin/true");
  }

  private String link() throws IOException {
    Caller.Response response = daemon.caller().post("/v1/dashboard/links");
    assertEquals(200, response.status(), response.body());
    String body = response.body();
    return body.substring(body.indexOf("http://"), body.indexOf('"', body.indexOf("http://")));
  }

  private static int port(String link) {
    return Integer.parseInt(link.replaceAll("http://127.0.0.1:(\\d+)/#link=.*", "$1"));
  }

  private static String token(String link) {
    return link.substring(link.indexOf("#link=") + 6);
  }

  private PageClient open() throws IOException {
    String link = link();
    var page = new PageClient(port(link));
    assertEquals(200, page.redeem(token(link)).status());
    return page;
  }

  @Test
  void aLinkOpensTheDashboardOnceForItsUser() throws Exception {
    try (var running = daemon.start()) {
      String link = link();
      var page = new PageClient(port(link));
      assertEquals(200, page.redeem(token(link)).status());
      Json who = page.call("GET", "/v1/whoami").json();
      assertEquals("all", who.text("authority"));
      assertEquals(System.getProperty("user.name"), who.text("user"));
      assertEquals(200, page.call("GET", "/v1/jobs?name=a").status());
      assertEquals(401, new PageClient(port(link)).redeem(token(link)).status());
      String second = link();
      running.pass(Duration.ofSeconds(60));
      assertEquals(401, new PageClient(port(link)).redeem(token(second)).status());
      assertEquals(413, page.redeem("x".repeat(129)).status());
    }
  }

  @Test
  void onlyTheUnixSocketGivesLinksAndNoKeyOpensAnotherDoor() throws Exception {
    Path tokenFile = directory.resolve("token");
    daemon.withApi(new ApiSettings(daemon.socket(), null, null, null, 0, tokenFile));
    try (var running = daemon.start()) {
      String bearer = "Authorization: Bearer " + Files.readString(tokenFile).strip();
      String host = "Host: 127.0.0.1:" + running.port();
      Caller tcp = Caller.at(running.port());
      assertEquals(200, tcp.get("/v1/whoami", host, bearer).status());
      assertEquals(403, tcp.post("/v1/dashboard/links", host, bearer).status());
      PageClient page = open();
      assertEquals(401, page.send("GET", "/v1/jobs", bearer).status());
      assertEquals(401, page.send("GET", "/v1/jobs").status());
      assertEquals(403, page.call("POST", "/v1/dashboard/links").status());
      assertEquals(401, tcp.get("/v1/jobs", host, page.signature("GET", "/v1/jobs")).status());
      assertEquals(404, page.send("GET", "/metrics").status());
    }
  }

  @Test
  void whoSignsOutIsOutInEveryBrowser() throws Exception {
    try (var running = daemon.start()) {
      PageClient page = open();
      PageClient other = open();
      String link = link();
      assertEquals(401, page.send("DELETE", "/session").status());
      assertEquals(200, other.call("GET", "/v1/jobs").status(), "nobody has signed that");
      assertEquals(200, page.call("DELETE", "/session").status());
      for (PageClient one : List.of(page, other)) {
        assertEquals(401, one.call("GET", "/v1/jobs").status());
      }
      assertEquals(401, new PageClient(port(link)).redeem(token(link)).status());
      PageClient next = open();
      assertTrue(running.caller().post("/v1/dashboard/end").body().contains("1 session ended"));
      assertEquals(401, next.call("GET", "/v1/jobs").status());
      assertTrue(running.caller().post("/v1/dashboard/end").body().contains("you have no session"));
      assertFalse(Files.exists(directory.resolve("state/dashboard")), "nor after a restart");
    }
  }

  @Test
  void sessionsAreListedForTheirUserAndEndedOneByOne() throws Exception {
    try (var running = daemon.start()) {
      String list = "/v1/dashboard/sessions";
      assertEquals(List.of(), Json.parse(running.caller().get(list).body()).list("sessions"));
      PageClient page = open();
      daemon.clocks.pass(Duration.ofSeconds(90));
      PageClient other = open();
      assertEquals(403, other.call("GET", list).status(), "by the socket only");
      List<Json> sessions = Json.parse(running.caller().get(list).body()).list("sessions");
      assertEquals(2, sessions.size());
      assertEquals("http://127.0.0.1:" + page.port, sessions.getFirst().text("address"));
      assertEquals(90, sessions.getLast().second("since") - sessions.getFirst().second("since"));
      String end = "/v1/dashboard/end?session=";
      assertEquals(404, running.caller().post(end + "nobody").status());
      String first = sessions.getFirst().text("id");
      assertTrue(running.caller().post(end + first).body().contains("1 session ended"));
      assertEquals(401, page.call("GET", "/v1/jobs").status());
      assertEquals(200, other.call("GET", "/v1/jobs").status());
      assertFalse(Files.readString(directory.resolve("state/dashboard")).contains(first));
    }
  }

  @Test
  void aSignatureIsForOneRequestAndOneTime() throws Exception {
    try (var running = daemon.start()) {
      PageClient page = open();
      String signature = page.signature("GET", "/v1/jobs");
      assertEquals(401, page.send("GET", "/v1/jobs?name=a", signature).status());
      assertEquals(401, page.send("POST", "/v1/jobs", signature).status());
      assertEquals(401, page.send("GET", "/v1/status", signature).status());
      assertEquals(200, page.send("GET", "/v1/jobs", signature).status());
      assertEquals(409, page.send("GET", "/v1/jobs", signature).status());
      String early = page.signature("GET", "/v1/jobs", 5);
      assertEquals(
          200, page.send("GET", "/v1/jobs", page.signature("GET", "/v1/jobs", 9)).status());
      assertEquals(200, page.send("GET", "/v1/jobs", early).status(), "out of order");
      assertEquals(409, page.send("GET", "/v1/jobs", early).status());
      String late = page.signature("GET", "/v1/jobs", 10);
      running.clocks.pass(Duration.ofSeconds(61));
      Heard refused = page.send("GET", "/v1/jobs", late);
      assertEquals(401, refused.status());
      assertTrue(refused.has("Kron-Challenge: " + page.epoch), refused.headers());
      page.challenge();
      assertEquals(
          200, page.send("GET", "/v1/jobs", page.signature("GET", "/v1/jobs", 11)).status());
      page.session = "AAAAAAAAAAAAAAAA";
      refused = page.call("GET", "/v1/jobs");
      assertEquals(401, refused.status());
      assertFalse(refused.has("Kron-Challenge"), "there is no such session");
    }
  }

  /** Nobody who sets a clock ends a session or makes an old signature good again. */
  @Test
  void theWallClockHasNoPartInIt() throws Exception {
    try (var running = daemon.start()) {
      PageClient page = open();
      running.setClock("2031-01-01T00:00:00Z");
      assertEquals(200, page.call("GET", "/v1/jobs").status());
      running.setClock("2020-01-01T00:00:00Z");
      assertEquals(200, page.call("GET", "/v1/jobs").status());
    }
  }

  @Test
  void otherNamesAndOtherPagesAreRefused() throws Exception {
    try (var running = daemon.start()) {
      String link = link();
      var page = new PageClient(port(link));
      String token = token(link);
      assertEquals(421, page.send("GET", "/", "Host: evil.example:" + page.port).status());
      assertEquals(421, page.send("GET", "/", "Host: localhost:" + page.port).status());
      assertEquals(403, page.redeem(token, "Origin: http://evil.example").status());
      assertEquals(403, page.redeem(token, "Origin: http://127.0.0.1:1").status());
      assertEquals(403, page.redeem(token, "X-Nothing: no origin").status());
      assertEquals(
          403, page.redeem(token, "Origin: " + page.origin, "Sec-Fetch-Site: same-site").status());
      assertEquals(200, page.redeem(token).status(), "none of them has used it up");
      String job = "/v1/jobs/a/suspend";
      for (String header : List.of("Origin: http://127.0.0.1:1", "Sec-Fetch-Site: cross-site")) {
        assertEquals(403, page.send("POST", job, page.signature("POST", job), header).status());
      }
      Heard options = page.send("OPTIONS", "/v1/jobs", "Origin: http://evil.example");
      assertFalse(options.has("Access-Control-Allow"), options.headers());
      assertEquals(running.socket(), daemon.socket());
    }
  }

  @Test
  void everyAnswerForbidsWhatThePageDoesNotNeed() throws Exception {
    try (var running = daemon.start()) {
      var page = new PageClient(port(link()));
      Heard index = page.send("GET", "/");
      assertEquals(200, index.status());
      assertTrue(index.has("Cache-Control: no-store"), index.headers());
      String script = index.body().replaceAll("(?s).*src=\"([^\"]+)\".*", "$1");
      Heard asset = page.send("GET", script, "Accept-Encoding: gzip");
      assertTrue(asset.has("Cache-Control: public, max-age=31536000, immutable"), asset.headers());
      assertTrue(asset.has("Content-Encoding: gzip"), asset.headers());
      assertEquals(404, page.send("GET", "/js/none.js").status());
      assertEquals(405, page.send("POST", "/").status());
      for (Heard heard : List.of(index, asset, page.send("GET", "/v1/jobs"))) {
        for (String header :
            List.of(
                "Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self'",
                "X-Content-Type-Options: nosniff",
                "Referrer-Policy: no-referrer",
                "Cross-Origin-Opener-Policy: same-origin",
                "Cross-Origin-Resource-Policy: same-origin",
                "frame-ancestors 'none'")) {
          assertTrue(heard.has(header), heard.headers());
        }
        assertFalse(heard.has("unsafe-"), heard.headers());
        assertFalse(heard.has("Set-Cookie"), heard.headers());
      }
      assertTrue(running.port() < 0);
    }
  }

  @Test
  void sessionsAndThePortSurviveTheDaemonAndNothingSignedForItDoes() throws Exception {
    try (var running = daemon.start()) {
      PageClient page = open();
      Path file = running.statePath().resolve(SessionFile.NAME);
      assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(file)));
      String before = page.signature("GET", "/v1/jobs");
      running.stop();
      running.start();
      running.await("the port to answer", () -> answers(page));
      Heard refused = page.send("GET", "/v1/jobs", before);
      assertEquals(401, refused.status());
      assertFalse(refused.has("Kron-Challenge: " + page.epoch), refused.headers());
      String old = page.epoch;
      page.challenge();
      assertNotEquals(old, page.epoch);
      assertEquals(200, page.call("GET", "/v1/jobs").status());
    }
  }

  private static boolean answers(PageClient page) throws IOException {
    try {
      return page.send("GET", "/session").status() == 200;
    } catch (ConnectException e) {
      return false;
    }
  }

  @Test
  void whoTakesThePortMeanwhileEndsTheSessionsAndNothingElse() throws Exception {
    try (var running = daemon.start()) {
      PageClient page = open();
      Path file = running.statePath().resolve(SessionFile.NAME);
      running.stop();
      try (var taken = new ServerSocket(page.port, 1, InetAddress.getLoopbackAddress())) {
        running.start();
        running.await("it to be told", () -> running.log().contains("port_taken"));
        running.await("the sessions to be gone", () -> !Files.exists(file));
        assertEquals(200, running.caller().get("/v1/status").status());
        assertNotEquals(page.port, port(link()));
        assertTrue(taken.isBound());
      }
    }
  }

  @Test
  void aPortThatWasAskedForIsWaitedFor() throws Exception {
    int port;
    try (var taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = taken.getLocalPort();
      daemon.withWeb(new WebSettings(port, List.of("https://kron.example.org")));
      daemon.start();
      daemon.await("it to be told", () -> daemon.log().contains("port_taken"));
      assertEquals(503, daemon.caller().post("/v1/dashboard/links").status());
    }
    try (var running = daemon) {
      var page = new PageClient(port);
      running.await("the port to answer", () -> answers(page));
      assertEquals(port, port(link()));
      assertEquals(200, page.send("GET", "/", "Host: kron.example.org").status());
      String body = running.caller().post("/v1/dashboard/links").body();
      assertTrue(body.contains("https://kron.example.org/#link="), body);
    }
  }

  @Test
  void thePortIsClosedTenMinutesAfterTheLastSession() throws Exception {
    try (var running = daemon.start()) {
      PageClient page = open();
      running.clocks.pass(Session.UNUSED.plusSeconds(1));
      page.challenge();
      Heard refused = page.call("GET", "/v1/jobs");
      assertNotEquals(200, refused.status());
      running.await(
          "the session to be gone",
          () -> !Files.exists(running.statePath().resolve(SessionFile.NAME)));
      assertEquals(200, page.send("GET", "/session").status());
      running.clocks.pass(Duration.ofMinutes(10).plusSeconds(2));
      running.await("it to be told", () -> running.log().contains("event=closed"));
      assertThrows(ConnectException.class, () -> page.send("GET", "/session"));
      assertNotEquals(401, open().call("GET", "/v1/jobs").status());
    }
  }

  @Test
  void anOpenStreamIsUseAndEndsWithItsSession() throws Exception {
    try (var running = daemon.start()) {
      PageClient page = open();
      try (var socket = new Socket(InetAddress.getLoopbackAddress(), page.port)) {
        socket.setSoTimeout(20_000);
        String request =
            "GET /v1/events HTTP/1.1\r\nHost: 127.0.0.1:%s\r\n%s\r\n\r\n"
                .formatted(page.port, page.signature("GET", "/v1/events"));
        socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
        assertEquals('H', socket.getInputStream().read());
        Path file = running.statePath().resolve(SessionFile.NAME);
        String before = Files.readString(file);
        running.clocks.pass(Session.UNUSED.plusHours(1));
        running.await("its use to be kept", () -> !Files.readString(file).equals(before));
        running.clocks.pass(Session.IN_ALL);
        running.await("its end", () -> !Files.exists(file));
        while (socket.getInputStream().read() >= 0) {}
      }
    }
  }
}
