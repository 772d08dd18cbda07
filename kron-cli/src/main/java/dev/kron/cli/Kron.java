package dev.kron.cli;

import dev.kron.cli.line.Command;
import dev.kron.cli.line.CommandArguments;
import dev.kron.cli.line.CommandSpec;
import dev.kron.cli.line.ExitCode;
import dev.kron.cli.line.HelpText;
import dev.kron.cli.line.RefusedException;
import dev.kron.cli.line.UsageException;
import dev.kron.cli.output.Output;
import dev.kron.cli.output.OutputClosedException;
import dev.kron.cli.output.Style;
import dev.kron.cli.output.Surroundings;
import dev.kron.text.Suggestion;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;

/** One call of {@code kron}: finds the command, runs it, and turns whatever happens into a code. */
public final class Kron {
  /** What other tools call it, and how it is done here. */
  private static final Map<String, String> FOREIGN =
      Map.ofEntries(
          Map.entry("list", "'kron jobs' lists jobs, 'kron services' services"),
          Map.entry("ls", "'kron jobs' lists jobs, 'kron services' services"),
          Map.entry("ps", "'kron services' lists services, 'kron status' what runs"),
          Map.entry("top", "'kron watch' shows everything as it happens"),
          Map.entry("tail", "'kron logs NAME -f' follows what a job or service writes"),
          Map.entry("log", "'kron logs NAME' shows what a job or service wrote"),
          Map.entry("history", "'kron runs JOB' lists what ran"),
          Map.entry("cancel", "'kron stop JOB' ends the runs of a job"),
          Map.entry(
              "kill",
              "'kron stop JOB --signal KILL' ends the runs of a job, 'kron signal SERVICE KILL' the"
                  + " processes of a service"),
          Map.entry("enable", "'kron resume JOB' lets a job run, 'kron start SERVICE' a service"),
          Map.entry("disable", "'kron suspend JOB' holds a job, 'kron stop SERVICE' a service"),
          Map.entry("delete", "take it out of its file, then 'kron reload'"),
          Map.entry("add", "write it into a file, then 'kron reload'"),
          Map.entry("edit", "edit its file, then 'kron lint' and 'kron reload'"),
          Map.entry("check", "'kron lint' checks files, 'kron status' a daemon"));

  private final Commands commands;

  public Kron(Commands commands) {
    this.commands = commands;
  }

  /** Runs a command line to its exit code. */
  public int run(List<String> words, Surroundings surroundings) {
    try {
      int code = dispatch(words, surroundings);
      surroundings.out().flush();
      surroundings.err().flush();
      return code;
    } catch (OutputClosedException e) {
      return closed(e, surroundings);
    } catch (UncheckedIOException e) {
      return e.getCause() instanceof OutputClosedException closed
          ? closed(closed, surroundings)
          : complain(surroundings, ExitCode.INTERNAL, List.of(internal(e)), "");
    } catch (IOException | RuntimeException e) {
      return complain(surroundings, ExitCode.INTERNAL, List.of(internal(e)), "");
    }
  }

  private int dispatch(List<String> words, Surroundings surroundings) throws IOException {
    if (words.isEmpty()) {
      commands.help().overview(surroundings.err());
      return ExitCode.USAGE;
    }
    String name = words.getFirst();
    List<String> rest = words.subList(1, words.size());
    switch (name) {
      case "--help", "-h" -> {
        commands.help().overview(surroundings.out());
        return ExitCode.OK;
      }
      case "--version" -> name = "version";
      default -> {}
    }
    Command command = commands.named(name);
    String ours = FOREIGN.get(name);
    if (command == null && ours != null) {
      return complain(
          surroundings,
          ExitCode.USAGE,
          List.of("there is no command \"" + name + "\": " + ours),
          "kron help");
    }
    if (command == null) {
      return complain(
          surroundings,
          ExitCode.USAGE,
          List.of(
              "there is no command \"" + name + "\"" + Suggestion.among(commands.names(), name)),
          "kron help");
    }
    return run(command, rest, surroundings);
  }

  private static int run(Command command, List<String> words, Surroundings surroundings)
      throws IOException {
    CommandSpec spec = command.spec();
    try {
      CommandArguments arguments = CommandArguments.parse(spec, words);
      if (arguments.helpWanted()) {
        HelpText.print(spec, surroundings.out());
        return ExitCode.OK;
      }
      return command.run(arguments, surroundings);
    } catch (UsageException e) {
      return complain(
          surroundings, ExitCode.USAGE, List.of(e.text()), "kron " + command.name() + " --help");
    } catch (RefusedException e) {
      return complain(surroundings, e.exitCode(), e.lines(), "");
    }
  }

  private static int closed(OutputClosedException e, Surroundings surroundings) {
    if (e.brokenPipe()) {
      return ExitCode.BROKEN_PIPE;
    }
    return complain(
        surroundings,
        ExitCode.OUTPUT_FAILED,
        List.of("the output could not be written: " + e.getMessage()),
        "");
  }

  /**
   * Says on the error stream what is wrong and where to read on; what stands on stdout goes first.
   */
  private static int complain(
      Surroundings surroundings, int code, List<String> messages, String readOn) {
    try {
      if (code != ExitCode.OUTPUT_FAILED) {
        surroundings.out().flush();
      }
      Output err = surroundings.err();
      for (String message : messages) {
        err.styled(Style.RED, "kron: ");
        err.line(message);
      }
      if (!readOn.isEmpty()) {
        err.line("Try '" + readOn + "'.");
      }
      err.flush();
    } catch (IOException e) {
      // Nobody listens on the error stream either; the code still tells.
      return code;
    }
    return code;
  }

  private static String internal(Exception e) {
    StackTraceElement[] trace = e.getStackTrace();
    return "this is a fault of kron, please report it: "
        + e
        + (trace.length == 0 ? "" : " at " + trace[0]);
  }
}
