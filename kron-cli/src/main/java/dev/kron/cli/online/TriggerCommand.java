package dev.kron.cli.online;

import dev.kron.cli.line.CommandArguments;
import dev.kron.cli.line.CommandSpec;
import dev.kron.cli.line.CommandSpec.Example;
import dev.kron.cli.line.CommandSpec.Exit;
import dev.kron.cli.line.ExitCode;
import dev.kron.cli.line.Option;
import dev.kron.cli.output.Surroundings;
import dev.kron.json.Json;
import java.io.IOException;
import java.util.List;

/** {@code kron trigger}: a run now. */
final class TriggerCommand extends OnlineCommand {
  TriggerCommand() {
    super("trigger", "run a job now, whatever its schedule says");
  }

  @Override
  public CommandSpec spec() {
    return spec(
        "kron trigger JOB [--wait]",
        JOB,
        List.of(Option.flag("--wait", "wait until the run has ended")),
        List.of(
            "The run counts for concurrency: while another one is active, concurrency=forbid"
                + " refuses it and concurrency=replace ends the other. It changes nothing of the"
                + " schedule. Interrupting the wait does not end the run."),
        List.of(
            new Example("kron trigger backup", "begin a run"),
            new Example("kron trigger backup --wait && kron logs backup", "and see what it said")),
        new Exit(
            ExitCode.REFUSED,
            "there is no such job, another run is active, or with --wait: the run failed"));
  }

  @Override
  int run(Api api, CommandArguments arguments, Surroundings surroundings) throws IOException {
    String job = arguments.operands().getFirst();
    Json begun = api.post(Api.path("jobs", job, "trigger"));
    String runId = begun.text("runId");
    if (!arguments.has("--wait")) {
      if (wantsJson(arguments)) {
        return json(begun, surroundings);
      }
      surroundings.out().line("run " + runId);
      return ExitCode.OK;
    }
    Json run = await(api, runId, surroundings);
    if (wantsJson(arguments)) {
      json(run, surroundings);
    } else {
      String reason = run.text("reason");
      boolean isNews = !reason.isEmpty() && !reason.equals(how(run));
      surroundings
          .out()
          .line("run " + runId + ": " + how(run) + (isNews ? " (" + reason + ")" : ""));
    }
    return run.is("failed") || how(run).equals("stopped") ? ExitCode.REFUSED : ExitCode.OK;
  }

  /** The run, once it has ended. */
  static Json await(Api api, String runId, Surroundings surroundings) throws IOException {
    try (Progress progress = new Progress(surroundings)) {
      Json run = api.get(Api.path("runs", runId));
      while (run.get("completedAt").isNull()) {
        progress.show("run " + runId + " goes on");
        run = api.get(Api.path("runs", runId));
      }
      return run;
    }
  }
}
