package dev.kron.text;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SuggestionTest {
  private static final List<String> WORDS = List.of("status", "start", "stop", "explain", "tz");

  @ParameterizedTest
  @CsvSource({
    "statsu, status",
    "STOP, stop",
    "strat, start",
    "exp, explain",
    "explian, explain",
    "tx, tz"
  })
  void findsTheNearestWord(String written, String meant) {
    assertEquals(meant, Suggestion.nearest(WORDS, written));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "x", "banana", "ab", "ex"})
  void staysSilentWhereNothingIsNear(String written) {
    assertNull(Suggestion.nearest(WORDS, written));
  }

  @Test
  void doesNotThinkLongAboutALongWord() {
    assertNull(Suggestion.nearest(WORDS, "s".repeat(1_000_000)));
  }

  @Test
  void asksBehindAndWithinAMessage() {
    assertEquals("; did you mean stop?", Suggestion.among(WORDS, "stpo"));
    assertEquals("", Suggestion.among(WORDS, "banana"));
    assertEquals(" (did you mean \"@tz\"?)", Suggestion.didYouMean("tzz", WORDS, "@"));
  }
}
