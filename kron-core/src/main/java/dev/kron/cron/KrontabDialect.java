package dev.kron.cron;

/**
 * The parser of the krontab dialect. One pass over the characters, nothing allocated but the
 * result: krontabs of a million lines go through here.
 */
final class KrontabDialect {
  /** More than any bound, so numbers may stop growing here instead of overflowing. */
  private static final int HUGE = 1_000_000;

  private final String text;
  private int position;
  private int fieldStart;

  private KrontabDialect(String text, int position) {
    this.text = text;
    this.position = position;
  }

  static CronExpression parse(String text) {
    var dialect = new KrontabDialect(text, 0);
    CronExpression expression = dialect.expression();
    dialect.skipBlanks();
    if (dialect.position < text.length()) {
      throw dialect.error(
          dialect.position,
          dialect.quoted(dialect.position, dialect.tokenEnd(dialect.position))
              + " follows the five cron fields, which end before it");
    }
    return expression;
  }

  static CronExpression.Prefix parsePrefix(String line, int from) {
    var dialect = new KrontabDialect(line, from);
    CronExpression expression = dialect.expression();
    return new CronExpression.Prefix(expression, dialect.position);
  }

  private CronExpression expression() {
    skipBlanks();
    int start = position;
    long minutes = field(CronField.MINUTE);
    long hours = field(CronField.HOUR);
    long days = field(CronField.DAY);
    boolean anyDay = fieldIsStar();
    int dayStart = fieldStart;
    long months = field(CronField.MONTH);
    long weekdays = field(CronField.WEEKDAY);
    boolean anyWeekday = fieldIsStar();
    var set =
        new MinuteSet(
            minutes, (int) hours, (int) days, (int) months, (int) weekdays, anyDay, anyWeekday);
    if (set.isEmpty()) {
      throw error(
          dayStart,
          "day of month "
              + quoted(dayStart, tokenEnd(dayStart))
              + " never comes: no month that the expression allows is that long; "
              + "name a day that one of them has");
    }
    return new CronExpression(text.substring(start, position), set);
  }

  /** Reads one field with the blanks before it; a bit for each value. */
  private long field(CronField field) {
    skipBlanks();
    rejectMissing(field);
    fieldStart = position;
    long bits = 0;
    while (true) {
      bits |= element(field);
      if (atEndOfField()) {
        return bits;
      }
      position++; // a comma: an element ends nowhere else
    }
  }

  private boolean fieldIsStar() {
    return position - fieldStart == 1 && text.charAt(fieldStart) == '*';
  }

  private void rejectMissing(CronField field) {
    String problem =
        position == text.length()
            ? "the line ends before the " + field.title
            : startsSomethingElse()
                ? quoted(position, tokenEnd(position))
                    + " stands where the "
                    + field.title
                    + " is expected"
                : null;
    if (problem != null) {
      throw error(
          position,
          problem + ": a schedule begins with minute, hour, day of month, month and day of week");
    }
  }

  /** Whether a modifier or a {@code key=value} stands here. */
  private boolean startsSomethingElse() {
    char c = text.charAt(position);
    boolean surelyCron = c == '*' || (c >= '0' && c <= '9');
    return !surelyCron && (c == '@' || text.indexOf('=', position, tokenEnd(position)) >= 0);
  }

  private long element(CronField field) {
    int start = position;
    int from = field.min;
    int to = field.max;
    boolean single = false;
    if (at('*')) {
      position++;
    } else {
      from = value(field, start);
      single = !at('-');
      to = from;
      if (!single) {
        position++;
        to = value(field, start);
      }
    }
    int step = 1;
    if (at('/')) {
      position++;
      step = step(field, start);
      if (single) {
        throw stepWithoutRange(field, start, from);
      }
    }
    if (!atEndOfField() && !at(',')) {
      throw unexpected(field, start);
    }
    if (from > to) {
      throw backwards(field, start, from, to, step);
    }
    return bits(field, from, to, step);
  }

  private static long bits(CronField field, int from, int to, int step) {
    long bits = 0;
    if (step == 1) {
      bits = CronField.bits(from, to);
    } else {
      for (int value = from; value <= to; value += step) {
        bits |= 1L << value;
      }
    }
    // Sunday's second number, folded onto its first.
    return field == CronField.WEEKDAY ? (bits | bits >>> 7) & field.all() : bits;
  }

