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
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** {@code kron stop}: services that are no longer wanted, and runs of jobs that are to end. */
final class StopCommand extends OnlineCommand {
  private final ServiceActCommand services = ServiceActCommand.stop();

  StopCommand() {
    super("stop", "stop services, or end the runs of a job");
  }

  @Override
  public CommandSpec spec() {
    return spec(
        "kron stop SERVICE|JOB|RUN... [--wait] [--signal S] [--yes] | --all",
        Operand.any(
            "SERVICE|JOB|RUN",
            Completion.Names.ANYTHING,
            "names of services, instances (web@1) or jobs, or ids of runs; job:NAME and"
                + " service:NAME where both have the name; a pattern with * or ? means services"),
        List.of(
            Option.flag("--all", "all services that are wanted up"),
            Consent.YES,
            Option.flag("--wait", "wait until that is so, or has failed"),
            Option.value("--signal", "S", "begin with this signal, for runs (default: TERM)")),
        List.of(
            "A run gets TERM, or the signal that is named, with its whole process group; what is"
                + " still there 10 s later gets KILL. It is on record as stopped, and by whom, and"
                + " is no failure: onfailure is not run. The schedule goes on as before; kron"
                + " suspend stops that.",
            "Services are wanted down from now on, also after a restart of the daemon or the"
                + " machine. One instance, web@1, is stopped by itself, and those that require"
                + " web go on. Of a whole service those that require it are stopped first, in"
                + " reverse order: where"
                + " some of these were not named, that is asked on a terminal, and needs --yes"
                + " elsewhere. A service is stopped by the stop_signal of its file."),
        List.of(
            new Example("kron stop web --wait", "a service, and see that it worked"),
            new Example("kron stop 'web-*'", "all services whose names begin so"),
            new Example("kron stop backup --signal INT", "all runs of a job")),
        new Exit(
            ExitCode.REFUSED,
            "there is no such service, job or run, no run goes on, or with --wait: a service has"
                + " failed"));
  }

  /** The meaning of a word, and the path to ask for it. */
  private record Meant(String word, boolean service, String path, List<String> runs) {
    static Meant service(String word) {
      return new Meant(word, true, "", List.of());
    }
  }

  @Override
  int run(Api api, CommandArguments arguments, Surroundings surroundings) throws IOException {
    List<String> words = arguments.operands();
    if (arguments.has("--all") == !words.isEmpty()) {
      throw new UsageException(
          words.isEmpty()
              ? "name services, jobs or runs, or say --all"
              : "--all leaves nothing to name");
    }
    List<Meant> all = new ArrayList<>();
    if (words.isEmpty()) {
      ServiceWords.wantedUp(api).forEach(name -> all.add(Meant.service(name)));
    }
    for (String word : ServiceWords.expanded(api, words)) {
      all.add(words.contains(word) ? meant(api, word) : Meant.service(word));
    }
    boolean anyService = all.stream().anyMatch(Meant::service);
    if (anyService && arguments.has("--signal")) {
      throw new UsageException(
          "--signal is for runs: a service is stopped by the stop_signal of its file, and kron"
              + " signal sends it any other");
    }
    int code = ExitCode.OK;
    if (anyService) {
      List<String> stopped = all.stream().filter(Meant::service).map(Meant::word).toList();
      List<String> too = ServiceWords.stoppedToo(api, stopped);
      if (!too.isEmpty()) {
        String what = String.join(", ", too) + (too.size() == 1 ? " requires" : " require");
        Consent.ask(
            what + " what is to be stopped, and would be stopped too", arguments, surroundings);
      }
      code = services.act(api, stopped, arguments, surroundings);
    }
    String signal = arguments.value("--signal");
    String query = signal == null ? "" : "?" + Api.parameter("signal", signal);
    for (Meant meant : all) {
      if (!meant.service()) {
        Json answer = api.post(meant.path() + "/stop" + query);
        if (arguments.has("--wait")) {
          await(api, meant, arguments, surroundings);
        } else if (wantsJson(arguments)) {
          json(answer, surroundings);
        } else {
          surroundings.out().line(answer.text("message"));
        }
      }
    }
    return code;
  }

  private static void await(
      Api api, Meant meant, CommandArguments arguments, Surroundings surroundings)
      throws IOException {
    for (String runId : meant.runs()) {
      Json run = TriggerCommand.await(api, runId, surroundings);
      if (wantsJson(arguments)) {
        json(run, surroundings);
      } else {
        surroundings.out().line("run " + runId + ": " + run.text("reason", how(run)));
      }
    }
  }

  private static Meant meant(Api api, String word) throws IOException {
    Json job = api.find(Api.path("jobs", word));
    Json service = api.find(Api.path("services", word));
    ServiceWords.refuseBoth(word, job, service);
    if (service != null) {
      boolean single = service.list("instances").size() == 1 && service.number("size") == 1;
      return Meant.service(single ? service.text("name") : word);
    }
    if (job != null) {
      List<String> runs = job.list("active").stream().map(run -> run.text("runId")).toList();
      return new Meant(word, false, Api.path("jobs", word), runs);
    }
    Json run = api.find(Api.path("runs", word));
    if (run == null) {
      throw Api.refused("there is no service, job or run " + word + api.suggestion(word));
    }
    return new Meant(word, false, Api.path("runs", word), List.of(run.text("runId")));
  }
}
