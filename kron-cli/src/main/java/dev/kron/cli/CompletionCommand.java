package dev.kron.cli;

import dev.kron.cli.line.BashCompletion;
import dev.kron.cli.line.Command;
import dev.kron.cli.line.CommandArguments;
import dev.kron.cli.line.CommandSpec;
import dev.kron.cli.line.CommandSpec.Example;
import dev.kron.cli.line.Completion;
import dev.kron.cli.line.ExitCode;
import dev.kron.cli.line.FishCompletion;
import dev.kron.cli.line.Operand;
import dev.kron.cli.line.Option;
import dev.kron.cli.line.UsageException;
import dev.kron.cli.line.ZshCompletion;
import dev.kron.cli.online.OnlineNames;
import dev.kron.cli.output.Output;
import dev.kron.cli.output.Surroundings;
import dev.kron.text.Suggestion;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** {@code kron completion}: the scripts that let a shell complete commands and options. */
final class CompletionCommand implements Command {
  private static final List<String> SHELLS = List.of("bash", "zsh", "fish");

  private final Commands commands;

  CompletionCommand(Commands commands) {
    this.commands = commands;
  }

  @Override
  public String name() {
    return "completion";
  }

  @Override
  public String summary() {
    return "print a completion script for bash, zsh or fish";
  }

  @Override
  public CommandSpec spec() {
    return new CommandSpec(
        name(),
        summary(),
        List.of(
            "kron completion bash|zsh|fish",
            "kron completion --names jobs|services|runs|profiles|anything"),
        Operand.optional("SHELL", new Completion.Words(SHELLS), "bash, zsh or fish"),
        List.of(
            Option.choice(
                "--names",
                List.of("jobs", "services", "runs", "profiles", "anything"),
                "print the names that a running daemon knows; the scripts ask for them")),
        List.of(
            "For bash, put  source <(kron completion bash)  into ~/.bashrc. For zsh, write the"
                + " script to a file _kron in a directory of $fpath; for fish, to"
                + " ~/.config/fish/completions/kron.fish. Names of jobs, services, runs and"
                + " profiles are completed where a daemon answers; krond is completed as kron"
                + " run."),
        List.of(
            new Example("source <(kron completion bash)", "complete in this bash"),
            new Example("kron completion zsh > ~/.zfunc/_kron", "complete in zsh")),
        List.of());
  }

  @Override
  public int run(CommandArguments arguments, Surroundings surroundings) throws IOException {
    String names = arguments.value("--names");
    if (names != null) {
      for (String name : OnlineNames.of(names, arguments, surroundings)) {
        surroundings.out().line(name);
      }
      return ExitCode.OK;
    }
    if (arguments.operands().isEmpty()) {
      throw new UsageException("SHELL is missing: bash, zsh or fish");
    }
    List<CommandSpec> specs = new ArrayList<>();
    commands.all().forEach(command -> specs.add(command.spec()));
    String shell = arguments.operands().getFirst();
    List<String> lines =
        switch (shell) {
          case "bash" -> BashCompletion.script(specs);
          case "zsh" -> ZshCompletion.script(specs);
          case "fish" -> FishCompletion.script(specs);
          default ->
              throw new UsageException(
                  "completion is made for bash, zsh and fish, not for \""
                      + shell
                      + "\""
                      + Suggestion.among(SHELLS, shell));
        };
    Output out = surroundings.out();
    for (String line : lines) {
      out.line(line);
    }
    return ExitCode.OK;
  }
}
