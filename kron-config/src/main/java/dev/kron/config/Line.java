package dev.kron.config;

import dev.kron.config.Diagnostic.Severity;
import java.util.List;

/** One line of a krontab and the messages about it. */
final class Line {
  /** The most messages of a line; more would hide those of other lines. */
  private static final int MOST_DIAGNOSTICS = 50;

  private final String file;
  private final int number;
  private final String text;
  private final List<Diagnostic> diagnostics;
  private final int first;
  private boolean valid = true;

  /**
   * A line.
   *
   * @param diagnostics those of the whole file, to which this line's are added in the order of
   *     columns
   */
  Line(String file, int number, String text, List<Diagnostic> diagnostics) {
    this.file = file;
    this.number = number;
    this.text = text;
    this.diagnostics = diagnostics;
    this.first = diagnostics.size();
  }

  String text() {
    return text;
  }

  int number() {
    return number;
  }

  String file() {
    return file;
  }

  /** Whether there is no error so far. */
  boolean isValid() {
    return valid;
  }

  void error(int offset, String message) {
    valid = false;
    add(offset, message, Severity.ERROR);
  }

  void warning(int offset, String message) {
    add(offset, message, Severity.WARNING);
  }

  private void add(int offset, String message, Severity severity) {
    int said = diagnostics.size() - first;
    if (said < MOST_DIAGNOSTICS) {
      diagnostics.add(diagnostic(offset, message, severity));
    } else if (said == MOST_DIAGNOSTICS) {
      diagnostics.add(
          diagnostic(offset, "too much is wrong on this line to list it all", Severity.ERROR));
      valid = false;
    }
  }

  private Diagnostic diagnostic(int offset, String message, Severity severity) {
    return new Diagnostic(file, number, column(offset), message, severity, text);
  }

  /** The column of an offset. Offsets count UTF-16 units, columns count characters. */
  int column(int offset) {
    return text.codePointCount(0, Math.clamp(offset, 0, text.length())) + 1;
  }

  /** Sorts the messages; called once, after the last one. */
  void sort() {
    if (diagnostics.size() - first > 1) {
      diagnostics.subList(first, diagnostics.size()).sort(Diagnostic.BY_POSITION);
    }
  }
}
