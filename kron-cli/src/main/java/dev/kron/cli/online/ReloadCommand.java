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
import dev.kron.cli.output.Output;
import dev.kron.cli.output.Style;
import dev.kron.cli.output.Surroundings;
import dev.kron.json.Json;
import dev.kron.text.VisibleText;
import java.io.IOException;
import java.util.List;

/** {@code kron reload}: of the daemon's files, or of services by their own reload commands. */
final class ReloadCommand extends OnlineCommand {
  ReloadCommand() {
    super("reload", "let the daemon read its files again, or services their own");
  }

  @Override
  public CommandSpec spec() {
    return spec(
        "kron reload [--dry-run] | SERVICE...",
        Operand.any(
            "SERVICE",
            Completion.Names.SERVICES,
            "services or instances (web@1) whose reload command is run; none: the daemon reads its"
                + " files"),
        List.of(Option.flag("--dry-run", "show what would change, and change nothing")),
        List.of(
            "With an error in any file nothing changes, and everything that was running goes on;"
                + " all errors are shown. Otherwise what was added, changed and removed is listed."
                + " Runs that go on are never touched.",
            "With names, the command that a service has as reload under [hooks] is run for each of"
                + " its running instances, one after the other, and what it wrote is shown."),
        List.of(
            new Example("kron reload --dry-run", "what would change?"),
            new Example("kron reload", "take it over"),
            new Example("kron reload web", "run the reload command of web")),
        new Exit(
            ExitCode.REFUSED,
            "the files have errors, and nothing was changed; or a reload command failed, took too"
                + " long, or is not there"));
  }

  @Override
  int run(Api api, CommandArguments arguments, Surroundings surroundings) throws IOException {
    boolean dryRun = arguments.has("--dry-run");
    if (!arguments.operands().isEmpty()) {
      if (dryRun) {
        throw new UsageException("--dry-run is for the daemon's files, not for services");
      }
      int code = ExitCode.OK;
      for (String service : ServiceWords.expanded(api, arguments.operands())) {
        code = Math.max(code, reload(api, service, arguments, surroundings));
      }
      return code;
    }
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
    for (String sentence : plan.texts("fleet")) {
      out.line("fleet: " + sentence);
      changes++;
    }
    out.line(
        (changes == 0 ? "nothing changes" : count(changes, "change", "changes"))
            + (dryRun && changes > 0 ? "; nothing was done, this is a dry run" : ""));
    return ExitCode.OK;
  }

  /** Runs the reload commands of a service, one instance after the other. */
  private static int reload(
      Api api, String service, CommandArguments arguments, Surroundings surroundings)
      throws IOException {
    List<Json> instances = api.get(Api.path("services", service)).list("instances");
    if (instances.size() == 1) {
      return reloadOne(api, service, arguments, surroundings);
    }
    List<String> running =
        instances.stream()
            .filter(instance -> instance.text("state").equals("running"))
            .map(instance -> instance.text("instance"))
            .toList();
    if (running.isEmpty()) {
      return reloadOne(api, service, arguments, surroundings); // the daemon says why not
    }
    int code = ExitCode.OK;
    for (String name : running) {
      code = Math.max(code, reloadOne(api, name, arguments, surroundings));
    }
    return code;
  }

  private static int reloadOne(
      Api api, String name, CommandArguments arguments, Surroundings surroundings)
      throws IOException {
    String runId = api.post(Api.path("services", name, "reload")).text("runId");
    Json end = await(api, name, runId, surroundings);
    if (wantsJson(arguments)) {
      json(end, surroundings);
    } else {
      Output out = surroundings.out();
      for (String line : end.text("output").lines().toList()) {
        out.line(VisibleText.of(line));
      }
      String problem = end.text("problem");
      out.line(name + (problem.isEmpty() ? " is reloaded" : ": reload failed: " + problem));
    }
    return end.get("problem").isNull() ? ExitCode.OK : ExitCode.REFUSED;
  }

  private static Json await(Api api, String name, String runId, Surroundings surroundings)
      throws IOException {
    try (Progress progress = new Progress(surroundings)) {
      while (true) {
        Json instance = api.get(Api.path("services", name)).list("instances").getFirst();
        Json last = instance.get("lastReload");
        if (!last.isNull() && last.text("runId").equals(runId)) {
          return last;
        }
        if (!instance.text("reloadRunId").equals(runId)) {
          throw Api.refused(
              name
                  + " ended before its reload command began, or the daemon did after it had ended;"
                  + " 'kron logs "
                  + name
                  + "' shows what it wrote");
        }
        progress.show("the reload command of " + name + " is running");
      }
    }
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
