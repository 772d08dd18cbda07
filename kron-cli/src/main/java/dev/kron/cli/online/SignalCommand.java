package dev.kron.cli.online;

import dev.kron.cli.line.CommandArguments;
import dev.kron.cli.line.CommandSpec;
import dev.kron.cli.line.CommandSpec.Example;
import dev.kron.cli.line.CommandSpec.Exit;
import dev.kron.cli.line.Completion;
import dev.kron.cli.line.ExitCode;
import dev.kron.cli.line.Operand;
import dev.kron.cli.output.Surroundings;
import dev.kron.json.Json;
import java.io.IOException;
import java.util.List;

/** {@code kron signal}. */
final class SignalCommand extends OnlineCommand {
  SignalCommand() {
    super("signal", "send a signal to a service");
  }

  @Override
  public CommandSpec spec() {
    return spec(
        "kron signal SERVICE SIGNAL",
        new Operand(
            "SERVICE SIGNAL",
            2,
            2,
            Completion.Names.SERVICES,
            "a service or an instance (web@1), and a signal such as HUP or SIGUSR1"),
        List.of(),
        List.of(
            "To the process groups of all its instances, or of the one that is named. What is"
                + " wanted of it stays as it is."),
        List.of(new Example("kron signal web HUP", "let it read its configuration again")),
        new Exit(ExitCode.REFUSED, "there is no such service or signal, or it has no process"));
  }

  @Override
  int run(Api api, CommandArguments arguments, Surroundings surroundings) throws IOException {
    String service = arguments.operands().getFirst();
    String signal = arguments.operands().getLast();
    Json answer =
        api.post(Api.path("services", service, "signal") + "?" + Api.parameter("signal", signal));
    if (wantsJson(arguments)) {
      return json(answer, surroundings);
    }
    surroundings.out().line(answer.text("message"));
    return ExitCode.OK;
  }
}
