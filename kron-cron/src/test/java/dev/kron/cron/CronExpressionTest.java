package dev.kron.cron;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CronExpressionTest {
  @Test
  void keepsItsText() {
    assertEquals("*/5  *\t* * *", CronExpression.krontab("  */5  *\t* * * ").text());
    assertEquals(" 0 0 * * * ", CronExpression.posix(" 0 0 * * * ").text());
    assertEquals("0 0 * * *", CronExpression.posix("0 0 * * *").toString());
  }

  @Test
  void isEqualToOneThatIsWrittenAlike() {
    assertEquals(CronExpression.krontab("0 0 * * *"), CronExpression.posix("0 0 * * *"));
    assertEquals(
        CronExpression.krontab("0 0 * * *").hashCode(),
        CronExpression.posix("0 0 * * *").hashCode());
    assertNotEquals(CronExpression.krontab("0 0 * * *"), CronExpression.krontab("00 0 * * *"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          0 0 L,1,L-2 * *          | 0 0 1,L,L-2 * *
          0 0 * * 5#3,0L,MON#1     | 0 0 * * 1#1,5#3,0L
          0 0 * * FRI,5#3          | 0 0 * * 5
          0 0 * * 1#1,1#2,1#3,1#4,1#5,2L | 0 0 * * 1,2L
          0 0 1-31,L * *           | 0 0 * * *
          0 0 L * 0-6              | 0 0 * * *
          0 0 L 1,2 FRI#2          | 0 0 L 1-2 5#2
          0 0 L-30 * *             | 0 0 L-30 1,3,5,7-8,10,12 *
          """)
  void hasOneTextForAllThatSelectTheSame(String written, String canonical) {
    assertEquals(canonical, CronExpression.krontab(written).canonical());
    assertEquals(canonical, CronExpression.krontab(canonical).canonical());
  }
}
