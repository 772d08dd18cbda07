package dev.kron.config;

import dev.kron.text.VisibleText;
import org.jspecify.annotations.Nullable;

/**
 * The rendering of a diagnostic for people: its position and message, the line, and a caret under
 * the position.
 */
public final class DiagnosticRenderer {
  private static final String INDENT = "  ";
  private static final String CUT = "…";

  private final int columns;

  /**
   * A renderer.
   *
   * @param columns the width of the terminal; longer lines are cut around the caret
   */
  public DiagnosticRenderer(int columns) {
    this.columns = Math.max(columns, 20);
  }

  /** One to three lines, without a line break after the last. */
  public String render(Diagnostic diagnostic) {
    @Nullable String source = diagnostic.source();
    if (source == null) {
      return diagnostic.toString();
    }
    return diagnostic + "\n" + excerpt(source, diagnostic.column());
  }

  /**
   * The part of the line around the caret. It is found by walking outwards from the caret, so that
   * a line of 64 KiB costs no more than a screen of it.
   */
  private String excerpt(String source, int column) {
    int length = source.codePointCount(0, source.length());
    int caret = source.offsetByCodePoints(0, Math.min(column - 1, length));
    int room = columns - INDENT.length() - 2 * CUT.length() - 1;

    int start = caret;
    int before = 0;
    while (start > 0) {
      int width = width(source.codePointBefore(start));
      if (before + width > room * 2 / 3 && source.length() - start > 0 && !fits(source, room)) {
        break;
      }
      before += width;
      start -= Character.charCount(source.codePointBefore(start));
    }
    int end = caret;
    int after = 0;
    while (end < source.length()) {
      int width = width(source.codePointAt(end));
      if (before + after + width > room) {
        break;
      }
      after += width;
      end += Character.charCount(source.codePointAt(end));
    }
    String left = start > 0 ? CUT : "";
    String right = end < source.length() ? CUT : "";
    return INDENT
        + left
        + VisibleText.of(source.substring(start, end))
        + right
        + "\n"
        + INDENT
        + " ".repeat(left.length() + before)
        + "^";
  }

  private static boolean fits(String source, int room) {
    if (source.length() > 2 * room) {
      return false;
    }
    return source.codePoints().map(DiagnosticRenderer::width).sum() <= room;
  }

  private static int width(int character) {
    return VisibleText.isPrintable(character)
        ? VisibleText.cells(character)
        : VisibleText.show(character).length();
  }
}