  private int value(CronField field, int elementStart) {
    int start = position;
    int value = digits();
    if (value < 0) {
      value = name(field);
    }
    if (value < 0 || !atEndOfValue()) {
      throw unexpected(field, elementStart);
    }
    int max = field == CronField.WEEKDAY ? 7 : field.max;
    if (value < field.min || value > max) {
      throw error(
          start,
          field.title
              + " "
              + quoted(start, position)
              + " is out of range: "
              + field.min
              + "-"
              + max
              + (field == CronField.WEEKDAY ? ", where 0 and 7 are Sunday" : ""));
    }
    return value;
  }

  /** A number, or -1 if there is none here. */
  private int digits() {
    int value = -1;
    while (position < text.length()) {
      int digit = text.charAt(position) - '0';
      if (digit < 0 || digit > 9) {
        break;
      }
      value = Math.min(HUGE, Math.max(value, 0) * 10 + digit);
      position++;
    }
    return value;
  }

  /** The value of a name, or -1 if there is none here. */
  private int name(CronField field) {
    for (int at = 0; at < field.names.length(); at += 3) {
      if (isName(field.names, at)) {
        position += 3;
        return field.min + at / 3;
      }
    }
    return -1;
  }

  /** ASCII letters in any case; a Turkish dotless i is not an I, whatever Unicode says. */
  private boolean isName(String names, int at) {
    if (position + 3 > text.length()) {
      return false;
    }
    for (int i = 0; i < 3; i++) {
      if ((text.charAt(position + i) & ~0x20) != names.charAt(at + i)) {
        return false;
      }
    }
    return true;
  }

  private int step(CronField field, int elementStart) {
    int step = digits();
    if (step < 0) {
      throw unexpected(field, elementStart);
    }
    if (step == 0) {
      throw error(
          elementStart,
          element(field, elementStart) + " has a step of 0; a step is a number from 1 on");
    }
    return step;
  }

  private CronSyntaxException stepWithoutRange(CronField field, int start, int from) {
    int slash = text.indexOf('/', start);
    return error(
        start,
        element(field, start)
            + " has a step without a range; write "
            + text.substring(start, slash)
            + "-"
            + Math.max(from, field.max)
            + text.substring(slash, position));
  }

  private CronSyntaxException backwards(CronField field, int start, int from, int to, int step) {
    boolean untilSunday = field == CronField.WEEKDAY && to == 0;
    String remedy = untilSunday ? from + "-7" : from + "-" + field.max + "," + field.min + "-" + to;
    return error(
        start,
        element(field, start)
            + " runs backwards; a range stays within "
            + field.bounds()
            + (step > 1 ? ": split it in two" : ": write " + remedy));
  }

  private CronSyntaxException unexpected(CronField field, int elementStart) {
    int end = elementEnd(elementStart);
    String what =
        elementStart == end
            ? field.title
                + " "
                + quoted(fieldStart, tokenEnd(fieldStart))
                + " has nothing before or after a comma"
            : element(field, elementStart) + " is not understood";
    int last = field.names.length() - 3;
    String names =
        last < 0 ? "" : ", " + field.names.substring(0, 3) + "-" + field.names.substring(last);
    return error(
        elementStart,
        what
            + "; expected * or numbers "
            + field.bounds()
            + names
            + ", as in n, n-m, n-m/step, */step and lists of them");
  }

  /** The field's title and the whole element, for a message. */
  private String element(CronField field, int start) {
    return field.title + " " + quoted(start, elementEnd(start));
  }

  private String quoted(int start, int end) {
    boolean tooLong = end - start > 40;
    return '"' + text.substring(start, tooLong ? start + 40 : end) + (tooLong ? "…\"" : "\"");
  }

  private CronSyntaxException error(int offset, String message) {
    return new CronSyntaxException(message, offset);
  }

  private void skipBlanks() {
    while (position < text.length() && isBlank(position)) {
      position++;
    }
  }

  private boolean isBlank(int index) {
    char c = text.charAt(index);
    return c == ' ' || c == '\t';
  }

  private boolean at(char c) {
    return position < text.length() && text.charAt(position) == c;
  }

  private boolean atEndOfField() {
    return position == text.length() || isBlank(position);
  }

  private boolean atEndOfValue() {
    return atEndOfField() || at(',') || at('-') || at('/');
  }

  private int elementEnd(int start) {
    int end = start;
    while (end < text.length() && text.charAt(end) != ',' && !isBlank(end)) {
      end++;
    }
    return end;
  }

  private int tokenEnd(int start) {
    int end = start;
    while (end < text.length() && !isBlank(end)) {
      end++;
    }
    return end;
  }
}
