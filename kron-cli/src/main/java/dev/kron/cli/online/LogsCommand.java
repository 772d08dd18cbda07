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
import dev.kron.cli.output.Output;
import dev.kron.cli.output.Style;
import dev.kron.cli.output.Surroundings;
import dev.kron.json.Json;
import dev.kron.json.JsonWriter;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import org.jspecify.annotations.Nullable;

/** {@code kron logs}: what runs wrote. */
final class LogsCommand extends OnlineCommand {
  private static final long SHOWN_BYTES = 1 << 20;

  LogsCommand() {
    super("logs", "show what a job's runs or a service wrote");
  }

  @Override
  public CommandSpec spec() {
    return spec(
        "kron logs JOB|SERVICE[@N]|RUN... [-f] [-n N] [--grep REGEX] [--timestamps]"
            + " [--run ID | --since T] [--stdout | --stderr] [--all]",
        new Operand(
            "JOB|SERVICE|RUN",
            1,
            Integer.MAX_VALUE,
            Completion.Names.ANYTHING,
            "jobs by name or identity, services by name or pattern, or runs by their ids; web@1 for"
                + " the second instance of a service"),
        List.of(
            Option.flag("-f", "go on with what it writes, and with the runs to come"),
            Option.value("-n", "N", "only the last N lines of what is there, of each stream"),
            Option.value("--grep", "REGEX", "only lines in which this is found"),
            Option.named("--run", "ID", Completion.Names.RUNS, "this run (default: the last one)"),
            Option.value("--since", "T", "all runs since then; of a service, what it wrote since"),
            Option.flag("--timestamps", "when each line was written, as far as that is known"),
            Option.flag("--stdout", "only what it wrote to its standard output"),
            Option.flag("--stderr", "only what it wrote to its standard error"),
            Option.flag(
                "--all",
                "all of it (default: the last MiB of a run, half of it for each of two streams)")),
        List.of(
            "First a run's standard output, then its standard error; while it runs, with -f, both"
                + " as they come. Into a file or a pipe the bytes are what they are; on a terminal"
                + " control characters are shown as escapes. What goes to a file of the job's own"
                + " (stdout=file:…) is not here; where it is, is said on standard error, as is what"
                + " --all would show in addition.",
            "A service writes both streams to one log, which is shown and followed across"
                + " rotations; --run, --stdout and --stderr are for jobs. Where a job and a"
                + " service have the same name, say job:NAME or service:NAME.",
            "Commands write their output themselves, and krond looks about once a second how long"
                + " it has become: a line was written at most about a second before its timestamp."
                + " Where krond was not there, or the line is old and its marks were joined, only"
                + " a longer time is known: a ~ after the timestamp says that the line may have"
                + " been written any time before, and --since T shows it if it may be that new."
                + " --format json has both ends, after and by.",
            "Of several, and of a service with several instances, each line has its origin before"
                + " it. With -f a daemon that was killed is waited for, and what it writes next"
                + " follows what was shown.",
            "With -f or --timestamps, --format json prints an object a line: runId, stream and line"
                + " of a job, instance and line of a service.",
            "A time T is one of: " + TimeArgument.FORMS + "."),
        List.of(
            new Example("kron logs backup", "of the last run"),
            new Example("kron logs backup -f", "follow it"),
            new Example("kron logs web db -f", "two services, or all instances of one, together"),
            new Example("kron logs backup --since -1d --stderr", "all complaints of a day"),
            new Example("kron logs web --since -10m --timestamps", "a service's last minutes")),
        new Exit(ExitCode.REFUSED, "there is no such job, service or run, or it never ran"));
  }

  @Override
  int run(Api api, CommandArguments arguments, Surroundings surroundings) throws IOException {
    if (arguments.has("--run") && arguments.has("--since")) {
      throw new UsageException("--run and --since exclude each other");
    }
    List<LogSource> sources = LogSource.of(api, arguments);
    if (sources.size() > 1 && arguments.has("--run")) {
      throw new UsageException("--run is of one job");
    }
    if (sources.size() > 1 && arguments.has("-f")) {
      return followAll(api, sources, arguments, surroundings);
    }
    if (sources.size() > 1 && wantsJson(arguments) && !arguments.has("--timestamps")) {
      throw new UsageException(
          "--format json is for one job or instance, or for -f or --timestamps");
    }
    for (LogSource source : sources) {
      print(api, source, arguments, surroundings);
    }
    return ExitCode.OK;
  }

