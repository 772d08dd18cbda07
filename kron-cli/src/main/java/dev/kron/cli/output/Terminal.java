package dev.kron.cli.output;

import dev.kron.cli.output.Output.Look;
import org.jspecify.annotations.Nullable;

/**
 * The terminal, as the launcher found it. The shell asks, because asking from Java ({@code
 * Console.isTerminal}) starts a line editor. Unless a stream is a terminal it looks the same
 * everywhere, so that what is piped or kept in a file depends on nothing around it.
 */
public final class Terminal {
  /** The property that holds the columns of standard output. */
  public static final String OUT = "kron.terminal.out";

  /** The property that holds the columns of standard error. */
  public static final String ERR = "kron.terminal.err";

  private static final int NARROWEST = 40;
  private static final int WIDEST = 200;

  private Terminal() {}

  /** Whether the stream of this property is a terminal. */
  public static boolean isTerminal(String property) {
    return System.getProperty(property) != null;
  }

  /**
   * The look of a stream; the property holds its columns, and is absent where it is no terminal.
   */
  public static Look look(String property) {
    String columns = System.getProperty(property);
    if (columns == null) {
      return Look.PLAIN;
    }
    return look(
        columns,
        System.getProperty("kron.terminal.locale"),
        System.getenv("TERM"),
        System.getenv("NO_COLOR"));
  }

  static Look look(
      String columns,
      @Nullable String locale,
      @Nullable String terminal,
      @Nullable String noColour) {
    boolean unicode = locale != null && isUtf8(locale);
    boolean plain = terminal == null || terminal.equals("dumb");
    boolean colour = !plain && (noColour == null || noColour.isEmpty());
    return new Look(width(columns), unicode, colour);
  }

  private static boolean isUtf8(String locale) {
    int dot = locale.indexOf('.');
    String charset = locale.substring(dot + 1);
    return dot >= 0
        && (charset.regionMatches(true, 0, "UTF-8", 0, 5)
            || charset.regionMatches(true, 0, "UTF8", 0, 4));
  }

  private static int width(String columns) {
    try {
      return Math.clamp(Integer.parseInt(columns), NARROWEST, WIDEST);
    } catch (NumberFormatException e) {
      return Look.PLAIN.width();
    }
  }
}
