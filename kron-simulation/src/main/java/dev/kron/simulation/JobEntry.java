package dev.kron.simulation;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A line of the krontab as the witness reads it: by the specification, with the words that
 * histories use, and without the daemon's parser.
 *
 * @param schedule its text without the policy: another text is another schedule
 * @param limitNanos how long a run may take, {@link Execution#NO_LIMIT}: for ever
 * @param user null: the daemon's own
 * @param readsCause its input is the output of the run that it follows
 * @param alert the command that is told of failures; empty: none
 */
record JobEntry(
    String schedule,
    Timetable times,
    String concurrency,
    long deadlineSeconds,
    boolean suspend,
    long limitNanos,
    String command,
    List<String> environment,
    @Nullable String user,
    boolean readsCause,
    String alert,
    Retrying retrying,
    List<String> then) {

  /** The number and the times of retries of a failed run, and the exit codes that are successes. */
  record Retrying(int retries, long delaySeconds, long longestSeconds, List<Integer> okExit) {
    static Retrying of(Map<String, String> fields) {
      List<Integer> codes = new ArrayList<>();
      for (String code : fields.getOrDefault("okexit", "0").split(",")) {
        codes.add(Integer.valueOf(code));
      }
      return new Retrying(
          Integer.parseInt(fields.getOrDefault("retries", "0")),
          seconds(fields.getOrDefault("retrydelay", "30s")),
          seconds(fields.getOrDefault("retrymax", "1h")),
          codes);
    }

    /** The time that an attempt waits after the one with this number. */
    long waitMillis(String identity, String period, int failedAttempt) {
      long base = delaySeconds * 1000;
      for (int i = 1; i < failedAttempt; i++) {
        base = Math.min(2 * base, longestSeconds * 1000);
      }
      base = Math.min(base, longestSeconds * 1000);
      double u = Timetable.draw(identity + "\n" + period + "\nretry\n" + failedAttempt);
      return (long) (base * (1 + u / 4));
    }
  }

  private static final long SECOND = 1_000_000_000L;

  /** The time after an absence in which an attempt may still begin. */
  long retryDeadlineSeconds() {
    return Math.max(deadlineSeconds, retrying.longestSeconds);
  }

  boolean allowsOthers() {
    return concurrency.equals("allow");
  }

  boolean replacesOthers() {
    return concurrency.equals("replace");
  }

  /** The jobs of a krontab by their identities. */
  static Map<String, JobEntry> read(Iterable<String> lines) {
    Map<String, JobEntry> entries = new TreeMap<>();
    for (String line : lines) {
      Map<String, String> fields = new TreeMap<>();
      List<String> schedule = new ArrayList<>();
      String policy = "";
      List<String> environment = new ArrayList<>();
      for (String word : line.split(" +")) {
        int equals = word.indexOf('=');
        if (word.startsWith("@policy(")) {
          policy = word.substring("@policy(".length(), word.length() - 1);
        } else if (word.startsWith("@") || equals < 0) {
          schedule.add(word);
        } else if (word.startsWith("env=")) {
          environment.add(word.substring(equals + 1));
        } else {
          fields.put(word.substring(0, equals), word.substring(equals + 1));
        }
      }
      for (String word : policy.split(",")) {
        if (!word.isEmpty()) {
          fields.put(word.substring(0, word.indexOf('=')), word.substring(word.indexOf('=') + 1));
        }
      }
      String identity = Files.identity(String.valueOf(fields.get("name")));
      entries.put(identity, of(identity, String.join(" ", schedule), fields, environment));
    }
    return entries;
  }

  private static JobEntry of(
      String identity, String schedule, Map<String, String> fields, List<String> environment) {
    String timeout = fields.get("timeout");
    return new JobEntry(
        schedule,
        new Timetable(identity, schedule),
        fields.getOrDefault("concurrency", "forbid"),
        seconds(fields.getOrDefault("deadline", "0s")),
        Boolean.parseBoolean(fields.getOrDefault("suspend", "false")),
        timeout == null ? Execution.NO_LIMIT : seconds(timeout) * SECOND,
        String.valueOf(fields.get("command")),
        environment,
        fields.get("user"),
        "cause".equals(fields.get("stdin")),
        fields.getOrDefault("onfailure", ""),
        Retrying.of(fields),
        then(fields.getOrDefault("then", "")));
  }

  /** Identities of those that follow; histories have one, and so no quotes. */
  private static List<String> then(String name) {
    return name.isEmpty() ? List.of() : List.of(Files.identity(name));
  }

  /** The seconds of a duration with one unit. */
  static long seconds(String duration) {
    long number = Long.parseLong(duration.substring(0, duration.length() - 1));
    return switch (duration.charAt(duration.length() - 1)) {
      case 's' -> number;
      case 'm' -> number * 60;
      case 'h' -> number * 3600;
      default -> throw new IllegalArgumentException(duration);
    };
  }
}
