package dev.kron.daemon;

import dev.kron.cron.CronCalendar;
import dev.kron.daemon.api.Execution;
import dev.kron.job.ActiveRun;
import dev.kron.job.JobSpec;
import dev.kron.process.Credentials;
import dev.kron.process.Launch;
import dev.kron.process.Run;
import dev.kron.process.Users;
import dev.kron.schedule.DueTimes;
import dev.kron.service.InstanceId;
import dev.kron.service.ServiceSpec;
import dev.kron.store.DiskException;
import dev.kron.store.RunDirectories;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What was or would be executed, down to what a command inherits from the daemon, so that "it works
 * in my shell" has an answer. What was executed is noted when a run begins, secrets already masked.
 */
final class Executions {
  /** Stands where a run's own id will stand. */
  private static final String SOME_RUN = "<run-id>";

  private final Launches launches;
  private final Users.Account self;
  private final List<Integer> groups;
  private final int umask;
  private final String cwd = Path.of("").toAbsolutePath().toString();

  Executions(Launches launches, Users users) {
    this.launches = launches;
    this.self = users.self();
    Map<String, String> status = status();
    this.umask = Integer.parseInt(status.getOrDefault("Umask", "0022"), 8);
    this.groups = numbers(status.getOrDefault("Groups", ""));
  }

  private static Map<String, String> status() {
    Map<String, String> facts = new HashMap<>();
    try {
      for (String line : Files.readAllLines(Path.of("/proc/self/status"))) {
        int colon = line.indexOf(':');
        facts.put(line.substring(0, colon), line.substring(colon + 1).strip());
      }
    } catch (IOException e) {
      return facts;
    }
    return facts;
  }

  private static List<Integer> numbers(String text) {
    return Arrays.stream(text.split("[ ,]+"))
        .filter(word -> !word.isEmpty())
        .map(Integer::parseUnsignedInt)
        .toList();
  }

  /** What the next run of a job will be. */
  Execution next(JobSpec spec, long atMillis) {
    long now = Math.floorDiv(atMillis, 1000L);
    DueTimes.Due due = DueTimes.of(spec.schedule(), spec.identity()).firstAfter(now);
    ActiveRun run =
        due == null || due.decision().unschedulable()
            ? run(CronCalendar.NONE, now, now)
            : run(
                due.decision().nominalEpochSecond(),
                due.decision().chosenEpochSecond(),
                due.dueEpochSecond());
    try {
      return of(launches.of(spec, run, new Run(SOME_RUN, Path.of("/"))), spec);
    } catch (Launches.Refused refused) {
      return new Execution(
          String.valueOf(refused.getMessage()),
          spec.command(),
          spec.user() == null ? self.name() : spec.user(),
          -1,
          -1,
          List.of(),
          spec.cwd() == null ? cwd : spec.cwd(),
          spec.umask() == null ? umask : spec.umask(),
          spec.environment(),
          text(spec.stdout()),
          text(spec.stderr()));
    }
  }

  private static ActiveRun run(long nominal, long chosen, long due) {
    return new ActiveRun(
        SOME_RUN, nominal, chosen, due, ActiveRun.Phase.INTENDED, null, "", 0, 0, due * 1000);
  }

  Execution of(Launch launch, JobSpec spec) {
    return of(null, launch, text(spec.stdout()), text(spec.stderr()));
  }

  private Execution of(@Nullable String problem, Launch launch, String stdout, String stderr) {
    Credentials who = launch.credentials();
    Path directory = launch.cwd();
    Integer mask = launch.umask();
    return new Execution(
        problem,
        launch.command(),
        who == null ? self.name() : who.user(),
        who == null ? self.uid() : who.uid(),
        who == null ? self.gid() : who.gid(),
        who == null ? groups : who.groups(),
        directory == null ? cwd : directory.toString(),
        mask == null ? umask : mask,
        launch.environment(),
        stdout,
        stderr);
  }

