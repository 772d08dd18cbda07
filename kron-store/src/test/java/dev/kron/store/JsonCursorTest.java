package dev.kron.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

final class JsonCursorTest {
  private static JsonCursor cursor(String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    return new JsonCursor(bytes, 0, bytes.length);
  }

  @Test
  void skipsValuesThatAreNestedUpToItsBoundAndNoDeeper() throws Exception {
    for (String pair : new String[] {"[]", "{}"}) {
      String open = pair.startsWith("[") ? "[" : "{\"a\":";
      String close = pair.substring(1);
      String deepest = open.repeat(64) + pair + close.repeat(64);
      JsonCursor cursor = cursor(deepest);
      cursor.skipValue();
      assertEquals(deepest.length(), cursor.position());
      assertThrows(MalformedStateException.class, () -> cursor(open + deepest + close).skipValue());
    }
  }

  @Test
  void readsWholeNumbersOfUpToEighteenDigits() throws Exception {
    long longest = 123_456_789_012_345_678L;
    for (long number : new long[] {0, 7, -7, longest, -longest}) {
      assertEquals(number, cursor(Long.toString(number)).readLong());
    }
    for (String other : new String[] {longest + "9", "-" + longest + "9", "1.5", "1e3"}) {
      assertThrows(MalformedStateException.class, () -> cursor(other).readLong(), other);
    }
  }
}
