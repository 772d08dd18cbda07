package dev.kron.daemon.api;

import dev.kron.cron.Boot;
import dev.kron.cron.CronCalendar;
import dev.kron.cron.Manual;
import dev.kron.job.ActiveRun;
import dev.kron.job.HistoryEntry;
import dev.kron.job.JobSpec;
import dev.kron.job.JobState;
import dev.kron.job.Outcome;
import dev.kron.job.Retry;
import dev.kron.json.JsonWriter;
import dev.kron.schedule.Decision;
import dev.kron.schedule.DueTimes;
import dev.kron.schedule.DueTimes.Due;
import dev.kron.schedule.Schedule;
import java.io.IOException;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The answer to {@code kron why}, from the record, the computation of periods and the ledger of the
 * daemon's absences.
 */
final class Why {
  private final Control control;
  private final JobView job;
  private final JobState state;
  private final long now;
  private final List<String> chain;
  private final int retries;
  private final Schedule schedule;
  private final DueTimes dueTimes;
  private final ZoneId zone;
  private final @Nullable String trouble;
  private final Hindrances circumstances;
  private final Map<Long, HistoryEntry> recorded = new HashMap<>();

  /** What is on record last; it may belong to no period. */
  private final @Nullable HistoryEntry last;

  /** Whether entries on record are older than the present schedule. */
  private final boolean isOlderThanItsSchedule;

  /** The periods of {@code @boot}, by their nominal times. */
  private final TreeMap<Long, String> boots = new TreeMap<>();

  Why(Control control, Snapshot snapshot, JobView job, List<HistoryEntry> history) {
    JobSpec spec = JobEndpoints.spec(job);
    this.control = control;
    this.job = job;
    this.state = job.state();
    this.now = Math.floorDiv(snapshot.wallMillis(), 1000L);
    this.chain = ChainNotes.of(spec, snapshot, history);
    this.retries = spec.retry().retries();
    this.schedule = spec.schedule();
    this.dueTimes = DueTimes.of(schedule, job.seed());
    this.zone = schedule.zone();
    this.trouble = snapshot.trouble();
    this.circumstances =
        new Hindrances(
            control.downBetween(0, now + 1), control.hindered(job.identity()), schedule.zone());
    this.isOlderThanItsSchedule =
        history.stream().anyMatch(entry -> entry.completedAt() < state.since() * 1000);
    this.last = history.isEmpty() ? null : history.getLast();
    for (HistoryEntry entry : history) {
      recorded.put(entry.nominal(), entry);
      boot(entry.nominal(), entry.bootPeriod());
    }
    state.active().forEach(run -> boot(run.nominal(), run.bootPeriod()));
  }

  private void boot(long nominal, @Nullable String period) {
    if (period != null && schedule.times() == Boot.INSTANCE) {
      boots.put(nominal, period);
    }
  }

  /** A period and what became of it. */
  private record Verdict(
      String word, String sentence, @Nullable HistoryEntry entry, @Nullable ActiveRun run) {}

  /**
   * @param remark what else is to be known; null: nothing
   */
  void tell(Exchange exchange, AskedPeriods asked, @Nullable String remark) throws IOException {
    List<Long> periods = periods(asked);
    try (var json = exchange.json()) {
      json.beginObject();
      json.member("identity", job.identity());
      json.member("schedule", schedule.written());
      json.second("now", now);
      json.name("periods").beginArray();
      for (long nominal : periods) {
        period(json, nominal);
      }
      json.endArray();
      json.member("notes", notes(asked, periods, remark));
      Shapes.nextDue(json, job);
      json.endObject();
    }
  }

  private List<Long> periods(AskedPeriods asked) {
    if (schedule.times() != Boot.INSTANCE) {
      return asked.by(schedule, dueTimes, now);
    }
    var periods = new ArrayList<Long>();
    long from = asked.from();
    Long last = boots.floorKey(from == CronCalendar.NONE ? now : from);
    if (asked.to() != CronCalendar.NONE) {
      periods.addAll(boots.subMap(from, true, Math.max(from, asked.to()), true).keySet());
    } else if (last != null) {
      periods.add(last);
    }
    return periods;
  }

