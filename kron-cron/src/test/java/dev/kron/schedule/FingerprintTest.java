package dev.kron.schedule;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class FingerprintTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "0 0 * * *                     | 0 0 * * * @tz(UTC) @win(after,0s) @dist(uniform)",
        "0 0 * * *                     | 0  0 1-31 1-12 *",
        "0 0 * * 5-7                   | 00 0 * jan-dec 0,FRI,sat",
        "*/15 * * * *                  | 0,15,30,45 */1 * * *",
        "0 0 */1 * 1                   | 0 0 * * *",
        "0 0 30 * *                    | 0 0 30 1,3-12 *",
        "0 0 * * * @win(around,90m)    | 0 0 * * * @win(center,1.5h)",
        "0 0 * * * @win(after,1h) @dist(normal,sigma=600s) | 0 0 * * * @dist(normal,sigma=10m)"
            + " @win(after,60m)",
        "0 0 * * * @win(after,1h)      | 0 0 * * * @win(after,1h)"
            + " @policy(deadline=1h,suspend=true)",
        "0 0 * * * @only(hours=1,2)    | 0 0 * * * @only(hours=1) @only(hours=2)",
        "0 0 * * *                     | 0 0 * * * @win(before,0s) @dist(normal) @seed(daily)",
        "0 0 * * * @win(after,1h)      | 0 0 * * * @win(after,1h) @seed(stable,salt=\"\")"
      })
  void isTheSameForTheSameMeaning(String one, String other) {
    assertEquals(Schedule.parse(one).fingerprint(), Schedule.parse(other).fingerprint());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "0 0 * * *                   | 1 0 * * *",
        "0 0 1 * 1                   | 0 0 1 * *",
        "0 0 * * *                   | 0 0 * * * @tz(Europe/Paris)",
        "0 0 * * *                   | 0 0 * * * @win(after,1h)",
        "0 0 * * * @win(after,1h)    | 0 0 * * * @win(before,1h)",
        "0 0 * * * @win(after,1h)    | 0 0 * * * @win(after,1h) @dist(normal)",
        "0 0 * * * @win(after,1h)    | 0 0 * * * @win(after,1h) @seed(daily)",
        "0 0 * * * @win(after,1h)    | 0 0 * * * @win(after,1h) @seed(stable,salt=x)",
        "0 0 * * *                   | 0 0 * * * @only(hours=1)",
        "0 0 * * * @only(hours=1)    | 0 0 * * * @avoid(hours=1)"
      })
  void differsWhereOtherSecondsMayBeChosen(String one, String other) {
    assertNotEquals(Schedule.parse(one).fingerprint(), Schedule.parse(other).fingerprint());
  }

  /** It is stored; a release that computed another one would make every job look changed. */
  @Test
  void neverChanges() {
    assertEquals("d87758f5b30ea715", Schedule.parse("0 0 * * * @seed(daily)").fingerprint());
    assertEquals(
        "264d1ddc844d23c6",
        Schedule.parse(
                "0 0 * * * @win(around,90m) @dist(normal,sigma=10m)"
                    + " @seed(weekly,salt=\"a \\\"b\\\" \\\\ c\") @policy(suspend=true)")
            .fingerprint());
  }
}
