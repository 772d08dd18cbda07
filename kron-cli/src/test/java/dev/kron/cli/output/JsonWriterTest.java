package dev.kron.cli.output;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.kron.cli.output.Output.Look;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import org.junit.jupiter.api.Test;

class JsonWriterTest {
  private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
  private final Output out = new Output(bytes, Look.PLAIN);
  private final JsonWriter json = new JsonWriter(out);

  private String written() throws IOException {
    out.flush();
    return bytes.toString(UTF_8);
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
  void escapesWhatJsonOrATerminalWouldTrip() throws IOException {
    json.value("\"\\\n\r\t\u0000\u001b\u007f\u009b\u202e\u2028é🕰\ud800");
    assertEquals(
        "\"\\\"\\\\\\n\\r\\t\\u0000\\u001b\\u007f\\u009b\\u202e\\u2028é🕰\\ud800\"", written());
  }

  @Test
  void refusesWhatJsonCannotSay() {
    assertThrows(IllegalArgumentException.class, () -> json.value(Double.NaN));
  }
}
