package dev.kron.cli.online;

import dev.kron.cli.line.Arguments;
import dev.kron.cli.line.CommandSpec;
import dev.kron.cli.line.CommandSpec.Example;
import dev.kron.cli.line.CommandSpec.Exit;
import dev.kron.cli.line.Completion;
import dev.kron.cli.line.ExitCode;
import dev.kron.cli.line.Operand;
import dev.kron.cli.line.Option;
import dev.kron.cli.line.UsageException;
import dev.kron.cli.output.Style;
import dev.kron.cli.output.Surroundings;
import dev.kron.cli.output.Times;
import dev.kron.json.Json;
import java.io.IOException;
import java.util.List;

/** {@code kron runs}. */
final class RunsCommand extends OnlineCommand {
  RunsCommand() {
    super("runs", "list what ran and what runs, newest first");
  }

  @Override
  public CommandSpec spec() {
    return spec(
        "kron runs [JOB] [--limit N]",
        Operand.optional(
            "JOB", Completion.Nothing.NOTHING, "of this job, its whole history; without: of all"),
        List.of(Option.value("--limit", "N", "at most so many (default: 20)")),
        List.of(
            "Periods that ended without a run (skipped, missed, unschedulable) are listed too, with"
                + " the reason. Without JOB: what goes on, and what ended last."),
        List.of(
            new Example("kron runs", "what happened lately"),
            new Example("kron runs backup --limit 5", "the last five of a job")),
        new Exit(ExitCode.REFUSED, "there is no such job"));
  }

  @Override
  int run(Api api, Arguments arguments, Surroundings surroundings) throws IOException {
    List<String> jobs = arguments.operands();
    String limit = "?limit=" + number(arguments.value("--limit", "20"));
    Json answer =
        api.get(
            (jobs.isEmpty() ? Api.path("runs") : Api.path("jobs", jobs.getFirst(), "runs"))
                + limit);
    if (wantsJson(arguments)) {
      return json(answer, surroundings);
    }
    table(answer.list("runs"), surroundings.now().getAsLong())
        .printOr("no runs yet; 'kron next' shows when jobs are due", surroundings.out());
    return ExitCode.OK;
  }

  private static String number(String text) {
    for (int i = 0; i < text.length(); i++) {
      if (text.charAt(i) < '0' || text.charAt(i) > '9') {
        throw new UsageException("--limit is a whole number, not \"" + text + "\"");
      }
    }
    return text;
  }

  static Table table(List<Json> runs, long now) {
    Table table = new Table("WHEN", "JOB", "HOW", "TOOK", "RUN", "REASON");
    for (Json run : runs) {
      boolean going = run.get("completedAt").isNull();
      long started = run.second("startedAt");
      long when = started == 0 ? run.second("completedAt") : started;
      long end = going ? now : run.second("completedAt");
      table.styled(
          run.is("failed") ? Style.RED : going ? Style.GREEN : null,
          Instants.clock(when, now),
          nameOf(run.text("identity")),
          how(run) + (run.is("manual") ? ", by hand" : ""),
          started == 0 ? "-" : Times.span(Math.max(0, end - started)),
          run.text("runId", "-"),
          run.text("reason", "-"));
    }
    return table;
  }
}
