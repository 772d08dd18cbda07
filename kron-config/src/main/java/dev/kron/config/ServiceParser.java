package dev.kron.config;

import dev.kron.config.ServicePlaces.Place;
import dev.kron.service.Dependencies;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.tomlj.TomlParseResult;
import org.tomlj.TomlTable;

/**
 * The parser of service files. Total: whatever the bytes are, the result is a {@link ServiceFile}
 * that contains all problems.
 */
public final class ServiceParser {
  private static final String SUFFIX = ".toml";

  private final KrontabParser.Settings settings;

  public ServiceParser(KrontabParser.Settings settings) {
    this.settings = settings;
  }

  /** Parses a file that is in memory. */
  public ServiceFile parse(Path path, byte[] content) {
    String file = KrontabParser.identityPath(path);
    if (file.chars().anyMatch(Character::isISOControl)) {
      return ServiceFile.refused(
          file, Krontab.Status.READ, "the path of this file holds a control character; rename it");
    }
    TomlFile read = TomlFile.read(file, "service", content, settings.maximumLineBytes());
    @Nullable TomlParseResult toml = read.toml();
    ServiceNotes notes = read.notes();
    if (toml == null) {
      return finished(file, notes, null);
    }
    topLevel(toml, notes);
    ServiceBuilder builder =
        new ServiceBuilder(file, defaultName(file), toml, notes, settings.strict());
    builder.build(!toml.errors().isEmpty());
    return finished(file, notes, builder);
  }

  private static void topLevel(TomlTable toml, ServiceNotes notes) {
    for (String key : toml.keySet()) {
      var position = toml.inputPositionOf(List.of(key));
      Place place = position == null ? Place.BEGIN : new Place(position.line(), position.column());
      notes.remember(key, place);
      Object value = toml.get(List.of(key));
      if (!ServiceKeys.TABLES.containsKey(key)) {
        notes.error(place, ServiceKeys.unknownTable(key));
      } else if (!(value instanceof TomlTable)) {
        notes.error(
            place,
            key
                + " is "
                + TomlSection.describe(value)
                + "; expected a table, which begins with a line ["
                + key
                + "]");
      }
    }
  }

  private static ServiceFile finished(
      String file, ServiceNotes notes, @Nullable ServiceBuilder builder) {
    @Nullable String name = builder == null ? null : builder.name();
    return new ServiceFile(
        file,
        Krontab.Status.READ,
        name == null ? defaultName(file) : name,
        builder == null || !notes.isValid() ? null : builder.service(),
        builder == null ? Dependencies.NONE : builder.dependencies(),
        notes.sorted(),
        notes.places());
  }

  /** The file's name without its extension. */
  static String defaultName(String file) {
    String name = file.substring(file.lastIndexOf('/') + 1);
    return name.endsWith(SUFFIX) ? name.substring(0, name.length() - SUFFIX.length()) : name;
  }
}
