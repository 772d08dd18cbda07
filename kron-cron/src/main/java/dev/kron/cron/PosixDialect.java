package dev.kron.cron;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/**
 * The parser of the POSIX dialect: the grammar of the declarative scheduler's contract and its
 * rules of what to reject, each with a reason of its own.
 */
final class PosixDialect {
  /** More than any bound, so numbers may stop growing here instead of overflowing. */
  private static final int HUGE = 1_000_000;

  /** ? and # anywhere; L, W, LW, 5L, 15W, L-3. */
  private static final Pattern QUARTZ =
      Pattern.compile(".*[?#].*|[0-9]*[LW]|LW|L-[0-9]+", Pattern.DOTALL);

  /** A word, or a range with a word at one of its ends. */
  private static final Pattern NAME =
      Pattern.compile("[A-Za-z]{2,}(-[A-Za-z0-9]+)?|[0-9]+-[A-Za-z]{2,}");

  private final String text;

  private PosixDialect(String text) {
    this.text = text;
  }

  static CronExpression parse(String text) {
    return new PosixDialect(text).expression();
  }

  private CronExpression expression() {
    List<String> fields = split();
    if (!fields.isEmpty() && fields.getFirst().startsWith("@")) {
      throw invalid(
          "is the macro " + quoted(fields.getFirst()) + "; write its five fields instead");
    }
    if (fields.size() != 5) {
      throw invalid("must have exactly 5 fields separated by blanks, but has " + fields.size());
    }
    String day = fields.get(2);
    String month = fields.get(3);
    String weekday = fields.get(4);
    long minutes = field(CronField.MINUTE, fields.get(0));
    int hours = (int) field(CronField.HOUR, fields.get(1));
    int days = (int) field(CronField.DAY, day);
    int months = (int) field(CronField.MONTH, month);
    int weekdays = (int) field(CronField.WEEKDAY, weekday);
    var dayFields =
        new DayFields(days, day.equals("*"), weekdays, weekday.equals("*"), CountedDays.NONE);
    var set = new MinuteSet(minutes, hours, months, dayFields);
    if (set.isEmpty()) {
      throw invalid(
          CronField.DAY,
          day,
          "can never match: no month of " + quoted(month) + " has a day " + quoted(day));
    }
    return new CronExpression(
        text, set, !fields.get(0).startsWith("*") && !fields.get(1).startsWith("*"));
  }

  /** Splits at spaces and tabs only; any other white space belongs to a field and is rejected. */
  private List<String> split() {
    var fields = new ArrayList<String>();
    int start = 0;
    for (int i = 0; i <= text.length(); i++) {
      if (i == text.length() || text.charAt(i) == ' ' || text.charAt(i) == '\t') {
        if (i > start) {
          fields.add(text.substring(start, i));
        }
        start = i + 1;
      }
    }
    return fields;
  }

  private long field(CronField field, String value) {
    if (value.equals("*")) {
      return field.all();
    }
    long bits = 0;
    for (String element : value.split(",", -1)) {
      bits |= element(field, value, element);
    }
    return bits;
  }

  private long element(CronField field, String value, String element) {
    int dash = element.indexOf('-');
    boolean single = isNumber(element);
    boolean range =
        dash > 0 && isNumber(element.substring(0, dash)) && isNumber(element.substring(dash + 1));
    if (!single && !range) {
      throw invalid(field, value, whatIsWrong(field, element));
    }
    if (single) {
      int number = number(field, value, element);
      return CronField.bits(number, number);
    }
    int from = number(field, value, element.substring(0, dash));
    int to = number(field, value, element.substring(dash + 1));
    if (from > to) {
      throw invalid(
          field,
          value,
          "has the wrap-around range "
              + quoted(element)
              + "; write it as two, such as "
              + (from + "-" + field.max + "," + field.min + "-" + to));
    }
    return CronField.bits(from, to);
  }

  private static boolean isNumber(String text) {
    return !text.isEmpty() && text.chars().allMatch(c -> c >= '0' && c <= '9');
  }

  private int number(CronField field, String value, String digits) {
    int number = 0;
    for (int i = 0; i < digits.length(); i++) {
      number = Math.min(HUGE, number * 10 + (digits.charAt(i) - '0'));
    }
    if (field == CronField.WEEKDAY && number == 7) {
      throw invalid(field, value, "has the value 7, which is not allowed; use 0 for Sunday");
    }
    if (number < field.min || number > field.max) {
      throw invalid(
          field, value, "has the value " + digits + ", which is out of range " + field.bounds());
    }
    return number;
  }

  /** Names the rule that an element breaks which is neither a number nor a range. */
  private static String whatIsWrong(CronField field, String element) {
    if (element.isEmpty()) {
      return "has an empty element in its list";
    }
    if (element.indexOf('/') >= 0) {
      return "uses step syntax " + quoted(element) + ", which is not allowed; list the values";
    }
    if (QUARTZ.matcher(element).matches()) {
      return "uses the Quartz token " + quoted(element) + ", which is not allowed";
    }
    if (NAME.matcher(element).matches()) {
      return "uses the name "
          + quoted(element)
          + ", which is not allowed; use a number "
          + field.bounds();
    }
    if (element.indexOf('*') >= 0) {
      return "has * inside " + quoted(element) + "; * stands alone or not at all";
    }
    if (element.startsWith("@")) {
      return "uses the macro " + quoted(element) + ", which is not allowed";
    }
    return "has " + quoted(element) + ", which is not a decimal number " + field.bounds();
  }

  private InvalidCronExpressionException invalid(CronField field, String value, String reason) {
    var cause =
        new FieldParseException(field.posixName + " field " + reason, value, field.posixName);
    return new InvalidCronExpressionException(text, field.posixName, reason, cause);
  }

  private InvalidCronExpressionException invalid(String reason) {
    return new InvalidCronExpressionException(text, "expression", reason, null);
  }

  private static String quoted(String value) {
    return '"' + value + '"';
  }
}
