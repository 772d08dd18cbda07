package dev.kron.daemon.runs;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import org.junit.jupiter.api.Test;

final class NoteLinesTest {
  private static NoteLines note(String text) {
    return NoteLines.of(text.getBytes(UTF_8));
  }

  @Test
  void whateverAValueHoldsIsReadAsItWas() {
    List<String> values =
        List.of("", " ", "a b", "\\", "\\n", "a\nb\rc\\", "\\\\r\r", "ends with \\", "ä\u2028€");
    var draft = new NoteLines.Draft();
    values.forEach(value -> draft.line("word", value));
    NoteLines note = NoteLines.of(draft.line("number", -7).bytes());
    assertEquals(values, note.all("word"));
    assertEquals(values.getLast(), note.text("word", "other"));
    assertEquals(-7, note.number("number", 0));
    assertEquals(values.size() + 1, new String(draft.bytes(), UTF_8).split("\n").length);
  }

  @Test
  void theLastValueOfAKeyCounts() {
    NoteLines note = note("a 1\nb\na 2\nlast 3");
    assertEquals("2", note.text("a", "0"));
    assertEquals(2, note.number("a", 0));
    assertEquals("", note.text("b", "0"));
    assertEquals("3", note.text("last", "0"));
    assertEquals(List.of("1", "2"), note.all("a"));
  }

  @Test
  void whatIsNotThereIsWhatTheReaderSays() {
    NoteLines note = note("a x\n");
    assertEquals("0", note.text("b", "0"));
    assertEquals(5, note.number("b", 5));
    assertEquals(List.of(), note.all("b"));
    assertThrows(NumberFormatException.class, () -> note.number("a", 5));
  }

  @Test
  void aBackslashAtTheEndIsOne() {
    assertEquals("a\\", note("a a\\").text("a", ""));
  }
}
