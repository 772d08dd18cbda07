package dev.kron.cli.online;

import dev.kron.cli.line.Arguments;
import dev.kron.cli.line.CommandSpec;
import dev.kron.cli.line.CommandSpec.Example;
import dev.kron.cli.line.CommandSpec.Exit;
import dev.kron.cli.line.ExitCode;
import dev.kron.cli.output.Output;
import dev.kron.cli.output.Style;
import dev.kron.cli.output.Surroundings;
import dev.kron.cli.output.Times;
import dev.kron.json.Json;
import java.io.IOException;
import java.util.List;

/** {@code kron status}: one screen. */
final class StatusCommand extends OnlineCommand {
  private static final int LINES = 5;

  StatusCommand() {
    super("status", "one screen: health, what runs, what is next, what failed lately");
  }

  @Override
  public CommandSpec spec() {
    return spec(
        "kron status",
        null,
        List.of(),
        List.of(
            "Asks the running daemon. What is wrong stands first; the lists show the first "
                + LINES
                + " of each, the JSON of a program has more."),
        List.of(new Example("kron status", "how is it?")),
        new Exit(
            ExitCode.REFUSED, "not everything that is wanted happens: a service has failed, say"));
  }

  @Override
  int run(Api api, Arguments arguments, Surroundings surroundings) throws IOException {
    boolean json = wantsJson(arguments);
    Json status = api.get(Api.path("status") + "?limit=" + (json ? 100 : LINES));
    if (json) {
      json(status, surroundings);
    } else {
      print(status, surroundings.out());
    }
    return status.is("healthy") ? ExitCode.OK : ExitCode.REFUSED;
  }

  static void print(Json status, Output out) throws IOException {
    long now = status.second("now");
    out.styled(Style.BOLD, "krond " + status.text("version"));
    out.print(" (pid " + status.text("pid") + "), up ");
    out.print(Times.span(now - status.second("startedAt")) + ": ");
    if (status.is("healthy")) {
      out.styled(Style.GREEN, "healthy");
    } else {
      out.styled(Style.RED, "not healthy");
    }
    out.line();
    for (String problem : status.texts("problems")) {
      out.styled(Style.RED, "  " + problem);
      out.line();
    }
    Json jobs = status.get("jobs");
    out.line(
        count(jobs.number("total"), "job", "jobs")
            + ", "
            + jobs.number("activeRuns")
            + " running, "
            + jobs.number("suspended")
            + " suspended, "
            + status.number("failedLastDay")
            + " failed in the last day");
    services(status.get("services"), out);
    running(status, out, now);
    next(status, out, now);
    failed(status, out, now);
    troubled(status, out);
  }

  private static void services(Json services, Output out) throws IOException {
    if (services.number("total") == 0) {
      return;
    }
    StringBuilder line = new StringBuilder();
    for (String kind : services.names()) {
      if (!kind.equals("total") && services.number(kind) > 0) {
        line.append(line.isEmpty() ? "" : ", ").append(services.number(kind)).append(' ');
        line.append(kind);
      }
    }
    out.line(count(services.number("total"), "service", "services") + ": " + line);
  }

  private static void troubled(Json status, Output out) throws IOException {
    Table table = new Table("SERVICE", "STATE", "REASON");
    for (Json service : status.list("troubledServices")) {
      table.styled(
          Style.RED, service.text("name"), service.text("state"), service.text("reason", "-"));
    }
    section(table, out);
  }

  private static void running(Json status, Output out, long now) throws IOException {
    Table table = new Table("RUNNING", "FOR", "SINCE", "RUN", "PID");
    for (Json run : status.list("running")) {
      long since = run.second("startedAt");
      table.row(
          nameOf(run.text("identity")),
          Times.span(Math.max(0, now - since)),
          Instants.clock(since, now),
          run.text("runId"),
          run.text("pid", "-"));
    }
    section(table, out);
  }

  private static void next(Json status, Output out, long now) throws IOException {
    Table table = new Table("NEXT", "IN", "AT");
    for (Json job : status.list("next")) {
      long due = job.second("due");
      table.row(job.text("name"), Instants.away(due, now), Instants.clock(due, now));
    }
    section(table, out);
  }

  private static void failed(Json status, Output out, long now) throws IOException {
    Table table = new Table("FAILED", "WHEN", "HOW", "RUN", "REASON");
    for (Json run : status.list("failed")) {
      table.styled(
          Style.RED,
          nameOf(run.text("identity")),
          Instants.away(run.second("completedAt"), now),
          how(run),
          run.text("runId", "-"),
          run.text("reason", "-"));
    }
    section(table, out);
  }

  private static void section(Table table, Output out) throws IOException {
    if (!table.isEmpty()) {
      out.line();
      table.print(out);
    }
  }
}
