package dev.kron.daemon.api;

import dev.kron.fleet.FleetDesk;
import dev.kron.fleet.FleetRecords;
import dev.kron.fleet.FleetRequest;
import dev.kron.fleet.FleetRequest.What;
import java.io.IOException;
import java.util.List;
import java.util.UUID;
import java.util.regex.Pattern;

/** The requests of a caller to a fleet; each is done once for its id. */
final class FleetRequests {
  private static final long TRIGGER_MILLIS = 60_000;
  private static final Pattern REQUEST = Pattern.compile("[A-Za-z0-9._-]{1,64}");

  private final Control control;
  private final FleetDesk fleet;
  private final Exchange exchange;

  FleetRequests(Control control, FleetDesk fleet, Exchange exchange) {
    this.control = control;
    this.fleet = fleet;
    this.exchange = exchange;
  }

  void trigger() throws IOException {
    String identity = FleetEndpoints.identity(fleet, exchange.part("job"));
    String node = exchange.parameter("node", "");
    FleetRecords.Job job = FleetEndpoints.job(fleet, identity);
    if (job.isEachForItself() && node.isEmpty()) {
      throw new ApiProblem(
          409, "every node runs " + identity + " for itself: say which one is meant, with node");
    }
    if (!node.isEmpty()) {
      boolean lives =
          FleetEndpoints.read(fleet, FleetRecords::nodes).stream()
              .anyMatch(each -> each.lives() && each.name().equals(node));
      if (!lives) {
        throw new ApiProblem(404, "no node called " + node + " takes part at present");
      }
    }
    perform(
        "trigger",
        identity,
        new FleetRequest.Trigger(identity, node, TRIGGER_MILLIS),
        "the first node that can will run it, within a minute");
  }

  void suspend() throws IOException {
    String identity = FleetEndpoints.identity(fleet, exchange.part("job"));
    perform(
        "suspend",
        identity,
        new FleetRequest.Suspend(identity),
        "nothing of it is started on any node from now on; what runs goes on");
  }

  void resume() throws IOException {
    String identity = FleetEndpoints.identity(fleet, exchange.part("job"));
    perform(
        "resume",
        identity,
        new FleetRequest.Resume(identity),
        "it is started again on all nodes that it is meant for");
  }

  void release() throws IOException {
    String run = exchange.part("run");
    perform(
        "release",
        run,
        new FleetRequest.Release(run),
        "it holds its job no longer, and is never run again");
  }

  void remove() throws IOException {
    String node = exchange.part("node");
    perform(
        "remove",
        node,
        new FleetRequest.Remove(node),
        "its runs are released, and it is never let in again under this UUID");
  }

  /** A request is done, once for each id; the answer says what came of it. */
  private void perform(String kind, String subject, What what, String effect) throws IOException {
    String id = exchange.parameter("request", "");
    if (id.isEmpty()) {
      id = UUID.randomUUID().toString();
    } else if (!REQUEST.matcher(id).matches()) {
      throw new ApiProblem(400, "request is 1 to 64 letters, digits, \"-\", \"_\" and \".\"");
    }
    control.asked(exchange.who(), "fleet-" + kind, subject);
    try {
      if (!fleet.request(new FleetRequest(id, exchange.who(), what))) {
        throw refusal(what);
      }
    } catch (IOException e) {
      throw new ApiProblem(503, e.getMessage() + " (request " + id + ")");
    }
    FleetRecords.Request done = FleetEndpoints.asked(fleet, id);
    if (done != null && !(done.kind().equals(kind) && done.subject().equals(subject))) {
      throw new ApiProblem(
          409,
          "request "
              + id
              + " was to "
              + done.kind()
              + " "
              + done.subject()
              + ": what is asked for now needs an id of its own, and nothing was done");
    }
    try (var json = exchange.json()) {
      json.beginObject();
      json.member("message", subject + ": " + effect);
      json.member("runId", done == null ? null : done.run());
      json.member("request", id);
      json.endObject();
    }
  }

  /** The reason why there was nothing to do. */
  private ApiProblem refusal(What what) {
    return switch (what) {
      case FleetRequest.Release(String run) -> {
        FleetRecords.Run found = FleetEndpoints.found(fleet, run);
        yield new ApiProblem(
            409,
            "run "
                + run
                + " on node "
                + found.nodeName()
                + " is "
                + found.state()
                + ", and only a lost run can be released"
                + (found.state().equals("running") ? "; kron stop on its node ends it" : ""));
      }
      case FleetRequest.Remove(String node) -> {
        List<FleetRecords.Node> called =
            FleetEndpoints.read(fleet, FleetRecords::nodes).stream()
                .filter(each -> each.name().equals(node) || each.node().toString().equals(node))
                .filter(each -> !each.removed())
                .toList();
        if (called.stream().noneMatch(FleetRecords.Node::lives)) {
          yield new ApiProblem(404, "there is no node " + node + " that could be removed");
        }
        List<String> lost =
            called.stream()
                .filter(each -> !each.lives())
                .map(each -> each.node().toString())
                .toList();
        yield new ApiProblem(
            409,
            "node "
                + node
                + " lives: stop its daemon and wait until its lease is over. Removing it says"
                + " that its machine is off"
                + (lost.isEmpty()
                    ? ""
                    : "; lost nodes of that name are removed by their UUIDs: "
                        + String.join(", ", lost)));
      }
      default -> new ApiProblem(404, "there is no such job in the fleet");
    };
  }
}
