package dev.kron.cli.forecast;

import dev.kron.cli.forecast.Forecast.Series;
import dev.kron.cli.output.Output;
import dev.kron.cli.output.Times;
import java.io.IOException;
import java.time.ZoneOffset;

/**
 * A forecast as one self-contained SVG: no script, no font, nothing to load; readable on a light
 * and on a dark page, and told in words to those who cannot see it.
 */
public final class ForecastSvg {
  private static final int WIDTH = 960;
  private static final int HEIGHT = 420;
  private static final int LEFT = 64;
  private static final int RIGHT = 24;
  private static final int TOP = 88;
  private static final int BOTTOM = 56;
  private static final int PLOT_WIDTH = WIDTH - LEFT - RIGHT;
  private static final int PLOT_HEIGHT = HEIGHT - TOP - BOTTOM;

  /** Distances between times on the axis, from the closest. */
  private static final int[] STEPS = {
    60, 300, 600, 900, 1800, 3600, 7200, 10_800, 21_600, 43_200, 86_400, 172_800, 604_800, 1_209_600
  };

  private static final String CSS =
      """
        svg { background: #ffffff; font: 13px system-ui, sans-serif; }
        text { fill: #24292f; }
        .title { font-size: 18px; font-weight: 600; }
        .axis { stroke: #57606a; }
        .grid { stroke: #d0d7de; }
        .without { fill: #e3873b; fill-opacity: 0.55; }
        .with { fill: #1a6fd4; }
        @media (prefers-color-scheme: dark) {
          svg { background: #0d1117; }
          text { fill: #e6edf3; }
          .axis { stroke: #8b949e; }
          .grid { stroke: #30363d; }
          .without { fill: #f0a35e; }
          .with { fill: #58a6ff; }
        }
      """;

  private final Forecast forecast;
  private final Output out;
  private final int top;

  public ForecastSvg(Forecast forecast, Output out) {
    this.forecast = forecast;
    this.out = out;
    int peak = Math.max(forecast.withoutWindows().peak(), forecast.withWindows().peak());
    this.top = Math.max(4, niceCeiling(peak));
  }

  /** The least of 4, 8, 20, 40, 80, 200, ... that holds the peak: its quarters are whole. */
  private static int niceCeiling(int peak) {
    for (long power = 1; ; power *= 10) {
      for (long step : new long[] {4 * power, 8 * power, 20 * power}) {
        if (step >= peak) {
          return (int) Math.min(step, Integer.MAX_VALUE);
        }
      }
    }
  }

  public void print() throws IOException {
    out.line(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 960 420\" role=\"img\""
            + " aria-labelledby=\"title description\">");
    out.line("  <title id=\"title\">" + title() + "</title>");
    out.line("  <desc id=\"description\">" + description() + "</desc>");
    out.line("  <style>");
    for (String line : CSS.split("\n")) {
      out.line("  " + line);
    }
    out.line("  </style>");
    out.line("  <text class=\"title\" x=\"" + LEFT + "\" y=\"30\">" + title() + "</text>");
    legend(LEFT, "without", "without windows: at most " + forecast.withoutWindows().peak());
    legend(LEFT + 240, "with", "with windows: at most " + forecast.withWindows().peak());
    if (Double.isFinite(forecast.factor())) {
      text(LEFT + 480, 59, "start", Decimals.tenths(forecast.factor()) + " times lower peak");
    }
    verticalAxis();
    bars("without", forecast.withoutWindows());
    bars("with", forecast.withWindows());
    horizontalAxis();
    out.line("</svg>");
  }

  private String title() {
    return "Starts per " + Times.span(forecast.bucketSeconds()) + ", " + forecast.jobs() + " jobs";
  }

  private String description() {
    return "From "
        + Times.utc(forecast.from())
        + " to "
        + Times.utc(forecast.end())
        + ". Without windows: "
        + words(forecast.withoutWindows())
        + " With windows: "
        + words(forecast.withWindows());
  }

