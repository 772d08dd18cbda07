package dev.kron.notify.channel;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** A certificate for localhost that only this test trusts; made once for all tests. */
final class TestTls {
  private static final char[] PASSWORD = "changeit".toCharArray();
  private static final SSLContext CONTEXT = make();

  private TestTls() {}

  static SSLContext context() {
    return CONTEXT;
  }

  private static SSLContext make() {
    try {
      Path directory = Files.createTempDirectory("kron-tls");
      Path store = directory.resolve("store.p12");
      Process keytool =
          new ProcessBuilder(
                  Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                  "-J-XX:TieredStopAtLevel=1",
                  "-genkeypair",
                  "-alias",
                  "test",
                  "-keyalg",
                  "EC",
                  "-validity",
                  "2",
                  "-dname",
                  "CN=localhost",
                  "-ext",
                  "SAN=DNS:localhost,IP:127.0.0.1",
                  "-storetype",
                  "PKCS12",
                  "-keystore",
                  store.toString(),
                  "-storepass",
                  new String(PASSWORD))
              .redirectErrorStream(true)
              .redirectOutput(directory.resolve("log").toFile())
              .start();
      if (!keytool.waitFor(60, TimeUnit.SECONDS) || keytool.exitValue() != 0) {
        throw new IllegalStateException(Files.readString(directory.resolve("log")));
      }
      KeyStore keys = KeyStore.getInstance("PKCS12");
      try (InputStream in = Files.newInputStream(store)) {
        keys.load(in, PASSWORD);
      }
      KeyManagerFactory own = KeyManagerFactory.getInstance("PKIX");
      own.init(keys, PASSWORD);
      KeyStore certificates = KeyStore.getInstance("PKCS12");
      certificates.load(null, PASSWORD);
      certificates.setCertificateEntry("test", keys.getCertificate("test"));
      TrustManagerFactory others = TrustManagerFactory.getInstance("PKIX");
      others.init(certificates);
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(own.getKeyManagers(), others.getTrustManagers(), null);
      return context;
    } catch (IOException | GeneralSecurityException | InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
