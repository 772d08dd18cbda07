package dev.kron.config;

import dev.kron.job.JobSpec;
import dev.kron.text.VisibleText;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** The secrets of one profile, {@code credentials/<profile>.env} beside the file that names it. */
public final class CredentialProfile {
  static final String DIRECTORY = "credentials";
  private static final String SUFFIX = ".env";

  private CredentialProfile() {}

  /** The problem with a profile's name, or null. */
  public static @Nullable String nameProblem(String name) {
    for (int i = 0; i < name.length(); i++) {
      char c = name.charAt(i);
      if ((c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '-') {
        return "profile is "
            + VisibleText.quote(name)
            + ", which holds "
            + VisibleText.quote(Character.toString(name.codePointAt(i)))
            + "; a profile's name is made of a-z, 0-9 and \"-\"";
      }
    }
    return name.isEmpty() || name.length() > 64
        ? "profile is " + VisibleText.quote(name) + "; expected 1 to 64 characters"
        : null;
  }

  /** The path of a profile that a krontab or a service file names. */
  public static Path path(Path naming, String profile) {
    @Nullable String problem = nameProblem(profile);
    if (problem != null) {
      throw new IllegalArgumentException(problem);
    }
    return naming.toAbsolutePath().normalize().resolveSibling(DIRECTORY).resolve(profile + SUFFIX);
  }

  /**
   * The path of the profile that a krontab's entry names, null: it names none. Krontabs of a fleet
   * lie one level deeper than others, and the profiles of all stand in one place.
   */
  public static @Nullable Path path(JobSpec entry) {
    String profile = entry.profile();
    if (profile == null) {
      return null;
    }
    Path file = Path.of(entry.file());
    Path parent = entry.fleet() == null ? null : file.getParent();
    return path(parent == null ? file : parent, profile);
  }

  /**
   * Reads a profile, by the rules for all configuration files and one more: only its owner may read
   * it. Never throws because of what it finds.
   */
  public static VariableFile read(Path file, ConfigFiles.Settings settings) {
    return VariableFile.read(file, VariableFile.Kind.PROFILE, settings);
  }
}
