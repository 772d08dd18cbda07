package dev.kron.cli.online;

import dev.kron.cli.line.CommandArguments;
import dev.kron.cli.line.CommandSpec;
import dev.kron.cli.line.CommandSpec.Example;
import dev.kron.cli.line.CommandSpec.Exit;
import dev.kron.cli.line.Completion;
import dev.kron.cli.line.ExitCode;
import dev.kron.cli.line.Operand;
import dev.kron.cli.line.Option;
import dev.kron.cli.line.TimeArgument;
import dev.kron.cli.line.UsageException;
import dev.kron.cli.output.Surroundings;
import dev.kron.fleet.postgres.PostgresDatabase;
import dev.kron.json.Json;
import dev.kron.json.JsonWriter;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

/** {@code kron fleet}: the machines that share a schedule, looked at and directed from any. */
final class FleetCommand extends OnlineCommand {
  private static final List<String> WORDS =
      List.of(
          "status", "nodes", "jobs", "runs", "why", "trigger", "suspend", "resume", "release",
          "remove", "adopt", "schema");
  private static final long AGAIN_MILLIS = 300;

  FleetCommand() {
    super("fleet", "look at the machines that share a schedule, and direct them");
  }

  @Override
  public CommandSpec spec() {
    return spec(
        "kron fleet status | nodes | jobs [JOB] | runs [JOB] | why JOB [TIME] | trigger JOB"
            + " [--node N] | suspend JOB | resume JOB | release RUN | remove NODE | adopt | schema",
        new Operand(
            String.join("|", WORDS) + " [JOB|RUN|NODE [TIME]]",
            1,
            3,
            new Completion.InTurn(List.of(new Completion.Words(WORDS), Completion.Names.JOBS)),
            "what to do, then a job, run or node"),
        List.of(
            Option.value("--node", "N", "of trigger: this node; of runs: only its own"),
            Option.flag("--failed", "of runs: only what failed, was missed or has an unknown end"),
            Option.value("--limit", "N", "of runs: at most so many (default: 20)"),
            Option.value(
                "--request",
                "ID",
                "an id for what is asked for: with the same one it is done once, however often it"
                    + " is said (default: a new one)")),
        List.of(
            "A machine is in a fleet where its configuration directory has a fleet.toml;"
                + " docs/fleet.md explains it. All of this works on any node, and means the whole"
                + " fleet.",
            "status tells how this node stands, and counts the whole. nodes, jobs and runs list"
                + " what the database has. why tells what became of a period, on which node, or in"
                + " which order the nodes try to take it; a TIME is one of: "
                + TimeArgument.FORMS
                + ".",
            "trigger has one node run a job now, and waits until one has begun, for a minute at"
                + " most: after that nobody will. It counts for concurrency. When suspend has"
                + " returned, no node starts the job any more, until resume.",
            "release says that a lost run need not be waited for, and its job goes on. remove says"
                + " that a node's machine is off for good: its runs are released, and it is never"
                + " let in again. adopt makes this machine a new node, after its state directory"
                + " was copied or restored; what the old one ran stays with the old one.",
            "schema prints the tables for a database administrator, and needs no daemon."),
        List.of(
            new Example("kron fleet status", "is all well?"),
            new Example("kron fleet why backup 2026-11-14", "a day of a job, on all nodes"),
            new Example("kron fleet trigger backup --node web-3", "run it there, now"),
            new Example("kron fleet remove web-2", "its machine is off for good"),
            new Example("kron fleet schema | psql kron", "make the tables")),
        new Exit(
            ExitCode.REFUSED,
            "there is no such job, run or node, it cannot be done now, or this machine is in no"
                + " fleet; of status: something needs attention"));
  }

  /** The tables are the same whatever daemon runs. */
  @Override
  public int run(CommandArguments arguments, Surroundings surroundings) throws IOException {
    if (!arguments.operands().getFirst().equals("schema")) {
      return super.run(arguments, surroundings);
    }
    operands(arguments, 1, 1, "schema takes nothing else");
    if (wantsJson(arguments)) {
      JsonWriter json = surroundings.out().json();
      json.beginObject().member("ddl", PostgresDatabase.ddl()).endObject().end();
    } else {
      for (String line : PostgresDatabase.ddl().lines().toList()) {
        surroundings.out().line(line);
      }
    }
    return ExitCode.OK;
  }

  @Override
  int run(Api api, CommandArguments arguments, Surroundings surroundings) throws IOException {
    String word = arguments.operands().getFirst();
    var lists = new FleetLists(arguments, surroundings);
    return switch (word) {
      case "status" -> {
        operands(arguments, 1, 1, "status takes nothing else");
        yield lists.status(api.get(Api.path("fleet")));
      }
      case "nodes" -> {
        operands(arguments, 1, 1, "nodes takes nothing else");
        yield lists.nodes(api.get(Api.path("fleet", "nodes")));
      }
      case "jobs" -> lists.jobs(jobs(api, operands(arguments, 1, 2, "say one job, or none")));
      case "runs" -> runs(api, lists, arguments);
      case "why" -> why(api, arguments, surroundings);
      case "trigger" -> trigger(api, arguments, surroundings);
      case "suspend", "resume" ->
          act(api, arguments, surroundings, "jobs", operand(arguments, "job"), word);
      case "release" -> act(api, arguments, surroundings, "runs", operand(arguments, "run"), word);
      case "remove" -> act(api, arguments, surroundings, "nodes", operand(arguments, "node"), word);
      case "adopt" -> {
        operands(arguments, 1, 1, "adopt takes nothing else");
        yield done(api.post(Api.path("fleet", "adopt")), arguments, surroundings);
      }
      default ->
          throw new UsageException("say " + String.join(", ", WORDS) + ", not \"" + word + "\"");
    };
  }

