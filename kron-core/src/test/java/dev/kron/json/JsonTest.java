package dev.kron.json;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JsonTest {
  @Test
  void isWrittenAsItWasRead() throws IOException {
    String text = "{\"a\":[1,-2.5,\"x\\n\",true,false,null],\"b\":{},\"c\":1.0E300}";
    assertEquals(text, Json.parse(" " + text.replace(",", " ,\n") + "\t").toString());
  }

  @Test
  void whatIsNotThereReadsAsEmpty() throws IOException {
    Json json = Json.parse("{\"a\":null,\"list\":[\"x\",2]}");
    assertEquals("", json.text("a") + json.text("b") + json.get("b").text("c"));
    assertEquals("-", json.text("b", "-"));
    assertEquals(0, json.number("b") + json.millis("b"));
    assertFalse(json.is("b"));
    assertEquals(List.of(), json.list("b"));
    assertEquals(List.of("x", "2"), json.texts("list"));
    assertEquals(List.of("a", "list"), json.names());
    assertTrue(json.get("a").isNull());
  }

  @Test
  void theOrderOfMembersDoesNotCount() throws IOException {
    assertEquals(Json.parse("{\"a\":1,\"b\":2}"), Json.parse("{ \"b\": 2, \"a\": 1 }"));
    assertNotEquals(Json.parse("[1,2]"), Json.parse("[2,1]"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"2026-03-01T02:32:20.123Z", "2026-03-01T02:32:20Z", "1969-12-31T23:59:59Z"})
  void readsTimes(String time) throws IOException {
    Json json = Json.parse("{\"at\":\"" + time + "\"}");
    assertEquals(Instant.parse(time).toEpochMilli(), json.millis("at"));
    assertEquals(Instant.parse(time).getEpochSecond(), json.second("at"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "{",
        "[",
        "[1",
        "[1,]",
        "{\"a\"}",
        "{\"a\":1,}",
        "{a:1}",
        "{\"a\":1,\"a\":2}",
        "[1] 2",
        "01",
        "1.",
        "-",
        "1e",
        "tru",
        "nul",
        "'a'",
        "\"a",
        "\"\\x\"",
        "\"\\u12g4\"",
        "\"\\u12",
        "\"\u0001\"",
        "\u00a01"
      })
  void refusesWhatIsNotJson(String text) {
    assertThrows(JsonSyntaxException.class, () -> Json.parse(text));
  }

  @Test
  void refusesWhatIsNestedTooDeeply() {
    assertThrows(JsonSyntaxException.class, () -> Json.parse("[".repeat(100_000)));
  }

  @Test
  void saysWhereItStopsBeingJson() {
    var error = assertThrows(JsonSyntaxException.class, () -> Json.parse("[1 2]"));
    assertEquals("not JSON: ']' expected, at character 3", error.getMessage());
  }

  @Test
  void numbersOfAnyLengthAreRead() throws IOException {
    assertEquals(123456789012345678L, Json.parse("123456789012345678").value());
    assertEquals(1.2345678901234568E20, Json.parse("123456789012345678901").value());
  }
}
