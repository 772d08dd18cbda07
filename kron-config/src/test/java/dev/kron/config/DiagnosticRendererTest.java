package dev.kron.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kron.config.Diagnostic.Severity;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class DiagnosticRendererTest {
  private static String render(int columns, int column, @Nullable String source) {
    return new DiagnosticRenderer(columns)
        .render(new Diagnostic("/f", 3, column, "wrong", Severity.ERROR, source));
  }

  @Test
  void putsACaretUnderThePlace() {
    assertEquals("/f:3:3: wrong\n  abcde\n    ^", render(80, 3, "abcde"));
    assertEquals("/f:3:1: wrong\n  abcde\n  ^", render(80, 1, "abcde"));
    assertEquals("/f:3:6: wrong\n  abcde\n       ^", render(80, 6, "abcde"));
    assertEquals("/f:3:1: wrong\n  \n  ^", render(80, 1, ""));
  }

  @Test
  void leavesTheLineOutWhereThereIsNone() {
    assertEquals("/f:3:1: wrong", render(80, 1, null));
  }

  @Test
  void marksWarnings() {
    var warning = new Diagnostic("/f", 1, 1, "odd", Severity.WARNING, null);
    assertEquals("/f:1:1: warning: odd", new DiagnosticRenderer(80).render(warning));
  }

  @Test
  void keepsTheCaretInPlaceBehindTabsWideAndCombiningCharacters() {
    assertEquals("/f:3:5: wrong\n  a b x\n      ^", render(80, 5, "a\tb x"));
    assertEquals("/f:3:3: wrong\n  漢字x\n      ^", render(80, 3, "漢字x"));
    assertEquals("/f:3:2: wrong\n  😀x\n    ^", render(80, 2, "😀x"));
    assertEquals("/f:3:3: wrong\n  e\u0301x\n   ^", render(80, 3, "e\u0301x"));
  }

  @Test
  void makesVisibleWhatATerminalWouldObey() {
    assertEquals(
        "/f:3:2: wrong\n  U+001B[31mU+202Ex\n        ^", render(80, 2, "\u001B[31m\u202Ex"));
    assertEquals("/aU+0007:1:1: x", Diagnostic.ofFile("/a\u0007", "x").toString());
  }

  @Test
  void cutsLongLinesAroundTheCaret() {
    String line = "0123456789".repeat(1000);
    for (int column : new int[] {1, 2, 30, 500, 5_000, 9_990, 10_000, 10_001}) {
      String[] rows = render(60, column, line).split("\n");
      assertTrue(rows[1].length() <= 60, rows[1]);
      assertTrue(rows[2].length() <= 60, rows[2]);
      int caret = rows[2].indexOf('^');
      char under = caret < rows[1].length() ? rows[1].charAt(caret) : ' ';
      assertEquals(column == 10_001 ? ' ' : line.charAt(column - 1), under, "column " + column);
    }
  }
}
