package dev.kron.cli;

import dev.kron.cli.line.Command;
import dev.kron.cli.line.CommandArguments;
import dev.kron.cli.line.CommandSpec;
import dev.kron.cli.line.CommandSpec.Example;
import dev.kron.cli.line.CommandSpec.Exit;
import dev.kron.cli.line.ExitCode;
import dev.kron.cli.line.Format;
import dev.kron.cli.line.Option;
import dev.kron.cli.line.RefusedException;
import dev.kron.cli.line.TimeArgument;
import dev.kron.cli.line.UsageException;
import dev.kron.cli.output.Surroundings;
import dev.kron.cli.output.Times;
import dev.kron.cron.Boot;
import dev.kron.cron.CronCalendar;
import dev.kron.cron.Manual;
import dev.kron.job.DecisionJson;
import dev.kron.json.JsonWriter;
import dev.kron.schedule.Decision;
import dev.kron.schedule.Schedule;
import java.io.IOException;
import java.util.List;

/** {@code kron explain}: which second was chosen for a period, and why that one. */
final class ExplainCommand implements Command {
  @Override
  public String name() {
    return "explain";
  }

  @Override
  public String summary() {
    return "tell which second a job starts at, and why";
  }

  @Override
  public CommandSpec spec() {
    return new CommandSpec(
        name(),
        summary(),
        List.of(
            "kron explain JOB (--at T | --period T) [--file F] [--nodes A,B,C] [--format"
                + " text|json]",
            "kron explain --schedule S --identity I (--at T | --period T) [--nodes A,B,C] [--format"
                + " text|json]"),
        Subjects.JOB,
        List.of(
            Subjects.SCHEDULE,
            Subjects.IDENTITY,
            Option.value("--at", "T", "the last period at or before this time"),
            Option.value("--period", "T", "exactly this period: its nominal time"),
            Subjects.FILE,
            Option.value(
                "--nodes",
                "A,B,C",
                "the nodes of a fleet that may run it: tells in which order they claim the period"),
            Format.OPTION),
        List.of(
            "Shows the decision in all its fields: the window, the seed, each candidate that was"
                + " drawn and rejected with the clause that rejected it, the chosen second. The"
                + " answer depends on nothing else than what is asked.",
            "Of a job with retries it also tells how long each attempt would be waited with, and"
                + " of chains what follows a success, and what the job follows. Of a fleet's job it"
                + " tells, for the nodes that --nodes names, who claims the period when; kron fleet"
                + " why does that for the nodes that live.",
            "A time T is one of: " + TimeArgument.FORMS + "."),
        List.of(
            new Example(
                "kron explain nightly-backup --file examples/smooth.krontab --at 2026-03-01",
                "a job of a krontab"),
            new Example(
                "kron explain --schedule '0 0 * * * @win(after,3h)' --identity prod/db --period"
                    + " 2026-03-01T00:00:00Z --format json",
                "a schedule, for a program"),
            new Example(
                "kron explain --schedule '0 0 * * *' --identity fleet:db.kron:backup --period"
                    + " 2026-03-01T00:00:00Z --nodes web-1,web-2,web-3",
                "which node of a fleet is the first")),
        List.of(
            new Exit(ExitCode.OK, "explained, also where the period is unschedulable"),
            new Exit(
                ExitCode.REFUSED,
                "there is no such job or period, or the schedule or krontab has errors"),
            new Exit(ExitCode.UNREADABLE, "a file could not be read"),
            new Exit(ExitCode.USAGE, "the command line was not understood")));
  }

  @Override
  public int run(CommandArguments arguments, Surroundings surroundings) throws IOException {
    String at = arguments.value("--at");
    String period = arguments.value("--period");
    if ((at == null) == (period == null)) {
      throw new UsageException(
          at == null
              ? "say which period: --at T for the last one by then (--at now), or --period T"
              : "--at and --period exclude each other");
    }
    ExplainedSubject subject = Subjects.named(arguments, surroundings);
    if (subject == null) {
      throw new UsageException("say what to explain: a JOB, or --schedule and --identity");
    }
    long now = surroundings.now().getAsLong();
    List<String> nodes = Turns.nodes(arguments.value("--nodes"), subject);
    Schedule schedule = subject.schedule();
    long nominal =
        at != null
            ? by(schedule, TimeArgument.parse("--at", at, schedule.zone(), now))
            : exactly(
                schedule,
                TimeArgument.parse("--period", String.valueOf(period), schedule.zone(), now));
    Decision decision = schedule.decide(subject.identity(), nominal);
    var turns = new Turns(decision, nodes);
    if (Format.of(arguments) == Format.JSON) {
      JsonWriter json = surroundings.out().json();
      json.beginObject();
      DecisionJson.members(json, decision);
      afterwards(json, subject, decision);
      turns.write(json);
      json.endObject().end();
    } else {
      new Story(decision, subject, turns, surroundings.out()).tell();
    }
    return ExitCode.OK;
  }

  /** Writes what may follow the start; nothing without retries and chains. */
  private static void afterwards(JsonWriter json, ExplainedSubject subject, Decision decision)
      throws IOException {
    if (subject.retry().retries() > 0) {
      json.name("retryDelaysMillis").beginArray();
      for (int k = 1; k <= subject.retry().retries(); k++) {
        json.value(subject.retry().delayMillis(subject.identity(), decision.periodId(), k));
      }
      json.endArray();
    }
    if (!subject.then().isEmpty()) {
      json.member("then", subject.then());
    }
    if (!subject.after().isEmpty()) {
      json.member("after", subject.after());
    }
  }

  private static long by(Schedule schedule, long time) {
    long nominal = schedule.previous(time);
    if (schedule.times() instanceof Manual) {
      throw new RefusedException(
          "@manual has no time of its own, so there is nothing to explain; kron trigger runs it");
    }
    if (schedule.times() instanceof Boot) {
      throw new RefusedException(
          "@boot has no time by the calendar: it runs once after each start of the machine, and"
              + " kron why tells when it did");
    }
    if (nominal == CronCalendar.NONE) {
      throw new RefusedException("there is no period at or before " + Times.utc(time));
    }
    return nominal;
  }

  private static long exactly(Schedule schedule, long time) {
    long previous = schedule.previous(time);
    if (previous == time) {
      return time;
    }
    throw new RefusedException(
        Times.utc(time)
            + " is not a period of this schedule; the one before it is "
            + neighbour(previous)
            + ", the one after it "
            + neighbour(schedule.next(time)));
  }

  private static String neighbour(long nominal) {
    return nominal == CronCalendar.NONE ? "none" : Times.utc(nominal);
  }
}
