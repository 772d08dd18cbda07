package dev.kron.cli.online;

import dev.kron.cli.line.CommandArguments;
import dev.kron.cli.line.CommandSpec;
import dev.kron.cli.line.CommandSpec.Example;
import dev.kron.cli.line.CommandSpec.Exit;
import dev.kron.cli.line.Completion;
import dev.kron.cli.line.ExitCode;
import dev.kron.cli.line.Operand;
import dev.kron.cli.line.TimeArgument;
import dev.kron.cli.line.UsageException;
import dev.kron.cli.output.Output;
import dev.kron.cli.output.Style;
import dev.kron.cli.output.Surroundings;
import dev.kron.cli.output.Times;
import dev.kron.json.Json;
import java.io.IOException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneId;
import java.util.List;

/** {@code kron why}: why a job ran, or did not. */
final class WhyCommand extends OnlineCommand {
  WhyCommand() {
    super("why", "tell why a job ran or did not run, or why a service is as it is");
  }

  @Override
  public CommandSpec spec() {
    return spec(
        "kron why JOB [TIME] | SERVICE",
        new Operand(
            "JOB [TIME] | SERVICE",
            1,
            2,
            Completion.Names.ANYTHING,
            "a job, and a time or a day (default: its last period); or a service"),
        List.of(),
        List.of(
            "Answers from the record, the computation and the ledger of when the daemon was there:"
                + " it ran at …, exit …; it was skipped, because run … was still active; it was"
                + " missed, the daemon was down from … to …; it was unschedulable, and by which"
                + " constraint; it is not due, the next one is at ….",
            "A day means all periods of that day in the job's zone; a time the period that it"
                + " belongs to. Of a day with many periods the sum is told: how many ran, which"
                + " ones failed, what became of the others. A TIME is one of: "
                + TimeArgument.FORMS
                + ".",
            "Of a service: what it is about, since when and why, how its process ended last, how"
                + " often it was restarted, and what has to happen next. Where a job and a"
                + " service have the same name, say job:NAME or service:NAME."),
        List.of(
            new Example("kron why backup", "the last period"),
            new Example("kron why backup 2026-11-14", "a day")),
        new Exit(ExitCode.REFUSED, "there is no such job or service"));
  }

  @Override
  int run(Api api, CommandArguments arguments, Surroundings surroundings) throws IOException {
    List<String> words = arguments.operands();
    String job = words.getFirst();
    Json service = api.find(Api.path("services", job));
    ServiceWords.refuseBoth(job, api.find(Api.path("jobs", job)), service);
    if (service != null && words.size() > 1) {
      throw new UsageException("a service is told of as it is now: leave out the time");
    }
    if (service != null) {
      return wantsJson(arguments)
          ? json(service, surroundings)
          : ServiceStory.tell(service, surroundings);
    }
    String range = words.size() == 1 ? "" : range(api, job, words.get(1), surroundings);
    Json answer = api.get(Api.path("jobs", job, "why") + range);
    if (wantsJson(arguments)) {
      return json(answer, surroundings);
    }
    return print(api, job, answer, surroundings);
  }

  /** What became of the periods, for people. */
  static int print(Api api, String job, Json answer, Surroundings surroundings) throws IOException {
    Output out = surroundings.out();
    out.styled(Style.BOLD, answer.text("identity"));
    out.line();
    out.line("  " + answer.text("schedule"));
    List<Json> periods = answer.list("periods");
    boolean many = periods.size() > PeriodsSummary.MOST_TOLD;
    if (many) {
      ZoneId zone = zone(api, job);
      PeriodsSummary.print(periods, zone, job, out);
    }
    for (Json period : many ? List.<Json>of() : periods) {
      out.line();
      out.print("The period of " + period.text("nominalTime"));
      if (!period.text("windowEnd").equals(period.text("windowStart"))) {
        out.print(" (chosen: " + period.text("chosenTime", "nothing") + ")");
      }
      out.line(":");
      out.styled(style(period), "  " + period.text("explanation"));
      out.line();
    }
    out.line();
    for (String note : answer.texts("notes")) {
      out.line(note);
    }
    return ExitCode.OK;
  }

  private static Style style(Json period) {
    return switch (period.text("verdict")) {
      case "executed" -> period.get("run").is("failed") ? Style.RED : Style.GREEN;
      case "running", "coming" -> Style.GREEN;
      case "missed", "unschedulable", "lost" -> Style.RED;
      default -> Style.YELLOW;
    };
  }

  private static ZoneId zone(Api api, String job) throws IOException {
    return ZoneId.of(api.get(Api.path("jobs", job)).text("timezone", "UTC"));
  }

  /** The zone of the job decides what a time means, so it is asked first. */
  static String range(Api api, String job, String text, Surroundings surroundings)
      throws IOException {
    ZoneId zone = zone(api, job);
    long from = TimeArgument.parse("TIME", text, zone, surroundings.now().getAsLong());
    String range = "?from=" + Times.utc(from);
    if (!TimeArgument.isDay(text)) {
      return range;
    }
    LocalDate day = LocalDate.ofInstant(Instant.ofEpochSecond(from), zone);
    long next = day.plusDays(1).atStartOfDay(zone).toEpochSecond();
    return range + "&to=" + Times.utc(next - 1);
  }
}
