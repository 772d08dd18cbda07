package dev.kron.cron;

import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.ZoneOffset;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class KrontabDialectTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          */15 * * * *        | 0,15,30,45 * * * *
          */7 * * * *         | 0,7,14,21,28,35,42,49,56 * * * *
          10-20/5 * * * *     | 10,15,20 * * * *
          */1 * * * *         | 0-59 * * * *
          */90 * * * *        | 0 * * * *
          */99999999999 * * * *| 0 * * * *
          05 007 * * *        | 5 7 * * *
          0 0 * JAN *         | 0 0 * 1 *
          0 0 * jan-Mar,dEC * | 0 0 * 1-3,12 *
          0 0 * FEB-6/2 *     | 0 0 * 2,4,6 *
          0 0 * * mon-FRI     | 0 0 * * 1-5
          0 0 * * SUN,sat     | 0 0 * * 0,6
          0 0 * * 7           | 0 0 * * 0
          0 0 * * 5-7         | 0 0 * * 0,5,6
          0 0 * * FRI-7       | 0 0 * * 0,5,6
          0 0 * * 0-7         | 0 0 * * 0-6
          0 0 * * 1-7/2       | 0 0 * * 0,1,3,5
          0 0 * * */2         | 0 0 * * 0,2,4,6
          0 0 */2 * 1         | 0 0 1,3,5,7,9,11,13,15,17,19,21,23,25,27,29,31 * 1
          0 0 1-31 * 1        | 0 0 * * *
          0 0 13 * */1        | 0 0 * * *
          *,5 * * * *         | * * * * *
          0 0 29 2 *          | 0 0 29,30 2 *
          0 0 l * *           | 0 0 L * *
          0 0 1,L-30 * *      | 0 0 1 * *
          0 0 L-29 3 *        | 0 0 2 3 *
          0 0 * * FRI#3       | 0 0 * * 5#3
          0 0 * * 7#1,sunl    | 0 0 * * 0#1,0L
          0 0 13 * fril       | 0 0 13 * 5L
          0 0 * * 1#1,1#2,1#3,1#4,1#5 | 0 0 * * 1
          `  0\t0  *\t* * `   | 0 0 * * *
          """)
  void reads(String expression, String plain) {
    var calendar = new CronCalendar(CronExpression.krontab(expression), ZoneOffset.UTC);
    BruteForce oracle = BruteForce.of(plain, ZoneOffset.UTC);
    long second = 1_767_225_600;
    for (int i = 0; i < 40; i++) {
      long expected = oracle.next(second, 9 * 366);
      assertEquals(expected, calendar.next(second), expression + " after " + second);
      second = expected;
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          60 * * * *      | 0  | minute "60" is out of range: 0-59
          0 24 * * *      | 2  | hour "24" is out of range: 0-23
          0 0 0 * *       | 4  | day of month "0" is out of range: 1-31
          0 0 1,32 * *    | 6  | day of month "32" is out of range: 1-31
          0 0 * 13 *      | 6  | month "13" is out of range: 1-12
          0 0 * * 1-8     | 10 | day of week "8" is out of range: 0-7, where 0 and 7 are Sunday
          0 99999999999999999999 * * * | 2 | hour "99999999999999999999" is out of range: 0-23
          5/10 * * * *    | 0  | minute "5/10" has a step without a range; write 5-59/10
          0 0 * MAR/2 *   | 6  | month "MAR/2" has a step without a range; write MAR-12/2
          0 0 * * 1/2     | 8  | day of week "1/2" has a step without a range; write 1-6/2
          0 0 * * 7/2     | 8  | day of week "7/2" has a step without a range; write 7-7/2
          */0 * * * *     | 0  | minute "*/0" has a step of 0; a step is a number from 1 on
          0 1-5/00 * * *  | 2  | hour "1-5/00" has a step of 0; a step is a number from 1 on
          0 22-6 * * *    | 2  | hour "22-6" runs backwards; a range stays within 0-23: write 22-23,0-6
          0 0 * NOV-FEB * | 6  | month "NOV-FEB" runs backwards; a range stays within 1-12: write 11-12,1-2
          0 0 * * FRI-SUN | 8  | day of week "FRI-SUN" runs backwards; a range stays within 0-6: write 5-7
          0 0 * * 7-2     | 8  | day of week "7-2" runs backwards; a range stays within 0-6: write 0-2
          0 0 * * 7-0     | 8  | day of week "7-0" runs backwards; a range stays within 0-6: write 0-0
          0 22-6/2 * * *  | 2  | hour "22-6/2" runs backwards; a range stays within 0-23: split it in two
          0 0 30 2 *      | 4  | day of month "30" never comes: no month that the expression allows is that long; name a day that one of them has
          0 0 31 2,4,JUN * | 4 | day of month "31" never comes: no month that the expression allows is that long; name a day that one of them has
          0 0 L-0 * *     | 4  | day of month "L-0" is out of range: L-1 to L-30
          0 0 5,L-31 * *  | 6  | day of month "L-31" is out of range: L-1 to L-30
          0 0 L-29 2 *    | 4  | day of month "L-29" never comes: no month that the expression allows is that long; name a day that one of them has
          0 0 L-3/2 * *   | 4  | day of month "L-3/2" is not understood; the month's last day is L, and L-3 the third before it, alone or in a list
          0 0 LW * *      | 4  | day of month "LW" is not understood; the month's last day is L, and L-3 the third before it, alone or in a list
          0 0 15W * *     | 4  | day of month "15W" is not understood; W, the nearest weekday, is not known: name the days, or use @only(dow=)
          0 0 * * L       | 8  | day of week "L" is not understood; say the last of which weekday, as in 5L or FRIL
          0 0 * * 5#6     | 8  | day of week "5#6" is out of range: a weekday comes up to five times in a month, #1 to #5
          0 0 * * 5#0     | 8  | day of week "5#0" is out of range: a weekday comes up to five times in a month, #1 to #5
          0 0 * * 1-5#2   | 8  | day of week "1-5#2" is not understood; expected * or numbers 0-6, SUN-SAT, as in n, n-m, n-m/step, */step and lists of them; 5#3 is the third Friday, 5L the last
          0 0 * * 5#      | 8  | day of week "5#" is not understood; the third Friday is 5#3 or FRI#3, and the last 5L or FRIL, alone or in a list
          0 0 * * 5L-6    | 8  | day of week "5L-6" is not understood; the third Friday is 5#3 or FRI#3, and the last 5L or FRIL, alone or in a list
          0 0 * * * *     | 10 | "*" follows the five cron fields, which end before it
          ``              | 0  | the line ends before the minute: a schedule begins with minute, hour, day of month, month and day of week
          0 0 * *         | 7  | the line ends before the day of week: a schedule begins with minute, hour, day of month, month and day of week
          0 0 * * name=x  | 8  | "name=x" stands where the day of week is expected: a schedule begins with minute, hour, day of month, month and day of week
          @daily          | 0  | "@daily" stands where the minute is expected: a schedule begins with minute, hour, day of month, month and day of week
          """)
  void rejectsWithPlaceAndRemedy(String expression, int offset, String message) {
    var failure = assertThrows(CronSyntaxException.class, () -> CronExpression.krontab(expression));
    assertEquals(message, failure.getMessage());
    assertEquals(offset, failure.offset());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          x * * * *       | 0  | minute "x" is not understood
          5x * * * *      | 0  | minute "5x" is not understood
          ** * * * *      | 0  | minute "**" is not understood
          *5 * * * *      | 0  | minute "*5" is not understood
          1-2-3 * * * *   | 0  | minute "1-2-3" is not understood
          1- * * * *      | 0  | minute "1-" is not understood
          -1 * * * *      | 0  | minute "-1" is not understood
          +1 * * * *      | 0  | minute "+1" is not understood
          */ * * * *      | 0  | minute "*/" is not understood
          */-5 * * * *    | 0  | minute "*/-5" is not understood
          */5/5 * * * *   | 0  | minute "*/5/5" is not understood
          1-*/5 * * * *   | 0  | minute "1-*/5" is not understood
          0x1F * * * *    | 0  | minute "0x1F" is not understood
          1.5 * * * *     | 0  | minute "1.5" is not understood
          , * * * *       | 0  | minute "," has nothing before or after a comma
          1,,2 * * * *    | 2  | minute "1,,2" has nothing before or after a comma
          1, * * * *      | 2  | minute "1," has nothing before or after a comma
          0 0 * * mond    | 8  | day of week "mond" is not understood
          0 0 * * m       | 8  | day of week "m" is not understood
          0 0 * mon *     | 6  | month "mon" is not understood
          0 0 ? * *       | 4  | day of month "?" is not understood
          0 0 * L *       | 6  | month "L" is not understood
          L * * * *       | 0  | minute "L" is not understood
          0 0 * * frı     | 8  | day of week "frı" is not understood
          ٥ * * * *       | 0  | minute "٥" is not understood
          0\u00a00 * * * * | 0 | minute "0\u00a00" is not understood
          """)
  void rejectsWhatItDoesNotKnow(String expression, int offset, String start) {
    var failure = assertThrows(CronSyntaxException.class, () -> CronExpression.krontab(expression));
    String message = requireNonNull(failure.getMessage());
    assertTrue(message.startsWith(start + "; expected * or numbers "), message);
    assertEquals(offset, failure.offset());
  }

  @Test
  void readsTheFieldsAtTheStartOfALine() {
    String line = "# \t*/5 0 * * MON-FRI @tz(UTC) name=x command=/bin/true";
    CronExpression.Prefix prefix = CronExpression.krontabPrefix(line, 2);
    assertEquals("*/5 0 * * MON-FRI", prefix.expression().text());
    assertEquals(line.indexOf(" @tz"), prefix.end());
  }

  @Test
  void countsTheOffsetInTheLine() {
    var failure =
        assertThrows(
            CronSyntaxException.class, () -> CronExpression.krontabPrefix("xx 0 25 * * * y", 2));
    assertEquals(5, failure.offset());
  }

  @ParameterizedTest
  @ValueSource(strings = {"0 0 * * * ", "0 0 * * *\t", "0 0 * * *"})
  void endsRightAfterTheFifthField(String line) {
    assertEquals(9, CronExpression.krontabPrefix(line, 0).end());
  }

  @Test
  void quotesNoMoreThanAReaderWants() {
    var failure =
        assertThrows(
            CronSyntaxException.class,
            () -> CronExpression.krontab("9".repeat(5_000) + " * * * *"));
    assertEquals("minute \"" + "9".repeat(40) + "…\" is out of range: 0-59", failure.getMessage());
  }
}
