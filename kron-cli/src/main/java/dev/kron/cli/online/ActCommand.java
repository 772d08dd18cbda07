package dev.kron.cli.online;

import dev.kron.cli.line.CommandArguments;
import dev.kron.cli.line.CommandSpec;
import dev.kron.cli.line.CommandSpec.Example;
import dev.kron.cli.line.CommandSpec.Exit;
import dev.kron.cli.line.ExitCode;
import dev.kron.cli.output.Surroundings;
import dev.kron.json.Json;
import java.io.IOException;
import java.util.List;

/** {@code kron suspend} and {@code kron resume}: one word to the daemon about one job. */
final class ActCommand extends OnlineCommand {
  private final String done;
  private final String description;

  private ActCommand(String name, String summary, String done, String description) {
    super(name, summary);
    this.done = done;
    this.description = description;
  }

  static ActCommand suspend() {
    return new ActCommand(
        "suspend",
        "start a job no more until it is resumed",
        "suspended",
        "What runs goes on. The suspension is durable: it outlasts the daemon, and nothing is"
            + " recorded for the periods that pass. The job can still be triggered.");
  }

  static ActCommand resume() {
    return new ActCommand(
        "resume",
        "start a suspended job again",
        "resumed",
        "The rule for downtime applies: of the periods that passed meanwhile only the last one"
            + " counts, and runs if its deadline allows.");
  }

  @Override
  public CommandSpec spec() {
    return spec(
        "kron " + name() + " JOB",
        JOB,
        List.of(),
        List.of(description),
        List.of(new Example("kron " + name() + " backup", "one job")),
        new Exit(ExitCode.REFUSED, "there is no such job, or state cannot be written"));
  }

  @Override
  int run(Api api, CommandArguments arguments, Surroundings surroundings) throws IOException {
    String job = arguments.operands().getFirst();
    Json answer = api.post(Api.path("jobs", job, name()));
    if (wantsJson(arguments)) {
      return json(answer, surroundings);
    }
    surroundings.out().line(job + " is " + done);
    return ExitCode.OK;
  }
}
