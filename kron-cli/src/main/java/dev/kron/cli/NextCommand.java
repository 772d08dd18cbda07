package dev.kron.cli;

import dev.kron.cli.line.Command;
import dev.kron.cli.line.CommandArguments;
import dev.kron.cli.line.CommandSpec;
import dev.kron.cli.line.CommandSpec.Example;
import dev.kron.cli.line.CommandSpec.Exit;
import dev.kron.cli.line.ExitCode;
import dev.kron.cli.line.Format;
import dev.kron.cli.line.Option;
import dev.kron.cli.line.TimeArgument;
import dev.kron.cli.output.Output;
import dev.kron.cli.output.Surroundings;
import dev.kron.cli.output.Times;
import dev.kron.job.DecisionJson;
import dev.kron.json.JsonWriter;
import dev.kron.schedule.DueTimes.Due;
import java.io.IOException;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.Iterator;
import java.util.List;
import java.util.Map;

/** {@code kron next}: the coming runs of one job, or of all jobs merged. */
final class NextCommand implements Command {
  private static final int DEFAULT_COUNT = 10;

  @Override
  public String name() {
    return "next";
  }

  @Override
  public String summary() {
    return "list the coming runs of one job or of all";
  }

  @Override
  public CommandSpec spec() {
    return new CommandSpec(
        name(),
        summary(),
        List.of(
            "kron next [JOB] [--file F] [--after T] [--count N] [--format text|json]",
            "kron next --schedule S --identity I [--after T] [--count N] [--format text|json]"),
        Subjects.JOB,
        List.of(
            Subjects.SCHEDULE,
            Subjects.IDENTITY,
            Subjects.FILE,
            Option.value("--after", "T", "periods that are due after this time (default: now)"),
            Option.value("--count", "N", "how many (default: " + DEFAULT_COUNT + ")"),
            Format.OPTION),
        List.of(
            "A period is due at its chosen second, but never before the periods of the same job"
                + " that come before it; an unschedulable one is due when its window ends. What is"
                + " due in the same second is ordered by identity. Behind a job stands what may"
                + " follow: attempts after a failure, and jobs that its success starts; when that"
                + " is depends on how long it runs. On a terminal that is too narrow for all of it,"
                + " UTC and the jobs' files are left out.",
            "A time T is one of: "
                + TimeArgument.FORMS
                + ". With several jobs, a time without an offset is in UTC."),
        List.of(
            new Example("kron next --file examples/smooth.krontab", "the next ten of all jobs"),
            new Example(
                "kron next nightly-backup --file examples/smooth.krontab --after 2026-03-01"
                    + " --count 3",
                "three of one job"),
            new Example(
                "kron next --schedule '*/15 * * * * @win(after,5m)' --identity web/1 --after now"
                    + " --format json",
                "a schedule, for a program")),
        List.of(
            new Exit(ExitCode.OK, "listed, also where nothing is due any more"),
            new Exit(
                ExitCode.REFUSED, "there is no such job, or the schedule or krontab has errors"),
            new Exit(ExitCode.UNREADABLE, "a file could not be read"),
            new Exit(ExitCode.USAGE, "the command line was not understood")));
  }

  @Override
  public int run(CommandArguments arguments, Surroundings surroundings) throws IOException {
    int count = arguments.number("--count", DEFAULT_COUNT, 0, Integer.MAX_VALUE);
    ExplainedSubject one = Subjects.named(arguments, surroundings);
    List<ExplainedSubject> subjects =
        one == null ? Subjects.all(arguments, surroundings) : List.of(one);
    ZoneId zone = one == null ? ZoneOffset.UTC : one.schedule().zone();
    long now = surroundings.now().getAsLong();
    long after = TimeArgument.parse("--after", arguments.value("--after", "now"), zone, now);
    Iterator<Due> upcoming = Upcoming.after(subjects, after);
    if (Format.of(arguments) == Format.JSON) {
      json(upcoming, NextText.following(subjects), count, surroundings.out());
    } else {
      new NextText(subjects, after, surroundings.out()).print(upcoming, count);
    }
    return ExitCode.OK;
  }

  private static void json(
      Iterator<Due> upcoming, Map<String, ExplainedSubject> following, int count, Output out)
      throws IOException {
    JsonWriter json = out.json();
    json.beginObject().name("decisions").beginArray();
    for (int i = 0; i < count && upcoming.hasNext(); i++) {
      Due due = upcoming.next();
      json.beginObject();
      DecisionJson.members(json, due.decision());
      json.member("dueTime", Times.utc(due.dueEpochSecond()));
      ExplainedSubject subject = following.get(due.decision().identity());
      if (subject != null) {
        json.member("retries", subject.retry().retries());
        json.member("then", subject.then());
      }
      json.endObject();
    }
    json.endArray().endObject().end();
  }
}
