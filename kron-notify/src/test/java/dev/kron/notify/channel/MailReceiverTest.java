package dev.kron.notify.channel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kron.notice.Channel;
import dev.kron.notice.Channel.Flavor;
import dev.kron.notice.Channel.Security;
import dev.kron.notice.Channel.Server;
import dev.kron.notice.Word;
import java.io.IOException;
import java.io.InputStream;
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
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.subethamail.smtp.auth.EasyAuthenticationHandlerFactory;
import org.subethamail.smtp.auth.LoginFailedException;
import org.subethamail.smtp.helper.SimpleMessageListener;
import org.subethamail.smtp.server.SMTPServer;

/** A real mail server with STARTTLS and authentication. */
class MailReceiverTest {
  private static final String PASSWORD = "pass-Secret-word";
  private final List<String> mails = Collections.synchronizedList(new ArrayList<>());
  private final List<String> logins = Collections.synchronizedList(new ArrayList<>());
  private @Nullable SMTPServer server;

  private final Receivers receivers =
      new Receivers(() -> 0, TestTls.context(), Duration.ofSeconds(5));

  private final class Inbox implements SimpleMessageListener {
    @Override
    public boolean accept(String from, String to) {
      return !to.startsWith("nobody");
    }

    @Override
    public void deliver(String from, String to, InputStream data) throws IOException {
      mails.add(to + "\n" + new String(data.readAllBytes(), StandardCharsets.UTF_8));
    }
  }

  /** Nothing but STARTTLS gets anybody anywhere, and nobody is let in without a password. */
  private int serve(boolean tls) {
    SMTPServer.Builder builder =
        SMTPServer.port(0)
            .bindAddress(InetAddress.getLoopbackAddress())
            .simpleMessageListener(new Inbox());
    if (tls) {
      builder
          .enableTLS(true)
          .requireTLS(true)
          .requireAuth(true)
          .startTlsSocketFactory(
              socket -> {
                SSLSocketFactory factory = TestTls.context().getSocketFactory();
                InetSocketAddress remote = (InetSocketAddress) socket.getRemoteSocketAddress();
                SSLSocket secure =
                    (SSLSocket)
                        factory.createSocket(socket, remote.getHostName(), socket.getPort(), true);
                secure.setUseClientMode(false);
                return secure;
              })
          .authenticationHandlerFactory(
              new EasyAuthenticationHandlerFactory(
                  (user, password, context) -> {
                    logins.add(user + ":" + password);
                    if (!user.equals("kron") || !password.equals(PASSWORD)) {
                      throw new LoginFailedException();
                    }
                  }));
    }
    SMTPServer started = builder.build();
    started.start();
    server = started;
    return started.getPortAllocated();
  }

  @AfterEach
  void stop() {
    SMTPServer started = server;
    if (started != null) {
      started.stop();
    }
  }

  private static Channel mail(int port, Security security, String... to) {
    return new Channel(
        "ops",
        Channel.Type.EMAIL,
        List.of(to),
        "kron@example.org",
        new Server("localhost", port, security),
        "smtp",
        20,
        Flavor.HEALTHCHECKS,
        null);
  }

  private Delivery send(Channel channel, @Nullable String password, Word word, String... output) {
    Secrets secrets =
        password == null
            ? Secrets.NONE
            : new Secrets(Map.of("SMTP_USER", "kron", "SMTP_PASSWORD", password));
    return receivers.send(channel, secrets, Letters.of(word, output));
  }

