package dev.kron.schedule;

/**
 * From what the choice of a period is derived, besides the job's identity.
 *
 * @param salt changes every choice when it is changed. Without quotes it may hold anything but
 *     white space, control characters, commas, parentheses and quotes; in quotes anything, with
 *     {@code \"} for a quote and {@code \\} for a backslash.
 */
public record Seed(Strategy strategy, String salt) {
  /** A choice of its own for every period, no salt. */
  public static final Seed STABLE = new Seed(Strategy.STABLE, "");

  /** Which periods share one choice. */
  public enum Strategy {
    /** None: each period has its own. */
    STABLE("stable"),
    /** Those of one local day. */
    DAILY("daily"),
    /** Those of one local ISO week. */
    WEEKLY("weekly");

    private final String text;

    Strategy(String text) {
      this.text = text;
    }

    /** The word in the schedule language. */
    public String text() {
      return text;
    }
  }

  /** Whether it is the one that a schedule without {@code @seed} has. */
  boolean isStable() {
    return strategy == Strategy.STABLE && salt.isEmpty();
  }

  @Override
  public String toString() {
    StringBuilder text = new StringBuilder("@seed(").append(strategy.text());
    if (!salt.isEmpty()) {
      text.append(",salt=");
      if (isPlain(salt)) {
        text.append(salt);
      } else {
        text.append('"').append(salt.replace("\\", "\\\\").replace("\"", "\\\"")).append('"');
      }
    }
    return text.append(')').toString();
  }

  private static boolean isPlain(String salt) {
    return salt.chars().allMatch(c -> isPlain((char) c));
  }

  /** Whether a character may stand in a salt without quotes. */
  static boolean isPlain(char c) {
    return c > ' ' && c != 0x7f && c != ',' && c != '(' && c != ')' && c != '"';
  }
}
