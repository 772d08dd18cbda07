package dev.kron.config;

import dev.kron.job.RetryPolicy;
import dev.kron.schedule.GoDuration;
import dev.kron.text.VisibleText;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/** The fields of an entry about success and retries. */
final class RetryFields {
  private static final long LONGEST_MILLIS = 8784L * 3_600_000;

  private final Line line;
  private int retries;
  private @Nullable Long delayMillis;
  private @Nullable Long longestMillis;
  private List<Integer> okExit = RetryPolicy.NONE.okExit();

  RetryFields(Line line) {
    this.line = line;
  }

  void set(Key key, String value, int start) {
    switch (key) {
      case RETRIES -> retries = retries(value, start);
      case RETRYDELAY -> delayMillis = millis(key, value, start);
      case RETRYMAX -> longestMillis = millis(key, value, start);
      case OKEXIT -> okExit = exitCodes(value, start);
      default -> throw new IllegalArgumentException(key.text);
    }
  }

  private int retries(String value, int start) {
    int number = value.matches("[0-9]{1,3}") ? Integer.parseInt(value) : -1;
    if (number < 0 || number > RetryPolicy.MOST) {
      line.error(
          start,
          "retries is "
              + VisibleText.quote(value)
              + "; expected how often to try again, 0 to "
              + RetryPolicy.MOST);
      return 0;
    }
    return number;
  }

  private @Nullable Long millis(Key key, String value, int start) {
    try {
      long millis = GoDuration.parseNanos(value) / 1_000_000;
      if (millis >= 1 && millis <= LONGEST_MILLIS) {
        return millis;
      }
      line.error(start, key.text + " is " + VisibleText.quote(value) + "; expected 1ms to 8784h");
    } catch (IllegalArgumentException notADuration) {
      line.error(
          start, key.text + ": " + VisibleText.of(String.valueOf(notADuration.getMessage())));
    }
    return null;
  }

  private List<Integer> exitCodes(String value, int start) {
    var codes = new ArrayList<Integer>();
    for (String word : value.split(",", -1)) {
      String digits = word.strip();
      int code = digits.matches("[0-9]{1,3}") ? Integer.parseInt(digits) : -1;
      if (code < 0 || code > 255) {
        line.error(
            start,
            "okexit is "
                + VisibleText.quote(value)
                + "; expected exit codes from 0 to 255, such as okexit=\"0,3\"");
        return RetryPolicy.NONE.okExit();
      }
      if (!codes.contains(code)) {
        codes.add(code);
      }
    }
    if (!codes.contains(0)) {
      line.warning(start, "okexit does not list 0: a command that exits 0 counts as failed");
    }
    return codes;
  }

  /**
   * The policy that the fields describe together.
   *
   * @param place gives the position of a field
   */
  RetryPolicy policy(ToIntFunction<String> place) {
    if (retries == 0) {
      tellOfNoEffect(delayMillis, Key.RETRYDELAY, place);
      tellOfNoEffect(longestMillis, Key.RETRYMAX, place);
    }
    long delay = delayMillis == null ? RetryPolicy.NONE.delayMillis() : delayMillis;
    long longest = longestMillis == null ? RetryPolicy.NONE.longestMillis() : longestMillis;
    if (retries > 0 && delay > longest) {
      line.warning(
          place.applyAsInt(delayMillis == null ? Key.RETRYMAX.text : Key.RETRYDELAY.text),
          "retrydelay is longer than retrymax: every wait is "
              + GoDuration.format(longest * 1_000_000));
    }
    return new RetryPolicy(retries, delay, longest, okExit);
  }

  private void tellOfNoEffect(@Nullable Long value, Key key, ToIntFunction<String> place) {
    if (value != null) {
      line.warning(
          place.applyAsInt(key.text), key.text + " has no effect without retries=1 or more");
    }
  }
}
