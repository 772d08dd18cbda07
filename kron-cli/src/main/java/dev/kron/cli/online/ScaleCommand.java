package dev.kron.cli.online;

import dev.kron.cli.line.CommandArguments;
import dev.kron.cli.line.CommandSpec;
import dev.kron.cli.line.CommandSpec.Example;
import dev.kron.cli.line.CommandSpec.Exit;
import dev.kron.cli.line.Completion;
import dev.kron.cli.line.ExitCode;
import dev.kron.cli.line.Operand;
import dev.kron.cli.line.Option;
import dev.kron.cli.line.UsageException;
import dev.kron.cli.output.Surroundings;
import dev.kron.json.Json;
import java.io.IOException;
import java.util.List;

/** {@code kron scale}. */
final class ScaleCommand extends OnlineCommand {
  private final ServiceActCommand start = ServiceActCommand.start();

  ScaleCommand() {
    super("scale", "give a service more or fewer instances");
  }

  @Override
  public CommandSpec spec() {
    return spec(
        "kron scale SERVICE N [--wait] [--dry-run]",
        new Operand(
            "SERVICE N", 2, 2, Completion.Names.SERVICES, "a service, and a number from 1 to 1000"),
        List.of(
            Option.flag("--wait", "wait until all of them are up, or one has failed"),
            Option.flag("--dry-run", "name what would be started and stopped, and do nothing")),
        List.of(
            "Instances are added after the last and taken away from the end. The number holds, also"
                + " after a restart of the daemon or the machine, until instances in the service's"
                + " file is changed. Of a service that is to be down nothing is started."),
        List.of(
            new Example("kron scale web 5 --wait", "web@0 to web@4"),
            new Example("kron scale web 2 --dry-run", "which ones would be stopped?")),
        new Exit(ExitCode.REFUSED, "there is no such service, or with --wait: it has failed"));
  }

  @Override
  int run(Api api, CommandArguments arguments, Surroundings surroundings) throws IOException {
    String service = arguments.operands().getFirst();
    String number = arguments.operands().getLast();
    if (!number.matches("[0-9]{1,4}") || Integer.parseInt(number) > 1_000) {
      throw new UsageException("N is a number from 1 to 1000, not " + number);
    }
    if (Integer.parseInt(number) == 0) {
      throw new UsageException("a service has 1 instance at least: 'kron stop' brings it down");
    }
    boolean dryRun = arguments.has("--dry-run");
    Json answer =
        api.post(
            Api.path("services", service, "scale")
                + "?"
                + Api.parameter("instances", number)
                + (dryRun ? "&dry-run=true" : ""));
    boolean wanted = api.get(Api.path("services", service)).text("wanted").equals("up");
    if (arguments.has("--wait") && !dryRun && wanted) {
      return start.await(api, List.of(service), arguments, surroundings);
    }
    if (wantsJson(arguments)) {
      return json(answer, surroundings);
    }
    surroundings
        .out()
        .line(answer.text("message") + (dryRun ? "; nothing was done, this is a dry run" : ""));
    return ExitCode.OK;
  }
}
