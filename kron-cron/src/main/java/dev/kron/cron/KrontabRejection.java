package dev.kron.cron;

/**
 * The words with which the krontab dialect rejects a text: what is written there, what is wrong
 * with it, what to write instead.
 */
final class KrontabRejection {
  private static final int QUOTED_CHARACTERS = 40;

  private final String text;

  KrontabRejection(String text) {
    this.text = text;
  }

  CronSyntaxException missing(CronField field, int position) {
    String problem =
        position == text.length()
            ? "the line ends before the " + field.title
            : quoted(position, endOfField(position))
                + " stands where the "
                + field.title
                + " is expected";
    return at(
        position,
        problem + ": a schedule begins with minute, hour, day of month, month and day of week");
  }

  CronSyntaxException more(int position) {
    return at(
        position,
        quoted(position, endOfField(position))
            + " follows the five cron fields, which end before it");
  }

  CronSyntaxException never(int dayStart) {
    return at(
        dayStart,
        CronField.DAY.title
            + " "
            + quoted(dayStart, endOfField(dayStart))
            + " never comes: no month that the expression allows is that long; "
            + "name a day that one of them has");
  }

  CronSyntaxException outOfRange(CronField field, int max, int start, int end) {
    return at(
        start,
        field.title
            + " "
            + quoted(start, end)
            + " is out of range: "
            + (field.min + "-" + max)
            + (field == CronField.WEEKDAY ? ", where 0 and 7 are Sunday" : ""));
  }

  CronSyntaxException stepOfZero(CronField field, int start) {
    return at(start, element(field, start) + " has a step of 0; a step is a number from 1 on");
  }

  CronSyntaxException stepWithoutRange(CronField field, int start, int end, int from) {
    int slash = text.indexOf('/', start);
    return at(
        start,
        element(field, start)
            + " has a step without a range; write "
            + text.substring(start, slash)
            + "-"
            + Math.max(from, field.max)
            + text.substring(slash, end));
  }

  CronSyntaxException backwards(CronField field, int start, int from, int to, int step) {
    return at(
        start,
        element(field, start)
            + " runs backwards; a range stays within "
            + field.bounds()
            + (step > 1 ? ": split it in two" : ": write " + forwards(field, from, to)));
  }

  private static String forwards(CronField field, int from, int to) {
    if (field == CronField.WEEKDAY && from == 7) {
      return "0-" + to;
    }
    if (field == CronField.WEEKDAY && to == 0) {
      return from + "-7";
    }
    return from + "-" + field.max + "," + field.min + "-" + to;
  }

  CronSyntaxException notCounted(CronField field, int start) {
    return at(
        start,
        element(field, start)
            + " is not understood; "
            + (field == CronField.DAY
                ? "the month's last day is L, and L-3 the third before it, alone or in a list"
                : "the third Friday is 5#3 or FRI#3, and the last 5L or FRIL, alone or in a list"));
  }

  CronSyntaxException tooFarFromEnd(int start) {
    return at(start, element(CronField.DAY, start) + " is out of range: L-1 to L-30");
  }

  CronSyntaxException notSoOften(int start) {
    return at(
        start,
        element(CronField.WEEKDAY, start)
            + " is out of range: a weekday comes up to five times in a month, #1 to #5");
  }

  CronSyntaxException notUnderstood(CronField field, int fieldStart, int start) {
    String what =
        start == endOfElement(start)
            ? field.title
                + " "
                + quoted(fieldStart, endOfField(fieldStart))
                + " has nothing before or after a comma"
            : element(field, start) + " is not understood";
    if (field == CronField.DAY
        && text.substring(start, endOfElement(start)).matches("[0-9Ll]*[Ww]")) {
      return at(
          start,
          what + "; W, the nearest weekday, is not known: name the days, or use @only(dow=)");
    }
    if (field == CronField.WEEKDAY
        && start + 1 == endOfElement(start)
        && (text.charAt(start) & ~0x20) == 'L') {
      return at(start, what + "; say the last of which weekday, as in 5L or FRIL");
    }
    int last = field.names.length() - 3;
    String names =
        last < 0 ? "" : ", " + field.names.substring(0, 3) + "-" + field.names.substring(last);
    return at(
        start,
        what
            + "; expected * or numbers "
            + field.bounds()
            + names
            + ", as in n, n-m, n-m/step, */step and lists of them"
            + counted(field));
  }

  private static String counted(CronField field) {
    return switch (field) {
      case DAY -> "; L is the month's last day, L-3 the third before it";
      case WEEKDAY -> "; 5#3 is the third Friday, 5L the last";
      case MINUTE, HOUR, MONTH -> "";
    };
  }

  private static CronSyntaxException at(int offset, String message) {
    return new CronSyntaxException(message, offset);
  }

  private String element(CronField field, int start) {
    return field.title + " " + quoted(start, endOfElement(start));
  }

  /** As it is, since the parsers of cron need nothing else; who shows it makes it visible. */
  private String quoted(int start, int end) {
    boolean tooLong = end - start > QUOTED_CHARACTERS;
    String shown = text.substring(start, tooLong ? start + QUOTED_CHARACTERS : end);
    return '"' + shown + (tooLong ? "…\"" : "\"");
  }

  private int endOfElement(int start) {
    int comma = text.indexOf(',', start);
    int end = endOfField(start);
    return comma < 0 ? end : Math.min(comma, end);
  }

  private int endOfField(int start) {
    int end = start;
    while (end < text.length() && text.charAt(end) != ' ' && text.charAt(end) != '\t') {
      end++;
    }
    return end;
  }
}
