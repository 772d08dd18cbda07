package dev.kron.daemon.api;

import dev.kron.cron.CronCalendar;
import dev.kron.daemon.loop.Request;
import dev.kron.fleet.FleetDesk;
import dev.kron.fleet.FleetRecords;
import dev.kron.fleet.FleetStanding;
import dev.kron.job.FleetRules;
import dev.kron.job.JobSpec;
import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** What can be looked at of the fleet that this machine is in, from whichever of its nodes. */
final class FleetEndpoints {
  static final String JOB = "/v1/fleet/jobs/{job}";
  static final String RUN = "/v1/fleet/runs/{run}";

  private static final int MOST = 1000;
  private static final List<String> STATES = List.of("running", "lost", "released", "ended");

  private final Supplier<Control> control;

  FleetEndpoints(Supplier<Control> control) {
    this.control = control;
  }

  static List<Route> routes(Supplier<Control> control) {
    var fleet = new FleetEndpoints(control);
    return List.of(
        Route.get("/v1/fleet", fleet::status),
        Route.get("/v1/fleet/nodes", fleet::nodes),
        Route.get("/v1/fleet/jobs", fleet::jobs, "after", "limit"),
        Route.get(JOB, fleet::job),
        Route.get(JOB + "/why", fleet::why, "from", "to"),
        Route.get(
            "/v1/fleet/runs",
            fleet::runs,
            "job",
            "node",
            "state",
            "failed",
            "since",
            "until",
            "limit"),
        Route.get(RUN, fleet::run),
        Route.get("/v1/fleet/requests/{request}", fleet::request),
        Route.post(JOB + "/trigger", of -> fleet.requests(of).trigger(), "node", "request"),
        Route.post(JOB + "/suspend", of -> fleet.requests(of).suspend(), "request"),
        Route.post(JOB + "/resume", of -> fleet.requests(of).resume(), "request"),
        Route.post(RUN + "/release", of -> fleet.requests(of).release(), "request"),
        Route.post("/v1/fleet/nodes/{node}/remove", of -> fleet.requests(of).remove(), "request"),
        Route.post("/v1/fleet/adopt", fleet::adopt));
  }

  private FleetDesk desk() {
    FleetDesk fleet = control.get().fleet();
    if (fleet == null) {
      throw new ApiProblem(
          409,
          "this machine is in no fleet: a fleet.toml in its configuration directory makes it a"
              + " node");
    }
    return fleet;
  }

  private FleetRequests requests(Exchange exchange) {
    return new FleetRequests(control.get(), desk(), exchange);
  }

  static ApiProblem away(IOException e) {
    return new ApiProblem(503, String.valueOf(e.getMessage()));
  }

  static <T> T read(FleetDesk fleet, FleetDesk.Reading<T> reading) {
    try {
      return fleet.read(reading);
    } catch (IOException e) {
      throw away(e);
    }
  }

  /** Tells how this machine stands, also where it is in no fleet, or the database is away. */
  void status(Exchange exchange) throws IOException {
    FleetDesk fleet = control.get().fleet();
    FleetStanding standing = fleet == null ? null : fleet.standing();
    FleetRecords.Summary summary = null;
    String problem = null;
    if (fleet != null) {
      try {
        summary = fleet.read(FleetRecords::summary);
      } catch (IOException e) {
        problem = String.valueOf(e.getMessage());
      }
    }
    try (var json = exchange.json()) {
      FleetShapes.status(json, standing, summary, problem);
    }
  }

  void nodes(Exchange exchange) throws IOException {
    List<FleetRecords.Node> nodes = read(desk(), FleetRecords::nodes);
    try (var json = exchange.json()) {
      json.beginObject().name("nodes").beginArray();
      for (FleetRecords.Node node : nodes) {
        FleetShapes.node(json, node);
      }
      json.endArray().endObject();
    }
  }

  void jobs(Exchange exchange) throws IOException {
    int limit = (int) exchange.number("limit", MOST, 1, MOST);
    String after = exchange.parameter("after", "");
    List<FleetRecords.Job> jobs = read(desk(), records -> records.jobs(null, after, limit + 1));
    boolean more = jobs.size() > limit;
    Set<String> rerun = rerun();
    try (var json = exchange.json()) {
      json.beginObject().name("jobs").beginArray();
      for (FleetRecords.Job job : more ? jobs.subList(0, limit) : jobs) {
        FleetShapes.job(json, job, rerun.contains(job.identity()));
      }
      json.endArray();
      json.member("after", more ? jobs.get(limit - 1).identity() : null);
      json.endObject();
    }
  }

  void job(Exchange exchange) throws IOException {
    FleetDesk fleet = desk();
    FleetRecords.Job job = job(fleet, identity(fleet, exchange.part("job")));
    boolean rerun = rerun().contains(job.identity());
    try (var json = exchange.json()) {
      FleetShapes.job(json, job, rerun);
    }
  }

