package dev.kron.cli;

import dev.kron.cli.line.Arguments;
import dev.kron.cli.line.BashCompletion;
import dev.kron.cli.line.Command;
import dev.kron.cli.line.CommandSpec;
import dev.kron.cli.line.CommandSpec.Example;
import dev.kron.cli.line.Completion;
import dev.kron.cli.line.ExitCode;
import dev.kron.cli.line.Operand;
import dev.kron.cli.line.UsageException;
import dev.kron.cli.line.ZshCompletion;
import dev.kron.cli.output.Output;
import dev.kron.cli.output.Surroundings;
import dev.kron.text.Suggestion;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** {@code kron completion}: the scripts that let a shell complete commands and options. */
final class CompletionCommand implements Command {
  private static final List<String> SHELLS = List.of("bash", "zsh");

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
    return "print a completion script for bash or zsh";
  }

  @Override
  public CommandSpec spec() {
    return new CommandSpec(
        name(),
        summary(),
        List.of("kron completion bash|zsh"),
        Operand.required("SHELL", new Completion.Words(SHELLS), "bash or zsh"),
        List.of(),
        List.of(
            "For bash, put  source <(kron completion bash)  into ~/.bashrc. For zsh, write the"
                + " script to a file _kron in a directory of $fpath."),
        List.of(
            new Example("source <(kron completion bash)", "complete in this bash"),
            new Example("kron completion zsh > ~/.zfunc/_kron", "complete in zsh")),
        List.of());
  }

  @Override
  public int run(Arguments arguments, Surroundings surroundings) throws IOException {
    List<CommandSpec> specs = new ArrayList<>();
    commands.all().forEach(command -> specs.add(command.spec()));
    String shell = arguments.operands().getFirst();
    List<String> lines =
        switch (shell) {
          case "bash" -> BashCompletion.script(specs);
          case "zsh" -> ZshCompletion.script(specs);
          default ->
              throw new UsageException(
                  "completion is made for bash and zsh, not for \""
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
