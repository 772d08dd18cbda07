package dev.kron.config;

import dev.kron.job.JobSpec.Input;
import dev.kron.job.JobSpec.Output;
import dev.kron.job.VariableNames;
import dev.kron.schedule.GoDuration;
import dev.kron.text.VisibleText;
import java.time.Duration;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The rules for single values. */
final class Values {
  /** The variables that the daemon sets after the entry's own. */
  private static final Set<String> SET_BY_THE_DAEMON =
      Set.of(
          "KRON_IDENTITY=",
          "KRON_JOB=",
          "KRON_RUN_ID=",
          "KRON_PERIOD=",
          "KRON_CHOSEN=",
          "KRON_WINDOW_START=",
          "KRON_WINDOW_END=",
          "KRON_ATTEMPT=",
          "KRON_CAUSE=");

  private static final String FILE = "file:";
  private static final String OUTPUTS =
      "; expected inherit, discard, syslog or file:/absolute/path";
  private static final long LARGEST_ID = 0xFFFF_FFFEL; // the number above it means "no change"

  private Values() {}

  static @Nullable String nameProblem(String name) {
    for (int i = 0; i < name.length(); i++) {
      char c = name.charAt(i);
      if ((c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '-' && c != '/') {
        return "name is "
            + VisibleText.quote(name)
            + ", which holds "
            + VisibleText.quote(Character.toString(name.codePointAt(i)))
            + "; a name is made of a-z, 0-9, \"-\" and \"/\"";
      }
    }
    return null;
  }

  /**
   * The problem with a user's or group's name, or null. Only its form is checked, not whether it
   * exists.
   */
  static @Nullable String accountProblem(String what, String account) {
    boolean number = true;
    boolean wrong = account.charAt(0) == '-';
    for (int i = 0; i < account.length(); i++) {
      char c = account.charAt(i);
      number &= c >= '0' && c <= '9';
      wrong |= c == ':' || c == '/' || c == ',' || c <= ' ';
    }
    if (number && (account.length() > 10 || Long.parseLong(account) > LARGEST_ID)) {
      return what + " is " + VisibleText.quote(account) + "; the largest id is " + LARGEST_ID;
    }
    return wrong
        ? what + " is " + VisibleText.quote(account) + "; expected the name or number of a " + what
        : null;
  }

  static @Nullable String directoryProblem(String path) {
    return path.charAt(0) == '/'
        ? null
        : "cwd is "
            + VisibleText.quote(path)
            + "; expected an absolute path (krond's own directory is no place to start from)";
  }

  static @Nullable String fileProblem(String key, String path) {
    return path.startsWith("/") && !path.endsWith("/")
        ? null
        : key + " is " + VisibleText.quote(path) + "; expected the absolute path of a file";
  }

  static @Nullable String variableProblem(String variable) {
    int equals = variable.indexOf('=');
    if (equals < 0) {
      return "env is " + VisibleText.quote(variable) + "; expected env=KEY=value";
    }
    String key = variable.substring(0, equals);
    if (key.isEmpty()) {
      return "env has no variable name before its \"=\"; expected env=KEY=value";
    }
    @Nullable String problem = VariableNames.problem(key);
    return problem == null ? null : "env sets " + VisibleText.quote(key) + "; " + problem;
  }

  static boolean isSetByTheDaemon(String keyAndEquals) {
    return SET_BY_THE_DAEMON.contains(keyAndEquals);
  }

  static @Nullable Integer umask(String value, Line line, int start) {
    boolean octal = value.length() <= 4 && value.chars().allMatch(c -> c >= '0' && c <= '7');
    int mask = octal ? Integer.parseInt(value, 8) : -1;
    if (mask < 0 || mask > 0777) {
      line.error(
          start,
          "umask is " + VisibleText.quote(value) + "; expected an octal number from 0000 to 0777");
      return null;
    }
    return mask;
  }

  static int nice(String value, Line line, int start) {
    int nice = value.matches("[0-9]{1,2}") ? Integer.parseInt(value) : -1;
    if (nice < 0 || nice > 19) {
      line.error(start, "nice is " + VisibleText.quote(value) + "; expected 0 to 19");
      return 0;
    }
    return nice;
  }

  static @Nullable Duration timeout(String value, Line line, int start) {
    long nanos;
    try {
      nanos = GoDuration.parseNanos(value);
    } catch (IllegalArgumentException notADuration) {
      line.error(start, "timeout: " + VisibleText.of(String.valueOf(notADuration.getMessage())));
      return null;
    }
    if (nanos <= 0) {
      line.error(
          start,
          "timeout is "
              + VisibleText.quote(value)
              + "; expected more than 0 (leave the field out for no timeout)");
      return null;
    }
    return Duration.ofNanos(nanos);
  }

  static Input input(String value, Line line, FieldScanner field) {
    if (value.equals("cause")) {
      return Input.Cause.CAUSE;
    }
    if (value.startsWith(FILE)) {
      checkPath("stdin comes from", "stdin", value, line, field);
    } else {
      line.error(
          field.valueStart(),
          "stdin is "
              + VisibleText.quote(value)
              + meant(value, "; expected cause or file:/absolute/path"));
    }
    return new Input.File(value.substring(value.indexOf(':') + 1));
  }

  private static String meant(String value, String otherwise) {
    return value.startsWith("/")
        ? "; did you mean " + FILE + VisibleText.of(value) + "?"
        : otherwise;
  }

  static Output output(String key, String value, Line line, FieldScanner field) {
    return switch (value) {
      case "inherit" -> Output.Inherit.INHERIT;
      case "discard" -> Output.Discard.DISCARD;
      case "syslog" -> Output.Syslog.SYSLOG;
      default -> fileOutput(key, value, line, field);
    };
  }

  private static Output fileOutput(String key, String value, Line line, FieldScanner field) {
    if (value.startsWith(FILE)) {
      checkPath(key + " goes to", key, value, line, field);
    } else {
      line.error(
          field.valueStart(), key + " is " + VisibleText.quote(value) + meant(value, OUTPUTS));
    }
    return new Output.File(value.substring(value.indexOf(':') + 1));
  }

  private static void checkPath(
      String what, String key, String value, Line line, FieldScanner field) {
    int pathStart = FILE.length();
    String path = value.substring(pathStart);
    if (!path.startsWith("/") || path.endsWith("/")) {
      line.error(
          field.offsetOf(pathStart),
          what + " " + VisibleText.quote(path) + "; expected the absolute path of a file");
    }
    for (int i = path.indexOf('%'); i >= 0; i = path.indexOf('%', i + 2)) {
      char c = i + 1 < path.length() ? path.charAt(i + 1) : ' ';
      if ("YmdHMSn%".indexOf(c) < 0) {
        line.error(
            field.offsetOf(pathStart + i),
            key
                + " uses "
                + VisibleText.quote(path.substring(i, Math.min(i + 2, path.length())))
                + "; a path knows %Y %m %d %H %M %S (time of start), %n (the job's name) and %%");
      }
    }
  }
}
