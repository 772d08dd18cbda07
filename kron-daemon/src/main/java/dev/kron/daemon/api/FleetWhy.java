package dev.kron.daemon.api;

import dev.kron.fleet.FleetDesk;
import dev.kron.fleet.FleetRecords;
import dev.kron.fleet.FleetRecords.Run;
import dev.kron.job.JobSpec;
import dev.kron.job.Placement;
import dev.kron.job.Ranking;
import dev.kron.json.JsonWriter;
import dev.kron.schedule.DueTimes;
import dev.kron.schedule.DueTimes.Due;
import dev.kron.schedule.Schedule;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The answer to {@code kron why} of a fleet's job: from the record of all nodes, and the order in
 * which they try to take a period.
 */
final class FleetWhy {
  private static final int MOST_RUNS = 10_000;
  private static final List<String> RECORDED = List.of("missed", "skipped", "unschedulable");

  private final JobView job;
  private final JobSpec spec;
  private final Placement on;
  private final Schedule schedule;
  private final DueTimes dueTimes;
  private final FleetDesk fleet;
  private final long now;

  /** The fleet's database does not answer. */
  static final class AwayException extends IOException {
    private static final long serialVersionUID = 1L;

    AwayException(IOException cause) {
      super(cause.getMessage(), cause);
    }
  }

  /** What the database says of the job, at one moment. */
  private record Known(
      FleetRecords.@Nullable Job job, List<FleetRecords.Node> nodes, List<Run> runs) {}

  FleetWhy(Snapshot snapshot, JobView job, FleetDesk fleet) {
    this.job = job;
    this.spec = JobEndpoints.spec(job);
    this.on = Objects.requireNonNull(spec.fleet(), "a job of this machine alone").on();
    this.schedule = spec.schedule();
    this.dueTimes = DueTimes.of(schedule, job.seed());
    this.fleet = fleet;
    this.now = Math.floorDiv(snapshot.wallMillis(), 1000L);
  }

  /** Nothing is written before the database has answered. */
  void tell(Exchange exchange, AskedPeriods asked) throws IOException {
    List<Long> periods = asked.by(schedule, dueTimes, now);
    Known known = known(periods);
    try (var json = exchange.json()) {
      json.beginObject();
      json.member("identity", job.identity());
      json.member("schedule", schedule.written());
      json.second("now", now);
      json.name("periods").beginArray();
      for (long nominal : periods) {
        period(json, dueTimes.of(nominal), known);
      }
      json.endArray();
      json.member("notes", notes(asked, periods, known));
      Shapes.nextDue(json, job);
      json.endObject();
    }
  }

  private Known known(List<Long> periods) throws AwayException {
    try {
      return fleet.read(
          records -> {
            List<FleetRecords.Job> found = records.jobs(job.identity(), "", 1);
            List<Run> runs =
                periods.isEmpty()
                    ? List.of()
                    : records.periods(
                        job.identity(), periods.getFirst(), periods.getLast(), MOST_RUNS);
            return new Known(found.isEmpty() ? null : found.getFirst(), records.nodes(), runs);
          });
    } catch (IOException e) {
      throw new AwayException(e);
    }
  }

  private void period(JsonWriter json, Due due, Known known) throws IOException {
    long nominal = due.decision().nominalEpochSecond();
    List<Run> runs = known.runs().stream().filter(run -> run.period() == nominal).toList();
    json.beginObject();
    Shapes.times(json, due);
    json.member("verdict", runs.isEmpty() ? word(due, known) : word(runs.getLast()));
    json.member("explanation", runs.isEmpty() ? unrecorded(due, known) : recorded(runs));
    json.name("run").value((String) null);
    json.name("attempts").beginArray();
    for (Run run : runs) {
      FleetShapes.run(json, run);
    }
    json.endArray();
    json.name("ranking").beginArray();
    List<String> ranking = ranking(nominal, known);
    for (int i = 0; i < ranking.size(); i++) {
      json.beginObject();
      json.member("node", ranking.get(i));
      json.member("turnMillis", Ranking.turnMillis(i));
      json.endObject();
    }
    json.endArray();
    json.endObject();
  }

  /** The nodes in the order in which they try to take a period; empty where each has its own. */
  private List<String> ranking(long nominal, Known known) {
    if (on.all()) {
      return List.of();
    }
    String label = on.label();
    List<String> candidates =
        known.nodes().stream()
            .filter(FleetRecords.Node::lives)
            .filter(node -> label == null || node.labels().contains(label))
            .map(FleetRecords.Node::name)
            .toList();
    return Ranking.of(job.identity(), Instant.ofEpochSecond(nominal).toString(), candidates);
  }

  private static String word(Run run) {
    String outcome = run.outcome();
    return switch (run.state()) {
      case "ended" -> outcome != null && RECORDED.contains(outcome) ? outcome : "executed";
      default -> run.state();
    };
  }

  private String recorded(List<Run> runs) {
    return String.join("; ", runs.stream().map(this::sentence).toList());
  }

