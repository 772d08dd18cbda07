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
    return new JobState(
        identity,
        NOMINAL,
        Outcome.EXECUTED,
        CHOSEN,
        List.of(),
        "f-1",
        NOMINAL - 86_400,
        false,
        false);
  }

  static ActiveRun run(String runId, long nominal) {
    return new ActiveRun(
        runId,
        nominal,
        nominal + 5,
        nominal + 7,
        ActiveRun.Phase.INTENDED,
        null,
        BOOT,
        0,
        0,
        (nominal + 7) * 1000 + 250);
  }

  static JobState withRuns(JobState state, ActiveRun... runs) {
    return new JobState(
        state.identity(),
        state.lastHandled(),
        state.lastOutcome(),
        state.lastChosen(),
        List.of(runs),
        state.fingerprint(),
        state.since(),
        state.pastLost(),
        state.suspended());
  }

  static HistoryEntry ended(int number) {
    long nominal = NOMINAL + number * 60L;
    return new HistoryEntry(
        nominal,
        Outcome.EXECUTED,
        nominal + 3,
        nominal * 1000 + 3_010,
        nominal * 1000 + 4_500,
        number % 3,
        null,
        null,
        null,
        "00" + "%024d".formatted(number));
  }

  static HistoryEntry skipped(int number) {
    long nominal = NOMINAL + number * 60L;
    return new HistoryEntry(
        nominal,
        Outcome.SKIPPED,
        nominal + 3,
        0,
        nominal * 1000 + 3_000,
        null,
        null,
        Reason.of(Cause.STILL_ACTIVE, "a run is still active"),
        null,
        null);
  }

  static HistoryEntry manual(String runId) {
    return new HistoryEntry(
        CronCalendar.NONE,
        Outcome.EXECUTED,
        CHOSEN,
        CHOSEN * 1000,
        CHOSEN * 1000 + 10,
        null,
        9,
        Reason.of(Cause.UNKNOWN, "killed"),
        null,
        runId);
  }
}
