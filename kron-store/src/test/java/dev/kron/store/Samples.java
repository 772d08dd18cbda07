package dev.kron.store;

import dev.kron.cron.CronCalendar;
import dev.kron.job.ActiveRun;
import dev.kron.job.HistoryEntry;
import dev.kron.job.JobState;
import dev.kron.job.Outcome;
import dev.kron.job.Reason;
import dev.kron.job.Reason.Cause;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;

/** Things that tests write and read. */
final class Samples {
  static final String IDENTITY = "/etc/krond.d/backup.kron:nightly";
  static final long NOMINAL = Instant.parse("2026-03-01T00:00:00Z").getEpochSecond();
  static final long CHOSEN = NOMINAL + 137;
  static final String BOOT = "6f0c0f3e-8f0f-4c43-8a3c-0d7c3a6f2f11";
  static final Instant NOW = Instant.parse("2026-03-01T00:05:00Z");

  private Samples() {}

  static StateSettings settings() {
    return settings(100);
  }

  static StateSettings settings(int historyLimit) {
    return new StateSettings(historyLimit, Runnable::run, 1, InstantSource.fixed(NOW), List.of());
  }

  static JobState state(String identity) {
    return JobState.builder(identity)
        .lastHandled(NOMINAL)
        .lastOutcome(Outcome.EXECUTED)
        .lastChosen(CHOSEN)
        .fingerprint("f-1")
        .since(NOMINAL - 86_400)
        .build();
  }

  static ActiveRun run(String runId, long nominal) {
    return ActiveRun.builder(runId)
        .nominal(nominal)
        .chosen(nominal + 5)
        .due(nominal + 7)
        .bootId(BOOT)
        .startedAt((nominal + 7) * 1000 + 250)
        .build();
  }

  static JobState withRuns(JobState state, ActiveRun... runs) {
    return state.toBuilder().active(List.of(runs)).build();
  }

  static HistoryEntry ended(int number) {
    long nominal = NOMINAL + number * 60L;
    return HistoryEntry.builder(nominal, Outcome.EXECUTED)
        .chosen(nominal + 3)
        .startedAt(nominal * 1000 + 3_010)
        .completedAt(nominal * 1000 + 4_500)
        .exitCode(number % 3)
        .runId(runId(number))
        .build();
  }

  static String runId(int number) {
    return "00" + "%024d".formatted(number);
  }

  static HistoryEntry skipped(int number) {
    long nominal = NOMINAL + number * 60L;
    return HistoryEntry.builder(nominal, Outcome.SKIPPED)
        .chosen(nominal + 3)
        .completedAt(nominal * 1000 + 3_000)
        .why(Reason.of(Cause.STILL_ACTIVE, "a run is still active"))
        .build();
  }

  static HistoryEntry manual(String runId) {
    return HistoryEntry.builder(CronCalendar.NONE, Outcome.EXECUTED)
        .chosen(CHOSEN)
        .startedAt(CHOSEN * 1000)
        .completedAt(CHOSEN * 1000 + 10)
        .signal(9)
        .why(Reason.of(Cause.UNKNOWN, "killed"))
        .runId(runId)
        .build();
  }
}
