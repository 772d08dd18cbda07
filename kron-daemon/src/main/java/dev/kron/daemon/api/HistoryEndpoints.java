package dev.kron.daemon.api;

import dev.kron.cron.CronCalendar;
import dev.kron.job.Ending;
import dev.kron.job.HistoryEntry;
import dev.kron.job.JobSpec;
import dev.kron.job.Reason;
import dev.kron.json.JsonWriter;
import java.io.IOException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;

/** The past of jobs and services: single runs, and totals of days whose runs are no longer kept. */
final class HistoryEndpoints {
  private static final int MOST = 2000;

  private final Supplier<Control> control;

  HistoryEndpoints(Supplier<Control> control) {
    this.control = control;
  }

  void job(Exchange exchange) throws IOException {
    int limit = (int) exchange.number("runs", 1000, 0, MOST);
    Control present = control.get();
    Snapshot snapshot = Exchange.await(present.look());
    JobView job = JobNames.named(snapshot, exchange.part("job"));
    JobSpec spec = job.spec();
    ZoneId zone = spec == null ? ZoneOffset.UTC : spec.schedule().zone();
    Control.Story story;
    try {
      story = present.story(job.identity(), zone);
    } catch (Control.UnreadableException e) {
      throw new ApiProblem(503, "the history cannot be read: " + e.getMessage());
    }
    List<HistoryEntry> runs = story.runs().reversed();
    try (var json = exchange.json()) {
      json.beginObject();
      json.member("identity", job.identity());
      json.member("zone", zone.getId());
      json.name("runs").beginArray();
      for (HistoryEntry entry : runs.subList(0, Math.min(limit, runs.size()))) {
        run(json, entry);
      }
      json.endArray();
      json.name("days").beginArray();
      for (Control.Day day : story.days()) {
        day(json, day);
      }
      json.endArray();
      json.member("asOf", snapshot.asOf());
      json.endObject();
    }
  }

  private static void run(JsonWriter json, HistoryEntry entry) throws IOException {
    Reason why = entry.why();
    long late = why != null && why.cause() == Reason.Cause.LATE ? why.lateSeconds() : -1;
    json.beginObject();
    json.member("run", entry.runId());
    Shapes.second(json, "period", entry.nominal());
    json.millis("start", entry.startedAt());
    json.millis("end", entry.completedAt());
    OverviewEndpoint.number(
        json,
        "millis",
        entry.startedAt() == 0 ? -1 : Math.max(0, entry.completedAt() - entry.startedAt()));
    json.member("outcome", Outcomes.of(entry));
    json.member("exit", entry.exitCode());
    json.member("signal", entry.signal());
    json.member("attempt", entry.attempt());
    OverviewEndpoint.number(json, "lateSeconds", late);
    json.member("cause", why == null ? null : why.cause().word());
    json.member("reason", entry.reason());
    json.member(
        "manual",
        entry.runId() != null && entry.nominal() == CronCalendar.NONE && entry.cause() == null);
    json.endObject();
  }

  private static void day(JsonWriter json, Control.Day day) throws IOException {
    json.beginObject();
    json.member("date", day.date().toString());
    json.name("counts").beginObject();
    for (Map.Entry<Ending, Long> count : day.counts().entrySet()) {
      json.member(count.getKey().text(), count.getValue().longValue());
    }
    json.endObject();
    OverviewEndpoint.number(json, "medianMillis", day.medianMillis());
    OverviewEndpoint.number(json, "p95Millis", day.p95Millis());
    json.endObject();
  }

  /** A day of a service, by the machine's clock. */
  private static final class ServiceDay {
    int starts;
    int exits;
    int failures;
    int restarts;

    void add(String what) {
      switch (what) {
        case "starting" -> starts++;
        case "exited" -> exits++;
        case "failed" -> failures++;
        case "restart" -> restarts++;
        default -> {}
      }
    }
  }

  void service(Exchange exchange) throws IOException {
    int limit = (int) exchange.number("events", 1000, 0, MOST);
    Control present = control.get();
    Snapshot snapshot = Exchange.await(present.look());
    String name =
        ServiceEndpoints.spec(present.services().supervised(), exchange.part("service")).name();
    List<Control.ServiceEvent> events = present.story(name);
    TreeMap<LocalDate, ServiceDay> days = new TreeMap<>();
    for (Control.ServiceEvent event : events) {
      LocalDate date =
          Instant.ofEpochMilli(event.atMillis()).atZone(ZoneId.systemDefault()).toLocalDate();
      days.computeIfAbsent(date, key -> new ServiceDay()).add(event.what());
    }
    List<Control.ServiceEvent> newestFirst = events.reversed();
    try (var json = exchange.json()) {
      json.beginObject();
      json.member("name", name);
      json.member("zone", ZoneId.systemDefault().getId());
      json.name("events").beginArray();
      for (Control.ServiceEvent event :
          newestFirst.subList(0, Math.min(limit, newestFirst.size()))) {
        json.beginObject();
        json.millis("at", event.atMillis());
        json.member("instance", event.instance());
        json.member("what", event.what());
        json.member("exit", event.exitCode());
        json.member("reason", event.reason());
        json.member("run", event.runId());
        json.endObject();
      }
      json.endArray();
      json.name("days").beginArray();
      for (Map.Entry<LocalDate, ServiceDay> day : days.entrySet()) {
        json.beginObject();
        json.member("date", day.getKey().toString());
        json.member("starts", day.getValue().starts);
        json.member("exits", day.getValue().exits);
        json.member("failures", day.getValue().failures);
        json.member("restarts", day.getValue().restarts);
        json.endObject();
      }
      json.endArray();
      json.member("asOf", snapshot.asOf());
      json.endObject();
    }
  }
}
