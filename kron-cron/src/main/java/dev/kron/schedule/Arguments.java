package dev.kron.schedule;

import dev.kron.cron.NominalTimes;
import dev.kron.text.Suggestion;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.List;
import java.util.regex.Pattern;

/**
 * Steps through the comma-separated arguments of a modifier, words and {@code key=value} pairs.
 *
 * <p>Works on indexes into the line; a text is cut out only to be kept or to be shown.
 */
final class Arguments {
  private static final Pattern MOMENT =
      Pattern.compile("(?!0000)[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z");

  private final String text;
  private final Report report;
  private final Modifier modifier;
  private final int bodyEnd;
  private int start;
  private int end;
  private int valueStart;
  private int seenKeys;

  Arguments(String text, Report report, Modifier modifier, int bodyStart, int bodyEnd) {
    this.text = text;
    this.report = report;
    this.modifier = modifier;
    this.bodyEnd = bodyEnd;
    this.end = bodyStart - 1; // as if a comma stood before the first
    this.start = bodyStart;
  }

  /** Moves to the next argument; false, and still at the last one, where there is none. */
  boolean next() {
    if (end >= bodyEnd) {
      return false;
    }
    start = end + 1;
    end = start;
    boolean quoted = false;
    while (end < bodyEnd && (quoted || text.charAt(end) != ',')) {
      char c = text.charAt(end);
      if (quoted && c == '\\') {
        end++;
      } else if (c == '"' && (quoted || text.charAt(end - 1) == '=')) {
        quoted = !quoted;
      }
      end++;
    }
    return true;
  }

  int start() {
    return start;
  }

  int valueStart() {
    return valueStart;
  }

  String quoted() {
    return report.quote(start, end);
  }

  boolean is(String word) {
    return matches(word, start);
  }

  boolean valueIs(String word) {
    return matches(word, valueStart);
  }

  private boolean matches(String word, int from) {
    return end - from == word.length() && text.startsWith(word, from);
  }

  void reportUnknown(String what, List<String> allowed) {
    String word = text.substring(start, end);
    report.add(
        start,
        (word.isEmpty() ? what + " missing" : "unknown " + what + " " + quoted())
            + Suggestion.didYouMean(word, allowed, "")
            + "; expected "
            + anyOf(allowed));
  }

  void reportUnknownValue(String key, List<String> allowed) {
    String word = text.substring(valueStart, end);
    report.add(
        valueStart,
        report.quote(start, end)
            + " is not known"
            + Suggestion.didYouMean(word, allowed, key + "=")
            + "; "
            + key
            + " is "
            + anyOf(allowed));
  }

  void reportValue(String message) {
    report.add(valueStart, message);
  }

  /** Which of the keys this argument has; a negative number, and a report, where it has none. */
  int key(List<String> allowed) {
    int equals = text.indexOf('=', start);
    if (equals < 0 || equals >= end) {
      report.add(
          start,
          (start == end ? "an argument is missing" : quoted() + " is no key=value pair")
              + " in "
              + modifier.word()
              + expectation(allowed));
      return -1;
    }
    valueStart = equals + 1;
    for (int i = 0; i < allowed.size(); i++) {
      String key = allowed.get(i);
      if (equals - start == key.length() && text.startsWith(key, start)) {
        if ((seenKeys & (1 << i)) != 0) {
          report.add(start, quoted() + " gives " + key + " a second time; once is enough");
          return -1;
        }
        seenKeys |= 1 << i;
        return i;
      }
    }
    report.add(
        start,
        "unknown key "
            + report.quote(start, equals)
            + " in "
            + modifier.word()
            + Suggestion.didYouMean(text.substring(start, equals), allowed, "")
            + expectation(allowed));
    return -1;
  }

  private static String expectation(List<String> allowed) {
    return allowed.isEmpty()
        ? "; this one takes no parameters"
        : "; expected " + anyOf(allowed.stream().map(key -> key + "=\u2026").toList());
  }

  static String anyOf(List<String> words) {
    if (words.size() == 1) {
      return words.getFirst();
    }
    return String.join(", ", words.subList(0, words.size() - 1)) + " or " + words.getLast();
  }

  /** A duration from an index to the argument's end; negative, and reported, where it is none. */
  long duration(int from, String what) {
    GoDuration.Reading reading = new GoDuration.Reading(text, from, end);
    long nanos = reading.read();
    if (reading.problem != null) {
      report.add(reading.problemOffset, reading.problem);
      return -1;
    }
    if (nanos < 0) {
      report.add(
          from,
          what + " cannot be negative, but " + report.quote(from, end) + " is; write 0s or more");
      return -1;
    }
    return nanos;
  }

  /** A moment in UTC to the second; {@code NominalTimes.NONE}, and reported, where it is none. */
  long second() {
    String moment = text.substring(valueStart, end);
    if (MOMENT.matcher(moment).matches()) {
      try {
        return Instant.parse(moment).getEpochSecond();
      } catch (DateTimeParseException e) {
        // A day or an hour that does not exist.
      }
    }
    reportValue(
        quoted() + " is no moment; write it in UTC to the second, as in 2026-01-01T00:00:00Z");
    return NominalTimes.NONE;
  }

  boolean bool(String key) {
    if (valueIs("true")) {
      return true;
    }
    if (!valueIs("false")) {
      reportUnknownValue(key, List.of("true", "false"));
    }
    return false;
  }

  /** A number above 0; NaN, and reported, where it is none. */
  double positive(String key) {
    String number = text.substring(valueStart, end);
    double value = PositiveNumber.parse(number);
    if (Double.isNaN(value)) {
      report.add(
          valueStart,
          key
              + " must be a number above 0, such as 2.5, but "
              + quoted()
              + PositiveNumber.problem(number));
    }
    return value;
  }

  /** The value as plain or quoted text; empty, and reported, where it is neither. */
  String quotableValue() {
    return valueStart < end && text.charAt(valueStart) == '"' ? unquoted() : plain();
  }

  private String plain() {
    for (int i = valueStart; i < end; i++) {
      if (!Seed.isPlain(text.charAt(i))) {
        report.add(
            i,
            report.quote(i, i + 1)
                + " cannot stand in an unquoted salt; write salt=\"\u2026\", with \\\" for a quote"
                + " and \\\\ for a backslash");
        return "";
      }
    }
    return text.substring(valueStart, end);
  }

  private String unquoted() {
    StringBuilder value = new StringBuilder(end - valueStart);
    int i = valueStart + 1;
    for (; i < end && text.charAt(i) != '"'; i++) {
      char c = text.charAt(i);
      if (c == '\\') {
        i++;
        c = i < end ? text.charAt(i) : 0;
        if (c != '"' && c != '\\') {
          report.add(
              i - 1,
              "unknown escape "
                  + report.quote(i - 1, Math.min(i + 1, end))
                  + " in a quoted salt; only \\\" and \\\\ are known");
          return "";
        }
      }
      value.append(c);
    }
    if (i + 1 != end) {
      report.add(
          Math.min(i + 1, end),
          report.quote(Math.min(i + 1, end), end) + " follows the closing quote of a salt");
      return "";
    }
    return value.toString();
  }
}
