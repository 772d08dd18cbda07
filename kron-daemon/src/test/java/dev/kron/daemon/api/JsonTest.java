package dev.kron.daemon.api;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class JsonTest {
  private static String written(String text) throws Exception {
    var out = new ByteArrayOutputStream();
    try (var json = new Json(out)) {
      json.beginArray().value(text).endArray();
    }
    return out.toString(StandardCharsets.UTF_8).strip();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '\'',
      value = {
        "a b~ | [\"a b~\"]",
        "a\"b | [\"a\\\"b\"]",
        "a\\b | [\"a\\\\b\"]",
        "a\tb | [\"a\\tb\"]",
        "a\u007fb | [\"a\\u007fb\"]",
        "a\u009fb | [\"a\\u009fb\"]",
        "é漢 | [\"é漢\"]",
        "a😀b | [\"a😀b\"]",
        "a\ud83db | [\"a\\ud83db\"]",
        "a\ude00b | [\"a\\ude00b\"]"
      })
  void quotesWhatJsonOrATerminalWouldMistake(String text, String json) throws Exception {
    assertEquals(json, written(text));
  }

  @Test
  void handsOnTextsThatAreLongerThanItsBuffer() throws Exception {
    for (int length = 990; length < 1040; length++) {
      String text = "x".repeat(length);
      assertEquals("[\"" + text + "\"]", written(text));
    }
  }
}
