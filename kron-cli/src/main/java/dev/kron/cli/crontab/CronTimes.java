package dev.kron.cli.crontab;

import dev.kron.cron.CronExpression;
import dev.kron.cron.CronSyntaxException;
import java.util.List;

/**
 * The time fields of a crontab entry, and the same times in the krontab language.
 *
 * <p>Cron lets a day match if either day field does, unless one of them <em>begins</em> with a
 * star; then both must match. Here a field is unrestricted only if it <em>is</em> a star. So with
 * {@code *}{@code /2} beside a restricted field, the times are those of one of them, and a
 * constraint wants the other.
 *
 * @param fields five, separated by spaces
 * @param only the constraint, empty where none is needed
 * @param wild whether cron lets the job follow the clock when that is set: its minute or its hour
 *     begins with a star. Other jobs run once for each of their times, even if the clock skips or
 *     repeats it
 */
record CronTimes(String fields, String only, boolean wild) {
  private static final String ANY = "*";

  /**
   * @throws CronSyntaxException where the krontab language has no such fields
   */
  static CronTimes of(List<String> fields) {
    CronExpression.krontab(String.join(" ", fields));
    boolean wild = isStarred(fields.get(0)) || isStarred(fields.get(1));
    String day = fields.get(2);
    String weekday = fields.get(4);
    boolean both = isStarred(day) || isStarred(weekday);
    if (!both || day.equals(ANY) || weekday.equals(ANY)) {
      return new CronTimes(String.join(" ", fields), "", wild);
    }
    String days = CronExpression.krontab("0 0 " + day + " * *").canonical().split(" ")[2];
    String weekdays = CronExpression.krontab("0 0 * * " + weekday).canonical().split(" ")[4];
    boolean needsBoth = !days.equals(ANY) && !weekdays.equals(ANY);
    // The times come from the field with fewer days, so that fewer of them are constrained away.
    boolean byDay = weekdays.equals(ANY) || (!days.equals(ANY) && perMonth(days, weekdays));
    return new CronTimes(
        String.join(
            " ",
            fields.get(0),
            fields.get(1),
            byDay && !days.equals(ANY) ? day : ANY,
            fields.get(3),
            byDay ? ANY : weekdays.equals(ANY) ? ANY : weekday),
        needsBoth ? "@only(dom=" + days + ";dow=" + weekdays + ")" : "",
        wild);
  }

  private static boolean isStarred(String field) {
    return field.startsWith(ANY);
  }

  /** Whether the days of the month are fewer than those of the weekdays. */
  private static boolean perMonth(String days, String weekdays) {
    return count(days) * 7 < count(weekdays) * 30;
  }

  private static int count(String list) {
    int count = 0;
    for (String element : list.split(",")) {
      int dash = element.indexOf('-');
      count +=
          dash < 0
              ? 1
              : Integer.parseInt(element.substring(dash + 1))
                  - Integer.parseInt(element.substring(0, dash))
                  + 1;
    }
    return count;
  }
}
