package dev.kron.config;

import dev.kron.text.Suggestion;
import dev.kron.text.VisibleText;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The fields of an entry. */
enum Key {
  NAME("name"),
  COMMAND("command"),
  USER("user"),
  GROUP("group"),
  CWD("cwd"),
  ENVFILE("envfile"),
  ENV("env"),
  PROFILE("profile"),
  SHELL("shell"),
  UMASK("umask"),
  TIMEOUT("timeout"),
  STDOUT("stdout"),
  STDERR("stderr"),
  DESCRIPTION("description"),
  ONFAILURE("onfailure"),
  RETRIES("retries"),
  RETRYDELAY("retrydelay"),
  RETRYMAX("retrymax"),
  OKEXIT("okexit"),
  THEN("then"),
  STDIN("stdin"),
  NICE("nice"),
  LATE("late"),
  EXPECT("expect"),
  LEAST("least"),
  SILENT("silent"),
  /** In krontabs of a fleet only. */
  ON("on"),
  /** In krontabs of a fleet only. */
  LOSS("loss");

  private static final Key[] KEYS = values();

  /** Those that every krontab has. */
  private static final List<String> TEXTS =
      Arrays.stream(KEYS).filter(key -> !key.isOfFleets()).map(key -> key.text).toList();

  static final String ALL = String.join(", ", TEXTS);

  final String text;

  Key(String text) {
    this.text = text;
  }

  /** Whether only the krontabs of a fleet have this field. */
  boolean isOfFleets() {
    return this == ON || this == LOSS;
  }

  /** The key in a part of a text. */
  static @Nullable Key at(String text, int start, int end) {
    for (Key key : KEYS) {
      if (key.text.length() == end - start && text.startsWith(key.text, start)) {
        return key;
      }
    }
    return null;
  }

  /** The message about an unknown key. */
  static String unknown(String text) {
    @Nullable Key meant = meant(text);
    String quoted = "unknown key " + VisibleText.quote(text);
    if (meant == null) {
      return quoted + "; the keys are " + ALL;
    }
    if (meant.text.equalsIgnoreCase(text)) {
      return quoted + "; keys are case-sensitive: write \"" + meant.text + "\"";
    }
    return quoted + "; did you mean \"" + meant.text + "\"?";
  }

  /** The key that was probably meant, or null. */
  static @Nullable Key meant(String text) {
    String lower = text.toLowerCase(Locale.ROOT);
    @Nullable Key synonym = synonym(lower);
    if (synonym != null) {
      return synonym;
    }
    @Nullable String nearest = Suggestion.nearest(TEXTS, text);
    return nearest == null ? null : at(nearest, 0, nearest.length());
  }

  /** The key for a word that other schedulers use for the same thing. */
  private static @Nullable Key synonym(String text) {
    return switch (text) {
      case "cmd", "exec", "run" -> COMMAND;
      case "dir", "chdir", "directory", "workdir", "workingdirectory" -> CWD;
      case "environment" -> ENV;
      case "environmentfile", "env_file", "env-file", "dotenv" -> ENVFILE;
      case "credentials", "secrets" -> PROFILE;
      case "desc", "comment" -> DESCRIPTION;
      case "onfail", "on-failure", "on_failure" -> ONFAILURE;
      case "retry", "attempts" -> RETRIES;
      case "retry-delay", "backoff" -> RETRYDELAY;
      case "ok-exit", "exitcodes", "successexitstatus" -> OKEXIT;
      case "niceness", "priority" -> NICE;
      case "out" -> STDOUT;
      case "err" -> STDERR;
      case "id", "job" -> NAME;
      default -> null;
    };
  }
}
