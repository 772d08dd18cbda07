package dev.kron.cron;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import org.junit.jupiter.api.Test;

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
}
