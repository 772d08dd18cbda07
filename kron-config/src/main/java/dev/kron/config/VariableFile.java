package dev.kron.config;

import dev.kron.job.VariableNames;
import dev.kron.text.VisibleText;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A file of {@code KEY=value} lines: an envfile or a credential profile. Neither its text nor any
 * diagnostic of it shows a value.
 */
public final class VariableFile {
  private final String file;
  private final boolean there;
  private final List<String> variables;
  private final List<Diagnostic> diagnostics;

  /** What a file with variables is for. */
  enum Kind {
    ENVFILE("the envfile"),
    /** Nobody but its owner may read it. */
    PROFILE("the credential profile");

    private final String words;

    Kind(String words) {
      this.words = words;
    }
  }

  private VariableFile(
      String file, boolean there, List<String> variables, List<Diagnostic> diagnostics) {
    this.file = file;
    this.there = there;
    this.variables = List.copyOf(variables);
    this.diagnostics = List.copyOf(diagnostics);
  }

  /**
   * Reads an envfile, by the rules for all configuration files. Never throws on account of what it
   * finds.
   */
  public static VariableFile envfile(String path, ConfigFiles.Settings settings) {
    try {
      return read(Path.of(path).toAbsolutePath().normalize(), Kind.ENVFILE, settings);
    } catch (InvalidPathException e) {
      return refused(path, false, "no file can have this name");
    }
  }

  static VariableFile read(Path file, Kind kind, ConfigFiles.Settings settings) {
    String name = file.toString();
    var reader = new TrustedReader(settings, new Trust(settings));
    try {
      TrustedReader.Reading reading =
          kind == Kind.PROFILE ? reader.readPrivate(file) : reader.read(file);
      @Nullable String problem = reading.problem();
      return problem == null ? parse(name, reading.content()) : refused(name, true, problem);
    } catch (NoSuchFileException e) {
      return refused(name, false, kind.words + " does not exist");
    } catch (AccessDeniedException e) {
      return refused(name, true, kind.words + " cannot be read: permission denied");
    } catch (IOException e) {
      return refused(name, true, kind.words + " " + VisibleText.of(name) + " cannot be read");
    }
  }

  private static VariableFile refused(String file, boolean there, String problem) {
    return new VariableFile(file, there, List.of(), List.of(Diagnostic.ofFile(file, problem)));
  }

  private static VariableFile parse(String file, byte[] content) {
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
        // No source: the line is a secret.
        diagnostics.add(new Diagnostic(file, number, 1, problem, Diagnostic.Severity.ERROR, null));
      }
    }
    return new VariableFile(file, true, diagnostics.isEmpty() ? variables : List.of(), diagnostics);
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

  public String file() {
    return file;
  }

  /** Whether there is such a file, good or not. */
  public boolean isThere() {
    return there;
  }

  public boolean isValid() {
    return diagnostics.isEmpty();
  }

  /** What is wrong; without any value. */
  public List<Diagnostic> diagnostics() {
    return diagnostics;
  }

  /** {@code KEY=value}, in the order of the file. Secret. Empty where something is wrong. */
  public List<String> variables() {
    return variables;
  }

  /** Nothing of what is secret. */
  @Override
  public String toString() {
    return "VariableFile[" + file + ", " + variables.size() + " variables]";
  }
}