  /** What an instance of a service would be, without its credentials. */
  Execution of(ServiceSpec spec, InstanceId instance, Services services) {
    String log = "file:" + services.launches().log(instance);
    try {
      Run run = new Run(SOME_RUN, Path.of("/"));
      Launch launch = services.launches().of(spec, instance, run, List.of());
      return of(services.secretsProblem(spec), launch, log, log);
    } catch (Launches.Refused refused) {
      return new Execution(
          String.valueOf(refused.getMessage()),
          spec.exec(),
          spec.user() == null ? self.name() : spec.user(),
          -1,
          -1,
          List.of(),
          spec.cwd() == null ? cwd : spec.cwd(),
          spec.umask() == null ? umask : spec.umask(),
          spec.environment(),
          log,
          log);
    }
  }

  private static String text(JobSpec.Output output) {
    return switch (output) {
      case JobSpec.Output.Inherit _ -> "inherit";
      case JobSpec.Output.Discard _ -> "discard";
      case JobSpec.Output.Syslog _ -> "syslog";
      case JobSpec.Output.File file -> "file:" + file.path();
    };
  }

  /** Lines for a run's note. */
  String lines(Launch launch, JobSpec spec) {
    Execution execution = of(launch, spec);
    var text = new StringBuilder(1024);
    execution.argv().forEach(word -> line(text, "argv", word));
    line(text, "user", execution.user());
    line(text, "uid", Integer.toString(execution.uid()));
    line(text, "gid", Integer.toString(execution.gid()));
    line(text, "groups", execution.groups().toString().replaceAll("[\\[\\]]", ""));
    line(text, "cwd", execution.cwd());
    line(text, "umask", Integer.toOctalString(execution.umask() == null ? 0 : execution.umask()));
    line(text, "to_stdout", execution.stdout());
    line(text, "to_stderr", execution.stderr());
    execution.environment().forEach(variable -> line(text, "env", variable));
    return text.toString();
  }

  private static void line(StringBuilder text, String key, String value) {
    text.append(key).append(' ');
    for (int i = 0; i < value.length(); i++) {
      char c = value.charAt(i);
      switch (c) {
        case '\\' -> text.append("\\\\");
        case '\n' -> text.append("\\n");
        case '\r' -> text.append("\\r");
        default -> text.append(c);
      }
    }
    text.append('\n');
  }

  private static String plain(String value) {
    if (value.indexOf('\\') < 0) {
      return value;
    }
    var text = new StringBuilder(value.length());
    for (int i = 0; i < value.length(); i++) {
      char c = value.charAt(i);
      if (c == '\\' && i + 1 < value.length()) {
        char next = value.charAt(++i);
        text.append(next == 'n' ? '\n' : next == 'r' ? '\r' : next);
      } else {
        text.append(c);
      }
    }
    return text.toString();
  }

  /** What a run's note says was executed; null where it says nothing. */
  static @Nullable Execution noted(RunDirectories directories, String runId) {
    var argv = new ArrayList<String>();
    var environment = new ArrayList<String>();
    Map<String, String> facts = new HashMap<>();
    try {
      byte[] note = directories.tail(runId, RunNote.FILE, RunNote.LIMIT_BYTES);
      for (String line : new String(note, StandardCharsets.UTF_8).split("\n")) {
        int space = line.indexOf(' ');
        String key = space < 0 ? line : line.substring(0, space);
        String value = space < 0 ? "" : plain(line.substring(space + 1));
        switch (key) {
          case "argv" -> argv.add(value);
          case "env" -> environment.add(value);
          default -> facts.put(key, value);
        }
      }
      if (argv.isEmpty()) {
        return null;
      }
      return new Execution(
          null,
          argv,
          facts.getOrDefault("user", ""),
          Integer.parseInt(facts.getOrDefault("uid", "-1")),
          Integer.parseInt(facts.getOrDefault("gid", "-1")),
          numbers(facts.getOrDefault("groups", "")),
          facts.getOrDefault("cwd", ""),
          Integer.parseInt(facts.getOrDefault("umask", "0"), 8),
          environment,
          facts.getOrDefault("to_stdout", ""),
          facts.getOrDefault("to_stderr", ""));
    } catch (DiskException | IllegalArgumentException e) {
      return null;
    }
  }
}
