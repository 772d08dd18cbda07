package dev.kron.daemon.api;

import dev.kron.cron.CronCalendar;
import dev.kron.daemon.api.Control.ServicesView;
import dev.kron.daemon.api.ControlServer.DaemonInfo;
import dev.kron.daemon.log.Faults;
import dev.kron.job.ActiveRun;
import dev.kron.job.HistoryEntry;
import dev.kron.job.JobSpec;
import dev.kron.job.Retry;
import dev.kron.json.JsonWriter;
import dev.kron.schedule.DueTimes.Due;
import dev.kron.service.ServiceInstance;
import dev.kron.service.ServiceSpec;
import dev.kron.service.ServiceState;
import dev.kron.service.SupervisionState;
import java.io.IOException;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The overview: health, what runs, what fails, what comes next, and the load of the next day. */
final class OverviewEndpoint {
  private static final int MOST = 1000;

  /** How long to wait for results. The page is needed at once, and asks again for the rest. */
  private static final long PATIENCE_MILLIS = 300;

  /** How many runs show how long a job usually takes. */
  private static final int USUAL_RUNS = 20;

  private static final int STEP_SECONDS = 900;

  private final Supplier<Control> control;
  private final DaemonInfo daemon;
  private final Faults faults;

  OverviewEndpoint(Supplier<Control> control, DaemonInfo daemon, Faults faults) {
    this.control = control;
    this.daemon = daemon;
    this.faults = faults;
  }

  private record FailingJob(JobView job, Control.Result result, HistoryEntry failure) {}

  private record FailingService(ServiceSpec spec, String problem) {}

  void overview(Exchange exchange) throws IOException {
    int limit = (int) exchange.number("limit", 20, 0, MOST);
    Control present = control.get();
    Snapshot snapshot = Exchange.await(present.look());
    ServicesView view = present.services();
    boolean complete = present.learnResults(snapshot.jobs(), PATIENCE_MILLIS);
    var tally = new Tally(snapshot, limit);
    List<FailingJob> jobs = failingJobs(present, snapshot);
    List<FailingService> services = failingServices(view.supervised(), snapshot);
    List<String> problems = Health.problems(snapshot, tally.held(), view.supervised(), faults);
    try (var json = exchange.json()) {
      json.beginObject();
      json.name("health").beginObject();
      json.member("healthy", problems.isEmpty());
      json.member("problems", problems);
      json.endObject();
      daemon(json, snapshot);
      counts(json, tally, jobs.size() + services.size(), view.supervised());
      json.name("running").beginArray();
      for (Tally.Running one : tally.running()) {
        running(json, present, one);
      }
      json.endArray();
      json.name("failing").beginArray();
      for (FailingService one : services.subList(0, Math.min(limit, services.size()))) {
        failing(json, view, one);
      }
      int left = Math.max(0, limit - services.size());
      for (FailingJob one : jobs.subList(0, Math.min(left, jobs.size()))) {
        failing(json, one);
      }
      json.endArray();
      json.name("next").beginArray();
      for (JobView job : tally.soonest()) {
        next(json, job, snapshot.wallMillis());
      }
      json.endArray();
      json.member("complete", complete);
      json.member("asOf", snapshot.asOf());
      json.endObject();
    }
  }

  private void daemon(JsonWriter json, Snapshot snapshot) throws IOException {
    json.name("daemon").beginObject();
    json.member("host", daemon.host());
    json.member("version", daemon.version());
    json.member("pid", daemon.pid());
    json.millis("upSince", daemon.startedAtMillis());
    json.millis("now", snapshot.wallMillis());
    json.member("zone", ZoneId.systemDefault().getId());
    json.member("state", daemon.state());
    json.endObject();
  }

  private static void counts(JsonWriter json, Tally tally, int failing, SupervisionState supervised)
      throws IOException {
    int wanted = 0;
    int up = 0;
    int failed = 0;
    for (String name : supervised.graph().services().keySet()) {
      wanted += supervised.isWanted(name) ? 1 : 0;
      up += supervised.isUp(name) ? 1 : 0;
      failed += supervised.state(name).kind() == ServiceState.Kind.FAILED ? 1 : 0;
    }
    json.name("counts").beginObject();
    json.member("jobs", tally.snapshot().jobs().size());
    json.member("running", tally.active());
    json.member("suspended", tally.suspended());
    json.member("held", tally.held());
    json.member("retrying", tally.retrying());
    json.member("failing", failing);
    json.member("services", supervised.graph().services().size());
    json.member("servicesWanted", wanted);
    json.member("servicesUp", up);
    json.member("servicesFailed", failed);
    json.endObject();
  }

  private static void running(JsonWriter json, Control control, Tally.Running one)
      throws IOException {
    ActiveRun run = one.run();
    JobSpec spec = one.job().spec();
    json.beginObject();
    json.member("job", one.job().name());
    json.member("identity", one.job().identity());
    json.member("run", run.runId());
    Shapes.second(json, "period", run.nominal());
    json.millis("since", run.startedAt());
    json.member("phase", run.phase().name().toLowerCase(Locale.ROOT));
    json.member("manual", run.manual());
    json.member("attempt", run.attempt());
    number(json, "usualMillis", usualMillis(control, one.job()));
    number(
        json,
        "timeoutMillis",
        spec == null || spec.timeout() == null ? -1 : spec.timeout().toMillis());
    json.member("ending", Shapes.ending(run));
    json.endObject();
  }

  static void number(JsonWriter json, String name, long number) throws IOException {
    if (number < 0) {
      json.member(name, (String) null);
    } else {
      json.member(name, number);
    }
  }

