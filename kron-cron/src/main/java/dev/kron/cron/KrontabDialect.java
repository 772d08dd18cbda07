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

  /** What the day fields count within the month, so far. */
  private int daysFromEnd;

  private long daysByWeekday;

  private KrontabDialect(String text, int position) {
    this.text = text;
    this.position = position;
  }

  static CronExpression parse(String text) {
    var dialect = new KrontabDialect(text, 0);
    CronExpression expression = dialect.expression();
    dialect.skipBlanks();
    if (dialect.position < text.length()) {
      throw dialect.rejection().more(dialect.position);
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
    boolean fixed = !fieldBeginsWithStar();
    int hours = (int) field(CronField.HOUR);
    fixed &= !fieldBeginsWithStar();
    int days = (int) field(CronField.DAY);
    boolean anyDay = fieldIsStar();
    int dayStart = fieldStart;
    int months = (int) field(CronField.MONTH);
    int weekdays = (int) field(CronField.WEEKDAY);
    boolean anyWeekday = fieldIsStar();
    var counted =
        (daysFromEnd | daysByWeekday) == 0
            ? CountedDays.NONE
            : new CountedDays(daysFromEnd, daysByWeekday);
    var set =
        new MinuteSet(
            minutes, hours, months, new DayFields(days, anyDay, weekdays, anyWeekday, counted));
    if (set.isEmpty()) {
      throw rejection().never(dayStart);
    }
    return new CronExpression(text.substring(start, position), set, fixed);
  }

  /** Reads one field with the blanks before it; a bit for each value. */
  private long field(CronField field) {
    skipBlanks();
    if (position == text.length() || startsSomethingElse()) {
      throw rejection().missing(field, position);
    }
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
    return position - fieldStart == 1 && fieldBeginsWithStar();
  }

  private boolean fieldBeginsWithStar() {
    return text.charAt(fieldStart) == '*';
  }

  /** Whether a modifier or a {@code key=value} stands here. */
  private boolean startsSomethingElse() {
    char c = text.charAt(position);
    boolean surelyCron = c == '*' || (c >= '0' && c <= '9');
    if (surelyCron) {
      return false;
    }
    int end = position;
    while (end < text.length() && !isBlank(end)) {
      end++;
    }
    return c == '@' || text.indexOf('=', position, end) >= 0;
  }

  private long element(CronField field) {
    int start = position;
    if (field == CronField.DAY && atLetter('L')) {
      return fromEnd(start);
    }
    int from = field.min;
    int to = field.max;
    boolean single = false;
    if (at('*')) {
      position++;
    } else {
      from = value(field, start);
      if (field == CronField.WEEKDAY && (at('#') || atLetter('L'))) {
        return counted(from % 7, start);
      }
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
        throw rejection().stepWithoutRange(field, start, position, from);
      }
    }
    if (!atEndOfElement()) {
      throw rejection().notUnderstood(field, fieldStart, start);
    }
    if (from > to) {
      throw rejection().backwards(field, start, from, to, step);
    }
    return bits(field, from, to, step);
  }

  /** Reads {@code L} or {@code L-n}, which have no bits of their own. */
  private long fromEnd(int start) {
    position++;
    boolean last = !at('-');
    int before = 0;
    if (!last) {
      position++;
      before = digits();
    }
    if (before < 0 || !atEndOfElement()) {
      throw rejection().notCounted(CronField.DAY, start);
    }
    if (before > 30 || (before == 0 && !last)) {
      throw rejection().tooFarFromEnd(start);
    }
    daysFromEnd |= 1 << before;
    return 0;
  }

  /** Reads what follows the weekday in {@code d#n} or {@code dL}, which have no bits either. */
  private long counted(int weekday, int start) {
    boolean last = !at('#');
    position++;
    int n = last ? 1 : digits();
    if (n < 0 || !atEndOfElement()) {
      throw rejection().notCounted(CronField.WEEKDAY, start);
    }
    if (n < 1 || n > CountedDays.MOST_OFTEN) {
      throw rejection().notSoOften(start);
    }
    daysByWeekday |= last ? CountedDays.last(weekday) : CountedDays.nth(weekday, n);
    return 0;
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
    boolean counts = field == CronField.WEEKDAY && (at('#') || atLetter('L'));
    if (value < 0 || !(counts || atEndOfValue())) {
      throw rejection().notUnderstood(field, fieldStart, elementStart);
    }
    int max = field == CronField.WEEKDAY ? 7 : field.max;
    if (value < field.min || value > max) {
      throw rejection().outOfRange(field, max, start, position);
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
      throw rejection().notUnderstood(field, fieldStart, elementStart);
    }
    if (step == 0) {
      throw rejection().stepOfZero(field, elementStart);
    }
    return step;
  }

  private KrontabRejection rejection() {
    return new KrontabRejection(text);
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

  /** A letter in either case. */
  private boolean atLetter(char upper) {
    return position < text.length() && (text.charAt(position) & ~0x20) == upper;
  }

  private boolean atEndOfElement() {
    return atEndOfField() || at(',');
  }

  private boolean atEndOfField() {
    return position == text.length() || isBlank(position);
  }

  private boolean atEndOfValue() {
    return atEndOfField() || at(',') || at('-') || at('/');
  }
}
