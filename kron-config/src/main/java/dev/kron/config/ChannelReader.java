package dev.kron.config;

import dev.kron.config.ServicePlaces.Place;
import dev.kron.json.Json;
import dev.kron.json.JsonSyntaxException;
import dev.kron.notice.Channel;
import dev.kron.notice.Channel.Security;
import dev.kron.notice.Channel.Server;
import dev.kron.service.HealthCheck.Probe;
import dev.kron.text.VisibleText;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The reader of a channel's table. */
final class ChannelReader {
  private static final int MOST_LINES = 200;
  private static final int MAIL_LINES = 20;

  private static final Map<Channel.Type, List<String>> KEYS =
      Map.of(
          Channel.Type.EMAIL, List.of("type", "to", "from", "server", "tls", "profile", "lines"),
          Channel.Type.WEBHOOK, List.of("type", "profile", "lines", "template"),
          Channel.Type.SLACK, List.of("type", "profile", "lines"),
          Channel.Type.PAGERDUTY, List.of("type", "profile", "lines"),
          Channel.Type.NTFY, List.of("type", "profile", "lines"),
          Channel.Type.PING, List.of("type", "profile", "flavor"));

  /** A placeholder for a value in a template. */
  private static final Pattern FIELD = Pattern.compile("\\{([a-z_]+)}");

  private static final Set<String> FIELDS =
      Set.of(
          "id", "thread", "word", "kind", "subject", "name", "host", "text", "title", "at", "since",
          "run", "period", "exit", "signal", "reason", "output", "command");

  private final String name;
  private final Place place;
  private final TomlSection section;
  private final ServiceNotes notes;

  ChannelReader(String name, Place place, TomlSection section, ServiceNotes notes) {
    this.name = name;
    this.place = place;
    this.section = section;
    this.notes = notes;
  }

  /** The channel; null if something is wrong. */
  @Nullable Channel read() {
    if (!section.has("type")) {
      notes.error(
          place,
          "type is missing in [channel."
              + name
              + "]; expected type = \"email\", \"webhook\", \"slack\", \"pagerduty\", \"ntfy\" or"
              + " \"ping\"");
      return null;
    }
    Channel.@Nullable Type type = section.word("type", Channel.Type.values());
    if (type == null) {
      return null;
    }
    section.unknownKeys(KEYS.getOrDefault(type, List.of()));
    @Nullable String profile = profile(type);
    long lines =
        TomlSection.or(
            section.number("lines", 0, MOST_LINES, ""),
            type == Channel.Type.EMAIL ? (long) MAIL_LINES : 0L);
    List<String> to = List.of();
    @Nullable String from = null;
    @Nullable Server server = null;
    if (type == Channel.Type.EMAIL) {
      to = to();
      from = section.text("from", "\"kron@example.org\"");
      if (from != null && !isAddress(from)) {
        section.error("from", "from is " + VisibleText.quote(from) + ", which is no address");
      }
      server = server();
    }
    Channel.Flavor flavor =
        TomlSection.or(
            section.word("flavor", Channel.Flavor.values()), Channel.Flavor.HEALTHCHECKS);
    @Nullable String template = type == Channel.Type.WEBHOOK ? template() : null;
    return new Channel(name, type, to, from, server, profile, (int) lines, flavor, template);
  }

  private @Nullable String profile(Channel.Type type) {
    @Nullable String profile = section.text("profile", "\"smtp\"");
    if (profile == null) {
      if (type != Channel.Type.EMAIL && !section.has("profile")) {
        notes.error(
            place,
            "profile is missing in [channel."
                + name
                + "]; the address and the secrets of a "
                + type.text()
                + " channel are in credentials/PROFILE.env");
      }
      return null;
    }
    @Nullable String problem = CredentialProfile.nameProblem(profile);
    if (problem != null) {
      section.error("profile", problem);
    }
    return profile;
  }

  private List<String> to() {
    if (!section.has("to")) {
      notes.error(
          place, "to is missing in [channel." + name + "]; expected to = [\"ops@example.org\"]");
      return List.of();
    }
    @Nullable List<String> to = section.texts("to", "[\"ops@example.org\"]");
    if (to == null) {
      return List.of();
    }
    if (to.isEmpty()) {
      section.error("to", "to names nobody; expected to = [\"ops@example.org\"]");
    }
    for (String address : to) {
      if (!isAddress(address)) {
        notes.error(
            notes.place(section.element("to", address)),
            "to holds " + VisibleText.quote(address) + ", which is no address");
      }
    }
    return to;
  }

  /**
   * Whether a text looks like one mail address, checked roughly: what a server could take for
   * something else is refused.
   */
  private static boolean isAddress(String text) {
    int at = text.indexOf('@');
    return at > 0
        && at < text.length() - 1
        && text.chars().allMatch(c -> c > ' ' && c < 0x7f && ",;<>()[]\"\\".indexOf(c) < 0);
  }

  private Server server() {
    @Nullable String text = section.text("server", "\"smtp.example.org:587\"");
    String written = text == null ? "localhost" : text;
    @Nullable Security security = section.word("tls", Security.values());
    boolean port = written.lastIndexOf(':') > written.lastIndexOf(']');
    Probe.@Nullable Tcp parsed = ServiceValues.tcp(port ? written : written + ":1");
    if (parsed == null) {
      section.error(
          "server",
          "server is "
              + VisibleText.quote(written)
              + "; expected a host, or host:port, such as \"smtp.example.org:587\"");
      return new Server("localhost", 25, Security.NONE);
    }
    String host = parsed.host();
    boolean local = host.equals("localhost") || host.startsWith("127.") || host.equals("::1");
    if (security == null) {
      security = local ? Security.NONE : Security.STARTTLS;
    } else if (security == Security.NONE && !local) {
      section.warning(
          "tls", "messages and the password go through the network in the clear to " + host);
    }
    int standard =
        switch (security) {
          case STARTTLS -> 587;
          case TLS -> 465;
          case NONE -> 25;
        };
    return new Server(host, port ? parsed.port() : standard, security);
  }

  private @Nullable String template() {
    Object value = section.value("template");
    if (value == null) {
      return null;
    }
    if (!(value instanceof String template)) {
      section.wrongType("template", value, "JSON as a text, such as '{\"text\": \"{text}\"}'");
      return null;
    }
    Matcher fields = FIELD.matcher(template);
    while (fields.find()) {
      if (!FIELDS.contains(fields.group(1))) {
        section.error(
            "template",
            "template uses {"
                + fields.group(1)
                + "}; the fields are "
                + String.join(", ", FIELDS.stream().sorted().toList()));
        return null;
      }
    }
    try {
      var _ = Json.parse(FIELD.matcher(template).replaceAll("1"));
    } catch (JsonSyntaxException e) {
      section.error(
          "template",
          "template is "
              + VisibleText.of(String.valueOf(e.getMessage()))
              + "; write fields inside of quotes, such as {\"text\": \"{text}\"}");
      return null;
    }
    return template;
  }
}