  private void period(JsonWriter json, long nominal) throws IOException {
    Due due = due(nominal);
    Verdict verdict = verdict(due);
    json.beginObject();
    Shapes.times(json, due);
    json.member("verdict", verdict.word());
    json.member("explanation", verdict.sentence());
    json.name("run");
    if (verdict.run() != null) {
      Shapes.active(json, control, job.identity(), verdict.run());
    } else if (verdict.entry() != null) {
      Shapes.ended(json, job.identity(), verdict.entry());
    } else {
      json.value((String) null);
    }
    json.endObject();
  }

  private Due due(long nominal) {
    String boot = boots.get(nominal);
    if (boot == null) {
      return dueTimes.of(nominal);
    }
    Decision decision = schedule.decideBoot(job.identity(), boot, nominal);
    return new Due(decision, decision.chosenEpochSecond());
  }

  private Verdict verdict(Due due) {
    long nominal = due.decision().nominalEpochSecond();
    for (ActiveRun run : state.active()) {
      if (run.nominal() == nominal) {
        return new Verdict("running", running(run), null, run);
      }
    }
    HistoryEntry entry = recorded.get(nominal);
    return entry == null ? unrecorded(due) : recorded(due, entry);
  }

  private String running(ActiveRun run) {
    return switch (run.phase()) {
      case WAITING -> "it waits for the run that it replaces to end";
      case INTENDED -> "run " + run.runId() + " is being started";
      case STARTED ->
          "it runs: run "
              + run.runId()
              + ", pid "
              + control.commandPid(run.runId())
              + ", since "
              + milli(run.startedAt());
    };
  }

  private Verdict recorded(Due due, HistoryEntry entry) {
    String sentence =
        switch (entry.outcome()) {
          case EXECUTED -> executed(entry);
          case SKIPPED -> sentence(entry);
          case MISSED -> sentence(entry) + circumstances.at(due.dueEpochSecond());
          case UNSCHEDULABLE -> "it was unschedulable: " + unschedulable(due.decision());
        };
    return new Verdict(entry.outcome().text(), sentence, entry, null);
  }

  private String sentence(HistoryEntry entry) {
    return entry.outcome() == Outcome.EXECUTED
        ? executed(entry)
        : "it was " + entry.outcome().text() + ": " + entry.reason();
  }

  private String executed(HistoryEntry entry) {
    if (entry.stage() != null) {
      return (entry.attempt() == 1 ? "" : "attempt " + entry.attempt() + ": ")
          + "it could not be started at "
          + milli(entry.startedAt() == 0 ? entry.completedAt() : entry.startedAt())
          + " (stage "
          + entry.stage()
          + "): "
          + entry.reason();
    }
    String attempt = entry.attempt() == 1 ? "" : "attempt " + entry.attempt() + ": ";
    var text = new StringBuilder(attempt).append("it ran at ").append(milli(entry.startedAt()));
    text.append(" as run ").append(entry.runId());
    text.append(" until ").append(milli(entry.completedAt()));
    if (entry.signal() != null) {
      text.append(", ended by signal ").append(entry.signal());
    } else {
      text.append(
          entry.exitCode() == null ? ", exit code unknown" : ", exit code " + entry.exitCode());
    }
    if (entry.cpuMillis() != null) {
      text.append(", ").append(entry.cpuMillis() / 1000.0).append(" s of CPU");
    }
    return entry.reason() == null ? text.toString() : text + " (" + entry.reason() + ")";
  }

  /** Which constraint rejected the candidates, the most frequent first. */
  private static String unschedulable(Decision decision) {
    Map<String, Integer> clauses = new LinkedHashMap<>();
    decision
        .rejections()
        .forEach(rejection -> clauses.merge(rejection.clause().toString(), 1, Integer::sum));
    var text = new StringBuilder(String.valueOf(decision.reason()));
    clauses.entrySet().stream()
        .sorted(Map.Entry.<String, Integer>comparingByValue().reversed())
        .limit(3)
        .forEach(
            clause ->
                text.append("; ")
                    .append(clause.getValue())
                    .append(clause.getValue() == 1 ? " candidate" : " candidates")
                    .append(" rejected by ")
                    .append(clause.getKey()));
    return text.toString();
  }

