package dev.kron.cli;

import dev.kron.cli.line.Command;
import dev.kron.cli.line.CommandArguments;
import dev.kron.cli.line.CommandSpec;
import dev.kron.cli.line.CommandSpec.Example;
import dev.kron.cli.line.Completion;
import dev.kron.cli.line.ExitCode;
import dev.kron.cli.line.HelpText;
import dev.kron.cli.line.HelpText.Row;
import dev.kron.cli.line.Operand;
import dev.kron.cli.line.UsageException;
import dev.kron.cli.output.Output;
import dev.kron.cli.output.Surroundings;
import dev.kron.text.Suggestion;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** {@code kron help}: what there is, or all about one command. */
final class HelpCommand implements Command {
  private final Commands commands;

  HelpCommand(Commands commands) {
    this.commands = commands;
  }

  @Override
  public String name() {
    return "help";
  }

  @Override
  public String summary() {
    return "show the commands, or all about one of them";
  }

  @Override
  public CommandSpec spec() {
    return new CommandSpec(
        name(),
        summary(),
        List.of("kron help [COMMAND]"),
        Operand.optional(
            "COMMAND", new Completion.Words(commands.names()), "the command to explain"),
        List.of(),
        List.of(),
        List.of(
            new Example("kron help", "what there is"),
            new Example("kron help explain", "the same as kron explain --help")),
        List.of());
  }

  @Override
  public int run(CommandArguments arguments, Surroundings surroundings) throws IOException {
    if (arguments.operands().isEmpty()) {
      overview(surroundings.out());
      return ExitCode.OK;
    }
    String name = arguments.operands().getFirst();
    Command command = commands.named(name);
    if (command == null) {
      throw new UsageException(
          "there is no command \"" + name + "\"" + Suggestion.among(commands.names(), name));
    }
    HelpText.print(command.spec(), surroundings.out());
    return ExitCode.OK;
  }

  void overview(Output out) throws IOException {
    out.line("kron: schedules that explain themselves");
    out.line();
    HelpText.heading(out, "Usage");
    out.line("  kron COMMAND [OPTION...]");
    out.line();
    HelpText.heading(out, "Commands");
    List<Row> rows = new ArrayList<>();
    commands.all().forEach(command -> rows.add(new Row(command.name(), command.summary())));
    HelpText.table(out, rows);
    out.line();
    out.line("'kron COMMAND --help' tells more about each, with examples.");
  }
}
