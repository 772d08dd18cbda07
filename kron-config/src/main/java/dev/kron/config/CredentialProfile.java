package dev.kron.config;

import dev.kron.job.VariableNames;
import dev.kron.text.VisibleText;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The secrets of one profile, {@code credentials/<profile>.env} beside the service files. Neither
 * its text form nor its diagnostics contain a value.
 */
public final class CredentialProfile {
  static final String DIRECTORY = "credentials";
  private static final String SUFFIX = ".env";

  private final Path file;
  private final boolean there;
  private final List<String> variables;
  private final List<Diagnostic> diagnostics;

  private CredentialProfile(
      Path file, boolean there, List<String> variables, List<Diagnostic> diagnostics) {
    this.file = file;
    this.there = there;
    this.variables = List.copyOf(variables);
    this.diagnostics = List.copyOf(diagnostics);
  }

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

  /** The path of a profile that a service file names. */
  public static Path path(Path serviceFile, String profile) {
    @Nullable String problem = nameProblem(profile);
    if (problem != null) {
      throw new IllegalArgumentException(problem);
    }
    return serviceFile
        .toAbsolutePath()
        .normalize()
        .resolveSibling(DIRECTORY)
        .resolve(profile + SUFFIX);
  }

  /**
   * Reads a profile, by the rules for all configuration files and one more: only its owner may read
   * it. Never throws because of what it finds.
   */
  public static CredentialProfile read(Path file, ConfigFiles.Settings settings) {
    String name = file.toString();
    try {
      TrustedReader.Reading reading =
          new TrustedReader(settings, new Trust(settings)).readPrivate(file);
      @Nullable String problem = reading.problem();
      return problem == null ? parse(file, reading.content()) : refused(file, true, problem);
    } catch (NoSuchFileException e) {
      return refused(file, false, "the credential profile does not exist");
    } catch (AccessDeniedException e) {
      return refused(file, true, "the credential profile cannot be read: permission denied");
    } catch (IOException e) {
      return refused(
          file, true, "the credential profile " + VisibleText.of(name) + " cannot be read");
    }
  }

  private static CredentialProfile refused(Path file, boolean there, String problem) {
    return new CredentialProfile(
        file, there, List.of(), List.of(Diagnostic.ofFile(file.toString(), problem)));
  }

  private static CredentialProfile parse(Path file, byte[] content) {
    List<String> variables = new ArrayList<>();
    List<Diagnostic> diagnostics = new ArrayList<>();
    Map<String, Integer> lineOf = new HashMap<>();
    String text = new String(content, StandardCharsets.UTF_8);
    int number = 0;
    for (String line : text.split("\n", -1)) {
      number++;
      if (line.isBlank() || line.startsWith("#")) {
        continue;
      }
      @Nullable String problem = problem(line, number, lineOf);
      if (problem == null) {
        variables.add(line);
      } else {
        // The source line is left out, because it is a secret.
        diagnostics.add(
            new Diagnostic(file.toString(), number, 1, problem, Diagnostic.Severity.ERROR, null));
      }
    }
    return new CredentialProfile(
        file, true, diagnostics.isEmpty() ? variables : List.of(), diagnostics);
  }

  private static @Nullable String problem(String line, int number, Map<String, Integer> lineOf) {
    int equals = line.indexOf('=');
    if (equals < 0) {
      return "expected KEY=value, and there is no \"=\" on this line";
    }
    String key = line.substring(0, equals);
    if (!VariableNames.isIdentifier(key)) {
      return "expected KEY=value, where the key is made of letters, digits and \"_\", begins with"
          + " no digit, and has no space around it";
    }
    @Nullable String problem = VariableNames.problem(key);
    if (problem != null) {
      return key + ": " + problem;
    }
    if (key.startsWith("KRON_")) {
      return key + ": variables that begin with KRON_ are krond's own";
    }
    for (int i = equals + 1; i < line.length(); i++) {
      char c = line.charAt(i);
      if (c == '\uFFFD' || (Character.isISOControl(c) && c != '\t')) {
        return "the value of "
            + key
            + (c == '\r'
                ? " ends with a carriage return: the file has Windows line ends"
                : " holds a control character or is not UTF-8");
      }
    }
    @Nullable Integer before = lineOf.putIfAbsent(key, number);
    return before == null ? null : key + " is set on line " + before + " already";
  }

  public Path file() {
    return file;
  }

  /** Whether the file exists, valid or not. */
  public boolean isThere() {
    return there;
  }

  public boolean isValid() {
    return diagnostics.isEmpty();
  }

  /** The problems of the file, without any value. */
  public List<Diagnostic> diagnostics() {
    return diagnostics;
  }

  /**
   * The variables as {@code KEY=value}, in the order of the file; empty if something is wrong.
   * Secret.
   */
  public List<String> variables() {
    return variables;
  }

  /** A text without any secret. */
  @Override
  public String toString() {
    return "CredentialProfile[" + file + ", " + variables.size() + " variables]";
  }
}