  private String words(Series series) {
    return series.total()
        + " starts, at most "
        + series.peak()
        + " in one bucket, at "
        + Times.utc(forecast.start(series.peakBucket()))
        + ".";
  }

  private void legend(int x, String style, String text) throws IOException {
    out.line(
        "  <rect class=\"" + style + "\" x=\"" + x + "\" y=\"48\" width=\"13\" height=\"13\"/>");
    text(x + 20, 59, "start", text);
  }

  private void text(double x, int y, String anchor, String text) throws IOException {
    out.line(
        "  <text x=\""
            + Decimals.tenths(x)
            + "\" y=\""
            + y
            + "\" text-anchor=\""
            + anchor
            + "\">"
            + text
            + "</text>");
  }

  private void line(String style, double x1, double y1, double x2, double y2) throws IOException {
    out.line(
        "  <path class=\""
            + style
            + "\" d=\"M"
            + Decimals.tenths(x1)
            + " "
            + Decimals.tenths(y1)
            + "L"
            + Decimals.tenths(x2)
            + " "
            + Decimals.tenths(y2)
            + "\"/>");
  }

  private void verticalAxis() throws IOException {
    for (int quarter = 1; quarter <= 4; quarter++) {
      int value = top / 4 * quarter;
      double y = y(value);
      line("grid", LEFT, y, WIDTH - RIGHT, y);
      text(LEFT - 8, (int) Math.round(y) + 4, "end", "" + value);
    }
    text(LEFT - 8, HEIGHT - BOTTOM + 4, "end", "0");
    text(LEFT, TOP - 10, "start", "starts");
  }

  private double y(int value) {
    return TOP + PLOT_HEIGHT * (1 - (double) value / top);
  }

  private double x(long epochSecond) {
    return LEFT
        + PLOT_WIDTH
            * (double) (epochSecond - forecast.from())
            / (forecast.buckets() * forecast.bucketSeconds());
  }

  /** All bars of a series are one path, so that a page of a thousand bars stays light. */
  private void bars(String style, Series series) throws IOException {
    StringBuilder path = new StringBuilder();
    double width = (double) PLOT_WIDTH / forecast.buckets();
    String across = Decimals.tenths(Math.max(0.5, width > 4 ? width - 1 : width));
    for (int bucket = 0; bucket < forecast.buckets(); bucket++) {
      int count = series.in(bucket);
      if (count > 0) {
        path.append('M').append(Decimals.tenths(x(forecast.start(bucket))));
        path.append(' ').append(HEIGHT - BOTTOM);
        path.append('V').append(Decimals.tenths(y(count))).append('h').append(across);
        path.append('V').append(HEIGHT - BOTTOM).append('Z');
      }
    }
    out.line("  <path class=\"" + style + "\" d=\"" + path + "\"/>");
  }

  private void horizontalAxis() throws IOException {
    line("axis", LEFT, HEIGHT - BOTTOM, WIDTH - RIGHT, HEIGHT - BOTTOM);
    int step = step();
    String day = "";
    for (long at = Math.ceilDiv(forecast.from(), step) * step; at <= forecast.end(); at += step) {
      double x = x(at);
      line("axis", x, HEIGHT - BOTTOM, x, HEIGHT - BOTTOM + 5);
      text(x, HEIGHT - BOTTOM + 20, "middle", Times.minute(at, ZoneOffset.UTC));
      String date = Times.date(at, ZoneOffset.UTC);
      if (!date.equals(day)) {
        text(x, HEIGHT - BOTTOM + 38, "middle", date);
        day = date;
      }
    }
    text(WIDTH - RIGHT, HEIGHT - 6, "end", "UTC");
  }

  private int step() {
    long seconds = forecast.buckets() * forecast.bucketSeconds();
    for (int step : STEPS) {
      if (seconds / step <= 12) {
        return step;
      }
    }
    return Math.toIntExact(Math.ceilDiv(seconds, 12 * 604_800L) * 604_800L);
  }
}
