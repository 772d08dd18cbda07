package dev.kron.cli;

import dev.kron.cli.forecast.Forecast;
import dev.kron.cli.forecast.ForecastJson;
import dev.kron.cli.forecast.ForecastSvg;
import dev.kron.cli.forecast.ForecastText;
import dev.kron.cli.line.Command;
import dev.kron.cli.line.CommandArguments;
import dev.kron.cli.line.CommandSpec;
import dev.kron.cli.line.CommandSpec.Example;
import dev.kron.cli.line.CommandSpec.Exit;
import dev.kron.cli.line.Completion;
import dev.kron.cli.line.ExitCode;
import dev.kron.cli.line.Format;
import dev.kron.cli.line.Operand;
import dev.kron.cli.line.Option;
import dev.kron.cli.line.Spans;
import dev.kron.cli.line.TimeArgument;
import dev.kron.cli.line.UsageException;
import dev.kron.cli.output.Surroundings;
import dev.kron.job.JobSpec;
import java.io.IOException;
import java.time.ZoneOffset;
import java.util.List;

/** {@code kron forecast}: how many starts fall together, with windows and without. */
final class ForecastCommand implements Command {
  private static final int MOST_HOURS = 8784;
  private static final int MOST_BUCKETS = 100_000;

  @Override
  public String name() {
    return "forecast";
  }

  @Override
  public String summary() {
    return "count how many jobs start together, with windows and without";
  }

  @Override
  public CommandSpec spec() {
    return new CommandSpec(
        name(),
        summary(),
        List.of(
            "kron forecast [PATH...] [--from T] [--hours N] [--bucket D]"
                + " [--format text|json|svg]"),
        Operand.any(
            "PATH",
            Completion.Paths.PATHS,
            "krontabs or directories (default: the configuration directory)"),
        List.of(
            Option.value(
                "--from", "T", "where to begin (default: now, cut down to a whole bucket)"),
            Option.value("--hours", "N", "how far to look ahead, 1 to 8784 (default: 24)"),
            Option.value(
                "--bucket", "D", "what counts as together, such as 30s or 1h (default: 5m)"),
            Option.choice(
                "--format",
                List.of("text", "json", "svg"),
                "a histogram for the terminal (the default), numbers, or a picture")),
        List.of(
            "Counts each run at the second it is due, and beside it where it would be if no job"
                + " had a window: on its nominal minute. Tells the peak of both and the factor"
                + " between them. Suspended jobs and unschedulable periods do not start and are not"
                + " counted. Attempts after failures, and jobs that follow a success, are told as"
                + " numbers: when they start depends on how long others run.",
            "A time T is one of: " + TimeArgument.FORMS + ". All times are in UTC here."),
        List.of(
            new Example("kron forecast examples --from 2026-03-02", "a day of all examples"),
            new Example(
                "kron forecast examples --from 2026-03-02 --format svg > forecast.svg",
                "a picture for a wiki page")),
        List.of(
            new Exit(ExitCode.OK, "counted"),
            new Exit(ExitCode.REFUSED, "a krontab has errors"),
            new Exit(ExitCode.UNREADABLE, "a file could not be read"),
            new Exit(ExitCode.USAGE, "the command line was not understood")));
  }

  @Override
  public int run(CommandArguments arguments, Surroundings surroundings) throws IOException {
    long seconds = arguments.number("--hours", 24, 1, MOST_HOURS) * 3600L;
    long bucket = bucket(arguments, seconds);
    long now = surroundings.now().getAsLong();
    String text = arguments.value("--from");
    long from =
        text == null
            ? Math.floorDiv(now, bucket) * bucket
            : TimeArgument.parse("--from", text, ZoneOffset.UTC, now);
    Forecast forecast = new Forecast(from, seconds, bucket);
    List<JobSpec> jobs = Krontabs.jobs(arguments.operands(), surroundings);
    var counts = new ChainCounts(jobs);
    for (JobSpec job : jobs) {
      forecast.add(job.schedule(), job.seed(), counts.of(job));
    }
    switch (Format.of(arguments)) {
      case TEXT -> new ForecastText(forecast, surroundings.out()).print();
      case JSON -> ForecastJson.write(forecast, surroundings.out());
      case SVG -> new ForecastSvg(forecast, surroundings.out()).print();
    }
    return ExitCode.OK;
  }

  private static long bucket(CommandArguments arguments, long seconds) {
    String text = arguments.value("--bucket", "5m");
    long bucket;
    try {
      bucket = Spans.seconds(text);
    } catch (IllegalArgumentException | ArithmeticException e) {
      throw new UsageException(
          "--bucket is a length of time such as 30s, 5m or 1h30m, not \"" + text + "\"");
    }
    if (bucket < 1 || bucket > seconds) {
      throw new UsageException("--bucket is at least 1s and at most --hours, not \"" + text + "\"");
    }
    if (seconds / bucket > MOST_BUCKETS) {
      throw new UsageException(
          "--bucket " + text + " cuts the time into more than " + MOST_BUCKETS + " buckets");
    }
    return bucket;
  }
}
