package dev.kron.daemon.services;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a check over HTTP sends, and whom it believes over HTTPS. */
class HttpStatusTest {
  private static final int PATIENCE_MILLIS = 60_000;
  private static final char[] PASSWORD = "secret".toCharArray();

  @TempDir Path directory;

  private final SSLContext before = standard();

  private static SSLContext standard() {
    try {
      return SSLContext.getDefault();
    } catch (java.security.NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  @AfterEach
  void trustAsBefore() {
    SSLContext.setDefault(before);
  }

  /** A context with a certificate for one address of this machine, which it trusts itself. */
  private SSLContext trusted(String name) throws Exception {
    Path file = directory.resolve(name.replaceAll("\\W", "-") + ".p12");
    Process keytool =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-genkeypair",
                "-alias",
                "server",
                "-keyalg",
                "EC",
                "-dname",
                "CN=server",
                "-ext",
                "SAN=" + name,
                "-storetype",
                "PKCS12",
                "-keystore",
                file.toString(),
                "-storepass",
                new String(PASSWORD))
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start();
    assertTrue(keytool.waitFor(PATIENCE_MILLIS, TimeUnit.MILLISECONDS));
    KeyStore keys = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(file)) {
      keys.load(in, PASSWORD);
    }
    var own = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    own.init(keys, PASSWORD);
    var others = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    KeyStore known = KeyStore.getInstance("PKCS12");
    known.load(null, null);
    known.setCertificateEntry("server", keys.getCertificate("server"));
    others.init(known);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(own.getKeyManagers(), others.getTrustManagers(), null);
    return context;
  }

  private static HttpServer answering(HttpServer server) throws IOException {
    server.createContext(
        "/",
        exchange -> {
          exchange.sendResponseHeaders(204, -1);
          exchange.close();
        });
    server.start();
    return server;
  }

  private static HttpServer secure(SSLContext context) throws IOException {
    var address = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    HttpsServer server = HttpsServer.create(address, 0);
    server.setHttpsConfigurator(new HttpsConfigurator(context));
    return answering(server);
  }

  private static int ask(HttpServer server, String scheme, String rest) throws IOException {
    int port = server.getAddress().getPort();
    return HttpStatus.request(URI.create(scheme + "://127.0.0.1:" + port + rest), PATIENCE_MILLIS);
  }

  @Test
  void aCertificateForTheAddressIsBelieved() throws Exception {
    SSLContext context = trusted("ip:127.0.0.1");
    SSLContext.setDefault(context);
    HttpServer server = secure(context);
    try {
      assertEquals(204, ask(server, "https", "/"));
    } finally {
      server.stop(0);
    }
  }

  @Test
  void aCertificateForAnotherNameIsNot() throws Exception {
    SSLContext context = trusted("dns:other.example");
    SSLContext.setDefault(context);
    HttpServer server = secure(context);
    try {
      assertThrows(SSLException.class, () -> ask(server, "https", "/"));
    } finally {
      server.stop(0);
    }
  }

  @Test
  void aCertificateOfNobodyKnownIsNot() throws Exception {
    HttpServer server = secure(trusted("ip:127.0.0.1"));
    try {
      assertThrows(SSLException.class, () -> ask(server, "https", "/"));
    } finally {
      server.stop(0);
    }
  }

  @Test
  void asksForThePathAndTheQueryOfTheHost() throws Exception {
    var asked = new AtomicReference<>("");
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        "/",
        exchange -> {
          asked.set(
              exchange.getRequestMethod()
                  + " "
                  + exchange.getRequestURI()
                  + " "
                  + exchange.getRequestHeaders().getFirst("Host")
                  + new String(exchange.getRequestBody().readAllBytes(), US_ASCII));
          exchange.sendResponseHeaders(302, -1);
          exchange.close();
        });
    server.start();
    try {
      String host = "127.0.0.1:" + server.getAddress().getPort();
      assertEquals(302, ask(server, "http", ""));
      assertEquals("GET / " + host, asked.get());
      assertEquals(302, ask(server, "http", "/ready?deep=1"));
      assertEquals("GET /ready?deep=1 " + host, asked.get());
    } finally {
      server.stop(0);
    }
  }
}
