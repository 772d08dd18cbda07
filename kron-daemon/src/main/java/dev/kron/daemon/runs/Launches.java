package dev.kron.daemon.runs;

import dev.kron.job.VariableNames;
import dev.kron.process.Credentials;
import dev.kron.process.Stage;
import dev.kron.process.Users;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The common part of all commands that the daemon starts: user, group, environment. */
public final class Launches {
  /** Variables that describe the daemon's own service and would mislead a job. */
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

  public Launches(Users users, Map<String, String> daemonEnvironment) {
    this.users = users;
    this.daemonEnvironment = new LinkedHashMap<>(daemonEnvironment);
    this.daemonEnvironment
        .keySet()
        .removeIf(name -> NOT_HANDED_ON.contains(name) || VariableNames.problem(name) != null);
  }

  /** The part of the daemon's environment that every command gets, as a copy. */
  public Map<String, String> daemonEnvironment() {
    return new LinkedHashMap<>(daemonEnvironment);
  }

  /** A reason known before the launch why a run cannot be started. */
  public static final class Refused extends Exception {
    private static final long serialVersionUID = 1L;
    private final Stage stage;

    public Refused(Stage stage, String reason) {
      super(reason);
      this.stage = stage;
    }

    public Stage stage() {
      return stage;
    }
  }

  /** The environment of a user, with more variables added. */
  public Map<String, String> environment(List<String> variables, Users.@Nullable Account account) {
    Map<String, String> environment = environment(account);
    putAll(environment, variables);
    return environment;
  }

  /** The environment that comes with a user. */
  public Map<String, String> environment(Users.@Nullable Account account) {
    Map<String, String> environment = daemonEnvironment();
    if (account != null) {
      environment.put("HOME", account.home());
      environment.put("USER", account.name());
      environment.put("LOGNAME", account.name());
      environment.put("SHELL", account.shell());
    }
    return environment;
  }

  /** Adds {@code NAME=value} words. */
  public static void putAll(Map<String, String> environment, List<String> variables) {
    for (String variable : variables) {
      int equals = variable.indexOf('=');
      environment.put(variable.substring(0, equals), variable.substring(equals + 1));
    }
  }

  public static List<String> words(Map<String, String> environment) {
    var words = new ArrayList<String>(environment.size());
    environment.forEach((name, value) -> words.add(name + "=" + value));
    return words;
  }

  /** The account of another user; null if the daemon's own is meant. */
  public Users.@Nullable Account account(@Nullable String user) throws Refused {
    if (user == null) {
      return null;
    }
    Optional<Users.Account> account = users.user(user);
    if (account.isEmpty()) {
      throw new Refused(Stage.USER, "there is no user " + user);
    }
    return account.get();
  }

  /** The credentials for a launch; null for the daemon's own. */
  public @Nullable Credentials credentials(@Nullable String group, Users.@Nullable Account account)
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
}
