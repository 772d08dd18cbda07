package dev.kron.schedule;

import dev.kron.cron.Boot;
import dev.kron.cron.CronExpression;
import dev.kron.cron.CronSyntaxException;
import dev.kron.cron.Manual;
import dev.kron.text.VisibleText;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Finds the cron fields, or what stands in their place, and the modifiers in a text. Total:
 * whatever the text, it returns with everything that is wrong in it, not just the first.
 *
 * <p>After a problem it goes on behind the damaged token, so that one slip gives one message.
 */
final class ScheduleParser {
  private static final int CRON_FIELDS = 5;

  private final String text;
  private final Report report;
  private final Modifiers modifiers;
  private int at;
  private int start;

  ScheduleParser(String text) {
    this.text = text;
    this.report = new Report(text);
    this.modifiers = new Modifiers(text, report);
  }

  /** Reads up to the first token that belongs to something else. */
  Schedule.Prefix readPrefix() {
    CronExpression cron = readWhen();
    while (at < text.length() && text.charAt(at) == '@') {
      readModifier(false);
      skipBlanks();
    }
    return result(cron);
  }

  /** Reads everything; nothing else may follow. */
  Schedule.Prefix readWhole() {
    CronExpression cron = readWhen();
    boolean strayReported = false;
    while (at < text.length()) {
      if (text.charAt(at) == '@') {
        readModifier(false);
      } else {
        int end = tokenEnd(at);
        if (!strayReported) {
          report.add(
              at,
              report.quote(at, end)
                  + " follows the five cron fields; only modifiers such as @win(after,2h) may stand"
                  + " here");
          strayReported = true;
        }
        at = end;
      }
      skipBlanks();
    }
    return result(cron);
  }

  private Schedule.Prefix result(@Nullable CronExpression cron) {
    modifiers.finish();
    Schedule schedule = report.isEmpty() ? modifiers.schedule(cron, written(cron)) : null;
    return new Schedule.Prefix(schedule, report.problems(), at);
  }

  /** A schedule without modifiers shares the text of its fields: there may be a million. */
  private String written(@Nullable CronExpression cron) {
    String all = text.substring(start, at).stripTrailing();
    return cron != null && all.equals(cron.text()) ? cron.text() : all;
  }

  /** Reads the fields, or what stands in their place, of which the modifiers know then. */
  private @Nullable CronExpression readWhen() {
    skipBlanks();
    start = at;
    int nameEnd = at;
    while (nameEnd < text.length() && text.charAt(nameEnd) != '(' && !isBlank(nameEnd)) {
      nameEnd++;
    }
    Modifier word =
        nameEnd > at && text.charAt(at) == '@' ? Modifier.named(text, at + 1, nameEnd) : null;
    if (word == null || !word.standsForFields()) {
      return readCron();
    }
    boolean hasValue = nameEnd < text.length() && text.charAt(nameEnd) == '(';
    if (word.isAlone() && !hasValue) {
      modifiers.inPlaceOfFields(word == Modifier.BOOT ? Boot.INSTANCE : Manual.INSTANCE);
      at = nameEnd;
    } else {
      readModifier(true);
    }
    skipBlanks();
    return null;
  }

  /** Leaves the position at the first token after the fields. */
  private @Nullable CronExpression readCron() {
    int end = at;
    int fields = 0;
    while (fields < CRON_FIELDS && at < text.length() && text.charAt(at) != '@') {
      int tokenEnd = tokenEnd(at);
      if (text.indexOf('=', at, tokenEnd) >= 0) {
        break; // a field of a krontab line
      }
      end = tokenEnd;
      at = tokenEnd;
      fields++;
      skipBlanks();
    }
    if (fields < CRON_FIELDS) {
      reportMissingFields(start, end, fields);
      return null;
    }
    try {
      return CronExpression.krontab(text.substring(start, end));
    } catch (CronSyntaxException e) {
      reportFields(start, end, e);
      return null;
    }
  }

  /** Reports the first bad field and, with a star in its place, those after it. */
  private void reportFields(int start, int end, CronSyntaxException first) {
    StringBuilder fields = new StringBuilder(text).delete(end, text.length()).delete(0, start);
    @Nullable CronSyntaxException next = first;
    for (int i = 0; i < CRON_FIELDS && next != null; i++) {
      int offset = next.offset();
      report.add(start + offset, VisibleText.of(Objects.requireNonNull(next.getMessage())));
      int from = offset;
      while (from > 0 && !isBlank(start + from - 1)) {
        from--;
      }
      int to = tokenEnd(start + offset) - start;
      fields.replace(from, to, "*" + " ".repeat(to - from - 1));
      next = failure(fields.toString());
    }
  }

  private static @Nullable CronSyntaxException failure(String fields) {
    try {
      CronExpression.krontab(fields);
      return null;
    } catch (CronSyntaxException e) {
      return e;
    }
  }

