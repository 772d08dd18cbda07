package dev.kron.notice;

import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A destination of notifications: people or other programs. It holds no secrets; those are in the
 * credential profile that it names.
 *
 * @param to addresses of mail; empty for other types
 * @param from the sender of mail; null for other types
 * @param server host and port for mail; null for other types
 * @param profile the credential profile with its secrets; null if it has none
 * @param lines how many lines of output a message contains
 * @param template the JSON template of a web hook; null sends all fields
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

  /** The kinds of channels. */
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

  /** The monitoring products whose ping addresses are known. */
  public enum Flavor {
    HEALTHCHECKS,
    CRONITOR,
    KUMA
  }

  /** The ways to secure a connection to a mail server. */
  public enum Security {
    /** The connection begins in the clear and is encrypted before it is used. */
    STARTTLS,
    /** The connection is encrypted from the first byte. */
    TLS,
    /** The connection is never encrypted, for a server on the same machine. */
    NONE
  }

  /** A mail server. */
  public record Server(String host, int port, Security security) {}

  /** The same channel without secrets. */
  public Channel withoutProfile() {
    return new Channel(name, type, to, from, server, null, lines, flavor, template);
  }

  /** Whether many messages at once are combined into one list. */
  public boolean gathers() {
    return type != Type.PAGERDUTY && type != Type.PING;
  }
}
