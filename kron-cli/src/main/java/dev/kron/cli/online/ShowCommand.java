package dev.kron.cli.online;

import dev.kron.cli.line.CommandArguments;
import dev.kron.cli.line.CommandSpec;
import dev.kron.cli.line.CommandSpec.Example;
import dev.kron.cli.line.CommandSpec.Exit;
import dev.kron.cli.line.Completion;
import dev.kron.cli.line.ExitCode;
import dev.kron.cli.line.HelpText;
import dev.kron.cli.line.Operand;
import dev.kron.cli.output.Output;
import dev.kron.cli.output.Style;
import dev.kron.cli.output.Surroundings;
import dev.kron.json.Json;
import dev.kron.text.ShellWords;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** {@code kron show}: what was or will be executed, exactly. */
final class ShowCommand extends OnlineCommand {
  ShowCommand() {
    super("show", "show a job, service or run: state, and what is executed, exactly");
  }

  @Override
  public CommandSpec spec() {
    return spec(
        "kron show JOB|SERVICE|RUN",
        Operand.required(
            "JOB|SERVICE|RUN",
            Completion.Names.ANYTHING,
            "a job by name or identity, a service or an instance (web@1) by name, or a run's id"),
        List.of(),
        List.of(
            "For a job or a service: what its next process will be. For a run: what was executed,"
                + " as it was noted when it began. Words, user and groups, directory, umask and the"
                + " whole environment, so that \"it works in my shell\" has an answer. Values that"
                + " look like secrets are masked, and so is all that comes from an envfile or a"
                + " profile of a job; credentials of a service are not shown at all. Where a job"
                + " and a service have the same name, say job:NAME or service:NAME."),
        List.of(new Example("kron show backup", "a job and its next run")),
        new Exit(ExitCode.REFUSED, "there is no such job, service or run"));
  }

  @Override
  int run(Api api, CommandArguments arguments, Surroundings surroundings) throws IOException {
    String word = arguments.operands().getFirst();
    Json found = api.find(Api.path("jobs", word));
    boolean job = found != null;
    Json supervised = api.find(Api.path("services", word));
    ServiceWords.refuseBoth(word, found, supervised);
    boolean service = supervised != null;
    found = service ? supervised : found;
    if (found == null) {
      found = api.find(Api.path("runs", word));
    }
    if (found == null) {
      throw Api.refused("there is no job, service or run " + word + api.suggestion(word));
    }
    if (wantsJson(arguments)) {
      return json(found, surroundings);
    }
    if (job) {
      job(found, surroundings);
    } else if (service) {
      service(found, surroundings);
    } else {
      run(found, surroundings);
    }
    return ExitCode.OK;
  }

  private static void job(Json job, Surroundings surroundings) throws IOException {
    Output out = surroundings.out();
    long now = surroundings.now().getAsLong();
    Json entry = job.get("entry");
    out.styled(Style.BOLD, job.text("identity"));
    out.line();
    optional(out, "description", job.text("description"));
    field(out, "schedule", job.text("schedule", "in no file any more"));
    field(out, "state", JobsCommand.state(job));
    field(out, "next", when(job.second("nextDue"), now));
    field(out, "last", last(job, now));
    fleet(out, job.get("fleet"));
    optional(out, "held until", when(job.second("heldUntil"), now));
    optional(out, "muted until", when(job.second("mutedUntil"), now));
    if (!job.get("retryAttempt").isNull()) {
      field(
          out,
          "retry",
          "attempt " + job.number("retryAttempt") + ", " + when(job.second("retryAt"), now));
    }
    if (!entry.isNull()) {
      field(out, "file", entry.text("file") + ":" + entry.text("line"));
      field(
          out,
          "policy",
          "concurrency=" + entry.text("concurrency") + ", deadline=" + entry.text("deadline"));
      optional(out, "timeout", entry.text("timeout"));
      if (entry.number("retries") > 0) {
        field(
            out,
            "retries",
            entry.number("retries")
                + ", after "
                + entry.text("retrydelay")
                + " and more, at most "
                + entry.text("retrymax"));
      }
      if (!entry.texts("okexit").equals(List.of("0"))) {
        field(out, "okexit", String.join(",", entry.texts("okexit")));
      }
      optional(out, "then", String.join(" ", entry.texts("then")));
      if (entry.number("nice") != 0) {
        field(out, "nice", entry.text("nice"));
      }
      for (String watch : List.of("late", "expect", "least", "silent")) {
        optional(out, watch, entry.text(watch));
      }
      optional(out, "envfile", entry.text("envfile"));
      optional(out, "profile", entry.text("profile"));
      optional(out, "onfailure", ShellWords.line(entry.texts("onfailure")));
    }
    List<Json> active = job.list("active");
    if (!active.isEmpty()) {
      out.line();
      RunsCommand.table(active, now).print(out);
    }
    out.line();
    HelpText.heading(out, "What the next run will be");
    execution(out, job.get("execution"));
  }

  private static void fleet(Output out, Json fleet) throws IOException {
    if (fleet.isNull()) {
      return;
    }
    field(out, "fleet", "on=" + fleet.text("on") + "; kron fleet jobs shows what all nodes know");
    optional(out, "lost run", fleet.text("lostRun"));
    if (fleet.is("differs")) {
      field(out, "differs", "other files are in force than this node has, so it takes no part");
    }
  }