  private Verdict unrecorded(Due due) {
    long nominal = due.decision().nominalEpochSecond();
    long at = due.dueEpochSecond();
    if (at > now && nominal > state.handled()) {
      String sentence =
          due.decision().unschedulable()
              ? "it will not run: " + unschedulable(due.decision())
              : "it is not due yet: it will start at " + local(at);
      return verdict("coming", sentence);
    }
    Control.Hindered hindrance = circumstances.hindrance(at);
    if (hindrance != null
        && hindrance.by() != Control.Hindrance.UNWRITABLE
        && (nominal < state.handled() || at < state.since())) {
      String word = hindrance.by() == Control.Hindrance.SUSPENDED ? "suspended" : "uncounted";
      return verdict(word, "it was not run: " + circumstances.sentence(hindrance));
    }
    if (at < state.since() && (nominal > state.lastHandled() || !isOlderThanItsSchedule)) {
      return verdict(
          "uncounted",
          "the job, with the schedule that it has now, is known since "
              + local(state.since())
              + "; what fell due before does not count");
    }
    String absence = circumstances.at(at);
    if (nominal == state.lastHandled() && state.lastOutcome() != null) {
      return verdict(state.lastOutcome().text(), "it was " + state.lastOutcome().text());
    }
    if (nominal < state.handled()) {
      return absence.isEmpty()
          ? verdict("forgotten", "it is handled, and what came of it is no longer on record")
          : verdict(
              "passed-over",
              "it was not run"
                  + absence
                  + ". Of the periods of an absence only the last one counts");
    }
    if (job.suspended()) {
      return verdict("suspended", "the job is suspended");
    }
    if (trouble != null) {
      return verdict("pending", "it is due, and nothing is started: " + trouble);
    }
    return verdict("pending", "it is due, and about to be decided" + absence);
  }

  private static Verdict verdict(String word, String sentence) {
    return new Verdict(word, sentence, null, null);
  }

  private List<String> notes(AskedPeriods asked, List<Long> periods, @Nullable String remark) {
    var notes = new ArrayList<String>();
    if (remark != null) {
      notes.add(remark);
    }
    if (schedule.times() == Manual.INSTANCE) {
      notes.add(
          "it has no times of its own: it runs when it is asked for"
              + (last == null ? "" : "; the last time " + sentence(last)));
    } else if (periods.isEmpty() && schedule.times() != Boot.INSTANCE) {
      notes.add(asked.none(schedule, now));
    } else if (periods.size() == AskedPeriods.MOST) {
      notes.add("only the first " + AskedPeriods.MOST + " periods are told");
    }
    if (schedule.times() != Manual.INSTANCE
        && last != null
        && last.nominal() == CronCalendar.NONE) {
      notes.add(
          (last.cause() == null ? "the last run was by hand: " : "the last run was in a chain: ")
              + sentence(last));
    }
    if (state.suspended()) {
      notes.add("the job is suspended by command: kron resume " + job.name());
    }
    if (schedule.policy().suspend()) {
      notes.add("the job is suspended in its file: suspend=true");
    }
    long held = Shapes.heldUntil(job, now * 1000);
    if (held != CronCalendar.NONE) {
      notes.add(
          "held until "
              + local(held)
              + ": the clock was once ahead; kron forget "
              + job.name()
              + " --periods-after now releases it");
    }
    Retry retry = state.retry();
    if (retry != null) {
      notes.add(
          "attempt %s of %s waits until %s, because run %s failed"
              .formatted(
                  retry.attempt(), retries + 1, milli(retry.notBefore()), retry.failed().runId()));
    }
    notes.addAll(chain);
    if (trouble != null) {
      notes.add("nothing is started, state cannot be written: " + trouble);
    }
    notes.add(
        job.dueAt() == JobView.NEVER
            ? "nothing is to come"
            : retry == null
                ? "the next period is due at " + local(job.dueAt())
                : "the next start is due at " + local(job.dueAt()));
    return notes;
  }

  private String local(long epochSecond) {
    return Hindrances.local(epochSecond, zone);
  }

  private String milli(long epochMilli) {
    return local(Math.floorDiv(epochMilli, 1000L));
  }
}
