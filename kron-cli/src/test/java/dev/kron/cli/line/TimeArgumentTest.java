package dev.kron.cli.line;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Instant;
import java.time.ZoneId;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TimeArgumentTest {
  private static final ZoneId PARIS = ZoneId.of("Europe/Paris");
  private static final long NOW = Instant.parse("2026-03-01T12:00:00Z").getEpochSecond();

  private static long parse(String text) {
    return TimeArgument.parse("--at", text, PARIS, NOW);
  }

  @ParameterizedTest
  @CsvSource({
    "2026-03-01T00:00:00Z,       2026-03-01T00:00:00Z",
    "2026-03-01t00:00:00z,       2026-03-01T00:00:00Z",
    "2026-03-01 00:00:00Z,       2026-03-01T00:00:00Z",
    "2026-03-01T00:00Z,          2026-03-01T00:00:00Z",
    "2026-03-01T00:00:00.999Z,   2026-03-01T00:00:00Z",
    "2026-03-01T00:00:00+05:30,  2026-02-28T18:30:00Z",
    "2026-03-01T00:00:00-03:00,  2026-03-01T03:00:00Z",
    "2026-03-01T03:00,           2026-03-01T02:00:00Z",
    "2026-07-01T03:00:10,        2026-07-01T01:00:10Z",
    "2026-07-01,                 2026-06-30T22:00:00Z",
    "@0,                         1970-01-01T00:00:00Z",
    "@-1,                        1969-12-31T23:59:59Z",
    "now,                        2026-03-01T12:00:00Z",
    "+3h,                        2026-03-01T15:00:00Z",
    "-1h30m,                     2026-03-01T10:30:00Z",
    "+2d,                        2026-03-03T12:00:00Z",
    "9999-12-31T23:59:59Z,       9999-12-31T23:59:59Z",
    "0001-01-01T00:00:00Z,       0001-01-01T00:00:00Z",
  })
  void reads(String text, String expected) {
    assertEquals(Instant.parse(expected), Instant.ofEpochSecond(parse(text)));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "last week",
        "2026",
        "2026-13-01",
        "2026-02-30",
        "2026-03-01T",
        "2026-03-01T25:00",
        "2026-03-01T00:00:00X",
        "2026-03-01T00:00:00+0100",
        "2026-03-01T00:00:00+01:99",
        "2026-03-01T00:00:00+99:00",
        "2026-03-01T00:00:00Zz",
        "2026-03-01T00:00:00.Z",
        "1772323200",
        "@",
        "@1x",
        "@99999999999999",
        "+",
        "+3",
        "+3w",
        "+99999999999999999999h",
        "+9223372036854775807d"
      })
  void refusesAnythingElseAndNamesTheForms(String text) {
    UsageException refusal = assertThrows(UsageException.class, () -> parse(text));
    assertTrue(
        refusal.text().startsWith("--at \"" + text + "\" is not a time; write one of: 2026-"),
        refusal.text());
  }

  @Test
  void asksWhichOneIsMeantWhereALocalTimeHappensTwice() {
    assertEquals(
        "--at \"2026-10-25T02:30\" in Europe/Paris happens twice: add +02:00 or +01:00 to say which"
            + " is meant",
        assertThrows(UsageException.class, () -> parse("2026-10-25T02:30")).text());
  }

  @Test
  void saysThatALocalTimeDoesNotExist() {
    assertEquals(
        "--at \"2026-03-29T02:30\" in Europe/Paris does not exist: the clocks are put forward over"
            + " it",
        assertThrows(UsageException.class, () -> parse("2026-03-29T02:30")).text());
  }
}