  /** The median duration of a job's last successes; −1 if there is none. */
  private static long usualMillis(Control control, JobView job) {
    List<HistoryEntry> history;
    try {
      history = control.history(job.identity());
    } catch (Control.UnreadableException e) {
      return -1; // a request for the history itself says why
    }
    long[] millis =
        history.reversed().stream()
            .filter(entry -> entry.success() && entry.startedAt() != 0)
            .limit(USUAL_RUNS)
            .mapToLong(entry -> Math.max(0, entry.completedAt() - entry.startedAt()))
            .sorted()
            .toArray();
    return millis.length == 0 ? -1 : millis[millis.length / 2];
  }

  private static List<FailingJob> failingJobs(Control control, Snapshot snapshot) {
    var failing = new ArrayList<FailingJob>();
    for (JobView job : snapshot.jobs()) {
      Control.Result result = control.result(job.identity(), false);
      if (job.spec() != null && result != null && result.lastFailure() != null) {
        failing.add(new FailingJob(job, result, result.lastFailure()));
      }
    }
    failing.sort(
        Comparator.<FailingJob>comparingLong(one -> one.failure().completedAt()).reversed());
    return failing;
  }

  private static void failing(JsonWriter json, FailingJob one) throws IOException {
    HistoryEntry failure = one.failure();
    Retry retry = one.job().state().retry();
    json.beginObject();
    json.member("kind", "job");
    json.member("name", one.job().name());
    json.member("identity", one.job().identity());
    json.member("what", Outcomes.what(failure));
    json.member("outcome", Outcomes.of(failure));
    json.member("run", failure.runId());
    json.millis("at", failure.completedAt());
    json.member("times", one.result().failures());
    json.member("note", failure.reason());
    json.millis("retryAt", retry == null ? 0 : retry.notBefore());
    json.endObject();
  }

  private static List<FailingService> failingServices(
      SupervisionState supervised, Snapshot snapshot) {
    var failing = new ArrayList<FailingService>();
    for (ServiceSpec spec : supervised.graph().services().values()) {
      long downMillis = snapshot.downMillis().getOrDefault(spec.name(), 0L);
      String problem = Health.problem(supervised, spec, downMillis);
      if (problem != null) {
        failing.add(new FailingService(spec, problem));
      }
    }
    return failing;
  }

  private static void failing(JsonWriter json, ServicesView view, FailingService one)
      throws IOException {
    SupervisionState supervised = view.supervised();
    String name = one.spec().name();
    long since = 0;
    for (ServiceInstance instance : supervised.instances(name)) {
      since = Math.max(since, ServiceShapes.since(instance.state()));
    }
    String reason = ServiceShapes.reason(supervised, one.spec());
    json.beginObject();
    json.member("kind", "service");
    json.member("name", name);
    json.member("identity", (String) null);
    json.member("what", supervised.state(name).name());
    json.member("outcome", "failed");
    json.member("run", (String) null);
    json.millis("at", since);
    json.member("times", ServiceQuery.restarts(view, one.spec()));
    json.member("note", Objects.requireNonNullElse(reason, one.problem()));
    json.member("retryAt", (String) null);
    json.endObject();
  }

  /** Writes what a job does next: its next period, or an attempt that waits. */
  private static void next(JsonWriter json, JobView job, long nowMillis) throws IOException {
    Retry retry = job.state().retry();
    Coming coming = Coming.of(job, nowMillis);
    Due due = coming == null ? null : coming.peek();
    boolean again = retry != null && (due == null || due.dueEpochSecond() != job.dueAt());
    JobSpec spec = job.spec();
    json.beginObject();
    json.member("job", job.name());
    json.member("identity", job.identity());
    boolean known = due != null && !again;
    Shapes.second(
        json,
        "period",
        retry != null && again
            ? retry.failed().nominal()
            : due == null ? CronCalendar.NONE : due.decision().nominalEpochSecond());
    json.second("at", job.dueAt());
    window(json, known ? due : null);
    json.member("zone", spec == null ? null : spec.schedule().zone().getId());
    json.member("attempt", retry != null && again ? retry.attempt() : 1);
    json.endObject();
  }

  static void window(JsonWriter json, @Nullable Due due) throws IOException {
    Shapes.second(
        json,
        "windowStart",
        due == null ? CronCalendar.NONE : due.decision().windowStartEpochSecond());
    Shapes.second(
        json, "windowEnd", due == null ? CronCalendar.NONE : due.decision().windowEndEpochSecond());
  }

  void load(Exchange exchange) throws IOException {
    Control present = control.get();
    Snapshot snapshot = Exchange.await(present.look());
    Control.Load load = present.load(snapshot);
    try (var json = exchange.json()) {
      json.beginObject();
      json.second("from", load.from());
      json.member("stepSeconds", STEP_SECONDS);
      numbers(json, "withWindows", load.withWindows());
      numbers(json, "withoutWindows", load.withoutWindows());
      json.name("peak").beginObject();
      json.member("with", most(load.withWindows()));
      json.member("without", most(load.withoutWindows()));
      json.endObject();
      json.millis("computedAt", load.computedAtMillis());
      json.member("complete", load.complete());
      json.member("asOf", snapshot.asOf());
      json.endObject();
    }
  }

  private static void numbers(JsonWriter json, String name, List<Long> numbers) throws IOException {
    json.name(name).beginArray();
    for (long number : numbers) {
      json.value(number);
    }
    json.endArray();
  }

  private static long most(List<Long> numbers) {
    return numbers.stream().mapToLong(Long::longValue).max().orElse(0);
  }
}
