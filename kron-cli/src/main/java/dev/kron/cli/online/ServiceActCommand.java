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
import dev.kron.cli.output.Surroundings;
import dev.kron.json.Json;
import dev.kron.service.FailureReason;
import java.io.IOException;
import java.util.List;

/** {@code kron start} and {@code restart}, and the part of {@code stop} that is about services. */
final class ServiceActCommand extends OnlineCommand {
  private final String description;

  private ServiceActCommand(String name, String summary, String description) {
    super(name, summary);
    this.description = description;
  }

  static ServiceActCommand start() {
    return new ServiceActCommand(
        "start",
        "start services, with what they require",
        "They are wanted up from now on, also after a restart of the daemon or the machine. What"
            + " they require and want is started too, in order.");
  }

  /** For {@link StopCommand}, which is about jobs as well. */
  static ServiceActCommand stop() {
    return new ServiceActCommand("stop", "", "");
  }

  static ServiceActCommand restart() {
    return new ServiceActCommand(
        "restart",
        "give services new processes",
        "Their processes are ended and started anew; those that require them are left alone.");
  }

  @Override
  public CommandSpec spec() {
    return spec(
        "kron " + name() + " SERVICE... [--wait] | --all [--wait]",
        Operand.any(
            "SERVICE",
            Completion.Names.SERVICES,
            "names of services or instances (web@1), or patterns: * stands for anything, ? for one"
                + " character"),
        List.of(
            Option.flag(
                "--wait", "wait until that is so and has been for start_stable_ms, or has failed"),
            Option.flag("--all", "all services")),
        List.of(description),
        List.of(
            new Example("kron " + name() + " web --wait", "and see that it worked"),
            new Example("kron " + name() + " web@1", "its second instance only")),
        new Exit(ExitCode.REFUSED, "there is no such service, or with --wait: it has failed"));
  }

  @Override
  int run(Api api, CommandArguments arguments, Surroundings surroundings) throws IOException {
    return act(api, meant(api, arguments), arguments, surroundings);
  }

  private List<String> meant(Api api, CommandArguments arguments) throws IOException {
    List<String> words = arguments.operands();
    if (arguments.has("--all") == !words.isEmpty()) {
      throw new UsageException(
          words.isEmpty() ? "name services, or say --all" : "--all leaves nothing to name");
    }
    if (!words.isEmpty()) {
      return ServiceWords.expanded(api, words);
    }
    // Who is down on purpose is not started by a restart of all.
    return name().equals("restart") ? ServiceWords.wantedUp(api) : ServiceWords.all(api);
  }

  /** The same for services that were found out before. */
  int act(Api api, List<String> services, CommandArguments arguments, Surroundings surroundings)
      throws IOException {
    boolean json = wantsJson(arguments);
    for (String service : services) {
      Json answer = api.post(Api.path("services", service, name()));
      if (!arguments.has("--wait")) {
        if (json) {
          json(answer, surroundings);
        } else {
          surroundings.out().line(answer.text("message"));
        }
      }
    }
    return arguments.has("--wait") ? await(api, services, arguments, surroundings) : ExitCode.OK;
  }

  /** Waits for services, or instances of them, and says what they are then. */
  int await(Api api, List<String> services, CommandArguments arguments, Surroundings surroundings)
      throws IOException {
    int code = ExitCode.OK;
    for (String service : services) {
      Json end = await(api, service, surroundings);
      if (wantsJson(arguments)) {
        json(end, surroundings);
      } else {
        surroundings.out().line(service + " is " + end.text("state"));
      }
      code = hasFailed(end) ? ExitCode.REFUSED : code;
    }
    return code;
  }

  private Json await(Api api, String service, Surroundings surroundings) throws IOException {
    try (Progress progress = new Progress(surroundings)) {
      Json found = api.get(Api.path("services", service));
      while (!isDone(found)) {
        progress.show(service + " is " + found.text("state"));
        found = api.get(Api.path("services", service));
      }
      return found;
    }
  }

  private boolean isDone(Json service) {
    boolean several = service.list("instances").size() > 1;
    for (Json instance : service.list("instances")) {
      boolean aside = several && !isStop() && instance.text("wanted").equals("down");
      if (aside) {
        continue; // stopped by itself, or on its way out
      }
      boolean stillThere = !instance.get("runId").isNull() && !isUnendable(instance);
      boolean settling =
          instance.text("state").equals("running")
              && !instance.get("stable").isNull() // an older daemon does not say
              && !instance.is("stable");
      if (instance.is("restarting") || (isStop() ? stillThere : settling)) {
        return false;
      }
    }
    return switch (service.text("state")) {
      case "running" -> !isStop();
      case "exited", "failed" -> true;
      case "inactive" -> isStop();
      default -> false;
    };
  }

  /** One that had failed is as down as one that was stopped, unless it cannot be ended. */
  private boolean hasFailed(Json service) {
    return isStop()
        ? service.list("instances").stream().anyMatch(ServiceActCommand::isUnendable)
        : service.text("state").equals("failed");
  }

  private static boolean isUnendable(Json instance) {
    return instance.text("reason").equals(new FailureReason.StopTimeout().text());
  }

  private boolean isStop() {
    return name().equals("stop");
  }
}
