package dev.kron.daemon;

import dev.kron.cron.CronCalendar;
import dev.kron.job.ActiveRun;
import dev.kron.job.JobSpec;
import dev.kron.job.VariableNames;
import dev.kron.process.Credentials;
import dev.kron.process.Launch;
import dev.kron.process.Output;
import dev.kron.process.Run;
import dev.kron.process.Stage;
import dev.kron.process.Users;
import dev.kron.schedule.Decision;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Makes of a job's entry what is executed, exactly: words, user, directory, environment, output.
 */
final class Launches {
  /** What describes the daemon's own service, and would mislead a job. */
  private static final Set<String> NOT_HANDED_ON =
      Set.of(
          "KRON_ALERT_ID",
          "CACHE_DIRECTORY",
          "CONFIGURATION_DIRECTORY",
          "CREDENTIALS_DIRECTORY",
          "DEBUG_INVOCATION",
          "FDSTORE",
          "INVOCATION_ID",
          "JOURNAL_STREAM",
          "LISTEN_FDNAMES",
          "LISTEN_FDS",
          "LISTEN_PID",
          "LISTEN_PIDFDID",
          "LOGS_DIRECTORY",
          "LOG_NAMESPACE",
          "MAINPID",
          "MAINPIDFDID",
          "MANAGERPID",
          "MANAGERPIDFDID",
          "MEMORY_PRESSURE_WATCH",
          "MEMORY_PRESSURE_WRITE",
          "NOTIFY_SOCKET",
          "PIDFILE",
          "RUNTIME_DIRECTORY",
          "STATE_DIRECTORY",
          "SYSTEMD_EXEC_PID",
          "TRIGGER_PATH",
          "TRIGGER_TIMER_MONOTONIC_USEC",
          "TRIGGER_TIMER_REALTIME_USEC",
          "TRIGGER_UNIT",
          "WATCHDOG_PID",
          "WATCHDOG_USEC");

  private final Users users;
  private final Map<String, String> daemonEnvironment;

  Launches(Users users, Map<String, String> daemonEnvironment) {
    this.users = users;
    this.daemonEnvironment = new LinkedHashMap<>(daemonEnvironment);
    this.daemonEnvironment
        .keySet()
        .removeIf(name -> NOT_HANDED_ON.contains(name) || VariableNames.problem(name) != null);
  }

  /** What every command gets of the daemon's own environment; the caller's to change. */
  Map<String, String> daemonEnvironment() {
    return new LinkedHashMap<>(daemonEnvironment);
  }

  /** The run cannot be started, and why is known before anything was tried. */
  static final class Refused extends Exception {
    private static final long serialVersionUID = 1L;
    private final Stage stage;

    Refused(Stage stage, String reason) {
      super(reason);
      this.stage = stage;
    }

    Stage stage() {
      return stage;
    }
  }

  Launch of(JobSpec spec, ActiveRun active, Run run) throws Refused {
    Users.Account account = account(spec);
    var environment = environment(spec, account);
    environment.putAll(variables(spec, active));
    return new Launch(
        run,
        spec.shell() ? List.of("/bin/sh", "-c", spec.command().getFirst()) : spec.command(),
        words(environment),
        spec.cwd() == null ? null : Path.of(spec.cwd()),
        spec.umask(),
        credentials(spec.group(), account),
        null,
        output(spec.stdout(), spec, active),
        output(spec.stderr(), spec, active));
  }

  /** The environment that comes with a job's user and entry. */
  Map<String, String> environment(JobSpec spec, Users.@Nullable Account account) {
    return environment(spec.environment(), account);
  }

  /** The environment that comes with a user, and variables on top of it. */
  Map<String, String> environment(List<String> variables, Users.@Nullable Account account) {
    var environment = daemonEnvironment();
    if (account != null) {
      environment.put("HOME", account.home());
      environment.put("USER", account.name());
      environment.put("LOGNAME", account.name());
      environment.put("SHELL", account.shell());
    }
    putAll(environment, variables);
    return environment;
  }

  /** Adds {@code NAME=value} words. */
  static void putAll(Map<String, String> environment, List<String> variables) {
    for (String variable : variables) {
      int equals = variable.indexOf('=');
      environment.put(variable.substring(0, equals), variable.substring(equals + 1));
    }
  }

  static List<String> words(Map<String, String> environment) {
    var words = new ArrayList<String>(environment.size());
    environment.forEach((name, value) -> words.add(name + "=" + value));
    return words;
  }

  /** What tells a command which run of which job it is. */
  private static Map<String, String> variables(JobSpec spec, ActiveRun active) {
    var variables = new LinkedHashMap<String, String>();
    variables.put("KRON_IDENTITY", spec.identity());
    variables.put("KRON_JOB", spec.name());
    variables.put("KRON_RUN_ID", active.runId());
    variables.put("KRON_CHOSEN", Instant.ofEpochSecond(active.chosen()).toString());
    if (active.nominal() != CronCalendar.NONE) {
      Decision decision = spec.schedule().decide(spec.identity(), active.nominal());
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

  Users.@Nullable Account account(JobSpec spec) throws Refused {
    return account(spec.user());
  }

  /** Null where no other user is asked for. */
  Users.@Nullable Account account(@Nullable String user) throws Refused {
    if (user == null) {
      return null;
    }
    Optional<Users.Account> account = users.user(user);
    if (account.isEmpty()) {
      throw new Refused(Stage.USER, "there is no user " + user);
    }
    return account.get();
  }

  /** Null where the daemon's own will do. */
  @Nullable Credentials credentials(@Nullable String group, Users.@Nullable Account account)
      throws Refused {
    if (account == null && group == null) {
      return null;
    }
    Users.Account who = account == null ? users.self() : account;
    int gid = who.gid();
    if (group != null) {
      gid =
          users
              .group(group)
              .orElseThrow(() -> new Refused(Stage.GROUP, "there is no group " + group));
    }
    if (who.uid() == users.self().uid() && gid == users.self().gid()) {
      return null;
    }
    if (!users.mayBecomeOthers()) {
      throw new Refused(
          Stage.USER,
          "only root may run commands as "
              + who.name()
              + " with group "
              + gid
              + "; the daemon runs as "
              + users.self().name());
    }
    return new Credentials(who.name(), who.uid(), gid, users.groups(who, gid));
  }

  private static Output output(JobSpec.Output output, JobSpec spec, ActiveRun active) {
    return switch (output) {
      case JobSpec.Output.Inherit _, JobSpec.Output.Syslog _ -> new Output.Capture();
      case JobSpec.Output.Discard _ -> new Output.Discard();
      case JobSpec.Output.File file ->
          new Output.Append(Path.of(path(file.path(), spec, active.startedAt())));
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