  private String sentence(Run run) {
    String attempt = run.attempt() > 1 ? "attempt " + run.attempt() + ": " : "";
    String where = " on node " + run.nodeName();
    String id = " as run " + run.run();
    Long began = run.beganMillis();
    Long ended = run.endedMillis();
    String reason = run.reason().isEmpty() ? "" : " (" + run.reason() + ")";
    String outcome = Objects.requireNonNullElse(run.outcome(), "unknown");
    return attempt
        + switch (run.state()) {
          case "running" -> "it runs" + where + id + ", claimed at " + milli(run.claimedMillis());
          case "lost" ->
              "it is lost: run "
                  + run.run()
                  + where
                  + ", claimed at "
                  + milli(run.claimedMillis())
                  + ", may go on or not; it ends when the node is back, by kron fleet release "
                  + run.run()
                  + ", or where its machine is off by kron fleet remove "
                  + run.nodeName();
          case "released" ->
              "run "
                  + run.run()
                  + where
                  + " was lost, and was released"
                  + (ended == null ? "" : " at " + milli(ended))
                  + (run.overlap() ? "; it turned up going on afterwards" : "");
          default ->
              RECORDED.contains(outcome)
                  ? "it was " + outcome + where + reason
                  : "it ran"
                      + where
                      + id
                      + (began == null ? "" : " at " + milli(began))
                      + (ended == null ? "" : " until " + milli(ended))
                      + (run.exitCode() == null ? ", " + outcome : ", exit code " + run.exitCode())
                      + reason;
        };
  }

  private String word(Due due, Known known) {
    if (due.dueEpochSecond() > now) {
      return "coming";
    }
    if (isHandled(due, known)) {
      return "forgotten";
    }
    return isSuspended(known) ? "suspended" : "pending";
  }

  private boolean isSuspended(Known known) {
    return schedule.policy().suspend() || (known.job() != null && known.job().suspended());
  }

  /** Whether every row of the job is past a period. */
  private static boolean isHandled(Due due, Known known) {
    FleetRecords.Job found = known.job();
    long nominal = due.decision().nominalEpochSecond();
    return found != null
        && !found.rows().isEmpty()
        && found.rows().stream().allMatch(row -> row.lastPeriod() >= nominal);
  }

  private String unrecorded(Due due, Known known) {
    long at = due.dueEpochSecond();
    if (at > now) {
      return due.decision().unschedulable()
          ? "it will not run: " + due.decision().reason()
          : "it is not due yet: it is due at "
              + local(at)
              + turns(due.decision().nominalEpochSecond(), known);
    }
    if (isHandled(due, known)) {
      return "a later period is handled, and of this one nothing is on record: it was passed over"
          + " in an absence, fell due before the job was first seen, or its record has left after"
          + " 30 days";
    }
    if (isSuspended(known)) {
      return "it was not run: the job is suspended";
    }
    FleetRecords.Job found = known.job();
    if (found == null) {
      return "the fleet does not know the job yet";
    }
    for (FleetRecords.Row row : found.rows()) {
      Run active = row.active();
      if (row.lostSinceMillis() != null && active != null) {
        return "it is due, and waits: " + sentence(active).replaceFirst("^it is lost: ", "");
      }
    }
    if (found.nodes() == found.differing()) {
      return "it is due, and no node that lives has the job as it is in force";
    }
    return "it is due, and about to be decided" + turns(due.decision().nominalEpochSecond(), known);
  }

  private String turns(long nominal, Known known) {
    if (on.all()) {
      return ", on every node for itself";
    }
    List<String> ranking = ranking(nominal, known);
    if (ranking.isEmpty()) {
      return "; no node that lives may run it";
    }
    List<String> turns = new ArrayList<>();
    for (int i = 0; i < ranking.size(); i++) {
      long seconds = Ranking.turnMillis(i) / 1000;
      turns.add(ranking.get(i) + (seconds == 0 ? "" : " " + seconds + " s later"));
    }
    return "; the nodes claim in this order: " + String.join(", ", turns);
  }

  private List<String> notes(AskedPeriods asked, List<Long> periods, Known known) {
    var notes = new ArrayList<String>();
    if (periods.isEmpty()) {
      notes.add(asked.none(schedule, now));
    } else if (periods.size() == AskedPeriods.MOST) {
      notes.add("only the first " + AskedPeriods.MOST + " periods are told");
    }
    String label = on.label();
    notes.add(
        (on.all() ? "every node runs it for itself" : "one node runs each period")
            + (label == null ? "" : ", of those with the label " + label));
    FleetRecords.Job found = known.job();
    if (found != null && found.suspended()) {
      notes.add("the job is suspended by command: kron fleet resume " + job.name());
    }
    if (schedule.policy().suspend()) {
      notes.add("the job is suspended in its file: suspend=true");
    }
    if (job.fleet() != null && job.fleet().differs()) {
      notes.add(
          "other files are in force for it than this node has: what is told of times is by this"
              + " node's");
    }
    if (found != null && found.differing() > 0) {
      notes.add(
          found.differing()
              + " of "
              + found.nodes()
              + " nodes that have it have it otherwise than it is in force, and take no part");
    }
    for (FleetRecords.Row row : found == null ? List.<FleetRecords.Row>of() : found.rows()) {
      if (row.retryAtMillis() != null) {
        notes.add(
            "the next attempt"
                + (row.node() == null ? "" : " on node " + row.node())
                + " is due at "
                + milli(row.retryAtMillis()));
      }
    }
    notes.add(
        job.dueAt() == JobView.NEVER
            ? "nothing is to come"
            : "the next period is due at " + local(job.dueAt()));
    return notes;
  }

  private String local(long epochSecond) {
    return Hindrances.local(epochSecond, schedule.zone());
  }

  private String milli(long epochMilli) {
    return local(Math.floorDiv(epochMilli, 1000L));
  }
}
