package dev.kron.daemon.api;

import dev.kron.cron.CronCalendar;
import dev.kron.daemon.loop.Request;
import dev.kron.daemon.runs.ExactCommand;
import dev.kron.fleet.FleetDesk;
import dev.kron.job.ActiveRun;
import dev.kron.job.DecisionJson;
import dev.kron.job.HistoryEntry;
import dev.kron.job.JobSpec;
import dev.kron.process.Signal;
import dev.kron.schedule.DueTimes;
import dev.kron.schedule.GoDuration;
import dev.kron.schedule.Schedule;
import dev.kron.text.VisibleText;
import java.io.IOException;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Operations on jobs. */
final class JobEndpoints {
  private static final int MOST_DECISIONS = 1000;
  private static final int MOST_RUNS = 1_000_000;

  /** The most jobs whose results are read for a list; each is a file. */
  private static final int MOST_RESULTS = 10_000;

  private static final long PATIENCE_MILLIS = 10_000;

  private final Supplier<Control> control;

  JobEndpoints(Supplier<Control> control) {
    this.control = control;
  }

  void list(Exchange exchange) throws IOException {
    JobQuery query = JobQuery.of(exchange);
    Page page = Page.ofAll(exchange);
    Control present = control.get();
    Snapshot snapshot = Exchange.await(present.look());
    String name = exchange.parameter("name");
    List<JobView> jobs = name == null ? snapshot.jobs() : snapshot.named(name);
    boolean complete = !query.needsResults() || present.learnResults(jobs, PATIENCE_MILLIS);
    List<JobView> matched = query.select(present, jobs, snapshot.wallMillis());
    List<JobView> shown = page.of(matched);
    complete &= shown.size() <= MOST_RESULTS && present.learnResults(shown, PATIENCE_MILLIS);
    try (var json = exchange.json()) {
      json.beginObject().name("jobs").beginArray();
      for (JobView job : shown) {
        Control.Result result = present.result(job.identity(), false);
        Shapes.job(json, job, snapshot.wallMillis(), result);
      }
      json.endArray();
      json.member("total", snapshot.jobs().size());
      json.member("matched", matched.size());
      json.member("complete", complete);
      json.member("asOf", snapshot.asOf());
      json.endObject();
    }
  }

  void show(Exchange exchange) throws IOException {
    Control present = control.get();
    Snapshot snapshot = Exchange.await(present.look());
    JobView job = JobNames.named(snapshot, exchange.part("job"));
    JobSpec spec = job.spec();
    ExactCommand execution = spec == null ? null : present.execution(spec, snapshot.wallMillis());
    try (var json = exchange.json()) {
      json.beginObject();
      Control.Result result = present.result(job.identity(), true);
      Shapes.jobMembers(json, job, snapshot.wallMillis(), result);
      json.name("entry");
      if (spec == null) {
        json.value((String) null);
      } else {
        Shapes.entry(json, spec);
      }
      json.name("execution");
      Shapes.execution(json, execution);
      json.name("active").beginArray();
      for (ActiveRun run : job.state().active()) {
        Shapes.active(json, present, job.identity(), run);
      }
      json.endArray().endObject();
    }
  }

  /** Lists the runs of a job, newest first: those that go on, then the history. */
  void runs(Exchange exchange) throws IOException {
    int limit = (int) exchange.number("limit", 100, 0, MOST_RUNS);
    Control present = control.get();
    JobView job = JobNames.named(Exchange.await(present.look()), exchange.part("job"));
    List<HistoryEntry> history = history(present, job);
    RunFilter filter = RunFilter.of(exchange);
    int left = limit;
    try (var json = exchange.json()) {
      json.beginObject().name("runs").beginArray();
      for (ActiveRun run : job.state().active().reversed()) {
        if (filter.admits(run) && left-- > 0) {
          Shapes.active(json, present, job.identity(), run);
        }
      }
      for (HistoryEntry entry : history.reversed()) {
        if (filter.admits(entry) && left-- > 0) {
          Shapes.ended(json, job.identity(), entry);
        }
      }
      json.endArray().endObject();
    }
  }

  static List<HistoryEntry> history(Control control, JobView job) {
    try {
      return control.history(job.identity());
    } catch (Control.UnreadableException e) {
      throw new ApiProblem(503, "the history cannot be read: " + e.getMessage());
    }
  }

