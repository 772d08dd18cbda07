package dev.kron.cli;

import dev.kron.cli.line.HelpText;
import dev.kron.cli.line.HelpText.Row;
import dev.kron.cli.output.Output;
import dev.kron.cli.output.Style;
import dev.kron.cli.output.Times;
import dev.kron.cli.output.WindowBar;
import dev.kron.job.RetryPolicy;
import dev.kron.schedule.Decision;
import dev.kron.schedule.Decision.Rejection;
import dev.kron.schedule.Distribution;
import java.io.IOException;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** A decision, told to a person: when, within what, drawn how, rejected why; then every field. */
final class Story {
  private final Decision decision;
  private final ExplainedSubject subject;
  private final Turns turns;
  private final Output out;
  private final ZoneId zone;
  private final List<Rejection> rejections;

  Story(Decision decision, ExplainedSubject subject, Turns turns, Output out) {
    this.decision = decision;
    this.subject = subject;
    this.turns = turns;
    this.out = out;
    this.zone = decision.schedule().zone();
    this.rejections = decision.rejections();
  }

  void tell() throws IOException {
    out.styled(Style.BOLD, decision.identity());
    out.line();
    out.line("  " + decision.schedule().canonical());
    out.line();
    nominal();
    window();
    choice();
    rejections();
    retries();
    chains();
    turns.tell(out);
    seed();
    fields();
  }

  private void nominal() throws IOException {
    out.line(
        "The period's nominal time is "
            + Times.local(decision.nominalEpochSecond(), zone)
            + " in "
            + zone.getId()
            + ".");
  }

  private void window() throws IOException {
    long start = decision.windowStartEpochSecond();
    long end = decision.windowEndEpochSecond();
    if (start == end) {
      out.line("It has no window: that second is the only candidate.");
      out.line();
      return;
    }
    out.line(
        "Its window opens at "
            + Times.clock(start, zone, decision.nominalEpochSecond())
            + " and closes at "
            + Times.clock(end, zone, decision.nominalEpochSecond())
            + ", "
            + Times.span(end - start)
            + " later.");
    out.line();
    WindowBar bar = new WindowBar(start, end);
    if (decision.nominalEpochSecond() != start && decision.nominalEpochSecond() != end) {
      bar.nominal(decision.nominalEpochSecond());
    }
    rejections.forEach(rejection -> bar.rejected(rejection.candidate().getEpochSecond()));
    if (!decision.unschedulable()) {
      bar.chosen(decision.chosenEpochSecond());
    }
    bar.draw(out, zone);
    out.line();
  }

  private void choice() throws IOException {
    if (decision.unschedulable()) {
      out.styled(Style.RED, "Nothing was chosen");
      out.line(": " + decision.reason() + ". The job does not run for this period.");
      return;
    }
    long chosen = decision.chosenEpochSecond();
    out.styled(Style.GREEN, "It starts at " + Times.local(chosen, zone));
    out.line(" (" + Times.utc(chosen) + ").");
    if (decision.attempts() > 0) {
      out.line("That was " + ordinal() + ", " + distance(chosen) + ".");
    }
  }

  private String ordinal() {
    if (decision.schedule().choosesExactly()) {
      return "one draw over the allowed seconds alone";
    }
    return "draw " + decision.attempts() + " of at most " + decision.maxAttempts();
  }

  private String distance(long chosen) {
    long away = chosen - decision.nominalEpochSecond();
    return away == 0
        ? "at the nominal time"
        : Times.span(Math.abs(away)) + (away < 0 ? " before" : " after") + " the nominal time";
  }

  private void rejections() throws IOException {
    if (rejections.isEmpty()) {
      return;
    }
    out.line();
    HelpText.heading(out, "Rejected candidates");
    List<Row> rows = new ArrayList<>();
    for (Rejection rejection : rejections) {
      long second = rejection.candidate().getEpochSecond();
      rows.add(
          new Row(
              (rejection.attempt() < 10 ? " " : "")
                  + rejection.attempt()
                  + "  "
                  + Times.clock(second, zone, decision.nominalEpochSecond()),
              "by " + rejection.clause()));
    }
    HelpText.table(out, rows);
  }

  /** How long each attempt would be waited with; when a run ends nobody knows before. */
  private void retries() throws IOException {
    RetryPolicy retry = subject.retry();
    if (retry.retries() == 0) {
      return;
    }
    out.line();
    HelpText.heading(out, "Tried again where it fails, unless a later period is due by then");
    List<Row> rows = new ArrayList<>();
    for (int k = 1; k <= retry.retries(); k++) {
      long millis = retry.delayMillis(subject.identity(), decision.periodId(), k);
      rows.add(
          new Row(
              "attempt " + (k + 1),
              String.format(
                  Locale.ROOT,
                  "%d.%03d s after the end of attempt %d",
                  millis / 1000,
                  millis % 1000,
                  k)));
    }
    HelpText.table(out, rows);
  }

  private void chains() throws IOException {
    if (!subject.then().isEmpty() || !subject.after().isEmpty()) {
      out.line();
    }
    if (!subject.then().isEmpty()) {
      out.line("Each success starts " + ExplainedSubject.names(subject.then()) + ".");
    }
    if (!subject.after().isEmpty()) {
      out.line(
          "It is also started by each success of " + ExplainedSubject.names(subject.after()) + ".");
    }
  }

  private void seed() throws IOException {
    out.line();
    HelpText.heading(out, "Seed: SHA-256 over these three lines");
    out.line("  " + decision.identity());
    out.line("  " + decision.periodKey());
    out.line("  " + (decision.salt().isEmpty() ? "(no salt: empty)" : decision.salt()));
  }

  /** Under the names that they have in JSON. */
  private void fields() throws IOException {
    out.line();
    HelpText.heading(out, "Decision");
    field("identity", decision.identity());
    field("periodId", decision.periodId());
    field("periodKey", decision.periodKey());
    field("nominalTime", Times.utc(decision.nominalEpochSecond()));
    field("windowStart", Times.utc(decision.windowStartEpochSecond()));
    field("windowEnd", Times.utc(decision.windowEndEpochSecond()));
    field("windowMode", decision.windowMode());
    field("timezone", decision.timezone());
    field("distribution", distribution());
    field("seedStrategy", decision.seedStrategy());
    field("salt", decision.salt().isEmpty() ? "-" : decision.salt());
    field("seedHash", decision.seedHash());
    boolean chosen = !decision.unschedulable();
    field("chosenTime", chosen ? Times.utc(decision.chosenEpochSecond()) : "-");
    field("unschedulable", decision.unschedulable() ? "true" : "false");
    field("reason", chosen ? "-" : String.valueOf(decision.reason()));
    field("attempts", "" + decision.attempts());
    field("maxAttempts", "" + decision.maxAttempts());
    if (decision.schedule().choosesExactly()) {
      field("choose", "exact");
    }
  }

  private void field(String name, String value) throws IOException {
    out.print("  " + name + " ".repeat(15 - name.length()));
    out.line(value);
  }

  private String distribution() {
    StringBuilder text = new StringBuilder(decision.distribution().name());
    for (Distribution.Parameter parameter : decision.distributionParameters()) {
      text.append(' ').append(parameter.name()).append('=').append(parameter.value());
    }
    return text.toString();
  }
}
