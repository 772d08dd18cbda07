package dev.kron.notify.channel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import dev.kron.notice.Channel;
import dev.kron.notice.Word;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Receivers that behave well, and receivers that do not. */
class HttpReceiverTest {
  private static final String SECRET = "T00SECRET/B00";
  private final List<String> seen = Collections.synchronizedList(new ArrayList<>());
  private final CountDownLatch over = new CountDownLatch(1);
  private final AtomicLong poured = new AtomicLong();
  private HttpServer server;

  private final Receivers receivers =
      new Receivers(() -> 1_614_265_330_000L, null, Duration.ofMinutes(1));

  private final Receivers impatient =
      new Receivers(() -> 1_614_265_330_000L, null, Duration.ofMillis(400));

  @BeforeEach
  void serve() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
    server.createContext("/", this::answer);
    server.start();
  }

  @AfterEach
  void stop() {
    over.countDown();
    server.stop(0);
  }

  private void answer(HttpExchange exchange) throws IOException {
    String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
    String path = exchange.getRequestURI().toString();
    seen.add(exchange.getRequestMethod() + " " + path + " " + body);
    exchange.getRequestHeaders().forEach((name, value) -> seen.add(name + ": " + value.getFirst()));
    int status =
        path.startsWith("/status/")
            ? Integer.parseInt(path.split("/")[2])
            : path.startsWith("/quoted/") ? 404 : 200;
    if (status >= 300 && status < 400) {
      exchange.getResponseHeaders().add("Location", url("/elsewhere"));
    }
    if (path.startsWith("/gigabyte")) {
      exchange.sendResponseHeaders(400, 1L << 30);
      try (OutputStream out = exchange.getResponseBody()) {
        byte[] chunk = new byte[1 << 16];
        for (int i = 0; i < 1 << 14; i++) {
          out.write(chunk);
          poured.addAndGet(chunk.length);
        }
      }
      return;
    }
    String quoted = path.startsWith("/status/") ? SECRET : "at " + path;
    byte[] said = ("no_service " + quoted).getBytes(StandardCharsets.UTF_8);
    exchange.sendResponseHeaders(status, status == 204 || status == 304 ? -1 : said.length);
    if (status != 204 && status != 304) {
      exchange.getResponseBody().write(said);
    }
    exchange.close();
  }

  private String url(String path) {
    return "http://127.0.0.1:" + server.getAddress().getPort() + path;
  }

  private Delivery send(String url) {
    return send(receivers, url);
  }

  private static Delivery send(Receivers receivers, String url) {
    Secrets secrets =
        new Secrets(
            Map.of(
                "URL", url, "TEAM", SECRET, "HMAC_KEY", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"));
    return receivers.send(Letters.webhook(null), secrets, Letters.of(Word.FAILED));
  }

  @Test
  void aWebHookIsSignedAndHasItsId() {
    assertInstanceOf(Delivery.Delivered.class, send(url("/hook/" + SECRET)));
    String request = String.join("\n", seen);
    assertTrue(seen.getFirst().startsWith("POST /hook/" + SECRET + " {"), request);
    assertTrue(request.contains("Webhook-id: t1-2"), request);
    assertTrue(request.contains("Webhook-timestamp: 1614265330"), request);
    String body = seen.getFirst().split(" ", 3)[2];
    String signature =
        Signature.of("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "t1-2", 1_614_265_330, body);
    assertTrue(request.contains("Webhook-signature: " + signature), request);
  }

  @Test
  void redirectsAreNotFollowed() {
    for (int status : new int[] {301, 302, 303, 307, 308}) {
      assertInstanceOf(Delivery.Refused.class, send(url("/status/" + status)));
    }
    assertEquals(0, seen.stream().filter(each -> each.contains("/elsewhere")).count());
  }

  @Test
  void whatItAnswersDecidesAndNoSecretIsInIt() {
    assertInstanceOf(Delivery.Delivered.class, send(url("/status/204")));
    for (int status : new int[] {400, 403, 404, 410}) {
      Delivery.Refused refused =
          assertInstanceOf(Delivery.Refused.class, send(url("/status/" + status)));
      assertTrue(
          refused.reason().contains("answered " + status + ": no_service"), refused.reason());
      assertFalse(refused.reason().contains("SECRET"), refused.reason());
    }
    for (int status : new int[] {408, 429, 500, 503}) {
      assertInstanceOf(Delivery.Unreachable.class, send(url("/status/" + status)));
    }
  }

  /** Many servers quote in an error what was asked of them, and that is the secret. */
  @Test
  void anAnswerThatQuotesTheAddressShowsNothingOfIt() {
    for (String path :
        List.of(
            "/quoted/a1b2c3d4e5", "/quoted/x?key=a1b2c3d4e5", "/quoted/%61/a1b2c3d4e5/?a=1#b")) {
      Secrets secrets = new Secrets(Map.of("URL", url(path)));
      Delivery.Refused refused =
          assertInstanceOf(
              Delivery.Refused.class,
              receivers.send(Letters.webhook(null), secrets, Letters.of(Word.FAILED)));
      assertTrue(refused.reason().contains("answered 404: no_service at …"), refused.reason());
      assertFalse(refused.reason().contains("a1b2c3d4e5"), refused.reason());
    }
    Secrets secrets = new Secrets(Map.of("URL", url("/quoted/a1b2c3d4e5/{name}")));
    Delivery.Refused ping =
        assertInstanceOf(
            Delivery.Refused.class,
            receivers.ping(
                Letters.channel(Channel.Type.PING),
                secrets,
                new Ping("backup", Ping.State.STARTED, null)));
    assertFalse(ping.reason().contains("a1b2c3d4e5"), ping.reason());
  }

  @Test
  void aSecretThatIsAPartOfAnotherLeavesNothingOfIt() {
    var secrets = new Secrets(Map.of("SMTP_USER", "kron", "SMTP_PASSWORD", "kron-hunter2"));
    assertEquals("bad password …", secrets.scrub("bad password kron-hunter2"));
  }

  @Test
  void userAndPasswordOfAnAddressAreSentAndNotShown() {
    String url = url("/quoted/x").replace("http://", "http://kron:hunt%40r2@");
    Secrets secrets = new Secrets(Map.of("URL", url));
    Delivery.Refused refused =
        assertInstanceOf(
            Delivery.Refused.class,
            receivers.send(Letters.webhook(null), secrets, Letters.of(Word.FAILED)));
    assertTrue(seen.contains("Authorization: Basic a3JvbjpodW50QHIy"), seen.toString());
    assertTrue(refused.reason().startsWith("127.0.0.1 answered 404"), refused.reason());
    assertEquals("not …", secrets.scrub("not hunt@r2"));
  }

  @Test
  void aGigabyteIsNotRead() {
    assertInstanceOf(Delivery.Refused.class, send(url("/gigabyte")));
    assertTrue(poured.get() < 1 << 28, "read " + poured);
  }

  @Test
  void whoeverDoesNotAnswerIsLeft() throws IOException {
    try (ServerSocket silent = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
      Delivery delivery =
          send(impatient, "http://127.0.0.1:" + silent.getLocalPort() + "/" + SECRET);
      Delivery.Unreachable unreachable = assertInstanceOf(Delivery.Unreachable.class, delivery);
      assertEquals("127.0.0.1 did not answer in time", unreachable.reason());
    }
    int free;
    try (ServerSocket closed = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
      free = closed.getLocalPort();
    }
    Delivery.Unreachable nobody =
        assertInstanceOf(
            Delivery.Unreachable.class, send("http://127.0.0.1:" + free + "/" + SECRET));
    assertEquals("no connection to 127.0.0.1", nobody.reason());
  }

  @Test
  void whoeverSpeaksAnotherLanguageIsNotBelieved() throws IOException {
    try (ServerSocket other = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
      Thread.ofVirtual()
          .start(
              () -> {
                try (Socket socket = other.accept()) {
                  socket
                      .getOutputStream()
                      .write("220 smtp ready\r\n".getBytes(StandardCharsets.UTF_8));
                  socket.getOutputStream().flush();
                  over.await();
                } catch (IOException | InterruptedException e) {
                  // The test is over.
                }
              });
      Delivery delivery =
          send(impatient, "http://127.0.0.1:" + other.getLocalPort() + "/" + SECRET);
      Delivery.Unreachable unreachable = assertInstanceOf(Delivery.Unreachable.class, delivery);
      assertFalse(unreachable.reason().contains("SECRET"), unreachable.reason());
    }
  }

  @Test
  void anAddressThatIsNoneIsNotShown() {
    for (String url : List.of("ht tp://" + SECRET, "ftp://x/" + SECRET, "file:///" + SECRET, "x")) {
      Delivery.Refused refused = assertInstanceOf(Delivery.Refused.class, send(url));
      assertFalse(refused.reason().contains("SECRET"), refused.reason());
    }
  }

  @Test
  void aCertificateThatNobodyKnowsIsNotTrusted() throws IOException {
    HttpsServer secure =
        HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    secure.setHttpsConfigurator(new HttpsConfigurator(TestTls.context()));
    secure.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
    secure.createContext("/", this::answer);
    secure.start();
    try {
      String url = "https://localhost:" + secure.getAddress().getPort() + "/" + SECRET;
      Secrets secrets = new Secrets(Map.of("URL", url));
      var strict = new Receivers(() -> 0);
      Delivery.Unreachable unknown =
          assertInstanceOf(
              Delivery.Unreachable.class,
              strict.send(Letters.channel(Channel.Type.SLACK), secrets, Letters.of(Word.FAILED)));
      assertTrue(
          unknown.reason().startsWith("no trusted connection to localhost"), unknown.reason());
      assertEquals(0, seen.size());
      var trusting = new Receivers(() -> 0, TestTls.context(), Duration.ofSeconds(30));
      assertInstanceOf(
          Delivery.Delivered.class,
          trusting.send(Letters.channel(Channel.Type.SLACK), secrets, Letters.of(Word.FAILED)));
    } finally {
      secure.stop(0);
    }
  }

  @Test
  void aTokenIsAHeaderAndATopicIsTheEndOfTheAddress() {
    Secrets secrets = new Secrets(Map.of("URL", url("/mytopic"), "TOKEN", "tk_secret"));
    assertInstanceOf(
        Delivery.Delivered.class,
        receivers.send(Letters.channel(Channel.Type.NTFY), secrets, Letters.of(Word.FAILED)));
    assertTrue(seen.getFirst().startsWith("POST / {\"topic\":\"mytopic\""), seen.getFirst());
    assertTrue(seen.contains("Authorization: Bearer tk_secret"));
  }

  @Test
  void aPingIsARequest() {
    Secrets secrets = new Secrets(Map.of("URL", url("/{name}")));
    var ping = new Ping("a b/c", Ping.State.FAILED, 7);
    assertInstanceOf(
        Delivery.Delivered.class,
        receivers.ping(Letters.channel(Channel.Type.PING), secrets, ping));
    assertTrue(seen.getFirst().startsWith("GET /a%20b%2Fc/7"), seen.getFirst());
  }

  @Test
  void aMissingSecretIsNamed() {
    Delivery.Refused refused =
        assertInstanceOf(
            Delivery.Refused.class,
            receivers.send(
                Letters.channel(Channel.Type.PAGERDUTY), Secrets.NONE, Letters.of(Word.FAILED)));
    assertEquals("ROUTING_KEY is missing in the channel's credential profile", refused.reason());
  }
}
