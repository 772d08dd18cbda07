package dev.kron.config;

import dev.kron.config.ServicePlaces.Place;
import dev.kron.job.FleetNames;
import dev.kron.schedule.GoDuration;
import dev.kron.text.VisibleText;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.tomlj.TomlParseResult;
import org.tomlj.TomlTable;

/**
 * Reads {@code fleet.toml}. Total: whatever the bytes are, the result is a {@link FleetFile}, and
 * all that is wrong is in it.
 */
final class FleetParser {
  private static final String TABLE = "fleet";
  private static final List<String> KEYS =
      List.of("url", "profile", "node", "labels", "lease", "output");
  private static final String EXAMPLE = "\"jdbc:postgresql://db.example/kron?sslmode=verify-full\"";

  private final ServiceNotes notes;
  private final TomlSection section;

  private FleetParser(ServiceNotes notes, TomlSection section) {
    this.notes = notes;
    this.section = section;
  }

  static FleetFile parse(Path path, byte[] content, int maximumLineBytes) {
    String file = KrontabParser.identityPath(path);
    TomlFile read = TomlFile.read(file, TABLE, content, maximumLineBytes);
    @Nullable TomlParseResult toml = read.toml();
    FleetFile.@Nullable Settings settings = toml == null ? null : settings(toml, read.notes());
    return new FleetFile(
        file, Krontab.Status.READ, read.notes().isValid() ? settings : null, read.notes().sorted());
  }

  private static FleetFile.@Nullable Settings settings(TomlParseResult toml, ServiceNotes notes) {
    var whole = new TomlSection("", toml, notes);
    whole.unknownKeys(List.of(TABLE));
    Object table = toml.get(List.of(TABLE));
    if (table instanceof TomlTable fleet) {
      return new FleetParser(notes, new TomlSection(TABLE, fleet, notes)).read();
    }
    if (table != null) {
      notes.error(
          whole.keyPlace(TABLE),
          "fleet is "
              + TomlSection.describe(table)
              + "; expected a table, which begins with a line [fleet]");
    } else if (notes.isValid()) {
      notes.error(Place.BEGIN, "the table [fleet] is missing");
    }
    return null;
  }

  private FleetFile.@Nullable Settings read() {
    section.unknownKeys(KEYS);
    @Nullable String url = required("url", EXAMPLE);
    @Nullable String problem = url == null ? null : FleetUrl.problem(url);
    if (problem != null) {
      section.error("url", problem);
    }
    @Nullable String profile = required("profile", "\"fleet\"");
    @Nullable String profileProblem =
        profile == null ? null : CredentialProfile.nameProblem(profile);
    if (profileProblem != null) {
      section.error("profile", profileProblem);
    }
    @Nullable String node = section.text("node", "\"web-3\"");
    @Nullable String nodeProblem = node == null ? null : FleetNames.problem("node", node);
    if (nodeProblem != null) {
      section.error("node", nodeProblem);
    }
    List<String> labels = labels();
    Duration lease = lease();
    boolean output = TomlSection.or(section.flag("output"), false);
    if (url == null || profile == null || !notes.isValid()) {
      return null;
    }
    var settings = new FleetFile.Settings(url, profile, node, labels, lease, output);
    @Nullable String hostProblem = settings.nodeProblem();
    if (hostProblem != null) {
      notes.error(notes.place(TABLE), hostProblem);
      return null;
    }
    return settings;
  }

  private @Nullable String required(String key, String example) {
    if (!section.has(key) && section.keys().stream().allMatch(KEYS::contains)) {
      notes.error(
          notes.place(TABLE), key + " is missing in [fleet]; write " + key + " = " + example);
    }
    return section.text(key, example);
  }

  private List<String> labels() {
    @Nullable List<String> labels = section.texts("labels", "[\"web\", \"eu\"]");
    if (labels == null) {
      return List.of();
    }
    for (String label : labels) {
      @Nullable String problem = FleetNames.problem("a label", label);
      if (problem != null) {
        notes.error(notes.place(section.element("labels", label)), problem);
      }
    }
    return labels.stream().distinct().toList();
  }

  private Duration lease() {
    @Nullable String text = section.text("lease", "\"30s\"");
    if (text == null) {
      return FleetFile.Settings.DEFAULT_LEASE;
    }
    try {
      Duration lease = Duration.ofNanos(GoDuration.parseNanos(text));
      if (lease.compareTo(FleetFile.Settings.SHORTEST_LEASE) < 0
          || lease.compareTo(FleetFile.Settings.LONGEST_LEASE) > 0) {
        section.error("lease", "lease is " + VisibleText.quote(text) + "; expected 3s to 1h");
      }
      return lease;
    } catch (IllegalArgumentException notADuration) {
      section.error("lease", "lease: " + VisibleText.of(String.valueOf(notADuration.getMessage())));
      return FleetFile.Settings.DEFAULT_LEASE;
    }
  }
}
