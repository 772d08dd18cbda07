package dev.kron.daemon.jobs;

import dev.kron.cron.CronCalendar;
import dev.kron.daemon.runs.ExactCommand;
import dev.kron.daemon.runs.Executions;
import dev.kron.daemon.runs.Launches;
import dev.kron.daemon.runs.NoteLines;
import dev.kron.job.ActiveRun;
import dev.kron.job.JobSpec;
import dev.kron.process.InputSource;
import dev.kron.process.Launch;
import dev.kron.process.OutputTarget;
import dev.kron.process.Run;
import dev.kron.process.Users;
import dev.kron.schedule.Decision;
import dev.kron.schedule.DueTimes;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The exact commands of jobs: words, user, directory, environment and output, made from the entry.
 */
public final class JobLaunches {
  private final Launches launches;
  private final Executions executions;
  private final VariableSource files;

  /**
   * A launch that can be begun.
   *
   * @param hidden names of the variables whose values came from files, and are not told
   */
  public record Readied(Launch launch, Set<String> hidden) {
    public Readied {
      hidden = Set.copyOf(hidden);
    }
  }

  public JobLaunches(Launches launches, Executions executions, VariableSource files) {
    this.launches = launches;
    this.executions = executions;
    this.files = files;
  }

  /** Makes the launch of a run; reads the files with its variables. */
  public Readied of(JobSpec spec, ActiveRun active, Run run) throws Launches.Refused {
    Users.Account account = launches.account(spec.user());
    VariableSource.Added added = files.read(spec);
    Map<String, String> own = variables(spec, active);
    Map<String, String> environment = launches.environment(account);
    Launches.putAll(environment, added.envfile());
    Launches.putAll(environment, spec.environment());
    Launches.putAll(environment, added.profile());
    environment.putAll(own);
    Set<String> hidden = names(added.envfile());
    hidden.removeAll(names(spec.environment()));
    hidden.addAll(names(added.profile()));
    hidden.removeAll(own.keySet());
    return new Readied(launch(spec, active, run, account, environment), hidden);
  }

  private static Set<String> names(List<String> variables) {
    Set<String> names = new HashSet<>();
    for (String variable : variables) {
      names.add(variable.substring(0, variable.indexOf('=')));
    }
    return names;
  }

  private Launch launch(
      JobSpec spec,
      ActiveRun active,
      Run run,
      Users.@Nullable Account account,
      Map<String, String> environment)
      throws Launches.Refused {
    return Launch.builder(
            run,
            spec.shell() ? List.of("/bin/sh", "-c", spec.command().getFirst()) : spec.command(),
            Launches.words(environment))
        .cwd(spec.cwd() == null ? null : Path.of(spec.cwd()))
        .umask(spec.umask())
        .nice(spec.nice())
        .credentials(launches.credentials(spec.group(), account))
        .stdin(input(spec, active, run))
        .stdout(output(spec.stdout(), spec, active))
        .stderr(output(spec.stderr(), spec, active))
        .build();
  }

  private static InputSource input(JobSpec spec, ActiveRun active, Run run) {
    String cause = active.cause();
    return switch (spec.stdin()) {
      case JobSpec.Input.File file ->
          new InputSource.Users(Path.of(path(file.path(), spec, active.startedAt())));
      case JobSpec.Input.Cause _ when cause != null ->
          new InputSource.Kept(run.directory().resolveSibling(cause).resolve("stdout"));
      case JobSpec.Input.Cause _, JobSpec.Input.Nothing _ -> new InputSource.Nothing();
    };
  }

  /** The command that the next run of a job will execute. */
  public ExactCommand next(JobSpec spec, long atMillis) {
    long now = Math.floorDiv(atMillis, 1000L);
    DueTimes.Due due = DueTimes.of(spec.schedule(), spec.seed()).firstAfter(now);
    ActiveRun run =
        due == null || due.decision().unschedulable()
            ? run(CronCalendar.NONE, now, now)
            : run(
                due.decision().nominalEpochSecond(),
                due.decision().chosenEpochSecond(),
                due.dueEpochSecond());
    try {
      return execution(of(spec, run, new Run(Executions.SOME_RUN, Path.of("/"))), spec);
    } catch (Launches.Refused refused) {
      return executions.refused(
          String.valueOf(refused.getMessage()),
          spec.command(),
          spec.user(),
          spec.cwd(),
          spec.umask(),
          spec.environment(),
          streams(spec));
    }
  }

