package dev.kron.notify.channel;

import dev.kron.notice.Channel;
import dev.kron.notice.Channel.Security;
import dev.kron.notice.Channel.Server;
import dev.kron.text.VisibleText;
import jakarta.mail.Address;
import jakarta.mail.AuthenticationFailedException;
import jakarta.mail.Message.RecipientType;
import jakarta.mail.MessagingException;
import jakarta.mail.SendFailedException;
import jakarta.mail.Session;
import jakarta.mail.Transport;
import jakarta.mail.internet.InternetAddress;
import jakarta.mail.internet.MimeMessage;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Arrays;
import java.util.Objects;
import java.util.Properties;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import org.eclipse.angus.mail.smtp.SMTPAddressFailedException;
import org.eclipse.angus.mail.smtp.SMTPSendFailedException;
import org.jspecify.annotations.Nullable;

/**
 * Mail by SMTP. Where the channel wants encryption nothing is sent without it, and the server's
 * certificate and name are checked.
 */
final class MailReceiver {
  private static final String STEP_MILLIS = "10000";
  private static final int ALL_SECONDS = 60;

  private final @Nullable SSLContext trust;

  MailReceiver(@Nullable SSLContext trust) {
    this.trust = trust;
  }

  Delivery send(Channel channel, Secrets secrets, Letter letter) {
    Server server = Objects.requireNonNull(channel.server());
    var sockets = new BoundedSockets();
    // A server that says one word every nine seconds must not hold the channel for ever.
    CompletableFuture<Void> limit = new CompletableFuture<>();
    var _ =
        limit
            .orTimeout(ALL_SECONDS, TimeUnit.SECONDS)
            .exceptionally(
                late -> {
                  sockets.closeAll();
                  return null;
                });
    try {
      Session session = Session.getInstance(properties(server, secrets, sockets));
      MimeMessage message = message(session, channel, letter);
      try (Transport transport = session.getTransport("smtp")) {
        transport.connect(
            server.host(), server.port(), secrets.get("SMTP_USER"), secrets.get("SMTP_PASSWORD"));
        transport.sendMessage(message, message.getAllRecipients());
      }
      return new Delivery.Delivered();
    } catch (AuthenticationFailedException e) {
      return new Delivery.Refused(server.host() + " does not accept SMTP_USER and SMTP_PASSWORD");
    } catch (SendFailedException e) {
      Address[] sent = e.getValidSentAddresses();
      // Those who have it are not to get it again because of those who never will.
      return sent != null && sent.length > 0
          ? new Delivery.Delivered(
              server.host() + " does not know " + Arrays.toString(e.getInvalidAddresses()))
          : failed(server, secrets, e);
    } catch (MessagingException e) {
      return failed(server, secrets, e);
    } finally {
      limit.complete(null);
    }
  }

  private static Delivery failed(Server server, Secrets secrets, MessagingException thrown) {
    String reason = secrets.scrub(server.host() + ": " + text(thrown));
    int code = 0;
    for (Exception each = thrown; each != null; each = next(each)) {
      if (each instanceof SMTPSendFailedException refused) {
        code = Math.max(code, refused.getReturnCode());
      } else if (each instanceof SMTPAddressFailedException refused) {
        code = Math.max(code, refused.getReturnCode());
      }
    }
    return code >= 500 ? new Delivery.Refused(reason) : new Delivery.Unreachable(reason);
  }

  private static @Nullable Exception next(Exception thrown) {
    return thrown instanceof MessagingException messaging ? messaging.getNextException() : null;
  }

  private static String text(MessagingException thrown) {
    String text = String.valueOf(thrown.getMessage());
    Exception cause = thrown.getNextException();
    String more =
        cause instanceof IOException && cause.getMessage() != null ? ": " + cause.getMessage() : "";
    return VisibleText.of((text + more).replaceAll("\\s+", " ").strip());
  }

  private Properties properties(Server server, Secrets secrets, BoundedSockets sockets) {
    var properties = new Properties();
    properties.put("mail.smtp.connectiontimeout", STEP_MILLIS);
    properties.put("mail.smtp.timeout", STEP_MILLIS);
    properties.put("mail.smtp.writetimeout", STEP_MILLIS);
    properties.put("mail.smtp.socketFactory", sockets);
    properties.put("mail.smtp.auth", String.valueOf(secrets.get("SMTP_USER") != null));
    properties.put("mail.smtp.sendpartial", "true");
    properties.put("mail.smtp.ssl.checkserveridentity", "true");
    properties.put(
        "mail.smtp.starttls.enable", String.valueOf(server.security() == Security.STARTTLS));
    properties.put(
        "mail.smtp.starttls.required", String.valueOf(server.security() == Security.STARTTLS));
    if (server.security() == Security.TLS) {
      properties.put("mail.smtp.ssl.enable", "true");
    }
    if (trust != null) {
      properties.put("mail.smtp.ssl.socketFactory", trust.getSocketFactory());
    }
    return properties;
  }

  private static MimeMessage message(Session session, Channel channel, Letter letter)
      throws MessagingException {
    String host = hostName(letter.host());
    var message =
        new MimeMessage(session) {
          @Override
          protected void updateMessageID() throws MessagingException {
            // The same however often it is sent.
            setHeader("Message-ID", "<" + letter.id() + "." + channel.name() + "@" + host + ">");
          }
        };
    String from = channel.from();
    message.setFrom(new InternetAddress(from == null ? "krond@" + host : from));
    Address[] to = new Address[channel.to().size()];
    for (int i = 0; i < to.length; i++) {
      to[i] = new InternetAddress(channel.to().get(i));
    }
    message.setRecipients(RecipientType.TO, to);
    message.setSubject(letter.title(), StandardCharsets.UTF_8.name());
    message.setText(letter.text(), StandardCharsets.UTF_8.name());
    message.setHeader("Date", date(letter.first().event().atMillis()));
    message.setHeader("Auto-Submitted", "auto-generated");
    message.setHeader("X-Kron-Id", letter.id());
    String thread = letter.first().thread();
    if (!letter.isList() && !letter.id().equals(thread + "-1")) {
      String root = "<" + thread + "-1." + channel.name() + "@" + host + ">";
      message.setHeader("In-Reply-To", root);
      message.setHeader("References", root);
    }
    message.saveChanges();
    return message;
  }

  private static String date(long millis) {
    return DateTimeFormatter.RFC_1123_DATE_TIME.format(
        Instant.ofEpochMilli(millis).atOffset(ZoneOffset.UTC));
  }

  /** The name that may stand behind the @ of an address. */
  private static String hostName(String host) {
    String name = host.replaceAll("[^A-Za-z0-9.-]", "-");
    return name.isEmpty() ? "localhost" : name;
  }
}
