package dev.kron.cli;

import dev.kron.cli.line.Command;
import dev.kron.cli.online.OnlineCommands;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The commands that there are. A program with more of them (those that talk to the daemon) makes
 * its own list and hands it to {@link Kron}; nothing here knows of it.
 */
public final class Commands {
  private final List<Command> commands;
  private final HelpCommand help = new HelpCommand(this);

  public Commands(List<Command> commands) {
    List<Command> all = new ArrayList<>(commands);
    all.add(new CompletionCommand(this));
    all.add(help);
    all.add(new VersionCommand());
    this.commands = List.copyOf(all);
  }

  /** The commands that need no daemon. */
  public static Commands offline() {
    return new Commands(withoutDaemon());
  }

  /** All of them. */
  static Commands everything() {
    List<Command> all = new ArrayList<>();
    all.add(new DemoCommand());
    all.add(new RunCommand());
    all.addAll(OnlineCommands.all());
    all.addAll(withoutDaemon());
    return new Commands(all);
  }

  private static List<Command> withoutDaemon() {
    return List.of(
        new InitCommand(),
        new LintCommand(),
        new ExplainCommand(),
        new NextCommand(),
        new ForecastCommand(),
        new GraphCommand(),
        new ImportCommand(System.in),
        new SimulateCommand());
  }

  public List<Command> all() {
    return commands;
  }

  public @Nullable Command named(String name) {
    for (Command command : commands) {
      if (command.name().equals(name)) {
        return command;
      }
    }
    return null;
  }

  HelpCommand help() {
    return help;
  }

  List<String> names() {
    List<String> names = new ArrayList<>();
    commands.forEach(command -> names.add(command.name()));
    return names;
  }
}
