package dev.kron.cron;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.time.ZoneOffset;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PosixDialectTest {
  @ParameterizedTest
  @ValueSource(
      strings = {
        "0 0 * * *",
        "15 3 * * 1-5",
        "0,30 * * * *",
        "0 12 14 2 *",
        "15,30,45,0 * * * *",
        "0 0 1,15 * 1",
        "0 0 * * 0",
        "0-0 0 * * 6",
        "\t 0\t0  *  * * \t",
        "007 0000000000000000000000012 * * *",
        "0 0 29 2 *",
        "0 0 30 2 1"
      })
  void readsTheGrammarOfTheContract(String expression) {
    var calendar = new CronCalendar(CronExpression.posix(expression), ZoneOffset.UTC);
    BruteForce oracle = BruteForce.of(expression.strip().replaceAll("[ \t]+", " "), ZoneOffset.UTC);
    long second = 1_767_225_600;
    for (int i = 0; i < 30; i++) {
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
          # 1 exactly five fields
          ``              | expression | must have exactly 5 fields separated by blanks, but has 0
          0 0 * *         | expression | must have exactly 5 fields separated by blanks, but has 4
          0 0 0 * * *     | expression | must have exactly 5 fields separated by blanks, but has 6
          # 2 no steps
          */15 * * * *    | minute  | uses step syntax "*/15", which is not allowed; list the values
          0 0-12/2 * * *  | hour    | uses step syntax "0-12/2", which is not allowed; list the values
          0 0 1/5 * *     | day     | uses step syntax "1/5", which is not allowed; list the values
          # 3 no names
          0 0 * jan *     | month   | uses the name "jan", which is not allowed; use a number 1-12
          0 0 * * mon     | weekday | uses the name "mon", which is not allowed; use a number 0-6
          0 0 * * sunday  | weekday | uses the name "sunday", which is not allowed; use a number 0-6
          0 0 * * MON-FRI | weekday | uses the name "MON-FRI", which is not allowed; use a number 0-6
          0 0 * * 1-fri   | weekday | uses the name "1-fri", which is not allowed; use a number 0-6
          0 0 * JUL *     | month   | uses the name "JUL", which is not allowed; use a number 1-12
          0 0 * * WED     | weekday | uses the name "WED", which is not allowed; use a number 0-6
          # 4 no macros
          @daily          | expression | is the macro "@daily"; write its five fields instead
          ` @hourly`      | expression | is the macro "@hourly"; write its five fields instead
          @every 5 * * *  | expression | is the macro "@every"; write its five fields instead
          0 @daily * * *  | hour    | uses the macro "@daily", which is not allowed
          # 5 no Quartz tokens
          0 0 ? * *       | day     | uses the Quartz token "?", which is not allowed
          0 0 L * *       | day     | uses the Quartz token "L", which is not allowed
          0 0 L-3 * *     | day     | uses the Quartz token "L-3", which is not allowed
          0 0 LW * *      | day     | uses the Quartz token "LW", which is not allowed
          0 0 15W * *     | day     | uses the Quartz token "15W", which is not allowed
          0 0 * * 5L      | weekday | uses the Quartz token "5L", which is not allowed
          0 0 * * 5#3     | weekday | uses the Quartz token "5#3", which is not allowed
          0 0 * * FRI#2   | weekday | uses the Quartz token "FRI#2", which is not allowed
          # 6 no weekday 7
          0 0 * * 7       | weekday | has the value 7, which is not allowed; use 0 for Sunday
          0 0 * * 5-7     | weekday | has the value 7, which is not allowed; use 0 for Sunday
          # 7 no wrap-around
          0 22-6 * * *    | hour    | has the wrap-around range "22-6"; write it as two, such as 22-23,0-6
          0 0 * 11-2 *    | month   | has the wrap-around range "11-2"; write it as two, such as 11-12,1-2
          # 8 within the range
          60 * * * *      | minute  | has the value 60, which is out of range 0-59
          0 24 * * *      | hour    | has the value 24, which is out of range 0-23
          0 0 0 * *       | day     | has the value 0, which is out of range 1-31
          0 0 1-32 * *    | day     | has the value 32, which is out of range 1-31
          0 0 * 0 *       | month   | has the value 0, which is out of range 1-12
          0 0 * 13 *      | month   | has the value 13, which is out of range 1-12
          0 0 * * 8       | weekday | has the value 8, which is out of range 0-6
          4294967296 * * * * | minute | has the value 4294967296, which is out of range 0-59
          # 9 decimal numbers
          1e1 * * * *     | minute  | has "1e1", which is not a decimal number 0-59
          0x1F * * * *    | minute  | has "0x1F", which is not a decimal number 0-59
          -5 * * * *      | minute  | has "-5", which is not a decimal number 0-59
          +5 * * * *      | minute  | has "+5", which is not a decimal number 0-59
          1.5 * * * *     | minute  | has "1.5", which is not a decimal number 0-59
          1--2 * * * *    | minute  | has "1--2", which is not a decimal number 0-59
          1-2-3 * * * *   | minute  | has "1-2-3", which is not a decimal number 0-59
          ٥ * * * *       | minute  | has "٥", which is not a decimal number 0-59
          # the rest of the grammar
          1,,2 * * * *    | minute  | has an empty element in its list
          1, * * * *      | minute  | has an empty element in its list
          1,* * * * *     | minute  | has * inside "*"; * stands alone or not at all
          ** * * * *      | minute  | has * inside "**"; * stands alone or not at all
          # never
          0 0 30 2 *      | day     | can never match: no month of "2" has a day "30"
          0 0 31 4,6 *    | day     | can never match: no month of "4,6" has a day "31"
          """)
  void rejectsWordForWord(String expression, String field, String reason) {
    var failure =
        assertThrows(InvalidCronExpressionException.class, () -> CronExpression.posix(expression));
    assertEquals(
        "Invalid cron expression \"" + expression + "\": " + field + " field " + reason,
        failure.getMessage());
    assertEquals(expression, failure.expression());
    assertEquals(field, failure.field());
    assertEquals(reason, failure.reason());
    if (field.equals("expression")) {
      assertNull(failure.getCause());
    } else {
      var cause = assertInstanceOf(FieldParseException.class, failure.getCause());
      assertEquals(field, cause.fieldName());
      assertEquals(field + " field " + reason, cause.getMessage());
      assertEquals(true, expression.contains(cause.fieldValue()));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"0\n0 * * *", "0\u00a00 * * * *", "0 0 * * *\n", "0 0 * * *\r"})
  void takesOnlySpacesAndTabsAsSeparators(String expression) {
    assertThrows(InvalidCronExpressionException.class, () -> CronExpression.posix(expression));
  }
}
