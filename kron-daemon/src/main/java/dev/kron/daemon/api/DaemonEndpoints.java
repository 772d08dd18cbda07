package dev.kron.daemon.api;

import dev.kron.daemon.api.ControlServer.DaemonInfo;
import dev.kron.daemon.log.Faults;
import dev.kron.daemon.loop.Answer;
import dev.kron.daemon.loop.Request;
import dev.kron.json.JsonWriter;
import dev.kron.service.ServiceSpec;
import dev.kron.service.ServiceState;
import dev.kron.service.SupervisionState;
import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.function.Supplier;

/** Operations on the daemon itself: version, status, reload, stop. */
final class DaemonEndpoints {
  private static final long DAY_MILLIS = 86_400_000L;

  private final Supplier<Control> control;
  private final DaemonInfo daemon;
  private final Faults faults;

  DaemonEndpoints(Supplier<Control> control, DaemonInfo daemon, Faults faults) {
    this.control = control;
    this.daemon = daemon;
    this.faults = faults;
  }

  void version(Exchange exchange) throws IOException {
    try (var json = exchange.json()) {
      json.beginObject();
      json.member("name", "krond");
      json.member("version", daemon.version());
      json.member("api", "v1");
      json.member("java", Runtime.version().toString());
      json.member("pid", daemon.pid());
      json.millis("startedAt", daemon.startedAtMillis());
      json.endObject();
    }
  }

  void status(Exchange exchange) throws IOException {
    int limit = (int) exchange.number("limit", 10, 0, 1000);
    Control present = control.get();
    Snapshot snapshot = Exchange.await(present.look());
    List<Control.Ended> failed =
        present.recent().stream()
            .filter(ended -> ended.entry().failed())
            .filter(ended -> ended.entry().completedAt() > snapshot.wallMillis() - DAY_MILLIS)
            .toList();
    var tally = new Tally(snapshot, limit);
    SupervisionState supervised = present.services().supervised();
    List<String> problems = Health.problems(snapshot, tally.held(), supervised, faults);
    try (var json = exchange.json()) {
      json.beginObject();
      json.member("healthy", problems.isEmpty());
      json.member("problems", problems);
      json.member("version", daemon.version());
      json.member("pid", daemon.pid());
      json.millis("startedAt", daemon.startedAtMillis());
      json.millis("now", snapshot.wallMillis());
      json.member("state", daemon.state());
      json.member("persistence", snapshot.trouble() == null ? "healthy" : snapshot.trouble());
      json.member("stopping", snapshot.stopping());
      tally.write(json, control.get());
      services(json, supervised, limit);
      json.member("failedLastDay", failed.size());
      json.name("failed").beginArray();
      for (Control.Ended ended : failed.subList(0, Math.min(limit, failed.size()))) {
        Shapes.ended(json, ended.identity(), ended.entry());
      }
      json.endArray();
      json.endObject();
    }
  }

  private static void services(JsonWriter json, SupervisionState supervised, int limit)
      throws IOException {
    var counts = new EnumMap<ServiceState.Kind, Integer>(ServiceState.Kind.class);
    var troubled = new ArrayList<ServiceSpec>();
    for (ServiceSpec spec : supervised.graph().services().values()) {
      String name = spec.name();
      ServiceState.Kind kind = supervised.state(name).kind();
      counts.merge(kind, 1, Integer::sum);
      boolean down = kind == ServiceState.Kind.FAILED || kind == ServiceState.Kind.BLOCKED;
      if (down && supervised.isWanted(name)) {
        troubled.add(spec);
      }
    }
    json.name("services").beginObject();
    json.member("total", supervised.graph().services().size());
    for (ServiceState.Kind kind : ServiceState.Kind.values()) {
      json.member(kind.text(), counts.getOrDefault(kind, 0));
    }
    json.endObject();
    json.name("troubledServices").beginArray();
    for (ServiceSpec spec : troubled.subList(0, Math.min(limit, troubled.size()))) {
      json.beginObject();
      json.member("name", spec.name());
      json.member("state", supervised.state(spec.name()).name());
      json.member("reason", ServiceShapes.reason(supervised, spec));
      json.endObject();
    }
    json.endArray();
  }

  void reload(Exchange exchange) throws IOException {
    boolean dryRun = exchange.flag("dry-run");
    Control present = control.get();
    if (!dryRun) {
      present.asked(exchange.who(), "reload", null);
    }
    answer(exchange, Exchange.await(present.ask(new Request.Reload(dryRun))), 422);
  }

  void shutdown(Exchange exchange) throws IOException {
    Request.Stop how =
        switch (exchange.parameter("jobs", "leave")) {
          case "leave" -> Request.Stop.LEAVE_JOBS;
          case "wait" -> Request.Stop.WAIT_FOR_JOBS;
          case "kill" -> Request.Stop.END_JOBS;
          default ->
              throw new ApiProblem(
                  400, "jobs is leave, wait or kill, not " + exchange.parameter("jobs"));
        };
    Control present = control.get();
    present.asked(exchange.who(), "shutdown", how.name().toLowerCase(Locale.ROOT));
    answer(exchange, Exchange.await(present.ask(how)), 409);
  }

  /** Answers a request with what came of it. */
  static void answer(Exchange exchange, Answer answer, int refusal) throws IOException {
    switch (answer) {
      case Answer.Refused refused ->
          throw new ApiProblem(refusal, refused.reason(), refused.details());
      case Answer.Done done -> {
        try (var json = exchange.json()) {
          json.beginObject();
          json.member("message", done.text());
          json.member("runId", done.runId());
          json.endObject();
        }
      }
      case Answer.Plan plan -> {
        try (var json = exchange.json()) {
          json.beginObject();
          json.member("added", plan.added());
          json.member("changed", plan.changed());
          json.member("removed", plan.removed());
          json.member("services", plan.services());
          json.member("notices", plan.notices());
          json.member("fleet", plan.fleet());
          json.endObject();
        }
      }
    }
  }
}
