package dev.kron.cli.online;

import dev.kron.cli.line.CommandArguments;
import dev.kron.cli.line.CommandSpec;
import dev.kron.cli.line.CommandSpec.Example;
import dev.kron.cli.line.ExitCode;
import dev.kron.cli.output.Style;
import dev.kron.cli.output.Surroundings;
import dev.kron.cli.output.Table;
import dev.kron.json.Json;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** {@code kron services}. */
final class ServicesCommand extends OnlineCommand {
  ServicesCommand() {
    super("services", "list the services of the running daemon");
  }

  @Override
  public CommandSpec spec() {
    return spec(
        "kron services",
        null,
        List.of(),
        List.of(
            "A line for each instance. WANTED is what was asked for (up, down), STATE what it is"
                + " about: inactive, blocked (waits for others), starting, running, stopping,"
                + " exited or failed; restarting where it ended and waits to be started again;"
                + " before_start, after_stop or reload where that hook is running.",
            "MEM is the resident memory of its processes, added up (what they share counts for"
                + " each), CPU their processor time since the start.",
            "RESTARTS are those that the daemon made by itself, ever, and DAY those of the last 24"
                + " hours; LAST EXIT is how its process ended last. A process that is not what its"
                + " file says is marked under REASON."),
        List.of(new Example("kron services", "all of them")));
  }

  @Override
  int run(Api api, CommandArguments arguments, Surroundings surroundings) throws IOException {
    Json answer = api.get(Api.path("services") + "?usage=true");
    if (wantsJson(arguments)) {
      return json(answer, surroundings);
    }
    table(answer.list("services"), surroundings.now().getAsLong())
        .printOr("no services: the daemon's directories have no *.toml", surroundings.out());
    return ExitCode.OK;
  }

  static Table table(List<Json> services, long now) {
    Table table =
        new Table(
                "SERVICE",
                "WANTED",
                "STATE",
                "SINCE",
                "PID",
                "MEM",
                "CPU",
                "RESTARTS",
                "DAY",
                "LAST EXIT",
                "REASON")
            .dispensable("DAY", "CPU", "LAST EXIT", "MEM", "SINCE", "PID", "WANTED", "RESTARTS");
    for (Json service : services) {
      List<Json> instances = service.list("instances");
      for (Json instance : instances) {
        String state = instance.text("state");
        table.styled(
            style(state),
            instances.size() == 1 && service.number("size") <= 1
                ? service.text("name")
                : instance.text("instance"),
            instance.text("wanted", service.text("wanted")),
            state(instance),
            Instants.clock(instance.second("since"), now),
            instance.text("pid", "-"),
            memory(instance),
            processorTime(instance),
            instance.text("restartsTotal"),
            instance.text("restartsLastDay"),
            instance.text("lastExit", "-"),
            reason(instance));
      }
    }
    return table;
  }

  /** The state, with the hook that is running. */
  private static String state(Json instance) {
    String state = instance.text("state");
    String hook = instance.text("hook", "");
    state = hook.isEmpty() ? state : state + ", " + hook;
    return instance.is("restarting") ? state + ", restarting" : state;
  }

  private static String memory(Json instance) {
    String bytes = instance.text("memoryBytes", "");
    return bytes.isEmpty() ? "-" : Sizes.bytes(Long.parseLong(bytes));
  }

  private static String processorTime(Json instance) {
    String millis = instance.text("cpuMillis", "");
    return millis.isEmpty() ? "-" : Sizes.seconds(Long.parseLong(millis));
  }

  private static String reason(Json instance) {
    List<String> waiting = instance.texts("waitingOn");
    List<String> conflicts = instance.texts("conflictsWith");
    if (!waiting.isEmpty()) {
      return "waits for " + String.join(", ", waiting);
    }
    if (!conflicts.isEmpty()) {
      return "not together with " + String.join(", ", conflicts);
    }
    if (instance.is("restartsInTurn")) {
      return "runs what its file said before; restarted when the others are up";
    }
    return instance.is("outdated")
        ? "runs what its file said before; kron restart"
        : instance.text("reason", "-");
  }

  private static @Nullable Style style(String state) {
    return switch (state) {
      case "running" -> Style.GREEN;
      case "failed" -> Style.RED;
      case "blocked", "starting", "stopping" -> Style.YELLOW;
      default -> null;
    };
  }
}
