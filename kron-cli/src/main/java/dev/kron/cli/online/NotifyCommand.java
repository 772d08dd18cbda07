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
import dev.kron.cli.output.Style;
import dev.kron.cli.output.Surroundings;
import dev.kron.cli.output.Table;
import dev.kron.json.Json;
import java.io.IOException;
import java.util.List;

/** {@code kron notify}: tests of channels, and what became of messages. */
final class NotifyCommand extends OnlineCommand {
  private static final int MOST_LOGGED = 10_000;

  NotifyCommand() {
    super("notify", "try a channel, see what was sent, silence a job");
  }

  @Override
  public CommandSpec spec() {
    return spec(
        "kron notify test CHANNEL | log [--limit N] | mute JOB TIME | unmute JOB",
        new Operand(
            "test|log|mute|unmute [CHANNEL|JOB [TIME]]",
            1,
            3,
            new Completion.Words(List.of("test", "log", "mute", "unmute")),
            "what to do, then a channel of notify.toml, or a job and for how long"),
        List.of(Option.value("--limit", "N", "of log: at most so many (default: 20)")),
        List.of(
            "notify.toml in the first configuration directory says who is told of what;"
                + " docs/notifications.md explains it.",
            "test sends a message that is no alarm and says what became of it. log shows what"
                + " waits, with the reason, and what was sent or given up, newest first. A muted"
                + " job is watched as before, and nobody is told of it; a problem that stands when"
                + " the time is over is told then. Times are such as 90m or 2h; a mute outlasts the"
                + " daemon."),
        List.of(
            new Example("kron notify test ops", "does the channel work?"),
            new Example("kron notify log", "what was sent lately"),
            new Example("kron notify mute backup 2h", "while somebody works on it")),
        new Exit(
            ExitCode.REFUSED, "there is no such channel or job, or the test was not delivered"));
  }

  @Override
  int run(Api api, CommandArguments arguments, Surroundings surroundings) throws IOException {
    List<String> words = arguments.operands();
    return switch (words.getFirst()) {
      case "test" -> test(api, arguments, operand(words, 2, "which channel"), surroundings);
      case "log" -> log(api, arguments, surroundings);
      case "mute" -> {
        String time = operand(words, 3, "which job and for how long: mute JOB 2h");
        String path = Api.path("jobs", words.get(1), "mute") + "?" + Api.parameter("for", time);
        yield done(api.post(path), arguments, surroundings);
      }
      case "unmute" ->
          done(
              api.post(Api.path("jobs", operand(words, 2, "which job"), "unmute")),
              arguments,
              surroundings);
      default ->
          throw new UsageException(
              "say test, log, mute or unmute, not \"" + words.getFirst() + "\"");
    };
  }

  private static String operand(List<String> words, int count, String what) {
    if (words.size() != count) {
      throw new UsageException("say " + what);
    }
    return words.getLast();
  }

  private static int done(Json answer, CommandArguments arguments, Surroundings surroundings)
      throws IOException {
    if (wantsJson(arguments)) {
      return json(answer, surroundings);
    }
    surroundings.out().line(answer.text("message"));
    return ExitCode.OK;
  }

  private static int test(
      Api api, CommandArguments arguments, String channel, Surroundings surroundings)
      throws IOException {
    Json answer = api.post(Api.path("notify", "channels", channel, "test"));
    int exit = answer.is("delivered") ? ExitCode.OK : ExitCode.REFUSED;
    if (wantsJson(arguments)) {
      var _ = json(answer, surroundings);
      return exit;
    }
    String problem = answer.text("problem");
    surroundings
        .out()
        .line(
            (answer.is("delivered") ? channel + " has it" : channel + " does not have it")
                + (problem.isEmpty() ? "" : ": " + problem));
    return exit;
  }

  private static int log(Api api, CommandArguments arguments, Surroundings surroundings)
      throws IOException {
    int limit = arguments.number("--limit", 20, 1, MOST_LOGGED);
    Json answer = api.get(Api.path("notify", "log") + "?limit=" + limit);
    if (wantsJson(arguments)) {
      return json(answer, surroundings);
    }
    long now = surroundings.now().getAsLong();
    Table table = new Table("WHEN", "STATE", "CHANNEL", "WHAT", "OF", "PROBLEM");
    for (Json message : answer.list("messages")) {
      String state = message.text("state");
      table.styled(
          state.equals("delivered") ? null : state.equals("waiting") ? Style.YELLOW : Style.RED,
          Instants.clock(message.second("at"), now),
          state,
          message.text("channel"),
          message.text("what"),
          message.text("subject"),
          message.text("problem"));
    }
    table.printOr("nothing was sent, and nothing waits", surroundings.out());
    return ExitCode.OK;
  }
}
