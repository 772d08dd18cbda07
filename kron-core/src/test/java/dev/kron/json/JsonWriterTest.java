package dev.kron.json;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.kron.json.JsonWriter.Layout;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class JsonWriterTest {
  private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
  private final JsonWriter json = new JsonWriter(bytes::write, Layout.INDENTED);

  private String written() throws IOException {
    return bytes.toString(UTF_8);
  }

  private static String compact(String text) throws IOException {
    var out = new ByteArrayOutputStream();
    try (var json = new JsonWriter(out::write, Layout.COMPACT)) {
      json.beginArray().value(text).endArray();
    }
    return out.toString(UTF_8).strip();
  }

  @Test
  void indentsObjectsAndArraysAndLeavesEmptyOnesClosed() throws IOException {
    json.beginObject().member("a", 1).name("b").beginArray().value("x").value(true).endArray();
    json.name("c").beginArray().endArray().name("d").beginObject().endObject();
    json.member("e", (String) null).name("f").value(2.5).endObject().end();
    assertEquals(
        """
        {
          "a": 1,
          "b": [
            "x",
            true
          ],
          "c": [],
          "d": {},
          "e": null,
          "f": 2.5
        }
        """,
        written());
  }

  @Test
  void textsFollowOneAnotherEachOnALineOfItsOwn() throws IOException {
    var lines = new JsonWriter(bytes::write, Layout.ONE_LINE);
    lines.beginObject().member("a", 1).member("b", List.of("x", "y")).endObject().end();
    lines.value(true).end();
    assertEquals("{\"a\": 1,\"b\": [\"x\",\"y\"]}\ntrue\n", written());
  }

  @Test
  void endsNoTextWithOpenBrackets() throws IOException {
    json.beginObject();
    assertThrows(IllegalStateException.class, json::end);
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
        "a\u0000b | [\"a\\u0000b\"]",
        "a\u001bb | [\"a\\u001bb\"]",
        "a\u007fb | [\"a\\u007fb\"]",
        "a\u009fb | [\"a\\u009fb\"]",
        "a\u202eb | [\"a\\u202eb\"]",
        "a\u2028b | [\"a\\u2028b\"]",
        "a\udb40\udc01b | [\"a\\udb40\\udc01b\"]",
        "é漢 | [\"é漢\"]",
        "a😀b | [\"a😀b\"]",
        "a\ud83db | [\"a\\ud83db\"]",
        "a\ude00b | [\"a\\ude00b\"]"
      })
  void escapesWhatJsonOrATerminalWouldMistake(String text, String quoted) throws IOException {
    assertEquals(quoted, compact(text));
    assertEquals(List.of(text), Json.parse(quoted).value());
  }

  @Test
  void handsOnTextsThatAreLongerThanItsBuffer() throws IOException {
    for (int length = 990; length < 1040; length++) {
      String text = "x".repeat(length);
      assertEquals("[\"" + text + "\"]", compact(text));
    }
  }

  @Test
  void refusesWhatJsonCannotSay() {
    assertThrows(IllegalArgumentException.class, () -> json.value(Double.NaN));
  }
}
