package dev.kron.config;

import dev.kron.job.JobSpec;
import dev.kron.job.JobSpec.Input;
import dev.kron.job.JobSpec.Output;
import dev.kron.job.RetryPolicy;
import dev.kron.schedule.GoDuration;
import dev.kron.text.ShellWords;
import java.util.List;
import java.util.StringJoiner;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The writer of entries; reading its output gives the same entry again. */
public final class KrontabWriter {
  private KrontabWriter() {}

  /** The entry as one line without a line break, with the schedule in its shortest form. */
  public static String line(JobSpec job) {
    return line(job.schedule().canonical(), job);
  }

  /** The entry as one line without a line break, with the schedule as somebody wrote it. */
  public static String line(String schedule, JobSpec job) {
    var line = new StringJoiner(" ");
    line.add(schedule);
    line.add("name=" + job.name());
    line.add("command=" + (job.shell() ? quote(job.command().getFirst()) : command(job.command())));
    if (job.shell()) {
      line.add("shell=true");
    }
    add(line, "user", job.user());
    add(line, "group", job.group());
    add(line, "cwd", job.cwd());
    add(line, "envfile", job.envfile());
    for (String variable : job.environment()) {
      add(line, "env", variable);
    }
    add(line, "profile", job.profile());
    add(line, "umask", job.umask() == null ? null : String.format("%04o", job.umask()));
    add(line, "timeout", job.timeout() == null ? null : GoDuration.format(job.timeout().toNanos()));
    add(line, "stdout", output(job.stdout()));
    add(line, "stderr", output(job.stderr()));
    add(line, "description", job.description());
    if (!job.onFailure().isEmpty()) {
      line.add("onfailure=" + command(job.onFailure()));
    }
    retry(line, job.retry());
    add(line, "then", job.then().isEmpty() ? null : String.join(" ", job.then()));
    add(line, "stdin", input(job.stdin()));
    add(line, "nice", job.nice() == 0 ? null : Integer.toString(job.nice()));
    add(line, "late", duration(job.watch().lateMillis(), 0));
    add(line, "expect", duration(job.watch().expectMillis(), 0));
    add(line, "least", duration(job.watch().leastMillis(), 0));
    add(line, "silent", duration(job.watch().silentMillis(), 0));
    return line.toString();
  }

  private static void retry(StringJoiner line, RetryPolicy retry) {
    RetryPolicy none = RetryPolicy.NONE;
    add(line, "retries", retry.retries() == 0 ? null : Integer.toString(retry.retries()));
    add(line, "retrydelay", duration(retry.delayMillis(), none.delayMillis()));
    add(line, "retrymax", duration(retry.longestMillis(), none.longestMillis()));
    if (!retry.okExit().equals(none.okExit())) {
      String codes = retry.okExit().stream().map(String::valueOf).collect(Collectors.joining(","));
      line.add("okexit=" + quote(codes));
    }
  }

  private static @Nullable String duration(long millis, long otherwise) {
    return millis == otherwise ? null : GoDuration.format(millis * 1_000_000);
  }

  private static void add(StringJoiner line, String key, @Nullable String value) {
    if (value != null) {
      line.add(key + "=" + (isPlain(value) ? value : quote(value)));
    }
  }

  private static @Nullable String input(Input input) {
    return switch (input) {
      case Input.Nothing _ -> null;
      case Input.Cause _ -> "cause";
      case Input.File(String path) -> "file:" + path;
    };
  }

  private static @Nullable String output(Output output) {
    return switch (output) {
      case Output.Inherit _ -> null;
      case Output.Discard _ -> "discard";
      case Output.Syslog _ -> "syslog";
      case Output.File(String path) -> "file:" + path;
    };
  }

  /**
   * Writes a command. A single plain word needs no quotes; anything else is split when it is read,
   * so its words are quoted.
   */
  private static String command(List<String> words) {
    return words.size() == 1 && isPlain(words.getFirst())
        ? words.getFirst()
        : quote(words.stream().map(KrontabWriter::word).collect(Collectors.joining(" ")));
  }

  /** Quotes a word. No shell reads it, so only blanks, quotes and backslashes have a meaning. */
  private static String word(String word) {
    boolean plain = !word.isEmpty() && word.chars().noneMatch(c -> " \t'\"\\".indexOf(c) >= 0);
    return plain ? word : ShellWords.quoted(word);
  }

  private static boolean isPlain(String value) {
    return !value.startsWith("'") && value.chars().noneMatch(c -> " \t\"".indexOf(c) >= 0);
  }

  private static String quote(String value) {
    return '"' + value.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
  }
}
