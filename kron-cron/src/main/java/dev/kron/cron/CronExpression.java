package dev.kron.cron;

import org.jspecify.annotations.Nullable;

/**
 * A parsed five-field cron expression: a text, and the local minutes that it matches in any zone. A
 * {@link CronCalendar} tells which instants these are. Immutable.
 */
public final class CronExpression {
  private final String text;
  private final MinuteSet minutes;
  private final boolean fixedTimes;

  CronExpression(String text, MinuteSet minutes, boolean fixedTimes) {
    this.text = text;
    this.minutes = minutes;
    this.fixedTimes = fixedTimes;
  }

  /**
   * Reads the krontab dialect: lists, ranges, steps, names, 7 for Sunday, L and # in the day
   * fields.
   *
   * @throws CronSyntaxException with the offset of what is wrong
   */
  public static CronExpression krontab(String text) {
    return KrontabDialect.parse(text);
  }

  /**
   * Reads the five fields of the krontab dialect that stand in a longer line, from {@code from} on;
   * spaces and tabs before them are skipped. What comes after them is not looked at.
   *
   * @throws CronSyntaxException with the offset, in the line, of what is wrong
   */
  public static Prefix krontabPrefix(String line, int from) {
    return KrontabDialect.parsePrefix(line, from);
  }

  /**
   * Reads the strict POSIX dialect: numbers, ranges and lists, nothing else.
   *
   * @throws InvalidCronExpressionException with the field and the reason, as the contract has it
   */
  public static CronExpression posix(String text) {
    return PosixDialect.parse(text);
  }

  /**
   * An expression found at the start of a line.
   *
   * @param end the offset right after its last field: of a space, a tab or the line's end
   */
  public record Prefix(CronExpression expression, int end) {}

  /** The expression as it was written. */
  public String text() {
    return text;
  }

  /**
   * The same expression in numbers, lists and ranges only: equal for two expressions whose fields
   * select the same, however they are written.
   */
  public String canonical() {
    return minutes.canonical();
  }

  /**
   * Whether neither the minute nor the hour begins with a star: a job of certain times of the day,
   * which cron treats apart when the clocks change.
   */
  boolean hasFixedTimes() {
    return fixedTimes;
  }

  MinuteSet minutes() {
    return minutes;
  }

  /** Equal if written alike: where both dialects accept a text, it means the same in both. */
  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof CronExpression that && text.equals(that.text);
  }

  @Override
  public int hashCode() {
    return text.hashCode();
  }

  @Override
  public String toString() {
    return text;
  }
}