  /** The jobs of this node's files whose runs are repeated where they are lost. */
  private Set<String> rerun() {
    Set<String> rerun = new HashSet<>();
    for (JobView job : Exchange.await(control.get().look()).jobs()) {
      JobSpec spec = job.spec();
      FleetRules rules = spec == null ? null : spec.fleet();
      if (rules != null && rules.loss() == FleetRules.Loss.RERUN) {
        rerun.add(job.identity());
      }
    }
    return rerun;
  }

  static FleetRecords.Job job(FleetDesk fleet, String identity) {
    List<FleetRecords.Job> found = read(fleet, records -> records.jobs(identity, "", 1));
    if (found.isEmpty()) {
      throw new ApiProblem(404, "there is no job " + identity + " in the fleet");
    }
    return found.getFirst();
  }

  /** The identity of the one job that is meant. */
  static String identity(FleetDesk fleet, String word) {
    List<String> found = read(fleet, records -> records.named(word));
    if (found.contains(word)) {
      return word;
    }
    if (found.isEmpty()) {
      throw new ApiProblem(404, "there is no job " + word + " in the fleet");
    }
    if (found.size() > 1) {
      throw new ApiProblem(
          409, "several jobs are called " + word + ": name one by its identity", found);
    }
    return found.getFirst();
  }

  void why(Exchange exchange) throws IOException {
    FleetDesk fleet = desk();
    String identity = identity(fleet, exchange.part("job"));
    Snapshot snapshot = Exchange.await(control.get().look());
    JobView job =
        snapshot.named(identity).stream()
            .filter(view -> view.spec() != null)
            .findFirst()
            .orElseThrow(
                () ->
                    new ApiProblem(
                        409,
                        identity
                            + " is not in this node's files, so its periods are not known here:"
                            + " ask a node that has it, or kron fleet runs "
                            + identity));
    AskedPeriods asked = AskedPeriods.of(exchange);
    try {
      new FleetWhy(snapshot, job, fleet).tell(exchange, asked);
    } catch (FleetWhy.AwayException e) {
      throw away(e);
    }
  }

  void runs(Exchange exchange) throws IOException {
    FleetDesk fleet = desk();
    String job = exchange.parameter("job");
    String state = exchange.parameter("state");
    if (state != null && !STATES.contains(state)) {
      throw new ApiProblem(400, "state is one of " + STATES + ", not " + state);
    }
    long since = exchange.time("since");
    long until = exchange.time("until");
    var query =
        new FleetRecords.Query(
            job == null ? null : identity(fleet, job),
            exchange.parameter("node"),
            state,
            exchange.flag("failed"),
            since == CronCalendar.NONE ? 0 : since * 1000L,
            until == CronCalendar.NONE ? Long.MAX_VALUE : until * 1000L,
            (int) exchange.number("limit", 50, 0, MOST));
    List<FleetRecords.Run> runs = read(fleet, records -> records.runs(query));
    try (var json = exchange.json()) {
      json.beginObject().name("runs").beginArray();
      for (FleetRecords.Run run : runs) {
        FleetShapes.run(json, run);
      }
      json.endArray().endObject();
    }
  }

  void run(Exchange exchange) throws IOException {
    FleetRecords.Run run = found(desk(), exchange.part("run"));
    try (var json = exchange.json()) {
      json.beginObject();
      FleetShapes.runMembers(json, run);
      json.member("output", run.output());
      json.endObject();
    }
  }

  static FleetRecords.Run found(FleetDesk fleet, String id) {
    List<FleetRecords.Run> found =
        read(
            fleet,
            records -> {
              FleetRecords.Run run = records.run(id);
              return run == null ? List.of() : List.of(run);
            });
    if (found.isEmpty()) {
      throw new ApiProblem(404, "there is no run " + id + " on the fleet's record");
    }
    return found.getFirst();
  }

  void request(Exchange exchange) throws IOException {
    FleetRecords.Request request = asked(desk(), exchange.part("request"));
    if (request == null) {
      throw new ApiProblem(404, "there is no request " + exchange.part("request"));
    }
    try (var json = exchange.json()) {
      FleetShapes.request(json, request);
    }
  }

  static FleetRecords.@Nullable Request asked(FleetDesk fleet, String id) {
    List<FleetRecords.Request> found =
        read(
            fleet,
            records -> {
              FleetRecords.Request request = records.request(id);
              return request == null ? List.of() : List.of(request);
            });
    return found.isEmpty() ? null : found.getFirst();
  }

  void adopt(Exchange exchange) throws IOException {
    desk();
    Control present = control.get();
    present.asked(exchange.who(), "fleet-adopt", null);
    DaemonEndpoints.answer(exchange, Exchange.await(present.ask(new Request.Adopt())), 409);
  }
}
