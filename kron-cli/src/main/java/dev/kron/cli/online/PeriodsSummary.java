package dev.kron.cli.online;

import dev.kron.cli.output.Output;
import dev.kron.cli.output.Style;
import dev.kron.cli.output.Times;
import dev.kron.json.Json;
import java.io.IOException;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The outcome of many periods: how many ran, which failed, and why others did not run. */
final class PeriodsSummary {
  /** More periods than these are summed up. */
  static final int MOST_TOLD = 12;

  private static final int MOST_TIMES = 10;

  private PeriodsSummary() {}

  static void print(List<Json> periods, ZoneId zone, String job, Output out) throws IOException {
    List<Json> ran = new ArrayList<>();
    List<Json> failed = new ArrayList<>();
    Map<String, List<Json>> others = new LinkedHashMap<>();
    for (Json period : periods) {
      if (!period.text("verdict").equals("executed")) {
        others.computeIfAbsent(period.text("verdict"), word -> new ArrayList<>()).add(period);
      } else if (period.get("run").is("failed")) {
        failed.add(period);
      } else {
        ran.add(period);
      }
    }
    out.line();
    out.line(String.format(Locale.ROOT, "%,d periods:", periods.size()));
    if (!ran.isEmpty()) {
      line(out, Style.GREEN, String.format(Locale.ROOT, "%,d ran and succeeded", ran.size()));
    }
    if (!failed.isEmpty()) {
      line(
          out,
          Style.RED,
          String.format(Locale.ROOT, "%,d failed: %s", failed.size(), times(failed, zone, true)));
    }
    for (Map.Entry<String, List<Json>> kind : others.entrySet()) {
      List<Json> all = kind.getValue();
      boolean bad = kind.getKey().equals("missed") || kind.getKey().equals("unschedulable");
      line(
          out,
          bad ? Style.RED : Style.YELLOW,
          String.format(
              Locale.ROOT,
              "%,d %s, %s: %s",
              all.size(),
              kind.getKey().replace('-', ' '),
              times(all, zone, false),
              all.getFirst().text("explanation")));
    }
    Json example = (failed.isEmpty() ? periods : failed).getFirst();
    out.line();
    out.line(
        "'kron why " + job + " " + example.text("nominalTime") + "' tells of one of them alone");
  }

  private static void line(Output out, Style style, String text) throws IOException {
    out.styled(style, "  " + text);
    out.line();
  }

  /** The times of a few; the first and the last of many. */
  private static String times(List<Json> periods, ZoneId zone, boolean how) {
    if (!how && periods.size() > MOST_TIMES) {
      return "from " + time(periods.getFirst(), zone) + " to " + time(periods.getLast(), zone);
    }
    StringBuilder text = new StringBuilder("at ");
    for (Json period : periods.subList(0, Math.min(MOST_TIMES, periods.size()))) {
      text.append(text.length() > 3 ? ", " : "").append(time(period, zone));
      if (how) {
        text.append(" (").append(OnlineCommand.how(period.get("run"))).append(')');
      }
    }
    int more = periods.size() - MOST_TIMES;
    return more > 0 ? text + String.format(Locale.ROOT, " and %,d more", more) : text.toString();
  }

  private static String time(Json period, ZoneId zone) {
    long second = period.second("nominalTime");
    return second % 60 == 0 ? Times.minute(second, zone) : Times.clock(second, zone, second);
  }
}
