package dev.kron.cli.online;

import dev.kron.cli.line.CommandArguments;
import dev.kron.cli.line.ExitCode;
import dev.kron.cli.output.Output;
import dev.kron.cli.output.Style;
import dev.kron.cli.output.Surroundings;
import dev.kron.cli.output.Table;
import dev.kron.cli.output.Times;
import dev.kron.json.Json;
import dev.kron.json.JsonWriter;
import java.io.IOException;
import java.util.List;

/** What {@code kron fleet} prints of nodes, jobs and runs. */
final class FleetLists {
  /** By more than this a machine's clock is worth a word. */
  private static final long CLOCK_MILLIS = 2000;

  private final CommandArguments arguments;
  private final Surroundings surroundings;
  private final Output out;
  private final long now;

  FleetLists(CommandArguments arguments, Surroundings surroundings) {
    this.arguments = arguments;
    this.surroundings = surroundings;
    this.out = surroundings.out();
    this.now = surroundings.now().getAsLong();
  }

  private boolean wantsJson() {
    return OnlineCommand.wantsJson(arguments);
  }

  /** How this node stands, and the whole. */
  int status(Json status) throws IOException {
    Json node = status.get("node");
    boolean well =
        status.is("member")
            && node.text("state").equals("in")
            && node.list("lost").isEmpty()
            && node.texts("differing").isEmpty()
            && Math.abs(node.number("aheadMillis")) <= CLOCK_MILLIS;
    int exit = well ? ExitCode.OK : ExitCode.REFUSED;
    if (wantsJson()) {
      var _ = OnlineCommand.json(status, surroundings);
      return exit;
    }
    if (!status.is("member")) {
      out.line(
          "this machine is in no fleet: a fleet.toml in its configuration directory makes it a"
              + " node");
      return exit;
    }
    out.styled(Style.BOLD, "node " + node.text("name"));
    out.print(" (" + node.text("id", "no UUID yet") + "): ");
    out.styled(
        node.text("state").equals("in") ? Style.GREEN : Style.RED,
        switch (node.text("state")) {
          case "in" -> "takes part";
          case "out" -> "takes no part";
          default -> "is cut off: nothing of the fleet is started here, its runs go on";
        });
    out.line();
    problems(node, status.text("databaseProblem"));
    out.line(
        OnlineCommand.count(node.number("activeRuns"), "run goes on", "runs go on")
            + " here, "
            + OnlineCommand.count(node.number("owedEnds"), "end is", "ends are")
            + " still to be told");
    Json fleet = status.get("database");
    if (!fleet.isNull()) {
      out.line(
          "in the fleet: "
              + OnlineCommand.count(fleet.number("liveNodes"), "live node", "live nodes")
              + ", "
              + OnlineCommand.count(fleet.number("jobs"), "job", "jobs")
              + " ("
              + fleet.number("suspended")
              + " suspended, "
              + fleet.number("held")
              + " held by lost runs), "
              + fleet.number("activeRuns")
              + " running; generation "
              + fleet.number("generation"));
    }
    return exit;
  }

  private void problems(Json node, String databaseProblem) throws IOException {
    if (!node.text("problem").isEmpty()) {
      out.folded(Style.RED, "  " + node.text("problem"), 4);
    } else if (!databaseProblem.isEmpty()) {
      out.folded(Style.RED, "  " + databaseProblem, 4);
    }
    long ahead = node.number("aheadMillis");
    if (Math.abs(ahead) > CLOCK_MILLIS) {
      String by = Math.abs(ahead) / 1000.0 + " s " + (ahead > 0 ? "ahead of" : "behind");
      out.folded(Style.YELLOW, "  this machine's clock is " + by + " the database's", 4);
    }
    for (Json lost : node.list("lost")) {
      out.folded(
          Style.RED,
          "  "
              + lost.text("identity")
              + " is held: run "
              + lost.text("runId")
              + " is lost since "
              + Instants.clock(lost.second("since"), now)
              + " ("
              + Instants.away(lost.second("since"), now)
              + ")"
              + (lost.is("rerun") ? "; another node runs it again" : ""),
          4);
    }
    for (String identity : node.texts("differing")) {
      out.folded(
          Style.YELLOW, "  " + identity + ": other files are in force than this node has", 4);
    }
  }