  private void reportMissingFields(int start, int end, int fields) {
    String macro = fields == 0 ? macro() : null;
    if (macro != null) {
      report.add(at, macro);
      at = tokenEnd(at);
      skipBlanks();
      return;
    }
    String form =
        "; a schedule begins with five fields: minute, hour, day of month, month, day of week,"
            + " such as 30 4 * * *";
    report.add(
        fields == 0 ? at : start,
        fields == 0
            ? "the cron fields are missing" + form
            : report.quote(start, end)
                + " has "
                + fields
                + (fields == 1 ? " cron field" : " cron fields")
                + form);
  }

  /** What to write instead of the macros that other crons know; null where none stands here. */
  private @Nullable String macro() {
    int end = tokenEnd(at);
    if (at == end || text.charAt(at) != '@' || text.charAt(end - 1) == ')') {
      return null;
    }
    String fields =
        switch (text.substring(at, end)) {
          case "@yearly", "@annually" -> "0 0 1 1 *";
          case "@monthly" -> "0 0 1 * *";
          case "@weekly" -> "0 0 * * 0";
          case "@daily", "@midnight" -> "0 0 * * *";
          case "@hourly" -> "0 * * * *";
          case "@reboot" -> "@boot";
          default -> null;
        };
    return fields == null
        ? null
        : "macros such as " + report.quote(at, end) + " are not known; write " + fields;
  }

  /**
   * Reads {@code @name(body)} and leaves the position behind it.
   *
   * @param first whether it stands where the cron fields would
   */
  private void readModifier(boolean first) {
    int start = at;
    int nameEnd = start + 1;
    while (nameEnd < text.length() && text.charAt(nameEnd) != '(' && !isBlank(nameEnd)) {
      nameEnd++;
    }
    Modifier modifier = Modifier.named(text, start + 1, nameEnd);
    if (modifier != null && modifier.standsForFields() && !first) {
      at = tokenEnd(start);
      report.add(
          start,
          report.quote(start, at)
              + " stands in place of the five cron fields, at the beginning; leave out one of"
              + " them");
      return;
    }
    if (nameEnd == text.length() || text.charAt(nameEnd) != '(') {
      report.add(
          start,
          modifier == null
              ? Modifier.unknown(text, start, nameEnd)
              : report.quote(start, nameEnd)
                  + " has no value; write it in parentheses, as in "
                  + modifier.example());
      at = nameEnd;
      return;
    }
    int bodyStart = nameEnd + 1;
    int close = closingParenthesis(start, bodyStart);
    if (modifier == null) {
      report.add(start, Modifier.unknown(text, start, nameEnd));
    }
    if (close < 0) {
      return;
    }
    at = close + 1;
    if (at < text.length() && !isBlank(at)) {
      int end = tokenEnd(at);
      report.add(
          at,
          report.quote(at, end)
              + " follows the closing parenthesis of "
              + report.quote(start, at)
              + "; put a space between them");
      at = text.charAt(at) == '@' ? at : end;
    }
    if (modifier != null) {
      modifiers.read(modifier, start, bodyStart, close);
    }
  }

  /**
   * The closing parenthesis, or a negative number where the body cannot be read; the problem is
   * reported then, and the position is behind the damaged token.
   */
  private int closingParenthesis(int start, int bodyStart) {
    int i = bodyStart;
    while (i < text.length()) {
      char c = text.charAt(i);
      if (c == ')') {
        return i;
      }
      if (c == ' ' || c == '\t') {
        return recoverFromBlank(start, i);
      }
      if (c == '"' && text.charAt(i - 1) == '=') {
        int quoteEnd = closingQuote(i);
        if (quoteEnd < 0) {
          report.add(i, "the quote that begins here is never closed; end it with \"");
          at = tokenEnd(i);
          return -1;
        }
        i = quoteEnd;
      }
      i++;
    }
    report.add(start, report.quote(start, i) + " is never closed; end it with )");
    at = i;
    return -1;
  }

  private int recoverFromBlank(int start, int blank) {
    int i = blank;
    while (i < text.length() && ")(\"@".indexOf(text.charAt(i)) < 0) {
      i++;
    }
    boolean closedLater = i < text.length() && text.charAt(i) == ')';
    if (closedLater) {
      report.add(
          blank,
          "white space inside the parentheses of "
              + report.quote(start, i + 1)
              + "; write it without, only a quoted salt may hold any");
      at = i + 1;
    } else {
      report.add(start, report.quote(start, blank) + " is never closed; end it with )");
      at = blank;
    }
    return -1;
  }

  /** The quote that ends the quoted text beginning at an index, or a negative number. */
  private int closingQuote(int start) {
    for (int i = start + 1; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '\\') {
        i++;
      } else if (c == '"') {
        return i;
      }
    }
    return -1;
  }

  private void skipBlanks() {
    while (at < text.length() && isBlank(at)) {
      at++;
    }
  }

  private int tokenEnd(int start) {
    int end = start;
    while (end < text.length() && !isBlank(end)) {
      end++;
    }
    return end;
  }

  private boolean isBlank(int index) {
    char c = text.charAt(index);
    return c == ' ' || c == '\t';
  }
}
