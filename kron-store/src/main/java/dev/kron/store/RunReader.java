package dev.kron.store;

import dev.kron.cron.CronCalendar;
import dev.kron.job.ActiveRun;
import dev.kron.job.ActiveRun.Ending;
import dev.kron.job.ActiveRun.Phase;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The reader of active runs. A file with only the four members of the specification says no more
 * than that something was started: the other components are empty, and nothing can be proved about
 * the run.
 */
final class RunReader {
  private final JsonCursor cursor;

  private String runId = "";
  private long nominal = CronCalendar.NONE;
  private long chosen = CronCalendar.NONE;
  private long due = CronCalendar.NONE;
  private Phase phase = Phase.STARTED;
  private @Nullable Ending ending;
  private String bootId = "";
  private int pid;
  private long startTicks;
  private long startedAt;
  private @Nullable String endedBy;
  private int attempt = 1;
  private @Nullable String cause;
  private @Nullable String bootPeriod;
  private boolean outdated;
  private final List<Kept.Slice> unknown = new ArrayList<>(0);

  private RunReader(JsonCursor cursor) {
    this.cursor = cursor;
  }

  static ActiveRun read(JsonCursor cursor, @Nullable Kept kept) throws MalformedStateException {
    return new RunReader(cursor).read(kept);
  }

  private ActiveRun read(@Nullable Kept kept) throws MalformedStateException {
    cursor.expect('{');
    if (!cursor.take('}')) {
      do {
        cursor.readKey();
        int start = cursor.keyStart();
        if (!member()) {
          cursor.skipValue();
          unknown.add(new Kept.Slice(start, cursor.position()));
        }
      } while (cursor.take(','));
      cursor.expect('}');
    }
    if (attempt < 1) {
      throw cursor.malformed("an Attempt is at least 1");
    }
    if (pid < 0 || startTicks < 0) {
      throw cursor.malformed("PID and StartTicks are not negative");
    }
    if (nominal == CronCalendar.NONE && runId.isEmpty()) {
      throw cursor.malformed("an active run has a PeriodID or a RunID");
    }
    if (kept != null && !unknown.isEmpty() && !runId.isEmpty()) {
      kept.runs.add(new Kept.OfRun(runId, unknown));
    }
    return ActiveRun.builder(runId)
        .nominal(nominal)
        .chosen(chosen)
        .due(due == CronCalendar.NONE ? chosen : due)
        .phase(phase)
        .ending(ending)
        .bootId(bootId)
        .pid(pid)
        .startTicks(startTicks)
        .startedAt(startedAt)
        .endedBy(endedBy)
        .attempt(attempt)
        .cause(cause)
        .bootPeriod(bootPeriod)
        .outdated(outdated)
        .build();
  }

  private boolean member() throws MalformedStateException {
    switch (cursor.key()) {
      case "PeriodID" -> {
        bootPeriod = cursor.takeString(BootRecord.PREFIX);
        nominal = bootPeriod == null ? StateReader.readSecond(cursor) : nominal;
      }
      case "NominalTime" -> nominal = StateReader.readSecond(cursor);
      case "PID" -> pid = cursor.readInt();
      case "StartedAt" -> {
        long millis = cursor.readMillis();
        startedAt = millis == Timestamps.EMPTY ? 0 : millis;
      }
      case "ChosenTime" -> chosen = StateReader.readSecond(cursor);
      case "RunID" -> runId = cursor.readString();
      case "BootID" -> bootId = cursor.readString();
      case "StartTicks" -> startTicks = cursor.readLong();
      case "Phase" -> phase = RunWords.phase(cursor.readString());
      case "Ending" -> ending = cursor.takeNull() ? null : RunWords.ending(cursor.readString());
      case "EndedBy" -> endedBy = cursor.takeNull() ? null : cursor.readString();
      case "DueTime" -> due = StateReader.readSecond(cursor);
      case "Manual" -> cursor.readBoolean();
      case "Attempt" -> attempt = cursor.readInt();
      case "Cause" -> cause = cursor.takeNull() ? null : cursor.readString();
      case "Outdated" -> outdated = cursor.readBoolean();
      default -> {
        return false;
      }
    }
    return true;
  }
}
