package dev.kron.notice;

import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A way to people or to other programs. Holds no secret: those are in the credential profile that
 * it names.
 *
 * @param to addresses of mail; empty for other types
 * @param from the sender of mail; null for other types
 * @param server host and port for mail; null for other types
 * @param profile the credential profile with its secrets, null: it has none
 * @param lines of output in a message
 * @param template of a web hook's JSON, null: all fields
 */
public record Channel(
    String name,
    Type type,
    List<String> to,
    @Nullable String from,
    @Nullable Server server,
    @Nullable String profile,
    int lines,
    Flavor flavor,
    @Nullable String template) {

  public Channel {
    to = List.copyOf(to);
  }

  /** Who is at the other end. */
  public enum Type {
    EMAIL,
    WEBHOOK,
    SLACK,
    PAGERDUTY,
    NTFY,
    PING;

    public String text() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** Whose addresses a ping is made for. */
  public enum Flavor {
    HEALTHCHECKS,
    CRONITOR,
    KUMA
  }

  /** How a connection to a mail server is secured. */
  public enum Security {
    /** Begun in the clear, and not used before it is encrypted. */
    STARTTLS,
    /** Encrypted from the first byte. */
    TLS,
    /** In the clear: for a server on the same machine. */
    NONE
  }

  /** A mail server. */
  public record Server(String host, int port, Security security) {}

  /** Whether many messages at once become one list. */
  public boolean gathers() {
    return type != Type.PAGERDUTY && type != Type.PING;
  }
}
