package dev.kron.cli.online;

import dev.kron.cli.line.CommandArguments;
import dev.kron.cli.line.CommandSpec;
import dev.kron.cli.line.CommandSpec.Example;
import dev.kron.cli.line.CommandSpec.Exit;
import dev.kron.cli.line.ExitCode;
import dev.kron.cli.line.Option;
import dev.kron.cli.line.UsageException;
import dev.kron.cli.output.Surroundings;
import dev.kron.json.Json;
import java.io.IOException;
import java.util.List;

/** {@code kron forget}: releases a job that a clock far ahead has silenced. */
final class ForgetCommand extends OnlineCommand {
  ForgetCommand() {
    super("forget", "release periods that a clock far ahead has used up");
  }

  @Override
  public CommandSpec spec() {
    return spec(
        "kron forget JOB --periods-after now",
        JOB,
        List.of(
            Option.choice(
                "--periods-after",
                List.of("now"),
                "must be said, so that nobody does it unawares")),
        List.of(
            "A period that was handled is never run again. If the clock was once years ahead, the"
                + " periods of all these years are handled, and the job is silent: status says that"
                + " it is held. This makes the periods after now count again, except those that the"
                + " record shows as begun. It is recorded in the job's history."),
        List.of(new Example("kron forget backup --periods-after now", "after the clock was set")),
        new Exit(ExitCode.REFUSED, "there is no such job, or state cannot be written"));
  }

  @Override
  int run(Api api, CommandArguments arguments, Surroundings surroundings) throws IOException {
    if (!arguments.has("--periods-after")) {
      throw new UsageException("say it in full: kron forget JOB --periods-after now");
    }
    String job = arguments.operands().getFirst();
    Json answer = api.post(Api.path("jobs", job, "forget"));
    if (wantsJson(arguments)) {
      return json(answer, surroundings);
    }
    surroundings.out().line("the periods of " + job + " after now count again");
    return ExitCode.OK;
  }
}
