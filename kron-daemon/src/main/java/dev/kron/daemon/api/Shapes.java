package dev.kron.daemon.api;

import dev.kron.cron.CronCalendar;
import dev.kron.daemon.runs.ExactCommand;
import dev.kron.job.ActiveRun;
import dev.kron.job.FleetRules;
import dev.kron.job.HistoryEntry;
import dev.kron.job.JobSpec;
import dev.kron.job.JobState;
import dev.kron.job.JobWatch;
import dev.kron.job.Outcome;
import dev.kron.job.Periods;
import dev.kron.job.Reason;
import dev.kron.job.Retry;
import dev.kron.job.RetryPolicy;
import dev.kron.json.JsonWriter;
import dev.kron.schedule.Decision;
import dev.kron.schedule.DueTimes.Due;
import dev.kron.schedule.GoDuration;
import java.io.IOException;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The shapes of jobs, runs and decisions in JSON; docs/openapi.json says the same. */
final class Shapes {
  private Shapes() {}

  /** A job in a list. */
  static void job(JsonWriter json, JobView job, long nowMillis, Control.@Nullable Result result)
      throws IOException {
    json.beginObject();
    jobMembers(json, job, nowMillis, result);
    json.endObject();
  }

  static void jobMembers(
      JsonWriter json, JobView job, long nowMillis, Control.@Nullable Result result)
      throws IOException {
    JobSpec spec = job.spec();
    JobState state = job.state();
    json.member("identity", job.identity());
    json.member("name", job.name());
    json.member("schedule", spec == null ? null : spec.schedule().written());
    json.member("timezone", spec == null ? null : spec.schedule().zone().getId());
    json.member("description", spec == null ? null : spec.description());
    json.member("inFile", spec != null);
    json.member("group", job.group());
    json.member("state", job.stateAt(nowMillis));
    json.member("suspended", job.suspended());
    json.member("activeRuns", state.active().size());
    Outcome last = state.lastOutcome();
    json.member("lastOutcome", last == null ? null : last.text());
    second(json, "lastNominalTime", state.lastHandled());
    second(json, "lastChosenTime", state.lastChosen());
    nextDue(json, job);
    second(json, "heldUntil", heldUntil(job, nowMillis));
    Retry retry = state.retry();
    json.member("retryAttempt", retry == null ? null : retry.attempt());
    json.millis("retryAt", retry == null ? 0 : retry.notBefore());
    json.millis("mutedUntil", job.mutedUntilMillis());
    json.name("fleet");
    fleet(json, job.fleet());
    HistoryEntry ended = result == null ? null : result.last();
    json.name("last");
    if (ended == null) {
      json.value((String) null);
    } else {
      ended(json, job.identity(), ended);
    }
    json.member("trend", result == null ? "" : result.trend());
  }

  private static void fleet(JsonWriter json, JobView.@Nullable InFleet fleet) throws IOException {
    if (fleet == null) {
      json.value((String) null);
      return;
    }
    json.beginObject();
    json.member("on", fleet.on());
    json.member("suspended", fleet.suspended());
    json.member("lostRun", fleet.lostRun());
    json.member("differs", fleet.differs());
    json.endObject();
  }

  static long heldUntil(JobView job, long nowMillis) {
    JobSpec spec = job.spec();
    JobState state = job.state();
    // Almost no job is held up by a clock that was ahead; comparing two numbers excludes the
    // others.
    boolean ahead = Math.max(state.handled(), state.since()) > nowMillis / 1000;
    return spec == null || !ahead
        ? CronCalendar.NONE
        : Periods.heldUntil(spec.schedule(), state, nowMillis);
  }

  /** What the file says of a job. */
  static void entry(JsonWriter json, JobSpec spec) throws IOException {
    json.beginObject();
    json.member("file", spec.file());
    json.member("line", spec.line());
    json.member("command", spec.command());
    json.member("shell", spec.shell());
    json.member("concurrency", spec.schedule().policy().concurrency().text());
    json.member("deadline", GoDuration.format(spec.schedule().policy().deadlineNanos()));
    json.member("suspend", spec.schedule().policy().suspend());
    json.member(
        "timeout", spec.timeout() == null ? null : GoDuration.format(spec.timeout().toNanos()));
    json.member("envfile", spec.envfile());
    json.member("profile", spec.profile());
    json.member("onfailure", spec.onFailure());
    RetryPolicy retry = spec.retry();
    json.member("retries", retry.retries());
    json.member("retrydelay", GoDuration.format(retry.delayMillis() * 1_000_000));
    json.member("retrymax", GoDuration.format(retry.longestMillis() * 1_000_000));
    json.name("okexit").beginArray();
    for (int code : retry.okExit()) {
      json.value((long) code);
    }
    json.endArray();
    json.member("then", spec.then());
    json.member("nice", spec.nice());
    JobWatch watch = spec.watch();
    json.member("late", limit(watch.lateMillis()));
    json.member("expect", limit(watch.expectMillis()));
    json.member("least", limit(watch.leastMillis()));
    json.member("silent", limit(watch.silentMillis()));
    FleetRules fleet = spec.fleet();
    json.member("on", fleet == null ? null : fleet.on().toString());
    json.member("loss", fleet == null ? null : fleet.loss().name().toLowerCase(Locale.ROOT));
    json.endObject();
  }

  /** A limit as it stands in the file; null: off. */
  private static @Nullable String limit(long millis) {
    return millis == 0 ? null : GoDuration.format(millis * 1_000_000);
  }