  /** Lists decisions by due time: the chosen seconds, and what came of them. */
  void decisions(Exchange exchange) throws IOException {
    int count = (int) exchange.number("count", 10, 1, MOST_DECISIONS);
    Control present = control.get();
    Snapshot snapshot = Exchange.await(present.look());
    JobView job = JobNames.named(snapshot, exchange.part("job"));
    Schedule schedule = spec(job).schedule();
    long from = exchange.time("from");
    if (from == CronCalendar.NONE) {
      from = Math.floorDiv(snapshot.wallMillis(), 1000L) + 1;
    }
    List<HistoryEntry> history = history(present, job);
    try (var json = exchange.json()) {
      json.beginObject().name("decisions").beginArray();
      DueTimes dueTimes = DueTimes.of(schedule, job.seed());
      DueTimes.Due due = dueTimes.firstAfter(from - 1);
      for (int i = 0; i < count && due != null; i++) {
        json.beginObject();
        DecisionJson.members(json, due.decision());
        json.second("due", due.dueEpochSecond());
        json.member("outcome", outcome(history, job, due.decision().nominalEpochSecond()));
        json.endObject();
        due = dueTimes.following(due);
      }
      json.endArray().endObject();
    }
  }

  private static @Nullable String outcome(List<HistoryEntry> history, JobView job, long nominal) {
    for (HistoryEntry entry : history.reversed()) {
      if (entry.nominal() == nominal) {
        return entry.outcome().text();
      }
    }
    boolean active = job.state().active().stream().anyMatch(run -> run.nominal() == nominal);
    return active ? "running" : null;
  }

  static JobSpec spec(JobView job) {
    JobSpec spec = job.spec();
    if (spec == null) {
      throw new ApiProblem(
          409, job.identity() + " is in no file any more; only its last run is still there");
    }
    return spec;
  }

  void why(Exchange exchange) throws IOException {
    Control present = control.get();
    Snapshot snapshot = Exchange.await(present.look());
    JobView job = JobNames.named(snapshot, exchange.part("job"));
    AskedPeriods asked = AskedPeriods.of(exchange);
    JobSpec spec = job.spec();
    FleetDesk fleet = present.fleet();
    String away = null;
    if (spec != null && spec.isClaimed() && fleet != null) {
      try {
        new FleetWhy(snapshot, job, fleet).tell(exchange, asked);
        return;
      } catch (FleetWhy.AwayException e) {
        away = "only what this machine has on record is told: " + e.getMessage();
      }
    }
    new Why(present, snapshot, job, history(present, job)).tell(exchange, asked, away);
  }

  void mute(Exchange exchange) throws IOException {
    String text = exchange.parameter("for", "");
    long millis;
    try {
      millis = GoDuration.parseNanos(text) / 1_000_000L;
    } catch (IllegalArgumentException e) {
      throw new ApiProblem(400, "for: " + e.getMessage());
    }
    if (millis < 1) {
      throw new ApiProblem(400, "for is " + VisibleText.quote(text) + "; expected more than 0");
    }
    long until = Exchange.await(control.get().look()).wallMillis() + millis;
    act(exchange, "mute", identity -> new Request.Mute(identity, until));
  }

  void unmute(Exchange exchange) throws IOException {
    act(exchange, "unmute", identity -> new Request.Mute(identity, 0));
  }

  void suspend(Exchange exchange) throws IOException {
    act(exchange, "suspend", Request.Suspend::new);
  }

  void resume(Exchange exchange) throws IOException {
    act(exchange, "resume", Request.Resume::new);
  }

  void trigger(Exchange exchange) throws IOException {
    act(exchange, "trigger", Request.Trigger::new);
  }

  void stop(Exchange exchange) throws IOException {
    Signal signal = signal(exchange);
    act(exchange, "stop", identity -> new Request.EndRuns(identity, null, exchange.who(), signal));
  }

  /** The signal that a stop begins with; null if none is named. */
  static @Nullable Signal signal(Exchange exchange) {
    String name = exchange.parameter("signal");
    return name == null
        ? null
        : Signal.of(name)
            .orElseThrow(
                () ->
                    new ApiProblem(400, "signal is one such as HUP or TERM, not \"" + name + "\""));
  }

  void forget(Exchange exchange) throws IOException {
    act(exchange, "forget", Request.Forget::new);
  }

  private void act(Exchange exchange, String what, Function<String, Request> request)
      throws IOException {
    Control present = control.get();
    JobView job = JobNames.named(Exchange.await(present.look()), exchange.part("job"));
    present.asked(exchange.who(), what, job.identity());
    DaemonEndpoints.answer(
        exchange, Exchange.await(present.ask(request.apply(job.identity()))), 409);
  }
}