  private static ActiveRun run(long nominal, long chosen, long due) {
    return ActiveRun.builder(Executions.SOME_RUN)
        .nominal(nominal)
        .chosen(chosen)
        .due(due)
        .startedAt(due * 1000)
        .build();
  }

  private ExactCommand execution(Readied readied, JobSpec spec) {
    return executions.of(null, readied.launch(), readied.hidden(), streams(spec));
  }

  /** A run's note that begins with what is executed. */
  public NoteLines.Draft note(Readied readied, JobSpec spec) {
    return Executions.note(execution(readied, spec));
  }

  private static ExactCommand.Streams streams(JobSpec spec) {
    String stdin =
        switch (spec.stdin()) {
          case JobSpec.Input.Nothing _ -> ExactCommand.Streams.NOTHING;
          case JobSpec.Input.Cause _ -> "cause";
          case JobSpec.Input.File file -> "file:" + file.path();
        };
    return new ExactCommand.Streams(stdin, text(spec.stdout()), text(spec.stderr()));
  }

  private static String text(JobSpec.Output output) {
    return switch (output) {
      case JobSpec.Output.Inherit _ -> "inherit";
      case JobSpec.Output.Discard _ -> "discard";
      case JobSpec.Output.Syslog _ -> "syslog";
      case JobSpec.Output.File file -> "file:" + file.path();
    };
  }

  /** The variables that tell a command which run of which job it is. */
  private static Map<String, String> variables(JobSpec spec, ActiveRun active) {
    var variables = new LinkedHashMap<String, String>();
    variables.put("KRON_IDENTITY", spec.identity());
    variables.put(Run.JOB_VARIABLE, spec.name());
    variables.put("KRON_RUN_ID", active.runId());
    variables.put("KRON_CAUSE", Objects.requireNonNullElse(active.cause(), ""));
    variables.put("KRON_ATTEMPT", Integer.toString(active.attempt()));
    variables.put("KRON_CHOSEN", Instant.ofEpochSecond(active.chosen()).toString());
    if (active.nominal() != CronCalendar.NONE) {
      Decision decision = decision(spec, active);
      variables.put("KRON_PERIOD", decision.periodId());
      variables.put("KRON_WINDOW_START", decision.windowStart().toString());
      variables.put("KRON_WINDOW_END", decision.windowEnd().toString());
    } else {
      variables.put("KRON_PERIOD", "");
      variables.put("KRON_WINDOW_START", "");
      variables.put("KRON_WINDOW_END", "");
    }
    return variables;
  }

  private static Decision decision(JobSpec spec, ActiveRun run) {
    return run.bootPeriod() == null
        ? spec.schedule().decide(spec.seed(), run.nominal())
        : spec.schedule().decideBoot(spec.identity(), run.bootPeriod(), run.nominal());
  }

  private static OutputTarget output(JobSpec.Output output, JobSpec spec, ActiveRun active) {
    return switch (output) {
      case JobSpec.Output.Inherit _, JobSpec.Output.Syslog _ -> new OutputTarget.Capture();
      case JobSpec.Output.Discard _ -> new OutputTarget.Discard();
      case JobSpec.Output.File file ->
          new OutputTarget.Append(Path.of(path(file.path(), spec, active.startedAt())));
    };
  }

  /** Fills in the {@code %} fields of an output path: the time of the start in the job's zone. */
  static String path(String pattern, JobSpec spec, long startedAtMillis) {
    ZonedDateTime time = Instant.ofEpochMilli(startedAtMillis).atZone(spec.schedule().zone());
    var path = new StringBuilder(pattern.length() + 16);
    for (int i = 0; i < pattern.length(); i++) {
      char c = pattern.charAt(i);
      if (c != '%' || i + 1 == pattern.length()) {
        path.append(c);
        continue;
      }
      char field = pattern.charAt(++i);
      switch (field) {
        case 'Y' -> path.append(String.format(Locale.ROOT, "%04d", time.getYear()));
        case 'm' -> twoDigits(path, time.getMonthValue());
        case 'd' -> twoDigits(path, time.getDayOfMonth());
        case 'H' -> twoDigits(path, time.getHour());
        case 'M' -> twoDigits(path, time.getMinute());
        case 'S' -> twoDigits(path, time.getSecond());
        case 'n' -> path.append(spec.name());
        case '%' -> path.append('%');
        default -> path.append('%').append(field);
      }
    }
    return path.toString();
  }

  private static void twoDigits(StringBuilder path, int number) {
    path.append((char) ('0' + number / 10)).append((char) ('0' + number % 10));
  }
}
