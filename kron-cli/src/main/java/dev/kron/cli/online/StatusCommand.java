package dev.kron.cli.online;

import dev.kron.cli.line.CommandArguments;
import dev.kron.cli.line.CommandSpec;
import dev.kron.cli.line.CommandSpec.Example;
import dev.kron.cli.line.CommandSpec.Exit;
import dev.kron.cli.line.ExitCode;
import dev.kron.cli.output.Output;
import dev.kron.cli.output.Style;
import dev.kron.cli.output.Surroundings;
import dev.kron.cli.output.Table;
import dev.kron.cli.output.Times;
import dev.kron.json.Json;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

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
  int run(Api api, CommandArguments arguments, Surroundings surroundings) throws IOException {
    boolean json = wantsJson(arguments);
    Json status = api.get(Api.path("status") + "?limit=100");
    if (json) {
      json(status, surroundings);
    } else {
      print(status, surroundings.out());
    }
    return status.is("healthy") ? ExitCode.OK : ExitCode.REFUSED;
  }

  static void print(Json status, Output out) throws IOException {
    long now = status.second("now");
    String name = "krond " + status.text("version");
    String since =
        " (pid %s), up %s:"
            .formatted(status.text("pid"), Times.span(now - status.second("startedAt")));
    String health = status.is("healthy") ? " healthy" : " not healthy";
    out.styled(Style.BOLD, name);
    out.print(since);
    if (out.terminal() && name.length() + since.length() + health.length() > out.width()) {
      out.line();
    }
    out.styled(status.is("healthy") ? Style.GREEN : Style.RED, health);
    out.line();
    for (String problem : status.texts("problems")) {
      out.folded(Style.RED, "  " + problem, 4);
    }
    Json jobs = status.get("jobs");
    out.folded(
        null,
        count(jobs.number("total"), "job", "jobs")
            + ", "
            + jobs.number("activeRuns")
            + " running, "
            + jobs.number("suspended")
            + " suspended, "
            + status.number("failedLastDay")
            + " failed in the last day",
        2);
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
    out.folded(null, count(services.number("total"), "service", "services") + ": " + line, 2);
  }

  private static void troubled(Json status, Output out) throws IOException {
    Table table = new Table("SERVICE", "STATE", "REASON");
    for (Json service : first(status.list("troubledServices"))) {
      table.styled(
          Style.RED, service.text("name"), service.text("state"), service.text("reason", "-"));
    }
    section(table, out);
  }

  private static void running(Json status, Output out, long now) throws IOException {
    Table table = new Table("RUNNING", "FOR", "SINCE", "RUN", "PID").dispensable("PID", "SINCE");
    for (Json run : first(status.list("running"))) {
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
    for (Json job : first(status.list("next"))) {
      long due = job.second("due");
      table.row(job.text("name"), Instants.away(due, now), Instants.clock(due, now));
    }
    section(table, out);
  }

  private static void failed(Json status, Output out, long now) throws IOException {
    Table table =
        new Table("FAILED", "TIMES", "LAST", "HOW", "RUN", "REASON")
            .dispensable("RUN", "REASON", "LAST");
    Map<String, List<Json>> byJob = new LinkedHashMap<>();
    for (Json run : status.list("failed")) {
      byJob.computeIfAbsent(run.text("identity"), _ -> new ArrayList<>()).add(run);
    }
    byJob.entrySet().stream()
        .limit(LINES)
        .forEach(
            job -> {
              Json last = job.getValue().getFirst();
              table.styled(
                  Style.RED,
                  nameOf(job.getKey()),
                  String.valueOf(job.getValue().size()),
                  Instants.away(last.second("completedAt"), now),
                  how(last),
                  last.text("runId", "-"),
                  last.text("reason", "-"));
            });
    section(table, out);
  }

  private static List<Json> first(List<Json> all) {
    return all.subList(0, Math.min(LINES, all.size()));
  }

  private static void section(Table table, Output out) throws IOException {
    if (!table.isEmpty()) {
      out.line();
      table.print(out);
    }
  }
}
