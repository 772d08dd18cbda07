package dev.kron.config;

import dev.kron.notice.Channel;
import dev.kron.notice.NotifySpec;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The contents of a {@code notify.toml}.
 *
 * @param file absolute, normalised path
 * @param spec {@link NotifySpec#NONE} if something in the file is wrong
 * @param diagnostics in the order of the file
 */
public record NotifyFile(
    String file, Krontab.Status status, NotifySpec spec, List<Diagnostic> diagnostics) {
  /** The name that is reserved for it in the first configuration directory. */
  public static final String NAME = "notify.toml";

  public NotifyFile {
    diagnostics = List.copyOf(diagnostics);
  }

  /** Parses a file; whatever the bytes are, a result comes of them. */
  public static NotifyFile parse(Path file, byte[] content) {
    return NotifyParser.parse(file, content, KrontabParser.Settings.DEFAULT.maximumLineBytes());
  }

  /** A file that was refused. */
  static NotifyFile refused(String file, Krontab.Status status, String problem) {
    return new NotifyFile(file, status, NotifySpec.NONE, List.of(Diagnostic.ofFile(file, problem)));
  }

  /** Whether there are no errors; there may be warnings. */
  public boolean isValid() {
    return diagnostics.stream().noneMatch(Diagnostic::isError);
  }

  /**
   * The secrets of a channel.
   *
   * @return null if it names no profile
   */
  public @Nullable VariableFile credentials(Channel channel, ConfigFiles.Settings settings) {
    String profile = channel.profile();
    return profile == null
        ? null
        : CredentialProfile.read(CredentialProfile.path(Path.of(file), profile), settings);
  }

  /** The secrets that each type of channel needs or can use. */
  private static final Map<Channel.Type, List<String>> NEEDED =
      Map.of(
          Channel.Type.EMAIL, List.of(),
          Channel.Type.WEBHOOK, List.of("URL"),
          Channel.Type.SLACK, List.of("URL"),
          Channel.Type.PAGERDUTY, List.of("ROUTING_KEY"),
          Channel.Type.NTFY, List.of("URL"),
          Channel.Type.PING, List.of("URL"));

  /**
   * Warnings about secrets that are missing in the profiles of its channels; they contain no value.
   */
  public List<Diagnostic> missingSecrets(ConfigFiles.Settings settings) {
    var found = new ArrayList<Diagnostic>();
    for (Channel channel : spec.channels().values()) {
      VariableFile profile = credentials(channel, settings);
      if (profile == null) {
        continue;
      }
      String before = "channel " + channel.name() + ": ";
      if (!profile.isValid()) {
        profile.diagnostics().stream()
            .map(each -> before + each.message() + " (" + each.file() + ")")
            .forEach(message -> found.add(warning(message)));
        continue;
      }
      for (String key : NEEDED.getOrDefault(channel.type(), List.of())) {
        if (profile.variables().stream().noneMatch(each -> each.startsWith(key + "="))) {
          found.add(warning(before + key + " is missing in " + profile.file()));
        }
      }
    }
    return found;
  }

  private Diagnostic warning(String message) {
    return new Diagnostic(file, 1, 1, message, Diagnostic.Severity.WARNING, null);
  }
}
