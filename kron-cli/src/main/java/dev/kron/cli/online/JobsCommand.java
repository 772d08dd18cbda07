package dev.kron.cli.online;

import dev.kron.cli.line.CommandArguments;
import dev.kron.cli.line.CommandSpec;
import dev.kron.cli.line.CommandSpec.Example;
import dev.kron.cli.line.CommandSpec.Exit;
import dev.kron.cli.line.Completion;
import dev.kron.cli.line.ExitCode;
import dev.kron.cli.line.Operand;
import dev.kron.cli.output.Style;
import dev.kron.cli.output.Surroundings;
import dev.kron.cli.output.Table;
import dev.kron.json.Json;
import java.io.IOException;
import java.util.List;

/** {@code kron jobs}. */
final class JobsCommand extends OnlineCommand {
  JobsCommand() {
    super("jobs", "list the jobs of the running daemon");
  }

  @Override
  public CommandSpec spec() {
    return spec(
        "kron jobs [NAME]",
        Operand.optional("NAME", Completion.Names.JOBS, "only jobs with this name or identity"),
        List.of(),
        List.of(
            "STATE is running (with the number of runs), suspended, retrying (it failed, and"
                + " another attempt waits), held (a clock that was once ahead has used up periods:"
                + " see kron forget; or a lost run of a fleet holds it: see kron fleet jobs), gone"
                + " (taken out of its file while a run goes on) or ready.",
            "LAST is how it ended last, and when; TOOK how long that run was; TREND the last ten,"
                + " newest on the right: . succeeded, x failed, - neither (skipped, or stopped by"
                + " an operator)."),
        List.of(new Example("kron jobs", "all of them")),
        new Exit(ExitCode.REFUSED, "there is no such job"));
  }

  @Override
  int run(Api api, CommandArguments arguments, Surroundings surroundings) throws IOException {
    List<String> names = arguments.operands();
    String filter = names.isEmpty() ? "" : "?" + Api.parameter("name", names.getFirst());
    Json answer = api.get(Api.path("jobs") + filter);
    List<Json> jobs = answer.list("jobs");
    if (wantsJson(arguments)) {
      json(answer, surroundings);
    } else {
      table(jobs, surroundings.now().getAsLong())
          .printOr(
              names.isEmpty()
                  ? "no jobs: the daemon's files have none"
                  : "there is no job \"" + names.getFirst() + "\"; 'kron jobs' lists them all",
              surroundings.out());
    }
    return !names.isEmpty() && jobs.isEmpty() ? ExitCode.REFUSED : ExitCode.OK;
  }

  static Table table(List<Json> jobs, long now) {
    Table table =
        new Table("NAME", "STATE", "LAST", "WHEN", "TOOK", "TREND", "NEXT", "AT", "SCHEDULE")
            .dispensable("AT", "TOOK", "WHEN", "TREND", "SCHEDULE");
    for (Json job : jobs) {
      long next = job.second("nextDue");
      Json last = job.get("last");
      table.styled(
          last.is("failed") ? Style.RED : job.is("suspended") ? Style.DIM : null,
          job.text("name"),
          state(job),
          last.isNull() ? unknown(job) : how(last),
          last.isNull() ? "-" : Instants.away(last.second("completedAt"), now),
          last.isNull() ? "-" : RunsCommand.took(last, now),
          job.text("trend", "").isEmpty() ? "-" : job.text("trend"),
          Instants.away(next, now),
          Instants.clock(next, now),
          job.text("schedule", "-"));
    }
    return table;
  }

  /** The text for an unknown result: in a very long list results are not read. */
  static String unknown(Json job) {
    String outcome = job.text("lastOutcome", "-");
    return outcome.equals("executed") ? "ran" : outcome;
  }

  static String state(Json job) {
    long active = job.number("activeRuns");
    if (!job.is("inFile")) {
      return "gone";
    }
    if (active > 0) {
      return active == 1 ? "running" : "running " + active;
    }
    if (job.is("suspended")) {
      return "suspended";
    }
    if (!job.get("retryAttempt").isNull()) {
      return "retrying";
    }
    return job.text("state").equals("held") || !job.get("heldUntil").isNull() ? "held" : "ready";
  }
}
