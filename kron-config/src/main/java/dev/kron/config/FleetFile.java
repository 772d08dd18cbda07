package dev.kron.config;

import dev.kron.config.Diagnostic.Severity;
import dev.kron.job.FleetNames;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a {@code fleet.toml} says.
 *
 * @param file absolute, normalised path
 * @param settings null where something in the file is wrong
 * @param diagnostics in the order of the file
 */
public record FleetFile(
    String file,
    Krontab.Status status,
    FleetFile.@Nullable Settings settings,
    List<Diagnostic> diagnostics) {
  /** The name that is reserved for it in the configuration directory. */
  public static final String NAME = "fleet.toml";

  /** The directory of the fleet's krontabs, beside it. */
  public static final String DIRECTORY = "fleet";

  private static final Path HOST_NAME = Path.of("/proc/sys/kernel/hostname");

  /** The secrets that a node needs to reach the database. */
  private static final List<String> NEEDED = List.of("PGUSER", "PGPASSWORD");

  public FleetFile {
    diagnostics = List.copyOf(diagnostics);
  }

  /**
   * The place of this machine in a fleet.
   *
   * @param url of the database, as its driver reads it; no secret is in it
   * @param profile of the secrets
   * @param node this node's name, null: the host's
   * @param labels of this node, without repetition
   * @param lease for how long the others believe in this node without a word from it
   * @param output whether the end of the output of failures goes to the database
   */
  public record Settings(
      String url,
      String profile,
      @Nullable String node,
      List<String> labels,
      Duration lease,
      boolean output) {
    public static final Duration DEFAULT_LEASE = Duration.ofSeconds(30);
    static final Duration SHORTEST_LEASE = Duration.ofSeconds(3);
    static final Duration LONGEST_LEASE = Duration.ofHours(1);

    public Settings {
      labels = List.copyOf(labels);
    }

    /** The name of this node: the one that is given to it, or the host's. */
    public String nodeName() {
      return node == null ? hostName() : node;
    }

    /** Why the node cannot have its name, or null. */
    public @Nullable String nodeProblem() {
      @Nullable String problem = FleetNames.problem("the name of this host", nodeName());
      return problem == null ? null : problem + "; give the node another one: node = \"web-3\"";
    }

    private static String hostName() {
      try {
        return Files.readString(HOST_NAME).strip();
      } catch (IOException e) {
        return "";
      }
    }
  }

  /** A file that was not let in. */
  static FleetFile refused(String file, Krontab.Status status, String problem) {
    return new FleetFile(file, status, null, List.of(Diagnostic.ofFile(file, problem)));
  }

  /** No errors; there may be warnings. */
  public boolean isValid() {
    return diagnostics.stream().noneMatch(Diagnostic::isError);
  }

  /** The secrets of the database, or null where the file is not valid. */
  public @Nullable VariableFile credentials(ConfigFiles.Settings reading) {
    return settings == null
        ? null
        : CredentialProfile.read(
            CredentialProfile.path(Path.of(file), settings.profile()), reading);
  }

  /** What is missing in the profile, as errors; no value of it is in them. */
  public List<Diagnostic> missingSecrets(ConfigFiles.Settings reading) {
    VariableFile profile = credentials(reading);
    if (profile == null) {
      return List.of();
    }
    if (!profile.isValid()) {
      return profile.diagnostics();
    }
    var found = new ArrayList<Diagnostic>();
    for (String key : NEEDED) {
      if (profile.variables().stream().noneMatch(each -> each.startsWith(key + "="))) {
        found.add(
            new Diagnostic(
                profile.file().toString(),
                1,
                1,
                key + " is missing; " + NAME + " names this profile for the database",
                Severity.ERROR,
                null));
      }
    }
    return found;
  }
}