  private static void service(Json service, Surroundings surroundings) throws IOException {
    Output out = surroundings.out();
    Json entry = service.get("entry");
    out.styled(Style.BOLD, service.text("name"));
    out.line();
    optional(out, "description", service.text("description"));
    field(out, "type", service.text("type"));
    field(out, "state", service.text("state") + ", wanted " + service.text("wanted"));
    if (service.number("size") != service.number("fileSize")) {
      field(
          out,
          "instances",
          service.text("size") + ", by kron scale; in its file: " + service.text("fileSize"));
    }
    field(out, "file", entry.text("file") + ":" + entry.text("line"));
    if (!service.text("type").equals("target")) {
      field(out, "ready", ready(service.text("type"), entry.text("ready")));
    }
    optional(out, "before_start", ShellWords.line(entry.texts("beforeStart")));
    optional(out, "after_stop", ShellWords.line(entry.texts("afterStop")));
    optional(out, "reload", ShellWords.line(entry.texts("reload")));
    optional(out, "onfailure", ShellWords.line(entry.texts("onfailure")));
    for (String relation : List.of("requires", "wants", "after", "conflicts")) {
      optional(out, relation, String.join(", ", entry.texts(relation)));
    }
    String bound = service.text("boundProfile");
    String profile = entry.text("credentialProfile", "none");
    field(
        out,
        "credentials",
        bound.isEmpty() ? profile : bound + ", by command; in its file: " + profile);
    out.line();
    ServicesCommand.table(List.of(service), surroundings.now().getAsLong()).print(out);
    if (!service.text("type").equals("target")) {
      out.line();
      HelpText.heading(out, "What its next process will be");
      execution(out, service.get("execution"));
      String used = bound.isEmpty() ? entry.text("credentialProfile") : bound;
      if (!used.isEmpty()) {
        out.line("    and what profile " + used + " has, which is never shown");
      }
    }
  }

  private static String ready(String type, String by) {
    if (type.equals("oneshot")) {
      return "when it has exited with 0";
    }
    return switch (by) {
      case "start" -> "as soon as it is started";
      case "health" -> "when its check passes";
      case "notify" -> "when it sends READY=1 to its NOTIFY_SOCKET";
      default -> "when it writes a line to descriptor " + by.substring(by.indexOf(':') + 1);
    };
  }

  /** How the last run ended, or what became of the last period; in very long lists only that. */
  private static String last(Json job, long now) {
    Json last = job.get("last");
    long nominal = job.second("lastNominalTime");
    return (last.isNull()
            ? JobsCommand.unknown(job)
            : how(last) + ", " + Instants.clock(last.second("completedAt"), now))
        + (nominal == 0 ? "" : " (the last period: " + Instants.clock(nominal, now) + ")");
  }

  private static void run(Json run, Surroundings surroundings) throws IOException {
    Output out = surroundings.out();
    long now = surroundings.now().getAsLong();
    out.styled(Style.BOLD, "run " + run.text("runId"));
    out.line();
    field(out, "job", run.text("identity"));
    field(out, "how", how(run));
    optional(out, "caused by", run.text("causedBy"));
    if (run.number("attempt") > 1) {
      field(out, "attempt", run.text("attempt"));
    }
    optional(out, "reason", run.text("reason"));
    optional(out, "stage", run.text("stage"));
    field(out, "period", when(run.second("nominalTime"), now));
    field(out, "chosen", when(run.second("chosenTime"), now));
    field(out, "started", when(run.second("startedAt"), now));
    field(out, "ended", when(run.second("completedAt"), now));
    optional(out, "pid", run.text("pid"));
    out.line();
    HelpText.heading(out, "What was executed");
    execution(out, run.get("execution"));
  }

  private static void execution(Output out, Json execution) throws IOException {
    if (execution.isNull()) {
      out.line("  is not known");
      return;
    }
    if (!execution.get("problem").isNull()) {
      out.styled(Style.RED, "  it cannot be started: " + execution.text("problem"));
      out.line();
    }
    field(out, "command", ShellWords.line(execution.texts("argv")));
    field(
        out,
        "user",
        execution.text("user")
            + " (uid "
            + execution.text("uid")
            + ", gid "
            + execution.text("gid")
            + ", groups "
            + (execution.list("groups").isEmpty()
                ? "none"
                : String.join(" ", execution.texts("groups")))
            + ")");
    field(out, "directory", execution.text("cwd"));
    field(out, "umask", execution.text("umask"));
    field(out, "stdin", execution.text("stdin"));
    field(out, "stdout", execution.text("stdout"));
    field(out, "stderr", execution.text("stderr"));
    out.line("  environment");
    List<String> environment = new ArrayList<>(execution.texts("environment"));
    environment.sort(null);
    for (String variable : environment) {
      out.line("    " + variable);
    }
  }

  private static String when(long second, long now) {
    return second == 0 ? "" : Instants.clock(second, now) + " (" + Instants.away(second, now) + ")";
  }

  private static void field(Output out, String name, String value) throws IOException {
    out.print("  " + name + " ".repeat(13 - name.length()));
    out.line(value.isEmpty() ? "-" : value);
  }

  private static void optional(Output out, String name, String value) throws IOException {
    if (!value.isEmpty()) {
      field(out, name, value);
    }
  }
}
