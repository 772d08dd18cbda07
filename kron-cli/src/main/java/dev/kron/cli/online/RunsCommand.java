package dev.kron.cli.online;

import dev.kron.cli.line.CommandArguments;
import dev.kron.cli.line.CommandSpec;
import dev.kron.cli.line.CommandSpec.Example;
import dev.kron.cli.line.CommandSpec.Exit;
import dev.kron.cli.line.Completion;
import dev.kron.cli.line.ExitCode;
import dev.kron.cli.line.Operand;
import dev.kron.cli.line.Option;
import dev.kron.cli.line.TimeArgument;
import dev.kron.cli.output.Style;
import dev.kron.cli.output.Surroundings;
import dev.kron.cli.output.Table;
import dev.kron.cli.output.Times;
import dev.kron.json.Json;
import dev.kron.json.JsonWriter;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** {@code kron runs}. */
final class RunsCommand extends OnlineCommand {
  RunsCommand() {
    super("runs", "list what ran and what runs, newest first");
  }

  @Override
  public CommandSpec spec() {
    return spec(
        "kron runs [JOB...] [--failed] [--since T] [--until T] [--limit N]",
        Operand.any(
            "JOB", Completion.Names.JOBS, "of these jobs, the whole history; without: of all"),
        List.of(
            Option.flag("--failed", "only what failed"),
            Option.value("--since", "T", "only what began, or was due, at or after this time"),
            Option.value("--until", "T", "only what began, or was due, before this time"),
            Option.value("--limit", "N", "at most so many (default: 20)")),
        List.of(
            "Periods that ended without a run (skipped, missed, unschedulable) are listed too, with"
                + " the reason. Without JOB: what goes on, and what ended last; with --failed,"
                + " --since or --until all that is on record of all jobs.",
            "A time T is one of: " + TimeArgument.FORMS + "."),
        List.of(
            new Example("kron runs", "what happened lately"),
            new Example("kron runs backup --limit 5", "the last five of a job"),
            new Example("kron runs --failed --since yesterday", "what went wrong")),
        new Exit(ExitCode.REFUSED, "there is no such job"));
  }

  @Override
  int run(Api api, CommandArguments arguments, Surroundings surroundings) throws IOException {
    int limit = arguments.number("--limit", 20, 0, Integer.MAX_VALUE);
    long since = time(arguments, "--since", Long.MIN_VALUE, surroundings);
    long until = time(arguments, "--until", Long.MAX_VALUE, surroundings);
    boolean failed = arguments.has("--failed");
    boolean filtered = failed || since != Long.MIN_VALUE || until != Long.MAX_VALUE;
    String query =
        "?limit="
            + limit
            + (failed ? "&failed=true" : "")
            + (since == Long.MIN_VALUE ? "" : "&since=" + Times.utc(since))
            + (until == Long.MAX_VALUE ? "" : "&until=" + Times.utc(until));
    List<Json> answers = new ArrayList<>();
    if (arguments.operands().isEmpty()) {
      answers.add(api.get(Api.path("runs") + query));
    }
    for (String job : arguments.operands()) {
      answers.add(api.get(Api.path("jobs", job, "runs") + query));
    }
    if (wantsJson(arguments) && answers.size() == 1) {
      return json(answers.getFirst(), surroundings);
    }
    List<Json> runs =
        answers.stream()
            .flatMap(answer -> answer.list("runs").stream())
            .sorted(Comparator.comparingLong(RunsCommand::when).reversed())
            .limit(limit)
            .toList();
    if (wantsJson(arguments)) {
      JsonWriter json = surroundings.out().json();
      json.beginObject().name("runs").beginArray();
      for (Json run : runs) {
        run.write(json);
      }
      json.endArray().endObject().end();
      return ExitCode.OK;
    }
    table(runs, surroundings.now().getAsLong())
        .printOr(
            filtered ? "no such runs" : "no runs yet; 'kron next' shows when jobs are due",
            surroundings.out());
    return ExitCode.OK;
  }

  private static long time(
      CommandArguments arguments, String option, long otherwise, Surroundings surroundings) {
    String text = arguments.value(option);
    return text == null
        ? otherwise
        : TimeArgument.parse(option, text, surroundings.zone(), surroundings.now().getAsLong());
  }

  /** When it began, or was settled without having begun. */
  private static long when(Json run) {
    long started = run.second("startedAt");
    return started == 0 ? run.second("completedAt") : started;
  }

  /** How long it took, or has taken until now. */
  static String took(Json run, long now) {
    long started = run.second("startedAt");
    long end = run.get("completedAt").isNull() ? now : run.second("completedAt");
    return started == 0 ? "-" : Times.span(Math.max(0, end - started));
  }

  /** What it used of CPU time. */
  static String cpu(Json run) {
    return run.get("cpuMillis").isNull() ? "-" : run.number("cpuMillis") / 1000.0 + "s";
  }

  static Table table(List<Json> runs, long now) {
    Table table =
        new Table("WHEN", "JOB", "HOW", "TOOK", "CPU", "RUN", "REASON")
            .dispensable("CPU", "TOOK", "REASON", "RUN");
    for (Json run : runs) {
      boolean going = run.get("completedAt").isNull();
      table.styled(
          run.is("failed") ? Style.RED : going ? Style.GREEN : null,
          Instants.clock(when(run), now),
          nameOf(run.text("identity")),
          how(run)
              + (run.is("manual") ? ", by hand" : "")
              + (run.text("causedBy").isEmpty() ? "" : ", in a chain")
              + (run.number("attempt") > 1 ? ", attempt " + run.number("attempt") : ""),
          took(run, now),
          cpu(run),
          run.text("runId", "-"),
          run.text("reason", "-"));
    }
    return table;
  }
}
