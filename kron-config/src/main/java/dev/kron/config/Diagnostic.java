package dev.kron.config;

import dev.kron.text.VisibleText;
import java.util.Comparator;
import org.jspecify.annotations.Nullable;

/**
 * A message to the person who wrote a file.
 *
 * @param file the file's path
 * @param line from 1; messages about the whole file stand at 1:1
 * @param column from 1, in Unicode code points: a tab is one, and so is an emoji
 * @param message the problem, the value and what was expected; safe to print
 * @param severity whether the file is refused because of it
 * @param source the raw line without its end; null if no line is meant. Print it only through
 *     {@link DiagnosticRenderer}
 */
public record Diagnostic(
    String file, int line, int column, String message, Severity severity, @Nullable String source) {

  /** The order in the file. */
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

  /** The severity of a message. */
  public enum Severity {
    /** The configuration is refused. */
    ERROR,
    /** The configuration is valid, but will surprise. */
    WARNING
  }
}