  private static void print(
      Api api, LogSource source, CommandArguments arguments, Surroundings surroundings)
      throws IOException {
    if (source.isService()) {
      ServiceLogPrinter.print(api, source, arguments, surroundings);
    } else {
      printJob(api, source, arguments, surroundings);
    }
  }

  /** All at once, each with its origin; ends when the last one does. */
  private static int followAll(
      Api api, List<LogSource> sources, CommandArguments arguments, Surroundings surroundings)
      throws IOException {
    List<FutureTask<Void>> tasks = new ArrayList<>();
    for (LogSource source : sources) {
      FutureTask<Void> task =
          new FutureTask<>(
              () -> {
                print(api, source, arguments, surroundings);
                return null;
              });
      tasks.add(task);
      Thread.ofVirtual().start(task);
    }
    for (FutureTask<Void> task : tasks) {
      Follower.await(task);
    }
    return ExitCode.OK;
  }

  private static void printJob(
      Api api, LogSource source, CommandArguments arguments, Surroundings surroundings)
      throws IOException {
    String job = source.word();
    Json named = arguments.has("--run") ? null : run(api, job);
    List<Json> runs = named == null ? runs(api, job, arguments, surroundings) : List.of(named);
    if (runs.isEmpty() && !arguments.has("-f")) {
      throw Api.refused(
          arguments.has("--since") ? job + " has not run since then" : job + " has never run");
    }
    Output out = surroundings.out();
    boolean json = wantsJson(arguments);
    if (json && !arguments.has("-f") && !arguments.has("--timestamps")) {
      json(api, runs, arguments, out);
      return;
    }
    Follower follower =
        new Follower(api, streams(arguments), out, json, lines(arguments), source.prefix());
    for (Json run : runs) {
      if (runs.size() > 1 && !json) {
        heading(run, out, surroundings.now().getAsLong());
      }
      boolean going = run.get("completedAt").isNull();
      if (going && arguments.has("-f")) {
        follower.follow(run.text("runId"));
      } else {
        for (String stream : streams(arguments)) {
          elsewhere(api, run, stream, surroundings);
          announce(api, run.text("runId"), stream, arguments, surroundings);
          follower.copy(run.text("runId"), stream, tail(arguments));
        }
      }
    }
    if (arguments.has("-f") && !arguments.has("--run") && named == null) {
      followRunsToCome(api, job, follower);
    }
  }

  private static List<String> streams(CommandArguments arguments) {
    boolean both = arguments.has("--stdout") == arguments.has("--stderr");
    return both
        ? List.of("stdout", "stderr")
        : List.of(arguments.has("--stdout") ? "stdout" : "stderr");
  }

  /** Which lines are wanted. */
  static Follower.Lines lines(CommandArguments arguments) {
    String regex = arguments.value("--grep");
    int last = arguments.number("-n", 0, 0, Integer.MAX_VALUE);
    try {
      return new Follower.Lines(
          last, regex == null ? null : Pattern.compile(regex), arguments.has("--timestamps"));
    } catch (PatternSyntaxException e) {
      throw new UsageException("--grep is no regular expression: " + e.getDescription());
    }
  }

  /** Says where a stream goes if the daemon does not keep it. */
  private static void elsewhere(Api api, Json run, String stream, Surroundings surroundings)
      throws IOException {
    String to = api.get(Api.path("runs", run.text("runId"))).get("execution").text(stream);
    if (to.startsWith("file:")) {
      surroundings.out().flush();
      surroundings.err().line("kron: its " + stream + " goes to " + to.substring(5));
      surroundings.err().flush();
    }
  }

