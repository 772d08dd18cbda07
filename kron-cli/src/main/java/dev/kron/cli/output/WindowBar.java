package dev.kron.cli.output;

import java.io.IOException;
import java.time.ZoneId;
import java.util.Arrays;

/** A window as a line from its first second to its last, with marks on it. */
public final class WindowBar {
  private static final char LINE = '-';
  private static final char CHOSEN = '*';
  private static final char REJECTED = 'x';
  private static final char NOMINAL = '|';

  private final long start;
  private final long end;
  private final long[] rejected = new long[64];
  private int rejections;
  private long nominal = Long.MIN_VALUE;
  private long chosen = Long.MIN_VALUE;

  public WindowBar(long start, long end) {
    this.start = start;
    this.end = end;
  }

  public void nominal(long second) {
    nominal = second;
  }

  public void rejected(long second) {
    if (rejections < rejected.length) {
      rejected[rejections++] = second;
    }
  }

  public void chosen(long second) {
    chosen = second;
  }

  /** Draws the bar, the chosen time under its mark, and what the marks mean. */
  public void draw(Output out, ZoneId zone) throws IOException {
    String left = Times.clock(start, zone, start);
    String right = Times.clock(end, zone, start);
    int width = Math.max(10, out.width() - left.length() - right.length() - 8);
    char[] bar = marks(width);
    out.print("  " + left + " ");
    out.print(out.unicode() ? "├" : "[");
    for (char mark : bar) {
      mark(out, mark);
    }
    out.print(out.unicode() ? "┤" : "]");
    out.line(" " + right);
    int indent = left.length() + 4;
    if (chosen != Long.MIN_VALUE) {
      String time = Times.clock(chosen, zone, start);
      int under = indent + position(chosen, width) - time.length() / 2;
      out.print(" ".repeat(Math.max(0, under)));
      out.styled(Style.GREEN, time);
      out.line();
    }
    legend(out, indent);
  }

  private char[] marks(int width) {
    char[] bar = new char[width];
    Arrays.fill(bar, LINE);
    if (nominal >= start && nominal <= end) {
      bar[position(nominal, width)] = NOMINAL;
    }
    for (int i = 0; i < rejections; i++) {
      bar[position(rejected[i], width)] = REJECTED;
    }
    if (chosen != Long.MIN_VALUE) {
      bar[position(chosen, width)] = CHOSEN;
    }
    return bar;
  }

  private int position(long second, int width) {
    double share = (double) (second - start) / (end - start);
    return (int) Math.round(share * (width - 1));
  }

  private void mark(Output out, char mark) throws IOException {
    boolean unicode = out.unicode();
    switch (mark) {
      case CHOSEN -> out.styled(Style.GREEN, unicode ? "●" : "*");
      case REJECTED -> out.styled(Style.RED, unicode ? "×" : "x");
      case NOMINAL -> out.print(unicode ? "┼" : "|");
      default -> out.print(unicode ? "─" : "-");
    }
  }

  private void legend(Output out, int indent) throws IOException {
    out.print(" ".repeat(indent));
    String gap = "";
    for (char mark : new char[] {CHOSEN, REJECTED, NOMINAL}) {
      String meaning =
          switch (mark) {
            case CHOSEN -> chosen == Long.MIN_VALUE ? "" : " chosen";
            case REJECTED -> rejections == 0 ? "" : " rejected";
            default -> nominal == Long.MIN_VALUE ? "" : " nominal time";
          };
      if (!meaning.isEmpty()) {
        out.print(gap);
        mark(out, mark);
        out.print(meaning);
        gap = "   ";
      }
    }
    out.line();
  }
}
