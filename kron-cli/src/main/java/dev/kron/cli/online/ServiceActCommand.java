package dev.kron.cli.online;

import dev.kron.cli.ExitCode;
import dev.kron.cli.line.Arguments;
import dev.kron.cli.line.CommandSpec;
import dev.kron.cli.line.CommandSpec.Example;
import dev.kron.cli.line.CommandSpec.Exit;
import dev.kron.cli.line.Completion;
import dev.kron.cli.line.Operand;
import dev.kron.cli.line.Option;
import dev.kron.cli.output.Surroundings;
import java.io.IOException;
import java.util.List;

/** {@code kron start}, {@code stop} and {@code restart}: what is wanted of services. */
final class ServiceActCommand extends OnlineCommand {
  private final String goal;
  private final String description;

  private ServiceActCommand(String name, String summary, String goal, String description) {
    super(name, summary);
    this.goal = goal;
    this.description = description;
  }

  static ServiceActCommand start() {
    return new ServiceActCommand(
        "start",
        "start services, with what they require",
        "running",
        "They are wanted up from now on, also after a restart of the daemon or the machine. What"
            + " they require and want is started too, in order.");
  }

  static ServiceActCommand stop() {
    return new ServiceActCommand(
        "stop",
        "stop services, after those that require them",
        "stopped",
        "They are wanted down from now on, also after a restart of the daemon or the machine. Those"
            + " that require them are stopped first, in reverse order.");
  }

  static ServiceActCommand restart() {
    return new ServiceActCommand(
        "restart",
        "give services new processes",
        "running",
        "Their processes are ended and started anew; those that require them are left alone.");
  }

  @Override
  public CommandSpec spec() {
    return spec(
        "kron " + name() + " SERVICE... [--wait]",
        new Operand(
            "SERVICE", 1, Integer.MAX_VALUE, Completion.Nothing.NOTHING, "names of services"),
        List.of(Option.flag("--wait", "wait until that is so, or has failed")),
        List.of(description),
        List.of(new Example("kron " + name() + " web --wait", "and see that it worked")),
        new Exit(ExitCode.REFUSED, "there is no such service, or with --wait: it has failed"));
  }

  @Override
  int run(Api api, Arguments arguments, Surroundings surroundings) throws IOException {
    boolean json = wantsJson(arguments);
    int code = ExitCode.OK;
    for (String service : arguments.operands()) {
      Json answer = api.post(Api.path("services", service, name()));
      if (!arguments.has("--wait")) {
        if (json) {
          json(answer, surroundings);
        } else {
          surroundings.out().line(answer.text("message"));
        }
      }
    }
    if (arguments.has("--wait")) {
      for (String service : arguments.operands()) {
        Json end = await(api, service, surroundings);
        if (json) {
          json(end, surroundings);
        } else {
          surroundings.out().line(service + " is " + end.text("state"));
        }
        code = end.text("state").equals("failed") ? ExitCode.REFUSED : code;
      }
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
    for (Json instance : service.list("instances")) {
      if (instance.is("restarting")) {
        return false;
      }
    }
    return switch (service.text("state")) {
      case "running" -> goal.equals("running");
      case "exited" -> true;
      case "inactive" -> goal.equals("stopped");
      case "failed" -> true;
      default -> false;
    };
  }
}
