package dev.kron.cron;

/**
 * The day of month and the day of week as they are written.
 *
 * @param any whether the day of month is exactly {@code *}
 * @param anyWeekday whether the day of week is exactly {@code *}
 * @param counted those of both fields that depend on the month's length or first weekday
 */
record DayFields(int days, boolean any, int weekdays, boolean anyWeekday, CountedDays counted) {}