  private static void announce(
      Api api, String runId, String stream, CommandArguments arguments, Surroundings surroundings)
      throws IOException {
    if (!arguments.has("--all")) {
      String path = Api.path("runs", runId, "logs", stream) + "?" + tail(arguments);
      try (InputStream in = api.open(path)) {
        announceTail(in, arguments, surroundings);
      }
    }
  }

  /** Says how much output comes before what is shown. */
  static void announceTail(InputStream in, CommandArguments arguments, Surroundings surroundings)
      throws IOException {
    long before = in instanceof HttpAnswer answer ? answer.offset() : 0;
    if (before > 0 && !arguments.has("-n")) {
      surroundings.out().flush();
      surroundings
          .err()
          .line("kron: the first " + before + " bytes are not shown; --all shows everything");
      surroundings.err().flush();
    }
  }

  private static String tail(CommandArguments arguments) {
    return tail(arguments, streams(arguments).size());
  }

  /** A MiB for everything that is shown of a run, whatever it consists of; for a query. */
  static String tail(CommandArguments arguments, int parts) {
    return arguments.has("--all") ? "" : "tail=" + SHOWN_BYTES / parts + "&";
  }

  /** The run with this id; null: the word means a job. */
  private static @Nullable Json run(Api api, String word) throws IOException {
    return api.find(Api.path("jobs", word)) == null ? api.find(Api.path("runs", word)) : null;
  }

  /** The runs that are meant, oldest first. */
  private static List<Json> runs(
      Api api, String job, CommandArguments arguments, Surroundings surroundings)
      throws IOException {
    String runId = arguments.value("--run");
    if (runId != null) {
      return List.of(api.get(Api.path("runs", runId)));
    }
    boolean since = arguments.has("--since");
    long from = since ? since(arguments, surroundings) : 0;
    List<Json> found = new ArrayList<>();
    for (Json run : api.get(Api.path("jobs", job, "runs") + "?limit=100000").list("runs")) {
      boolean ran = !run.get("runId").isNull() && !run.get("startedAt").isNull();
      if (ran && run.second("startedAt") >= from && (since || found.isEmpty())) {
        found.addFirst(run);
      }
    }
    return found;
  }

  static long since(CommandArguments arguments, Surroundings surroundings) {
    return TimeArgument.parse(
        "--since",
        arguments.value("--since", ""),
        surroundings.zone(),
        surroundings.now().getAsLong());
  }

  private static void heading(Json run, Output out, long now) throws IOException {
    out.styled(
        Style.BOLD,
        "==> run "
            + run.text("runId")
            + ", "
            + Instants.clock(run.second("startedAt"), now)
            + ", "
            + how(run));
    out.line();
  }

  private static void json(Api api, List<Json> runs, CommandArguments arguments, Output out)
      throws IOException {
    JsonWriter json = out.json();
    json.beginObject().name("runs").beginArray();
    for (Json run : runs) {
      json.beginObject().member("runId", run.text("runId"));
      for (String stream : streams(arguments)) {
        try (var body =
            api.open(Api.path("runs", run.text("runId"), "logs", stream) + "?" + tail(arguments))) {
          json.member(stream, new String(body.readAllBytes(), StandardCharsets.UTF_8));
        }
      }
      json.endObject();
    }
    json.endArray().endObject().end();
  }

  private static void followRunsToCome(Api api, String job, Follower follower) throws IOException {
    String path = Api.path("events") + "?" + Api.parameter("job", job);
    try (EventStream events = new EventStream(api, path, null, true)) {
      followActive(api, job, follower); // one that began between the last look and this one
      for (String data = events.next(); data != null; data = events.next()) {
        Json event = Json.parse(data);
        if (event.text("event").equals("run_started")) {
          follower.follow(event.text("run"));
        } else if (event.text("event").equals("lost")) {
          followActive(api, job, follower);
        }
      }
    }
  }

  private static void followActive(Api api, String job, Follower follower) throws IOException {
    for (Json run : api.get(Api.path("jobs", job, "runs") + "?limit=5").list("runs")) {
      if (run.get("completedAt").isNull()) {
        follower.follow(run.text("runId"));
      }
    }
  }
}