  int nodes(Json answer) throws IOException {
    if (wantsJson()) {
      return OnlineCommand.json(answer, surroundings);
    }
    Table table =
        new Table(
                "NODE", "STATE", "LABELS", "RUNS", "LOST", "DIFFERS", "CLOCK", "LEASE", "VERSION",
                "ID")
            .dispensable("ID", "VERSION", "LEASE", "LABELS", "CLOCK");
    for (Json node : answer.list("nodes")) {
      String state = node.text("state");
      long left = node.second("leaseUntil");
      table.styled(
          state.equals("lost") ? Style.RED : state.equals("removed") ? Style.DIM : null,
          node.text("name"),
          state,
          node.texts("labels").isEmpty() ? "-" : String.join(",", node.texts("labels")),
          node.text("activeRuns"),
          node.text("lostRuns"),
          node.text("differing"),
          clock(node.number("aheadMillis")),
          state.equals("live")
              ? Times.span(node.number("leaseMillis") / 1000)
              : Instants.away(left, now),
          node.text("version"),
          node.text("id"));
    }
    table.printOr("no node has joined yet", out);
    return ExitCode.OK;
  }

  /** By how much a clock is ahead: {@code +0.2s}. */
  private static String clock(long aheadMillis) {
    return (aheadMillis < 0 ? "-" : "+") + Math.round(Math.abs(aheadMillis) / 100.0) / 10.0 + "s";
  }

  int jobs(List<Json> jobs) throws IOException {
    if (wantsJson()) {
      JsonWriter json = out.json();
      json.beginObject().name("jobs").beginArray();
      for (Json job : jobs) {
        job.write(json);
      }
      json.endArray().endObject().end();
      return ExitCode.OK;
    }
    Table table =
        new Table("JOB", "STATE", "ON", "NODES", "NODE", "LAST", "WHEN", "RUN")
            .dispensable("RUN", "NODES", "WHEN");
    for (Json job : jobs) {
      List<Json> rows = job.list("rows");
      if (rows.isEmpty()) {
        table.row(
            job.text("name"), job.text("state"), job.text("on"), holders(job), "-", "-", "-", "-");
      }
      for (Json row : rows) {
        Json run = row.get("active").isNull() ? row.get("last") : row.get("active");
        String state = state(job, row);
        table.styled(
            state.equals("held") || state.equals("nowhere")
                ? Style.RED
                : job.is("suspended") ? Style.DIM : null,
            job.text("name"),
            state,
            job.text("on"),
            holders(job),
            run.isNull() ? row.text("node", "-") : run.text("node"),
            run.isNull() ? "-" : how(run),
            run.isNull() ? "-" : Instants.away(run.second("claimedAt"), now),
            run.isNull() ? "-" : run.text("runId"));
      }
    }
    table.printOr("no node's files have a job of the fleet: write it into fleet/NAME.kron", out);
    return ExitCode.OK;
  }

  /** How many nodes have it, and how many of them otherwise than it is in force. */
  private static String holders(Json job) {
    long differing = job.number("differing");
    return job.number("nodes") + (differing == 0 ? "" : " (" + differing + " differ)");
  }

  private static String state(Json job, Json row) {
    if (!row.get("lostSince").isNull()) {
      return "held";
    }
    return row.get("active").isNull() && job.text("state").matches("running|held")
        ? job.is("suspended") ? "suspended" : "ready"
        : job.text("state");
  }

  int runs(Json answer) throws IOException {
    if (wantsJson()) {
      return OnlineCommand.json(answer, surroundings);
    }
    Table table =
        new Table("WHEN", "JOB", "HOW", "NODE", "PERIOD", "RUN", "REASON")
            .dispensable("PERIOD", "REASON", "RUN");
    for (Json run : answer.list("runs")) {
      String how = how(run);
      table.styled(
          how.equals("running") ? Style.GREEN : isBad(run) ? Style.RED : null,
          Instants.clock(run.second("claimedAt"), now),
          OnlineCommand.nameOf(run.text("identity")),
          how
              + (run.text("kind").equals("trigger") ? ", by hand" : "")
              + (run.text("kind").equals("chain") ? ", in a chain" : "")
              + (run.number("attempt") > 1 ? ", attempt " + run.number("attempt") : ""),
          run.text("node"),
          run.text("nominalTime", "-"),
          run.text("runId"),
          run.text("reason").isEmpty() ? "-" : run.text("reason"));
    }
    table.printOr("no such runs", out);
    return ExitCode.OK;
  }

  private static boolean isBad(Json run) {
    return run.text("state").equals("lost")
        || List.of("failed", "missed", "unknown", "unschedulable").contains(run.text("outcome"));
  }

  private static String how(Json run) {
    if (!run.text("state").equals("ended")) {
      return run.text("state");
    }
    return run.get("exitCode").isNull()
        ? run.text("outcome", "ended")
        : "exit " + run.text("exitCode");
  }
}
