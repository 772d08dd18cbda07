package dev.kron.config;

import dev.kron.text.VisibleText;
import java.util.Comparator;
import org.jspecify.annotations.Nullable;

/**
 * Something to tell the person who wrote a file.
 *
 * @param file the file's path
 * @param line from 1; what concerns a file as a whole stands at 1:1
 * @param column from 1, in Unicode characters (code points): a tab is one, so is an emoji
 * @param message what is wrong, the value, what was expected; safe to print
 * @param severity whether the file is refused because of it
 * @param source the line itself without its end, raw; null where no line is meant. Print it only
 *     through {@link DiagnosticRenderer}
 */
public record Diagnostic(
    String file, int line, int column, String message, Severity severity, @Nullable String source) {

  /** In the order of a file. */
  public static final Comparator<Diagnostic> BY_POSITION =
      Comparator.comparingInt(Diagnostic::line).thenComparingInt(Diagnostic::column);

  public Diagnostic {
    if (line < 1 || column < 1) {
      throw new IllegalArgumentException("no such position: " + line + ":" + column);
    }
  }

  /** An error about the file as a whole. */
  static Diagnostic ofFile(String file, String message) {
    return new Diagnostic(file, 1, 1, message, Severity.ERROR, null);
  }

  public boolean isError() {
    return severity == Severity.ERROR;
  }

  /** {@code file:line:column: message}, nothing else. */
  @Override
  public String toString() {
    return VisibleText.of(file) + ":" + line + ":" + column + ": " + label() + message;
  }

  private String label() {
    return isError() ? "" : "warning: ";
  }

  /** How much it matters. */
  public enum Severity {
    /** The configuration is refused. */
    ERROR,
    /** Legal, but will surprise. */
    WARNING
  }
}
