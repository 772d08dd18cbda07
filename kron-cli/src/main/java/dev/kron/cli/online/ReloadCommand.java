package dev.kron.cli.online;

import dev.kron.cli.line.CommandArguments;
import dev.kron.cli.line.CommandSpec;
import dev.kron.cli.line.CommandSpec.Example;
import dev.kron.cli.line.CommandSpec.Exit;
import dev.kron.cli.line.ExitCode;
import dev.kron.cli.line.Option;
import dev.kron.cli.output.Output;
import dev.kron.cli.output.Style;
import dev.kron.cli.output.Surroundings;
import dev.kron.json.Json;
import java.io.IOException;
import java.util.List;

/** {@code kron reload}. */
final class ReloadCommand extends OnlineCommand {
  ReloadCommand() {
    super("reload", "let the daemon read its files again");
  }

  @Override
  public CommandSpec spec() {
    return spec(
        "kron reload [--dry-run]",
        null,
        List.of(Option.flag("--dry-run", "show what would change, and change nothing")),
        List.of(
            "With an error in any file nothing changes, and everything that was running goes on;"
                + " all errors are shown. Otherwise what was added, changed and removed is listed."
                + " Runs that go on are never touched."),
        List.of(
            new Example("kron reload --dry-run", "what would change?"),
            new Example("kron reload", "take it over")),
        new Exit(ExitCode.REFUSED, "the files have errors; nothing was changed"));
  }

  @Override
  int run(Api api, CommandArguments arguments, Surroundings surroundings) throws IOException {
    boolean dryRun = arguments.has("--dry-run");
    Json plan = api.post(Api.path("reload") + (dryRun ? "?dry-run=true" : ""));
    if (wantsJson(arguments)) {
      return json(plan, surroundings);
    }
    Output out = surroundings.out();
    int changes = 0;
    changes += list(out, Style.GREEN, "+ ", plan.texts("added"));
    changes += list(out, Style.YELLOW, "~ ", plan.texts("changed"));
    changes += list(out, Style.RED, "- ", plan.texts("removed"));
    for (String sentence : plan.texts("services")) {
      out.line("services: " + sentence);
      changes++;
    }
    for (String sentence : plan.texts("notices")) {
      out.line("notices: " + sentence);
      changes++;
    }
    out.line(
        (changes == 0 ? "nothing changes" : count(changes, "change", "changes"))
            + (dryRun && changes > 0 ? "; nothing was done, this is a dry run" : ""));
    return ExitCode.OK;
  }

  private static int list(Output out, Style style, String sign, List<String> identities)
      throws IOException {
    for (String identity : identities) {
      out.styled(style, sign + identity);
      out.line();
    }
    return identities.size();
  }
}
