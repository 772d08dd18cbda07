package dev.kron.daemon.runs;

import dev.kron.cron.CronCalendar;
import dev.kron.job.ActiveRun;
import dev.kron.job.JobSpec;
import dev.kron.store.DiskException;
import dev.kron.store.RunDirectories;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The note by which a later daemon knows an active run, whatever its krontab says by then. It
 * stands in the run's directory as {@code note}, one fact a line.
 *
 * @param timeoutMillis −1 for none
 * @param run the run as it was intended; without a period if that is not known
 */
public record RunNote(
    String identity, String name, long timeoutMillis, Stream stdout, Stream stderr, ActiveRun run) {
  /** The daemon's handling of a stream. */
  enum Stream {
    /** Nothing: the stream is discarded or goes to a file of the user's. */
    NONE,
    INHERIT,
    SYSLOG
  }

  public static RunNote of(JobSpec spec, ActiveRun run) {
    return new RunNote(
        spec.identity(),
        spec.name(),
        spec.timeout() == null ? -1 : spec.timeout().toMillis(),
        stream(spec.stdout()),
        stream(spec.stderr()),
        run);
  }

  private static Stream stream(JobSpec.Output output) {
    return switch (output) {
      case JobSpec.Output.Inherit _ -> Stream.INHERIT;
      case JobSpec.Output.Syslog _ -> Stream.SYSLOG;
      case JobSpec.Output.Discard _, JobSpec.Output.File _ -> Stream.NONE;
    };
  }

  /**
   * Writes the note. If the job's state file were lost, nobody would know the run without it, so
   * nothing is started whose note could not be written.
   *
   * @param executed the executed command, see {@link Executions}; it goes first, since a note is
   *     read from its end, up to a limit
   */
  public void write(RunDirectories directories, String runId, NoteLines.Draft executed)
      throws DiskException {
    NoteLines.Draft note =
        executed
            .line("identity", identity)
            .line("name", name)
            .line("timeout_ms", timeoutMillis)
            .line("stdout", stdout)
            .line("stderr", stderr)
            .line("period", run.nominal())
            .line("chosen", run.chosen())
            .line("due", run.due())
            .line("started_at_ms", run.startedAt())
            .line("attempt", run.attempt());
    String cause = run.cause();
    if (cause != null) {
      note.line("cause", cause);
    }
    String bootPeriod = run.bootPeriod();
    if (bootPeriod != null) {
      note.line("boot_period", bootPeriod);
    }
    note.write(directories, runId);
  }

  /** The note of a run; an empty one if it is missing or cannot be read. */
  public static RunNote read(RunDirectories directories, String runId) {
    try {
      return find(directories, runId);
    } catch (DiskException e) {
      return unknown(runId);
    }
  }

  /**
   * The note of a run for callers that try again, since a note that cannot be read now may be
   * readable later.
   */
  public static RunNote readable(RunDirectories directories, String runId) throws DiskException {
    try {
      return find(directories, runId);
    } catch (DiskException e) {
      if (e.reason() == DiskException.Reason.NOT_FOUND) {
        return unknown(runId);
      }
      throw e;
    }
  }

  /** The note of a run; an empty one if none was written, or not completely. */
  public static RunNote find(RunDirectories directories, String runId) throws DiskException {
    NoteLines facts = NoteLines.read(directories, runId);
    try {
      String cause = facts.text("cause", "");
      String bootPeriod = facts.text("boot_period", "");
      return new RunNote(
          facts.text("identity", ""),
          facts.text("name", ""),
          facts.number("timeout_ms", -1),
          Stream.valueOf(facts.text("stdout", "NONE")),
          Stream.valueOf(facts.text("stderr", "NONE")),
          ActiveRun.builder(runId)
              .nominal(facts.number("period", CronCalendar.NONE))
              .chosen(facts.number("chosen", CronCalendar.NONE))
              .due(facts.number("due", 0))
              .startedAt(facts.number("started_at_ms", 0))
              .attempt((int) facts.number("attempt", 1))
              .cause(cause.isEmpty() ? null : cause)
              .bootPeriod(bootPeriod.isEmpty() ? null : bootPeriod)
              .build());
    } catch (IllegalArgumentException e) {
      return unknown(runId);
    }
  }

  private static RunNote unknown(String runId) {
    ActiveRun run = ActiveRun.builder(runId).chosen(CronCalendar.NONE).build();
    return new RunNote("", "", -1, Stream.NONE, Stream.NONE, run);
  }

  /**
   * The time at which the keeper last wrote to its record: the end of the run, if it wrote that.
   * Never later than now, whatever the clock was then.
   */
  public static long endedAtMillis(Path directory, long nowMillis) {
    try {
      long written = Files.getLastModifiedTime(directory.resolve("record")).toMillis();
      return Math.min(written, nowMillis);
    } catch (IOException e) {
      return nowMillis;
    }
  }

  /** The same of a run whose files may have been joined, which made its record anew. */
  public static long endedAtMillis(RunDirectories directories, String runId, long nowMillis)
      throws DiskException {
    Long kept = directories.endedAtMillis(runId);
    return kept != null
        ? Math.min(kept, nowMillis)
        : endedAtMillis(directories.of(runId), nowMillis);
  }
}
