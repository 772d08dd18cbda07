package dev.kron.store;

import dev.kron.cron.CronCalendar;
import dev.kron.job.HistoryEntry;
import dev.kron.job.Outcome;
import dev.kron.job.Reason;
import dev.kron.job.Reason.Cause;
import org.jspecify.annotations.Nullable;

/** The reader of one history entry; entries are parsed only on demand. */
final class HistoryReader {
  private long nominal = CronCalendar.NONE;
  private @Nullable Outcome outcome;
  private long chosen = CronCalendar.NONE;
  private long startedAt;
  private long completedAt;
  private @Nullable Integer exitCode;
  private @Nullable Integer signal;
  private @Nullable String reason;
  private @Nullable String cause;
  private long lateSeconds;
  private long deadlineSeconds;
  private @Nullable String stage;
  private @Nullable String runId;
  private @Nullable Boolean success;
  private int attempt = 1;
  private @Nullable String causedBy;
  private @Nullable String bootPeriod;
  private @Nullable Long cpuMillis;

  private HistoryReader() {}

  static HistoryEntry read(byte[] bytes, Kept.Slice slice) throws MalformedStateException {
    return read(new JsonCursor(bytes, slice.start(), slice.end()));
  }

  /** Reads an entry that is part of a larger value. */
  static HistoryEntry read(JsonCursor cursor) throws MalformedStateException {
    return new HistoryReader().entry(cursor);
  }

  private HistoryEntry entry(JsonCursor cursor) throws MalformedStateException {
    cursor.expect('{');
    if (!cursor.take('}')) {
      do {
        cursor.readKey();
        member(cursor);
      } while (cursor.take(','));
      cursor.expect('}');
    }
    if (outcome == null) {
      throw cursor.malformed("Outcome is missing");
    }
    return HistoryEntry.builder(nominal, outcome)
        .chosen(chosen)
        .startedAt(startedAt)
        .completedAt(completedAt)
        .exitCode(exitCode)
        .signal(signal)
        .why(why())
        .stage(stage)
        .runId(runId)
        .success(success) // null in an entry of an older daemon
        .attempt(attempt)
        .cause(causedBy)
        .bootPeriod(bootPeriod)
        .cpuMillis(cpuMillis)
        .build();
  }

  private @Nullable Reason why() {
    if (reason == null) {
      return null;
    }
    if (cause != null) {
      return new Reason(Cause.ofWord(cause), lateSeconds, deadlineSeconds, reason);
    }
    return stage == null ? Reason.ofSentence(reason) : Reason.of(Cause.NOT_STARTED, reason);
  }

  private void member(JsonCursor cursor) throws MalformedStateException {
    String key = cursor.key();
    if (cursor.takeNull()) {
      return;
    }
    switch (key) {
      case "PeriodID" -> {
        bootPeriod = cursor.takeString(BootRecord.PREFIX);
        nominal = bootPeriod == null ? StateReader.readSecond(cursor) : nominal;
      }
      case "NominalTime" -> {
        long time = StateReader.readSecond(cursor);
        nominal = bootPeriod == null ? nominal : time;
      }
      case "Outcome" -> outcome = RunWords.outcome(cursor.readString());
      case "ChosenTime" -> chosen = StateReader.readSecond(cursor);
      case "StartedAt" -> startedAt = millis(cursor);
      case "CompletedAt" -> completedAt = millis(cursor);
      case "ExitCode" -> exitCode = cursor.readInt();
      case "Signal" -> signal = cursor.readInt();
      case "Reason" -> reason = cursor.readString();
      case "Cause" -> cause(cursor.readString());
      case "ReasonCause" -> cause = cursor.readString();
      case "LateSeconds" -> lateSeconds = cursor.readLong();
      case "DeadlineSeconds" -> deadlineSeconds = cursor.readLong();
      case "Stage" -> stage = cursor.readString();
      case "RunID" -> runId = cursor.readString();
      case "Success" -> success = cursor.readBoolean();
      case "Attempt" -> attempt = cursor.readInt();
      case "CPUMillis" -> cpuMillis = cursor.readLong();
      default -> cursor.skipValue();
    }
  }

  /**
   * Reads the member {@code cause}: for a run of a chain the run that caused it, for others the
   * cause of the reason.
   */
  private void cause(String text) {
    if (RunIds.isRunId(text)) {
      causedBy = text;
    } else {
      cause = text;
    }
  }

  /** 0 where empty. */
  static long millis(JsonCursor cursor) throws MalformedStateException {
    long millis = cursor.readMillis();
    return millis == Timestamps.EMPTY ? 0 : millis;
  }
}
