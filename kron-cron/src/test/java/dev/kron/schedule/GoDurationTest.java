package dev.kron.schedule;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class GoDurationTest {
  @ParameterizedTest
  @CsvSource({
    "0, 0",
    "+0, 0",
    "-0, 0",
    "0s, 0",
    "5s, 5000000000",
    "30s, 30000000000",
    "1478s, 1478000000000",
    "+5s, 5000000000",
    "-5s, -5000000000",
    "5.0s, 5000000000",
    "5.6s, 5600000000",
    "5.s, 5000000000",
    ".5s, 500000000",
    "1.004s, 1004000000",
    "100.00100s, 100001000000",
    "10ns, 10",
    "11us, 11000",
    "13ms, 13000000",
    "15m, 900000000000",
    "16h, 57600000000000",
    "3h30m, 12600000000000",
    "10.5s4m, 250500000000",
    "-2m3.4s, -123400000000",
    "1h2m3s4ms5us6ns, 3723004005006",
    "39h9m14.425s, 140954425000000",
    "9007199254740993ns, 9007199254740993",
    "9223372036854775807ns, 9223372036854775807",
    "9223372036854775.807us, 9223372036854775807",
    "-9223372036854775808ns, -9223372036854775808",
    "0.100000000000000000000h, 360000000000",
    "0.830103483285477580700h, 2988372539827",
    "0.3333333333333333333h, 1200000000000",
    "0.9223372036854775808ns, 0",
    "0.9999999999999999999s, 1000000000"
  })
  void readsWhatGoReads(String text, long nanos) {
    assertEquals(nanos, GoDuration.parseNanos(text));
  }

  @ParameterizedTest
  @CsvSource(
      quoteCharacter = '`',
      value = {
        "`` | missing",
        "3 | lacks a unit",
        "1h30 | lacks a unit after \"30\"",
        "- | not a duration",
        "s | not a duration",
        ". | not a duration",
        "-. | not a duration",
        ".s | not a duration",
        "+.s | not a duration",
        "1d | a day is 24h",
        "2weeks | unknown unit \"weeks\"",
        "2week | a week is 168h",
        "5min | did you mean \"5m\"?",
        "5H | did you mean \"5h\"?",
        "10\u00b5s | did you mean \"10us\"?",
        "10\u03bcs | did you mean \"10us\"?",
        "1h 30m | unknown unit \"h \"",
        "1e3s | unknown unit \"e\"",
        "9223372036854775808ns | too long",
        "9223372036854775.808us | too long",
        "9223372036854ms775us809ns | too long",
        "3000000h | too long",
        "99999999999999999999s | too long"
      },
      delimiter = '|')
  void saysWhatIsWrong(String text, String message) {
    var e = assertThrows(IllegalArgumentException.class, () -> GoDuration.parseNanos(text));
    assertTrue(String.valueOf(e.getMessage()).contains(message), e.getMessage());
  }

  @ParameterizedTest
  @CsvSource({
    "0, 0s",
    "1, 1ns",
    "1100, 1.1us",
    "2200000, 2.2ms",
    "3300000000, 3.3s",
    "245000000000, 4m5s",
    "245001000000, 4m5.001s",
    "18367001000000, 5h6m7.001s",
    "480000000001, 8m0.000000001s",
    "3600000000000, 1h0m0s",
    "9223372036854775807, 2562047h47m16.854775807s",
    "-9223372036854775808, -2562047h47m16.854775808s",
    "-1500000000, -1.5s"
  })
  void writesWhatGoWrites(long nanos, String text) {
    assertEquals(text, GoDuration.format(nanos));
  }

  @Test
  void readsWhatItWrites() {
    SplittableRandom random = new SplittableRandom(Seeds.of(3));
    for (int i = 0; i < 20_000; i++) {
      long nanos = random.nextLong() >> random.nextInt(64);
      assertEquals(nanos, GoDuration.parseNanos(GoDuration.format(nanos)));
    }
  }
}