  private static List<String> operands(
      CommandArguments arguments, int least, int most, String usage) {
    List<String> words = arguments.operands();
    if (words.size() < least || words.size() > most) {
      throw new UsageException(usage);
    }
    return words;
  }

  private static String operand(CommandArguments arguments, String what) {
    return operands(arguments, 2, 2, "say which " + what).getLast();
  }

  /** All jobs, page by page, or one. */
  private static List<Json> jobs(Api api, List<String> words) throws IOException {
    if (words.size() == 2) {
      return List.of(api.get(Api.path("fleet", "jobs", words.getLast())));
    }
    List<Json> jobs = new ArrayList<>();
    Json page = api.get(Api.path("fleet", "jobs"));
    jobs.addAll(page.list("jobs"));
    while (!page.get("after").isNull()) {
      page = api.get(Api.path("fleet", "jobs") + "?" + Api.parameter("after", page.text("after")));
      jobs.addAll(page.list("jobs"));
    }
    return jobs;
  }

  private static int runs(Api api, FleetLists lists, CommandArguments arguments)
      throws IOException {
    List<String> words = operands(arguments, 1, 2, "say one job, or none");
    String node = arguments.value("--node");
    String query =
        "?limit="
            + arguments.number("--limit", 20, 0, 1000)
            + (words.size() == 2 ? "&" + Api.parameter("job", words.getLast()) : "")
            + (node == null ? "" : "&" + Api.parameter("node", node))
            + (arguments.has("--failed") ? "&failed=true" : "");
    return lists.runs(api.get(Api.path("fleet", "runs") + query));
  }

  private static int why(Api api, CommandArguments arguments, Surroundings surroundings)
      throws IOException {
    List<String> words = operands(arguments, 2, 3, "say which job, and a time or none");
    String job = words.get(1);
    String range = words.size() == 2 ? "" : WhyCommand.range(api, job, words.get(2), surroundings);
    Json answer = api.get(Api.path("fleet", "jobs", job, "why") + range);
    return wantsJson(arguments)
        ? json(answer, surroundings)
        : WhyCommand.print(api, job, answer, surroundings);
  }

  /** What names a request, so that saying it again does nothing more. */
  private static String request(CommandArguments arguments) {
    return arguments.value("--request", UUID.randomUUID().toString());
  }

  private static int act(
      Api api,
      CommandArguments arguments,
      Surroundings surroundings,
      String kind,
      String subject,
      String verb)
      throws IOException {
    String path = Api.path("fleet", kind, subject, verb);
    return done(
        api.post(path + "?" + Api.parameter("request", request(arguments))),
        arguments,
        surroundings);
  }

  private static int done(Json answer, CommandArguments arguments, Surroundings surroundings)
      throws IOException {
    if (wantsJson(arguments)) {
      return json(answer, surroundings);
    }
    surroundings.out().line(answer.text("message"));
    return ExitCode.OK;
  }

  private static int trigger(Api api, CommandArguments arguments, Surroundings surroundings)
      throws IOException {
    String job = operand(arguments, "job");
    String node = arguments.value("--node");
    String id = request(arguments);
    api.post(
        Api.path("fleet", "jobs", job, "trigger")
            + "?"
            + Api.parameter("request", id)
            + (node == null ? "" : "&" + Api.parameter("node", node)));
    Json request = taken(api, id, surroundings);
    boolean begun = request.text("state").equals("done");
    Json run = begun ? api.get(Api.path("fleet", "runs", request.text("runId"))) : request;
    if (wantsJson(arguments)) {
      var _ = json(run, surroundings);
    } else if (begun) {
      surroundings.out().line("run " + run.text("runId") + " on node " + run.text("node"));
    } else {
      throw Api.refused(
          "no node has taken it, and none will: it runs already, is suspended, or no node that"
              + " lives may run it; kron fleet jobs "
              + job
              + " and kron fleet why "
              + job
              + " tell more");
    }
    return begun ? ExitCode.OK : ExitCode.REFUSED;
  }

  /** The request, once a node has taken it, or none will any more. */
  private static Json taken(Api api, String id, Surroundings surroundings) throws IOException {
    try (Progress progress = new Progress(surroundings)) {
      Json request = api.get(Api.path("fleet", "requests", id));
      while (request.text("state").equals("open")) {
        progress.show("no node has taken it yet");
        TimeUnit.MILLISECONDS.sleep(AGAIN_MILLIS);
        request = api.get(Api.path("fleet", "requests", id));
      }
      return request;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException();
    }
  }
}
