package dev.kron.cli;

import dev.kron.cli.line.CommandArguments;
import dev.kron.cli.line.Completion;
import dev.kron.cli.line.ExitCode;
import dev.kron.cli.line.Operand;
import dev.kron.cli.line.Option;
import dev.kron.cli.line.RefusedException;
import dev.kron.cli.line.UsageException;
import dev.kron.cli.output.Surroundings;
import dev.kron.job.FleetRules;
import dev.kron.job.JobSpec;
import dev.kron.schedule.Problem;
import dev.kron.schedule.Schedule;
import dev.kron.schedule.ScheduleSyntaxException;
import dev.kron.text.Suggestion;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The subjects of a command: one job of the krontabs, all of them, or a schedule. */
final class Subjects {
  static final Operand JOB =
      Operand.optional(
          "JOB", Completion.Nothing.NOTHING, "a job's name, or its identity /path/of/krontab:name");
  static final Option SCHEDULE =
      Option.value("--schedule", "S", "a schedule instead of a job, in quotes");
  static final Option IDENTITY =
      Option.value("--identity", "I", "the identity to decide that schedule for");
  static final Option FILE =
      Option.path(
              "--file",
              "F",
              "a krontab, or a directory of them; may be repeated (default: the configuration"
                  + " directory)")
          .repeated();

  private static final int LISTED = 10;

  private Subjects() {}

  /** The named subject; null if none is named, so that all are meant. */
  static @Nullable ExplainedSubject named(CommandArguments arguments, Surroundings surroundings) {
    String schedule = arguments.value("--schedule");
    String identity = arguments.value("--identity");
    if (schedule == null && identity == null) {
      return arguments.operands().isEmpty()
          ? null
          : job(arguments.operands().getFirst(), arguments, surroundings);
    }
    if (schedule == null || identity == null) {
      throw new UsageException("--schedule and --identity go together: one decides, one seeds");
    }
    if (!arguments.operands().isEmpty() || arguments.has("--file")) {
      throw new UsageException("--schedule stands for itself: leave JOB and --file out");
    }
    return new ExplainedSubject(identity, parse(schedule));
  }

  /** All jobs of the krontabs. */
  static List<ExplainedSubject> all(CommandArguments arguments, Surroundings surroundings) {
    return of(Krontabs.jobs(arguments.values("--file"), surroundings));
  }

  static List<ExplainedSubject> of(List<JobSpec> jobs) {
    Map<String, List<String>> causes = causes(jobs);
    List<ExplainedSubject> subjects = new ArrayList<>(jobs.size());
    for (JobSpec job : jobs) {
      subjects.add(subject(job, causes));
    }
    return subjects;
  }

  private static ExplainedSubject subject(JobSpec job, Map<String, List<String>> causes) {
    FleetRules fleet = job.fleet();
    return new ExplainedSubject(
        job.seed(),
        job.schedule(),
        job.retry(),
        job.rules().then(),
        causes.getOrDefault(job.identity(), List.of()),
        fleet == null ? null : fleet.on());
  }

  /** The jobs that others follow, by the identities of those. */
  private static Map<String, List<String>> causes(List<JobSpec> jobs) {
    Map<String, List<String>> causes = new HashMap<>();
    for (JobSpec job : jobs) {
      for (String target : job.rules().then()) {
        causes.computeIfAbsent(target, key -> new ArrayList<>()).add(job.identity());
      }
    }
    return causes;
  }

  private static ExplainedSubject job(
      String wanted, CommandArguments arguments, Surroundings surroundings) {
    List<JobSpec> jobs = Krontabs.jobs(arguments.values("--file"), surroundings);
    List<JobSpec> matches = new ArrayList<>();
    for (JobSpec job : jobs) {
      if (job.name().equals(wanted) || job.identity().equals(wanted)) {
        matches.add(job);
      }
    }
    return switch (matches.size()) {
      case 0 -> throw new RefusedException(unknown(wanted, jobs));
      case 1 -> subject(matches.getFirst(), causes(jobs));
      default -> throw new RefusedException(ambiguous(wanted, matches));
    };
  }

  private static String unknown(String wanted, List<JobSpec> jobs) {
    List<String> names = new ArrayList<>();
    jobs.forEach(job -> names.add(job.name()));
    return "there is no job \""
        + wanted
        + "\" among "
        + jobs.size()
        + Suggestion.among(names, wanted);
  }

  private static String ambiguous(String wanted, List<JobSpec> matches) {
    StringBuilder text = new StringBuilder();
    text.append(matches.size()).append(" jobs are called \"").append(wanted);
    text.append("\"; give --file, or one of these identities: ");
    for (int i = 0; i < Math.min(matches.size(), LISTED); i++) {
      text.append(i == 0 ? "" : ", ").append(matches.get(i).identity());
    }
    return text.append(matches.size() > LISTED ? ", …" : "").toString();
  }

  private static Schedule parse(String text) {
    try {
      return Schedule.parse(text);
    } catch (ScheduleSyntaxException e) {
      List<String> lines = new ArrayList<>();
      for (Problem problem : e.problems()) {
        int column = text.codePointCount(0, Math.min(problem.offset(), text.length())) + 1;
        lines.add("--schedule, column " + column + ": " + problem.message());
      }
      throw new RefusedException(ExitCode.REFUSED, lines);
    }
  }
}
