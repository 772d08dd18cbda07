package dev.kron.cli.forecast;

import dev.kron.cli.forecast.Forecast.Series;
import dev.kron.cli.output.Output;
import dev.kron.cli.output.Style;
import dev.kron.cli.output.Times;
import java.io.IOException;
import java.time.ZoneOffset;
import org.jspecify.annotations.Nullable;

/** A forecast as two histograms on one scale, one above the other. */
public final class ForecastText {
  private static final int HEIGHT = 8;
  private static final String EIGHTHS = " ▁▂▃▄▅▆▇█";

  private final Forecast forecast;
  private final Output out;
  private final int columns;
  private final int bucketsPerColumn;
  private final int columnsPerBucket;
  private final int margin;

  public ForecastText(Forecast forecast, Output out) {
    this.forecast = forecast;
    this.out = out;
    this.margin = Math.max(4, ("" + scale()).length()) + 1;
    int room = Math.max(10, out.width() - margin - 2);
    this.bucketsPerColumn = Math.ceilDiv(forecast.buckets(), room);
    this.columnsPerBucket = Math.clamp(room / forecast.buckets(), 1, 6);
    this.columns = Math.ceilDiv(forecast.buckets(), bucketsPerColumn) * columnsPerBucket;
  }

  private int scale() {
    return Math.max(forecast.withoutWindows().peak(), forecast.withWindows().peak());
  }

  public void print() throws IOException {
    heading();
    if (scale() == 0) {
      out.line("Nothing starts in this time.");
      return;
    }
    series("without windows", forecast.withoutWindows(), Style.YELLOW);
    series("with windows", forecast.withWindows(), Style.GREEN);
    verdict();
  }

  private void heading() throws IOException {
    out.styled(Style.BOLD, "Starts per " + Times.span(forecast.bucketSeconds()));
    out.line(
        " of "
            + counted(forecast.jobs(), "job")
            + ", "
            + Times.utc(forecast.from())
            + " to "
            + Times.utc(forecast.end()));
    if (bucketsPerColumn > 1) {
      out.line("(a column shows the highest of " + bucketsPerColumn + " such buckets)");
    }
    out.line();
  }

  private void series(String name, Series series, Style style) throws IOException {
    out.styled(Style.BOLD, name);
    out.line(
        ": "
            + counted(series.total(), "start")
            + ", at most "
            + series.peak()
            + " together, at "
            + Times.utc(forecast.start(series.peakBucket())));
    for (int row = HEIGHT - 1; row >= 0; row--) {
      String label = row == HEIGHT - 1 ? "" + scale() : "";
      out.print(" ".repeat(margin - label.length() - 1) + label + " ");
      out.print(out.unicode() ? "│" : "|");
      out.styled(style, row(series, row));
      out.line();
    }
    axis();
    out.line();
  }

  private String row(Series series, int row) {
    StringBuilder text = new StringBuilder();
    for (int column = 0; column < columns; column++) {
      if (columnsPerBucket > 2 && column % columnsPerBucket == columnsPerBucket - 1) {
        text.append(' ');
        continue;
      }
      // In eighths of a character; whatever is not nothing shows at least one.
      double exact = (double) highest(series, column) * HEIGHT * 8 / scale();
      int eighths = (int) Math.ceil(exact) - row * 8;
      text.append(cell(Math.clamp(eighths, 0, 8)));
    }
    return text.toString().stripTrailing();
  }

  private char cell(int eighths) {
    if (out.unicode()) {
      return EIGHTHS.charAt(eighths);
    }
    return eighths == 0 ? ' ' : eighths <= 4 ? '.' : '#';
  }

  private int highest(Series series, int column) {
    int highest = 0;
    int first = column / columnsPerBucket * bucketsPerColumn;
    int last = Math.min(first + bucketsPerColumn, forecast.buckets());
    for (int bucket = first; bucket < last; bucket++) {
      highest = Math.max(highest, series.in(bucket));
    }
    return highest;
  }

  /** A line with a time under every twelfth column or so. */
  private void axis() throws IOException {
    out.print(" ".repeat(margin - 2) + "0 ");
    out.line((out.unicode() ? "└" : "+") + (out.unicode() ? "─" : "-").repeat(columns));
    StringBuilder labels = new StringBuilder(" ".repeat(margin + 1));
    @Nullable String day = null;
    int step = Math.ceilDiv(12, columnsPerBucket) * columnsPerBucket;
    for (int column = 0; column < columns; column += step) {
      long at = forecast.start(column / columnsPerBucket * bucketsPerColumn);
      String date = Times.date(at, ZoneOffset.UTC).substring(5);
      boolean newDay = !date.equals(day);
      String label = newDay && columns - column >= 11 ? date + " " : "";
      label += Times.minute(at, ZoneOffset.UTC);
      while (labels.length() < margin + 1 + column) {
        labels.append(' ');
      }
      if (column + 5 <= columns) {
        labels.append(label);
      }
      day = date;
    }
    out.line(labels.toString().stripTrailing());
  }

  private void verdict() throws IOException {
    int without = forecast.withoutWindows().peak();
    int with = forecast.withWindows().peak();
    if (with > 0) {
      out.styled(
          Style.BOLD,
          with < without
              ? "Windows lower the peak by a factor of " + Decimals.tenths(forecast.factor())
              : "Windows do not lower the peak");
      out.line(": from " + without + " to " + with + ".");
    }
    if (forecast.suspended() > 0) {
      out.line("Left out: " + counted(forecast.suspended(), "suspended job") + ".");
    }
    if (forecast.following() > 0) {
      out.line(
          "Not in the picture: "
              + counted(forecast.following(), "start")
              + " of jobs that follow a success (then), when that has come.");
    }
    if (forecast.retriesAtMost() > 0) {
      out.line(
          "Not in the picture: up to "
              + forecast.retriesAtMost()
              + " further attempts, if everything fails that is tried again.");
    }
    if (forecast.unschedulable() > 0) {
      out.line(
          "Without an allowed second, and so without a start: "
              + counted(forecast.unschedulable(), "period")
              + "; see kron lint.");
    }
  }

  private static String counted(long number, String thing) {
    return number + " " + thing + (number == 1 ? "" : "s");
  }
}
