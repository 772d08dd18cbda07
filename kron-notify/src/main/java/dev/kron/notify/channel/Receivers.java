package dev.kron.notify.channel;

import dev.kron.notice.Channel;
import java.time.Duration;
import java.util.function.LongSupplier;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/** The receivers in the network, by mail and HTTP. Blocks while it sends; bounded in time. */
public final class Receivers implements Sender {
  private static final String PAGERDUTY = "https://events.pagerduty.com/v2/enqueue";

  private static final Duration PATIENCE = Duration.ofSeconds(10);

  private final LongSupplier wallMillis;
  private final Duration patience;
  private final @Nullable SSLContext trust;
  private @Nullable HttpReceiver http;
  private @Nullable MailReceiver mail;

  public Receivers(LongSupplier wallMillis) {
    this(wallMillis, null, PATIENCE);
  }

  /**
   * @param trust whose certificates are believed, null: those that Java believes
   * @param patience how long an answer of HTTP may take
   */
  public Receivers(LongSupplier wallMillis, @Nullable SSLContext trust, Duration patience) {
    this.patience = patience;
    this.wallMillis = wallMillis;
    this.trust = trust;
  }

  @Override
  public Delivery send(Channel channel, Secrets secrets, Letter letter) {
    try {
      return switch (channel.type()) {
        case EMAIL -> mail().send(channel, secrets, letter);
        case WEBHOOK -> {
          String body = Bodies.webhook(channel.template(), letter);
          long second = Math.floorDiv(wallMillis.getAsLong(), 1000L);
          String key = secrets.get("HMAC_KEY");
          yield http()
              .post(
                  secrets,
                  required(secrets, "URL"),
                  body,
                  new HttpReceiver.Headers()
                      .with("webhook-id", letter.id())
                      .with("webhook-timestamp", String.valueOf(second))
                      .with(
                          "webhook-signature",
                          key == null ? null : Signature.of(key, letter.id(), second, body))
                      .bearer(secrets.get("TOKEN")));
        }
        case SLACK ->
            http()
                .post(
                    secrets,
                    required(secrets, "URL"),
                    Bodies.slack(letter),
                    new HttpReceiver.Headers());
        case PAGERDUTY -> {
          String url = secrets.get("URL");
          yield http()
              .post(
                  secrets,
                  url == null ? PAGERDUTY : url,
                  Bodies.pagerDuty(required(secrets, "ROUTING_KEY"), letter),
                  new HttpReceiver.Headers());
        }
        case NTFY -> ntfy(secrets, letter);
        case PING -> new Delivery.Refused("a ping takes no messages");
      };
    } catch (IllegalArgumentException | IllegalStateException e) {
      return new Delivery.Refused(secrets.scrub(String.valueOf(e.getMessage())));
    }
  }

  private Delivery ntfy(Secrets secrets, Letter letter) {
    String url = required(secrets, "URL");
    int slash = url.lastIndexOf('/');
    String topic = url.substring(slash + 1);
    if (slash < "https://".length() || topic.isEmpty()) {
      throw new IllegalArgumentException("URL has no topic: expected https://ntfy.sh/TOPIC");
    }
    return http()
        .post(
            secrets,
            url.substring(0, slash + 1),
            Bodies.ntfy(topic, letter),
            new HttpReceiver.Headers().bearer(secrets.get("TOKEN")));
  }

  @Override
  public Delivery ping(Channel channel, Secrets secrets, Ping ping) {
    try {
      String address = ping.address(channel.flavor(), required(secrets, "URL"));
      return address == null ? new Delivery.Delivered() : http().get(secrets, address);
    } catch (IllegalArgumentException e) {
      return new Delivery.Refused(secrets.scrub(String.valueOf(e.getMessage())));
    }
  }

  private static String required(Secrets secrets, String key) {
    String value = secrets.get(key);
    if (value == null) {
      throw new IllegalArgumentException(key + " is missing in the channel's credential profile");
    }
    return value;
  }

  /** Made when it is needed: it has a thread of its own. */
  private synchronized HttpReceiver http() {
    HttpReceiver made = http == null ? new HttpReceiver(trust, patience) : http;
    http = made;
    return made;
  }

  private synchronized MailReceiver mail() {
    MailReceiver made = mail == null ? new MailReceiver(trust) : mail;
    mail = made;
    return made;
  }
}