  @Test
  void mailGoesThroughStarttlsWithAPassword() {
    int port = serve(true);
    Channel channel = mail(port, Security.STARTTLS, "ops@example.org", "boss@example.org");
    assertInstanceOf(
        Delivery.Delivered.class,
        send(channel, PASSWORD, Word.FAILED, "größe\u001b[2J", ".", "\r\nBcc: x@example.org"));
    assertEquals(List.of("kron:" + PASSWORD), logins);
    assertEquals(2, mails.size());
    String mail = mails.getFirst();
    assertTrue(mail.contains("Message-ID: <t1-2.ops@host1>"), mail);
    assertTrue(mail.contains("References: <t1-1.ops@host1>"), mail);
    assertTrue(mail.contains("Auto-Submitted: auto-generated"), mail);
    assertTrue(mail.contains("Subject: [host1] backup/db failed with exit code 3"), mail);
    assertFalse(mail.contains("\u001b"), mail);
    assertFalse(mail.lines().anyMatch(line -> line.startsWith("Bcc")), mail);
    assertFalse(mail.contains(PASSWORD), mail);
  }

  @Test
  void aWrongPasswordIsSaidWithoutIt() {
    Channel channel = mail(serve(true), Security.STARTTLS, "ops@example.org");
    Delivery.Refused refused =
        assertInstanceOf(Delivery.Refused.class, send(channel, "wrong-Secret", Word.FAILED));
    assertEquals("localhost does not accept SMTP_USER and SMTP_PASSWORD", refused.reason());
  }

  @Test
  void nothingIsSaidToAServerWithoutEncryption() {
    Channel channel = mail(serve(false), Security.STARTTLS, "ops@example.org");
    Delivery delivery = send(channel, PASSWORD, Word.FAILED);
    Delivery.Unreachable unreachable = assertInstanceOf(Delivery.Unreachable.class, delivery);
    assertTrue(unreachable.reason().contains("STARTTLS is required"), unreachable.reason());
    assertEquals(List.of(), mails);
  }

  @Test
  void aCertificateThatNobodyKnowsIsNotTrusted() {
    Channel channel = mail(serve(true), Security.STARTTLS, "ops@example.org");
    Secrets secrets = new Secrets(Map.of("SMTP_USER", "kron", "SMTP_PASSWORD", PASSWORD));
    Delivery delivery = new Receivers(() -> 0).send(channel, secrets, Letters.of(Word.FAILED));
    assertInstanceOf(Delivery.Unreachable.class, delivery);
    assertEquals(List.of(), logins);
    assertEquals(List.of(), mails);
  }

  @Test
  void aServerOnTheSameMachineNeedsNoEncryption() {
    Channel channel = mail(serve(false), Security.NONE, "ops@example.org");
    assertInstanceOf(Delivery.Delivered.class, send(channel, null, Word.RECOVERED));
    assertTrue(mails.getFirst().contains("backup/db recovered"), mails.getFirst());
  }

  @Test
  void anAddressThatIsUnknownIsSaidAndTheOthersGetTheirMailOnce() {
    int port = serve(false);
    Channel channel = mail(port, Security.NONE, "nobody@example.org", "ops@example.org");
    Delivery.Delivered delivered =
        assertInstanceOf(Delivery.Delivered.class, send(channel, null, Word.FAILED));
    assertTrue(String.valueOf(delivered.remark()).contains("nobody@example.org"), "names it");
    assertEquals(1, mails.size());
    Channel wrong = mail(port, Security.NONE, "nobody@example.org");
    assertInstanceOf(Delivery.Refused.class, send(wrong, null, Word.FAILED));
  }

  @Test
  void nobodyThereIsTriedAgain() throws IOException {
    int free;
    try (ServerSocket closed = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
      free = closed.getLocalPort();
    }
    Channel channel = mail(free, Security.NONE, "ops@example.org");
    assertInstanceOf(Delivery.Unreachable.class, send(channel, null, Word.FAILED));
  }

  @Test
  void aSocketIsClosedByWhoeverHasNoMorePatience() throws IOException {
    var sockets = new BoundedSockets();
    try (ServerSocket hanging = new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
        Socket socket = sockets.createSocket()) {
      socket.connect(hanging.getLocalSocketAddress());
      sockets.closeAll();
      assertTrue(socket.isClosed());
      assertTrue(sockets.createSocket().isClosed());
    }
  }
}
