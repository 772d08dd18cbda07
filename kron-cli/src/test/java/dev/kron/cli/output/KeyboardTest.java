package dev.kron.cli.output;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import dev.kron.cli.output.Keyboard.Stroke;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class KeyboardTest {
  private static List<Stroke> decoded(String text) throws IOException {
    var in = new ByteArrayInputStream(text.getBytes(US_ASCII));
    List<Stroke> keys = new ArrayList<>();
    for (Keyboard.Key key = Keyboard.decode(in); key != null; key = Keyboard.decode(in)) {
      keys.add(key.stroke());
    }
    assertNull(Keyboard.decode(in));
    return keys;
  }

  @Test
  void knowsTheKeysOfOrdinaryTerminals() throws IOException {
    assertEquals(List.of(Stroke.UP, Stroke.DOWN, Stroke.UP), decoded("\u001b[A\u001b[B\u001bOA"));
    assertEquals(List.of(Stroke.PAGE_UP, Stroke.PAGE_DOWN), decoded("\u001b[5~\u001b[6~"));
    assertEquals(List.of(Stroke.FIRST, Stroke.LAST), decoded("\u001b[H\u001b[4~"));
    assertEquals(
        List.of(Stroke.NEXT, Stroke.PREVIOUS, Stroke.PREVIOUS), decoded("\t\u001b[Z\u001b[D"));
    assertEquals(
        List.of(Stroke.DOWN, Stroke.UP, Stroke.FIRST, Stroke.LAST, Stroke.QUIT), decoded("jkgGq"));
    assertEquals(List.of(Stroke.ONE, Stroke.FIVE, Stroke.OPEN), decoded("15\r"));
    assertEquals(List.of(Stroke.BACK), decoded("\u001b"));
  }

  @Test
  void passesOverWhatItDoesNotKnow() throws IOException {
    assertEquals(List.of(Stroke.NOTHING, Stroke.QUIT), decoded("\u001b[1;5Pq"));
    assertEquals(List.of(Stroke.NOTHING, Stroke.QUIT), decoded("\u001b[200~q"));
    assertEquals(List.of(Stroke.NOTHING, Stroke.NOTHING), decoded("xz"));
  }

  @Test
  void tellsWhatAKeyWritesWhereTextIsTyped() throws IOException {
    var in = new ByteArrayInputStream("q/\u007f\u001b[A\t".getBytes(US_ASCII));
    assertEquals(new Keyboard.Key(Stroke.QUIT, 'q'), Keyboard.decode(in));
    assertEquals(new Keyboard.Key(Stroke.NOTHING, '/'), Keyboard.decode(in));
    assertEquals(new Keyboard.Key(Stroke.ERASE, (char) 0), Keyboard.decode(in));
    assertEquals(new Keyboard.Key(Stroke.UP, (char) 0), Keyboard.decode(in));
    assertEquals(new Keyboard.Key(Stroke.NEXT, (char) 0), Keyboard.decode(in));
  }
}
