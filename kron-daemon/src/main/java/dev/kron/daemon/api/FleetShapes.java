package dev.kron.daemon.api;

import dev.kron.cron.CronCalendar;
import dev.kron.fleet.FleetRecords;
import dev.kron.fleet.FleetStanding;
import dev.kron.fleet.JobRow;
import dev.kron.json.JsonWriter;
import java.io.IOException;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The shapes of a fleet in JSON; docs/openapi.json says the same. */
final class FleetShapes {
  private FleetShapes() {}

  /**
   * @param standing null: this machine is in no fleet
   * @param summary null: the database does not answer
   */
  static void status(
      JsonWriter json,
      @Nullable FleetStanding standing,
      FleetRecords.@Nullable Summary summary,
      @Nullable String problem)
      throws IOException {
    json.beginObject();
    json.member("member", standing != null);
    json.name("node");
    if (standing == null) {
      json.value((String) null);
    } else {
      standing(json, standing);
    }
    json.name("database");
    if (summary == null) {
      json.value((String) null);
    } else {
      summary(json, summary);
    }
    json.member("databaseProblem", problem);
    json.endObject();
  }

  private static void standing(JsonWriter json, FleetStanding standing) throws IOException {
    json.beginObject();
    json.member("name", standing.node());
    json.member("id", standing.id() == null ? null : standing.id().toString());
    json.member("state", standing.state().name().toLowerCase(Locale.ROOT).replace('_', '-'));
    json.member("problem", standing.problem());
    json.member("generation", standing.generation());
    json.member("aheadMillis", standing.aheadMillis());
    json.member("liveNodes", standing.live());
    json.member("activeRuns", standing.going());
    json.member("owedEnds", standing.owed());
    json.member("differing", standing.differing());
    json.name("lost").beginArray();
    for (JobRow row : standing.lost()) {
      JobRow.Active active = row.active();
      if (active != null) {
        json.beginObject();
        json.member("identity", row.key().identity());
        json.member("runId", active.run());
        json.member("nodeId", active.node().toString());
        json.millis("since", active.lostSinceMillis() == null ? 0 : active.lostSinceMillis());
        json.member("rerun", !standing.held().contains(row));
        json.endObject();
      }
    }
    json.endArray();
    json.endObject();
  }

  private static void summary(JsonWriter json, FleetRecords.Summary summary) throws IOException {
    json.beginObject();
    json.millis("now", summary.clockMillis());
    json.member("generation", summary.generation());
    json.member("liveNodes", summary.nodes());
    json.member("jobs", summary.jobs());
    json.member("suspended", summary.suspended());
    json.member("held", summary.held());
    json.member("activeRuns", summary.going());
    json.endObject();
  }

  static void node(JsonWriter json, FleetRecords.Node node) throws IOException {
    json.beginObject();
    json.member("name", node.name());
    json.member("id", node.node().toString());
    json.member("state", node.removed() ? "removed" : node.lives() ? "live" : "lost");
    json.member("labels", node.labels());
    json.member("version", node.version());
    json.member("session", node.session());
    json.member("leaseMillis", node.leaseMillis());
    json.millis("leaseUntil", node.leaseUntilMillis());
    json.member("aheadMillis", node.aheadMillis());
    json.millis("joinedAt", node.joinedMillis());
    json.member("activeRuns", node.going());
    json.member("lostRuns", node.lost());
    json.member("differing", node.differing());
    json.endObject();
  }

  /**
   * @param rerun whether its lost runs are repeated, as far as this node's files say
   */
  static void job(JsonWriter json, FleetRecords.Job job, boolean rerun) throws IOException {
    json.beginObject();
    json.member("identity", job.identity());
    json.member("name", job.identity().substring(job.identity().lastIndexOf(':') + 1));
    json.member("on", job.on());
    json.member("state", state(job));
    json.member("suspended", job.suspended());
    json.member("definition", job.definition());
    json.member("nodes", job.nodes());
    json.member("differing", job.differing());
    json.name("rows").beginArray();
    for (FleetRecords.Row row : job.rows()) {
      json.beginObject();
      json.member("node", row.node());
      Shapes.second(json, "lastNominalTime", row.lastPeriod());
      json.name("last");
      nullable(json, row.last());
      json.millis("retryAt", orZero(row.retryAtMillis()));
      json.name("active");
      nullable(json, row.active());
      json.millis("lostSince", orZero(row.lostSinceMillis()));
      json.millis("rerunAt", rerun && isOfAPeriod(row) ? orZero(row.rerunAtMillis()) : 0);
      json.endObject();
    }
    json.endArray();
    json.endObject();
  }

  /** What somebody asked for is not repeated. */
  private static boolean isOfAPeriod(FleetRecords.Row row) {
    FleetRecords.Run active = row.active();
    return active != null && active.kind().hasPeriod();
  }

  /** In one word, what most needs to be known of it. */
  private static String state(FleetRecords.Job job) {
    if (job.rows().stream().anyMatch(row -> row.lostSinceMillis() != null)) {
      return "held";
    }
    if (job.rows().stream().anyMatch(row -> row.active() != null)) {
      return "running";
    }
    if (job.suspended()) {
      return "suspended";
    }
    if (job.nodes() == 0) {
      return "nowhere";
    }
    return job.rows().stream().anyMatch(row -> row.retryAtMillis() != null) ? "retrying" : "ready";
  }

  private static long orZero(@Nullable Long millis) {
    return millis == null ? 0 : millis;
  }

  private static void nullable(JsonWriter json, FleetRecords.@Nullable Run run) throws IOException {
    if (run == null) {
      json.value((String) null);
    } else {
      run(json, run);
    }
  }

  static void run(JsonWriter json, FleetRecords.Run run) throws IOException {
    json.beginObject();
    runMembers(json, run);
    json.endObject();
  }

  static void runMembers(JsonWriter json, FleetRecords.Run run) throws IOException {
    json.member("runId", run.run());
    json.member("identity", run.identity());
    json.member("node", run.nodeName());
    json.member("nodeId", run.node().toString());
    json.member("kind", run.kind().name().toLowerCase(Locale.ROOT));
    Shapes.second(json, "nominalTime", run.kind().hasPeriod() ? run.period() : CronCalendar.NONE);
    json.member("attempt", run.attempt());
    json.member("state", run.state());
    json.member("outcome", run.outcome());
    json.member("exitCode", run.exitCode());
    json.member("reason", run.reason());
    json.member("overlap", run.overlap());
    json.millis("claimedAt", run.claimedMillis());
    json.millis("startedAt", orZero(run.beganMillis()));
    json.millis("completedAt", orZero(run.endedMillis()));
  }

  static void request(JsonWriter json, FleetRecords.Request request) throws IOException {
    json.beginObject();
    json.member("id", request.id());
    json.member("kind", request.kind());
    json.member("subject", request.subject());
    json.member("node", request.node().isEmpty() ? null : request.node());
    json.member("by", request.by());
    json.millis("askedAt", request.askedMillis());
    json.member("state", request.expired() ? "expired" : request.state());
    json.member("runId", request.run());
    json.endObject();
  }
}
