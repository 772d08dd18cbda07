package dev.kron.config;

import dev.kron.text.Suggestion;
import dev.kron.text.VisibleText;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The tables of a service file and their keys. */
final class ServiceKeys {
  static final Map<String, List<String>> TABLES = tables();

  private ServiceKeys() {}

  private static Map<String, List<String>> tables() {
    Map<String, List<String>> tables = new LinkedHashMap<>();
    tables.put(
        "service",
        List.of(
            "name",
            "type",
            "exec",
            "shell",
            "instances",
            "autostart",
            "user",
            "group",
            "cwd",
            "umask",
            "description",
            "env"));
    tables.put("dependencies", List.of("requires", "wants", "after", "conflicts"));
    tables.put(
        "lifecycle",
        List.of(
            "ready",
            "restart",
            "restart_delay_ms",
            "restart_delay_max_ms",
            "max_restarts",
            "start_timeout_ms",
            "stop_timeout_ms",
            "stop_signal",
            "min_uptime_ms",
            "start_stable_ms",
            "success_exit_codes",
            "no_restart_exit_codes"));
    tables.put("health", List.of("exec", "http", "tcp", "interval_ms", "timeout_ms", "retries"));
    tables.put(
        "hooks",
        List.of("before_start", "after_stop", "reload", "onfailure", "shell", "timeout_ms"));
    tables.put("credentials", List.of("profile"));
    tables.put("log", List.of("max_size", "keep"));
    return tables;
  }

  /** The message about an unknown table, or a key outside of all tables. */
  static String unknownTable(String name) {
    String quoted = VisibleText.quote(name);
    if (name.equals("env") || name.equals("environment")) {
      return "unknown table " + quoted + "; did you mean [service.env]?";
    }
    @Nullable String home = home(name);
    if (home != null) {
      return quoted + " stands outside of its table; it belongs under [" + home + "]";
    }
    @Nullable String meant = Suggestion.nearest(List.copyOf(TABLES.keySet()), name);
    return "unknown table "
        + quoted
        + (meant == null
            ? "; the tables are " + String.join(", ", TABLES.keySet())
            : "; did you mean [" + meant + "]?");
  }

  static String unknownKey(String table, String key) {
    List<String> keys = TABLES.getOrDefault(table, List.of());
    String quoted = "unknown key " + VisibleText.quote(key) + " in [" + table + "]";
    @Nullable String meant = meant(key, keys);
    if (meant != null) {
      return quoted + "; did you mean \"" + meant + "\"?";
    }
    @Nullable String home = home(key);
    if (home != null) {
      return quoted + "; it belongs under [" + home + "]";
    }
    return quoted + "; the keys are " + String.join(", ", keys);
  }

  /** Whether a key in the file was probably meant to be this one. */
  static boolean isMeantAs(String key, String meant, String table) {
    return meant.equals(meant(key, TABLES.getOrDefault(table, List.of())));
  }

  private static @Nullable String meant(String key, List<String> keys) {
    String lower = key.toLowerCase(Locale.ROOT).replace('-', '_');
    if (keys.contains(lower)) {
      return lower;
    }
    if (keys.contains(lower + "_ms")) {
      return lower + "_ms";
    }
    @Nullable String synonym = synonym(lower);
    return synonym != null && keys.contains(synonym) ? synonym : Suggestion.nearest(keys, lower);
  }

  private static @Nullable String home(String key) {
    for (Map.Entry<String, List<String>> table : TABLES.entrySet()) {
      if (table.getValue().contains(key)) {
        return table.getKey();
      }
    }
    return null;
  }

  /** The key for a word that other supervisors use for the same thing. */
  private static @Nullable String synonym(String key) {
    return switch (key) {
      case "command", "cmd", "run", "execstart", "start" -> "exec";
      case "dir", "chdir", "directory", "workdir", "working_directory", "workingdirectory" -> "cwd";
      case "environment" -> "env";
      case "desc", "comment" -> "description";
      case "numprocs", "replicas", "count" -> "instances";
      case "autorestart", "restart_policy" -> "restart";
      case "depends_on", "depends", "dependencies", "needs" -> "requires";
      case "url" -> "http";
      case "port" -> "tcp";
      case "max_retries", "startretries" -> "max_restarts";
      case "stopsignal", "signal" -> "stop_signal";
      case "notification_fd", "notificationfd", "ready_signal", "readiness" -> "ready";
      case "startsecs" -> "start_stable_ms";
      case "execstartpre", "pre_start", "prestart", "start_pre" -> "before_start";
      case "execstoppost", "post_stop", "poststop", "stop_post", "finish" -> "after_stop";
      case "execreload" -> "reload";
      case "onfail", "on_failure", "alert" -> "onfailure";
      case "successexitstatus", "exitcodes", "success_codes" -> "success_exit_codes";
      case "restartpreventexitstatus" -> "no_restart_exit_codes";
      case "size", "maxsize" -> "max_size";
      case "max_files", "backups" -> "keep";
      default -> null;
    };
  }
}