  static void execution(JsonWriter json, @Nullable ExactCommand execution) throws IOException {
    if (execution == null) {
      json.value((String) null);
      return;
    }
    json.beginObject();
    json.member("problem", execution.problem());
    json.member("argv", execution.argv());
    json.member("user", execution.user());
    json.member("uid", execution.uid());
    json.member("gid", execution.gid());
    json.name("groups").beginArray();
    for (int group : execution.groups()) {
      json.value((long) group);
    }
    json.endArray();
    json.member("cwd", execution.cwd());
    Integer umask = execution.umask();
    json.member("umask", umask == null ? null : "%04o".formatted(umask));
    json.member("environment", execution.environment());
    json.member("stdin", execution.streams().stdin());
    json.member("stdout", execution.streams().stdout());
    json.member("stderr", execution.streams().stderr());
    json.endObject();
  }

  /** A run that goes on, or is about to begin. */
  static void active(JsonWriter json, Control control, String identity, ActiveRun run)
      throws IOException {
    json.beginObject();
    activeMembers(json, control, identity, run);
    json.endObject();
  }

  static void activeMembers(JsonWriter json, Control control, String identity, ActiveRun run)
      throws IOException {
    json.member("runId", run.runId());
    json.member("identity", identity);
    json.member("state", run.phase().name().toLowerCase(Locale.ROOT));
    json.member("outcome", (String) null);
    json.member("result", Outcomes.RUNNING);
    json.member("manual", run.manual());
    second(json, "nominalTime", run.nominal());
    second(json, "chosenTime", run.chosen());
    json.millis("startedAt", run.startedAt());
    json.member("completedAt", (String) null);
    json.member("exitCode", (Integer) null);
    json.member("signal", (Integer) null);
    json.member("stage", (String) null);
    json.member("reason", ending(run));
    json.member("cause", (String) null);
    json.member("lateSeconds", (Integer) null);
    json.member("failed", false);
    json.name("success").value((String) null);
    json.member("attempt", run.attempt());
    json.member("causedBy", run.cause());
    json.member("bootPeriod", run.bootPeriod());
    json.member("cpuMillis", (Integer) null);
    json.member("pid", run.pid() == 0 ? null : control.commandPid(run.runId()));
    json.member("keeperPid", run.pid() == 0 ? null : run.pid());
  }

  /** Why a run is being ended; null if it is not. */
  static @Nullable String ending(ActiveRun run) {
    return run.ending() == null
        ? null
        : "being ended: "
            + run.ending().name().toLowerCase(Locale.ROOT).replace('_', ' ')
            + (run.endedBy() == null ? "" : " by " + run.endedBy());
  }

  /** A run that has ended, or a period without one. */
  static void ended(JsonWriter json, String identity, HistoryEntry entry) throws IOException {
    json.beginObject();
    endedMembers(json, identity, entry);
    json.endObject();
  }

  static void endedMembers(JsonWriter json, String identity, HistoryEntry entry)
      throws IOException {
    json.member("runId", entry.runId());
    json.member("identity", identity);
    json.member("state", "ended");
    json.member("outcome", entry.outcome().text());
    json.member("result", Outcomes.of(entry));
    json.member(
        "manual",
        entry.runId() != null && entry.nominal() == CronCalendar.NONE && entry.cause() == null);
    second(json, "nominalTime", entry.nominal());
    second(json, "chosenTime", entry.chosen());
    json.millis("startedAt", entry.startedAt());
    json.millis("completedAt", entry.completedAt());
    json.member("exitCode", entry.exitCode());
    json.member("signal", entry.signal());
    json.member("stage", entry.stage());
    json.member("reason", entry.reason());
    Reason why = entry.why();
    json.member("cause", why == null ? null : why.cause().word());
    if (why != null && why.cause() == Reason.Cause.LATE) {
      json.member("lateSeconds", why.lateSeconds());
    } else {
      json.member("lateSeconds", (Integer) null);
    }
    json.member("failed", entry.failed());
    json.member("success", entry.success());
    json.member("attempt", entry.attempt());
    json.member("causedBy", entry.cause());
    json.member("bootPeriod", entry.bootPeriod());
    Long cpu = entry.cpuMillis();
    if (cpu == null) {
      json.member("cpuMillis", (Integer) null);
    } else {
      json.member("cpuMillis", (long) cpu);
    }
    json.member("pid", (Integer) null);
    json.member("keeperPid", (Integer) null);
  }

  /** Writes the times of a period: what was decided, and when it is due. */
  static void times(JsonWriter json, Due due) throws IOException {
    Decision decision = due.decision();
    json.second("nominalTime", decision.nominalEpochSecond());
    json.second("windowStart", decision.windowStartEpochSecond());
    json.second("windowEnd", decision.windowEndEpochSecond());
    second(
        json,
        "chosenTime",
        decision.unschedulable() ? CronCalendar.NONE : decision.chosenEpochSecond());
    json.second("due", due.dueEpochSecond());
  }

  /** Writes when a job's next period is due, null where there is none. */
  static void nextDue(JsonWriter json, JobView job) throws IOException {
    second(json, "nextDue", job.dueAt() == JobView.NEVER ? CronCalendar.NONE : job.dueAt());
  }

  /** A second, or null for none. */
  static void second(JsonWriter json, String name, long epochSecond) throws IOException {
    if (epochSecond == CronCalendar.NONE) {
      json.member(name, (String) null);
    } else {
      json.second(name, epochSecond);
    }
  }
}
