package dev.kron.cli.online;

import dev.kron.cli.line.Command;
import dev.kron.cli.line.CommandArguments;
import dev.kron.cli.line.CommandSpec;
import dev.kron.cli.line.CommandSpec.Example;
import dev.kron.cli.line.CommandSpec.Exit;
import dev.kron.cli.line.Completion;
import dev.kron.cli.line.ExitCode;
import dev.kron.cli.line.Format;
import dev.kron.cli.line.Operand;
import dev.kron.cli.line.Option;
import dev.kron.cli.output.Surroundings;
import dev.kron.json.Json;
import dev.kron.json.JsonWriter;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A command that asks a running daemon. */
abstract class OnlineCommand implements Command {
  static final Operand JOB =
      Operand.required(
          "JOB", Completion.Names.JOBS, "a job, by name where it is unique or by identity");

  private final String name;
  private final String summary;

  OnlineCommand(String name, String summary) {
    this.name = name;
    this.summary = summary;
  }

  @Override
  public final String name() {
    return name;
  }

  @Override
  public final String summary() {
    return summary;
  }

  @Override
  public int run(CommandArguments arguments, Surroundings surroundings) throws IOException {
    return run(Api.reach(arguments, surroundings), arguments, surroundings);
  }

  abstract int run(Api api, CommandArguments arguments, Surroundings surroundings)
      throws IOException;

  /** A declaration, with what all of these commands have. */
  CommandSpec spec(
      String synopsis,
      @Nullable Operand operand,
      List<Option> options,
      List<String> description,
      List<Example> examples,
      Exit... exits) {
    List<Option> all = new ArrayList<>(options);
    all.add(Format.OPTION);
    all.add(Api.SOCKET);
    List<Exit> codes = new ArrayList<>();
    codes.add(new Exit(ExitCode.OK, "done"));
    codes.addAll(List.of(exits));
    codes.add(new Exit(ExitCode.USAGE, "the command line was not understood"));
    codes.add(new Exit(ExitCode.UNAVAILABLE, "no daemon answers"));
    codes.add(new Exit(ExitCode.NOT_ALLOWED, "you may not ask the daemon for that"));
    return new CommandSpec(
        name,
        summary,
        List.of(synopsis + " [--format text|json] [--socket PATH]"),
        operand,
        all,
        description,
        examples,
        codes);
  }

  static boolean wantsJson(CommandArguments arguments) {
    return Format.of(arguments) == Format.JSON;
  }

  /** Prints what the daemon answered, for a program. */
  static int json(Json answer, Surroundings surroundings) throws IOException {
    JsonWriter json = surroundings.out().json();
    answer.write(json);
    json.end();
    return ExitCode.OK;
  }

  /** The last part of an identity. */
  static String nameOf(String identity) {
    return identity.substring(identity.lastIndexOf(':') + 1);
  }

  static String count(long number, String one, String many) {
    return number + " " + (number == 1 ? one : many);
  }

  /** The outcome of a run, or its state, in a word or two. */
  static String how(Json run) {
    if (!run.text("state").equals("ended")) {
      return run.text("state").equals("started") ? "running" : run.text("state");
    }
    if (!run.text("outcome").equals("executed")) {
      return run.text("outcome");
    }
    if (!run.get("stage").isNull()) {
      return "not started";
    }
    if (run.text("cause").equals("timed-out")) {
      return "timed out";
    }
    if (run.text("cause").equals("stopped-by-operator")) {
      return "stopped";
    }
    if (!run.get("signal").isNull()) {
      return "signal " + run.text("signal");
    }
    return run.get("exitCode").isNull() ? "exit unknown" : "exit " + run.text("exitCode");
  }
}
