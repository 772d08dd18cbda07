package dev.kron.cron;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.time.LocalDate;
import org.junit.jupiter.api.Test;

class CivilDateTest {
  @Test
  void knowsEveryDayOfTheSupportedYears() {
    LocalDate expected = LocalDate.of(1, 1, 1);
    assertEquals(expected.toEpochDay(), CivilDate.MIN_EPOCH_DAY);
    assertEquals(LocalDate.of(9999, 12, 31).toEpochDay(), CivilDate.MAX_EPOCH_DAY);
    for (int day = CivilDate.MIN_EPOCH_DAY; day <= CivilDate.MAX_EPOCH_DAY; day++) {
      int date = CivilDate.ofEpochDay(day);
      boolean right =
          CivilDate.year(date) == expected.getYear()
              && CivilDate.month(date) == expected.getMonthValue()
              && CivilDate.dayOfMonth(date) == expected.getDayOfMonth()
              && CivilDate.weekday(day) == expected.getDayOfWeek().getValue() % 7
              && CivilDate.epochDay(
                      expected.getYear(), expected.getMonthValue(), expected.getDayOfMonth())
                  == day;
      if (!right) {
        assertEquals(expected, day, "epoch day " + day);
      }
      expected = expected.plusDays(1);
    }
  }

  @Test
  void knowsTheLengthOfEveryMonth() {
    for (int year = CivilDate.MIN_YEAR; year <= CivilDate.MAX_YEAR; year++) {
      for (int month = 1; month <= 12; month++) {
        int expected = LocalDate.of(year, month, 1).lengthOfMonth();
        assertEquals(expected, CivilDate.lengthOfMonth(year, month), year + "-" + month);
      }
    }
  }
}
