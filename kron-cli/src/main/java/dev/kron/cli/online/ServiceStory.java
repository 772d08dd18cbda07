package dev.kron.cli.online;

import dev.kron.cli.line.ExitCode;
import dev.kron.cli.output.Output;
import dev.kron.cli.output.Style;
import dev.kron.cli.output.Surroundings;
import dev.kron.json.Json;
import java.io.IOException;
import java.util.List;

/** Why a service is as it is. */
final class ServiceStory {
  private ServiceStory() {}

  static int tell(Json service, Surroundings surroundings) throws IOException {
    Output out = surroundings.out();
    long now = surroundings.now().getAsLong();
    String name = service.text("name");
    boolean up = service.text("wanted").equals("up");
    out.styled(Style.BOLD, name);
    out.line(" is wanted " + (up ? "up" : "down: 'kron start " + name + "' wants it up"));
    List<Json> instances = service.list("instances");
    for (Json instance : instances) {
      out.line();
      if (instances.size() > 1) {
        out.line(instance.text("instance") + ":");
      }
      boolean aside = up && instance.text("wanted").equals("down");
      if (aside) {
        out.line(
            "  it is wanted down by itself: 'kron start "
                + instance.text("instance")
                + "' wants it up");
      }
      tell(instance, name, up && !aside, out, now);
    }
    return ExitCode.OK;
  }

  private static void tell(Json instance, String name, boolean up, Output out, long now)
      throws IOException {
    String since = instance.get("since").isNull() ? "" : since(instance, "since", now);
    String pid = instance.get("pid").isNull() ? "" : ", pid " + instance.text("pid");
    out.line("  it is " + instance.text("state") + since + pid + because(instance));
    if (!instance.get("lastExit").isNull()) {
      out.line(
          "  its process ended last"
              + since(instance, "lastExitAt", now)
              + ": "
              + instance.text("lastExit"));
    }
    long restarts = instance.number("restartsTotal");
    if (restarts > 0) {
      out.line(
          "  it was restarted "
              + OnlineCommand.count(restarts, "time", "times")
              + ", "
              + instance.text("restartsLastDay")
              + " of them in the last day");
    }
    if (instance.is("restartsInTurn")) {
      out.line("  it runs what its file said before: it is restarted when the others are up");
    } else if (instance.is("outdated")) {
      out.line("  it runs what its file said before: 'kron restart " + name + "'");
    }
    if (instance.is("restarting")) {
      out.line("  it waits to be started again by itself");
    } else if (up && List.of("failed", "exited").contains(instance.text("state"))) {
      out.line("  nothing starts it again but 'kron start " + name + "'");
    }
    if (!instance.get("lastExit").isNull() || instance.text("state").equals("failed")) {
      out.line("  'kron logs " + instance.text("instance") + "' has what it wrote");
    }
  }

  private static String since(Json instance, String member, long now) {
    long second = instance.second(member);
    return " "
        + (member.equals("since") ? "since " : "at ")
        + Instants.clock(second, now)
        + " ("
        + Instants.away(second, now)
        + ")";
  }

  private static String because(Json instance) {
    List<String> waiting = instance.texts("waitingOn");
    List<String> conflicts = instance.texts("conflictsWith");
    if (!waiting.isEmpty()) {
      return ": it waits for " + String.join(", ", waiting) + " to be up";
    }
    if (!conflicts.isEmpty()) {
      return ": it cannot be up together with " + String.join(", ", conflicts);
    }
    String reason = instance.text("reason", "");
    return reason.isEmpty() ? "" : ": " + reason;
  }
}
