package dev.kron.daemon.api;

import static dev.kron.daemon.api.StatedControl.second;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kron.config.KrontabParser;
import dev.kron.cron.CronCalendar;
import dev.kron.fleet.Claim;
import dev.kron.fleet.FleetDesk;
import dev.kron.fleet.FleetRecords;
import dev.kron.fleet.FleetRequest;
import dev.kron.fleet.FleetStanding;
import dev.kron.fleet.JobRow;
import dev.kron.fleet.RowKey;
import dev.kron.job.JobSpec;
import dev.kron.job.JobState;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is told of a fleet and its jobs, in states of every kind. */
final class FleetViewsTest {
  private static final String NOW = "2026-03-10T12:05:30.250Z";
  private static final UUID ONE = new UUID(0, 1);
  private static final UUID TWO = new UUID(0, 2);

  @TempDir Path directory;
  private final StatedControl control = new StatedControl(NOW);
  private final StatedFleet fleet = new StatedFleet();

  /** A database with these records, and a node of its fleet. */
  private static final class StatedFleet implements FleetDesk, FleetRecords {
    FleetStanding standing = FleetStanding.notYet("n1");
    final List<Node> nodes = new ArrayList<>();
    final List<Job> jobs = new ArrayList<>();
    final List<Run> runs = new ArrayList<>();
    final Map<String, Request> requests = new HashMap<>();
    final List<String> queries = new ArrayList<>();
    boolean away;
    boolean something = true;

    @Override
    public FleetStanding standing() {
      return standing;
    }

    @Override
    public <T> T read(Reading<T> reading) throws IOException {
      if (away) {
        throw new IOException("the database is away");
      }
      return reading.of(this);
    }

    @Override
    public boolean request(FleetRequest request) throws IOException {
      if (away) {
        throw new IOException("the database is away");
      }
      queries.add(
          request.id().length() == 36
              ? request.what().toString()
              : request.what() + " " + request.id());
      return something;
    }

    @Override
    public Summary summary() {
      return new Summary(Instant.parse(NOW).toEpochMilli() + 5, 3, 2, 9, 1, 4, 5);
    }

    @Override
    public List<Node> nodes() {
      return nodes;
    }

    @Override
    public List<Job> jobs(@Nullable String only, String after, int limit) {
      return jobs.stream()
          .filter(it -> only == null || it.identity().equals(only))
          .filter(it -> it.identity().compareTo(after) > 0)
          .limit(limit)
          .toList();
    }

    @Override
    public List<String> named(String word) {
      return jobs.stream()
          .map(Job::identity)
          .filter(it -> it.equals(word) || it.endsWith(":" + word))
          .toList();
    }

    @Override
    public List<String> suspended(int limit) {
      return List.of();
    }

    @Override
    public List<Run> runs(Query query) {
      queries.add(query.toString());
      return runs;
    }

    @Override
    public @Nullable Run run(String id) {
      return runs.stream().filter(it -> it.run().equals(id)).findFirst().orElse(null);
    }

    @Override
    public List<Run> periods(String identity, long from, long to, int limit) {
      return runs.stream()
          .filter(it -> it.identity().equals(identity))
          .filter(it -> from <= it.period() && it.period() <= to)
          .toList();
    }

    @Override
    public @Nullable Request request(String id) {
      return requests.get(id);
    }
  }

  private static long milli(String instant) {
    return Instant.parse(instant).toEpochMilli();
  }

  private static String at(String time) {
    return "2026-03-10T" + time + "Z";
  }

  private static final class OfRun {
    final String id;
    String job = "any";
    UUID node = ONE;
    Claim.Kind kind = Claim.Kind.START;
    long period = CronCalendar.NONE;
    int attempt = 1;
    String state = "ended";
    @Nullable String outcome = "success";
    @Nullable Integer exitCode;
    String reason = "";
    boolean overlap;
    long claimed = milli(at("12:00:00.500"));
    @Nullable Long began;
    @Nullable Long ended;

    OfRun(String id) {
      this.id = id;
    }

    OfRun of(String name, @Nullable String nominal) {
      job = name;
      period = second(nominal);
      return this;
    }

    OfRun on(UUID which) {
      node = which;
      return this;
    }

    OfRun kind(Claim.Kind which, int number) {
      kind = which;
      attempt = number;
      return this;
    }

    OfRun state(String word, @Nullable String how, @Nullable Integer code, String why) {
      state = word;
      outcome = how;
      exitCode = code;
      reason = why;
      return this;
    }

    OfRun times(@Nullable String start, @Nullable String end) {
      began = start == null ? null : milli(start);
      ended = end == null ? null : milli(end);
      return this;
    }

    FleetRecords.Run run() {
      return new FleetRecords.Run(
          id,
          "fleet:f.kron:" + job,
          node,
          node.equals(ONE) ? "n1" : "n2",
          kind,
          period,
          attempt,
          state,
          outcome,
          exitCode,
          reason,
          overlap,
          claimed,
          began,
          ended,
          "its last words");
    }
  }

  private static FleetRecords.Row row(
      @Nullable String node,
      @Nullable String last,
      @Nullable OfRun lastRun,
      @Nullable String retry,
      @Nullable OfRun active,
      @Nullable String lost,
      @Nullable String rerun) {
    return new FleetRecords.Row(
        node,
        second(last),
        lastRun == null ? null : lastRun.run(),
        retry == null ? null : milli(retry),
        active == null ? null : active.run(),
        lost == null ? null : milli(lost),
        rerun == null ? null : milli(rerun));
  }

  private void job(
      String name,
      String on,
      boolean suspended,
      int nodes,
      int differing,
      FleetRecords.Row... rows) {
    fleet.jobs.add(
        new FleetRecords.Job(
            "fleet:f.kron:" + name, on, suspended, "d-" + name, nodes, differing, List.of(rows)));
  }

  private void node(UUID id, String name, boolean lives, boolean removed, List<String> labels) {
    fleet.nodes.add(
        new FleetRecords.Node(
            id,
            name,
            labels,
            "1.2",
            4,
            15_000,
            milli(at("12:05:40")),
            -3,
            0,
            lives,
            removed,
            1,
            2,
            3));
  }

  private static List<JobSpec> krontab() {
    String lines =
        """
        */10 * * * * @tz(Europe/Paris) name=any command=/bin/true
        */10 * * * * @tz(UTC) name=web on=label:web loss=rerun command=/bin/true
        0 * * * * @tz(UTC) name=each on=all command=/bin/true
        0 * * * * @tz(UTC) name=labelled on="label:web,all" command=/bin/true
        */10 * * * * @tz(UTC) @policy(suspend=true) name=off command=/bin/true
        */10 * * * * @tz(UTC) name=stopped command=/bin/true
        */10 * * * * @tz(UTC) name=nowhere on=label:none command=/bin/true
        */10 * * * * @tz(UTC) name=unknown command=/bin/true
        */10 * * * * @tz(UTC) name=again loss=rerun command=/bin/true
        */10 * * * * @tz(UTC) name=asked loss=rerun command=/bin/true
        """;
    var krontab =
        new KrontabParser(KrontabParser.Settings.DEFAULT)
            .parseFleet(Path.of("/k/fleet/f.kron"), "f.kron", "n1", lines.getBytes(UTF_8));
    if (!krontab.isValid()) {
      throw new AssertionError(krontab.diagnostics().toString());
    }
    return krontab.jobs();
  }

  @BeforeEach
  void prepare() {
    control.fleet = fleet;
    for (JobSpec spec : krontab()) {
      boolean suspended = spec.name().equals("off") || spec.name().equals("stopped");
      control.jobs.add(
          new JobView(
              spec.identity(),
              spec,
              JobState.unseen(spec.identity()),
              suspended ? JobView.NEVER : second(at("12:10:00")),
              0,
              new JobView.InFleet(
                  "any", spec.name().equals("stopped"), null, spec.name().equals("web"))));
    }
    node(ONE, "n1", true, false, List.of("web", "big"));
    node(TWO, "n2", true, false, List.of());
    node(new UUID(0, 3), "n3", false, false, List.of("web"));
    node(new UUID(0, 4), "n4", false, true, List.of());
    node(new UUID(0, 5), "n1", false, false, List.of());
    OfRun going =
        new OfRun("r5")
            .of("any", at("12:00:00"))
            .on(TWO)
            .state("running", null, null, "")
            .times(at("12:00:01"), null);
    OfRun lost =
        new OfRun("r9")
            .of("web", at("11:50:00"))
            .on(TWO)
            .state("lost", null, null, "")
            .times(null, null);
    OfRun asked =
        new OfRun("q1")
            .of("asked", null)
            .on(TWO)
            .kind(Claim.Kind.TRIGGER, 1)
            .state("lost", null, null, "");
    OfRun released =
        new OfRun("r8")
            .of("web", at("11:40:00"))
            .state("released", null, null, "")
            .times(null, at("11:45:00"));
    OfRun overlapped = new OfRun("r7").of("web", at("11:30:00")).state("released", null, null, "");
    overlapped.overlap = true;
    fleet.runs.addAll(
        List.of(
            new OfRun("r1")
                .of("any", at("11:20:00"))
                .state("ended", "success", 0, "")
                .times(at("11:20:01"), at("11:20:05"))
                .run(),
            new OfRun("r2")
                .of("any", at("11:30:00"))
                .state("ended", "failure", 7, "exit 7")
                .times(at("11:30:01"), at("11:30:05"))
                .run(),
            new OfRun("r2b")
                .of("any", at("11:30:00"))
                .kind(Claim.Kind.RETRY, 2)
                .state("ended", "failure", null, "signal 9")
                .times(at("11:31:01"), null)
                .run(),
            new OfRun("r3")
                .of("any", at("11:40:00"))
                .kind(Claim.Kind.MISSED, 1)
                .state("ended", "missed", null, "too late")
                .times(null, at("11:45:00"))
                .run(),
            new OfRun("r4")
                .of("any", at("11:50:00"))
                .kind(Claim.Kind.SKIPPED, 1)
                .state("ended", "skipped", null, "")
                .run(),
            new OfRun("r4u")
                .of("stopped", at("11:50:00"))
                .kind(Claim.Kind.UNSCHEDULABLE, 1)
                .state("ended", "unschedulable", null, "none")
                .run(),
            new OfRun("r4n").of("stopped", at("11:40:00")).state("ended", null, null, "").run(),
            going.run(),
            lost.run(),
            released.run(),
            overlapped.run()));
    job(
        "again",
        "any",
        false,
        2,
        0,
        row(null, at("11:50:00"), null, at("12:06:00"), null, null, null));
    job("any", "any", false, 2, 0, row(null, at("12:00:00"), going, null, going, null, null));
    job(
        "asked",
        "any",
        false,
        2,
        0,
        row(null, null, null, null, asked, at("12:01:00"), at("12:02:00")));
    job(
        "each",
        "all",
        false,
        2,
        1,
        row("n1", at("11:00:00"), null, null, null, null, null),
        row("n2", at("12:00:00"), null, at("12:07:00"), null, null, null));
    job("calm", "any", false, 2, 0, row(null, at("11:00:00"), null, null, null, null, null));
    job("labelled", "label:web,all", false, 1, 0);
    job("nowhere", "label:none", false, 0, 0);
    job("off", "any", false, 2, 0);
    job(
        "stopped",
        "any",
        true,
        2,
        2,
        row(null, at("11:30:00"), null, at("12:07:00"), null, null, null));
    job(
        "web",
        "label:web",
        false,
        2,
        1,
        row(null, at("11:50:00"), lost, null, lost, at("11:55:00"), at("12:30:00")));
    fleet.jobs.add(new FleetRecords.Job("fleet:g.kron:any", "any", false, "d", 1, 0, List.of()));
    JobRow.Active held =
        new JobRow.Active(
            "r9", TWO, second(at("11:50:00")), 1, 0, milli(at("11:55:00")), null, false);
    JobRow.Active unsure = new JobRow.Active("r10", ONE, 0, 1, 0, null, null, true);
    JobRow.Last last = new JobRow.Last(0, 1, "r9", false);
    JobRow.From from = new JobRow.From(0, 0, 0);
    JobRow first =
        new JobRow(RowKey.shared("fleet:f.kron:web"), "d", 1, false, last, from, null, held);
    JobRow second =
        new JobRow(RowKey.shared("fleet:f.kron:again"), "d", 1, false, last, from, null, unsure);
    JobRow third =
        new JobRow(RowKey.shared("fleet:f.kron:off"), "d", 1, false, last, from, null, null);
    fleet.standing =
        new FleetStanding(
            "n1",
            ONE,
            FleetStanding.State.CUT_OFF,
            "no answer",
            3,
            -1500,
            2,
            4,
            5,
            List.of("fleet:f.kron:web", "x"),
            List.of(),
            List.of(first, second, third),
            List.of(first));
    fleet.requests.put(
        "t1",
        new FleetRecords.Request(
            "t1", "trigger", "fleet:f.kron:again", "", "ops", 1_000, 61_000, "open", true, null));
    fleet.requests.put(
        "t2",
        new FleetRecords.Request(
            "t2",
            "trigger",
            "fleet:f.kron:again",
            "n2",
            "ops",
            1_000,
            61_000,
            "done",
            false,
            "r77"));
  }

  private Recorded served(ControlServer server) {
    return new Recorded(Caller.at(server.socket()), control);
  }

  private static String why(String name) {
    return "/v1/fleet/jobs/%s/why?from=2026-03-10T11:10:00Z&to=2026-03-10T12:20:00Z"
        .formatted(name);
  }

  @Test
  void theFleetAndItsJobs() throws Exception {
    try (ControlServer server = control.serve(directory.resolve("s"))) {
      Recorded recorded =
          served(server)
              .ask(
                  "/v1/fleet",
                  "/v1/fleet/nodes",
                  "/v1/fleet/jobs",
                  "/v1/fleet/jobs?limit=3",
                  "/v1/fleet/jobs?limit=9&after=fleet:f.kron:any",
                  "/v1/fleet/jobs?limit=10",
                  "/v1/fleet/jobs?limit=0",
                  "/v1/fleet/jobs/each",
                  "/v1/fleet/jobs/any",
                  "/v1/fleet/jobs/nobody",
                  "/v1/fleet/runs",
                  "/v1/fleet/runs?limit=0&state=lost&failed=true&node=n1&job=each"
                      + "&since=2026-03-10T11:00:00Z&until=2026-03-10T12:00:00Z",
                  "/v1/fleet/runs?state=asleep",
                  "/v1/fleet/runs/r2",
                  "/v1/fleet/runs/nobody",
                  "/v1/fleet/requests/t1",
                  "/v1/fleet/requests/t2",
                  "/v1/fleet/requests/nobody",
                  "/v1/jobs?state=held",
                  "/metrics");
      asks(recorded);
      fleet.standing =
          new FleetStanding(
              "n1",
              null,
              FleetStanding.State.IN,
              null,
              3,
              0,
              2,
              4,
              5,
              List.of(),
              List.of(),
              List.of(),
              List.of());
      recorded.ask("/v1/fleet", "/metrics");
      fleet.away = true;
      recorded.ask(
          "/v1/fleet",
          "/v1/fleet/nodes",
          "POST /v1/fleet/runs/r9/release?request=t9",
          "/v1/fleet/jobs/any/why");
      control.fleet = null;
      recorded.ask("/v1/fleet", "/v1/fleet/nodes", "POST /v1/fleet/adopt");
      recorded.isAsIn("views-of-fleets.txt");
    }
  }

  private void asks(Recorded recorded) throws Exception {
    for (boolean something : new boolean[] {true, false}) {
      fleet.something = something;
      recorded.ask(
          "POST /v1/fleet/jobs/again/trigger?request=t1",
          "POST /v1/fleet/jobs/again/trigger?request=t2&node=n2",
          "POST /v1/fleet/jobs/again/trigger?request=t2&node=n3",
          "POST /v1/fleet/jobs/each/trigger?request=t3",
          "POST /v1/fleet/jobs/each/trigger?request=t3&node=n1",
          "POST /v1/fleet/jobs/each/suspend?request=t1",
          "POST /v1/fleet/jobs/nowhere/trigger?request=t2",
          "POST /v1/fleet/jobs/each/suspend?request=t4",
          "POST /v1/fleet/jobs/each/resume?request=t5",
          "POST /v1/fleet/jobs/each/resume?request=t%205",
          "POST /v1/fleet/runs/r5/release?request=t6",
          "POST /v1/fleet/runs/r1/release?request=t6",
          "POST /v1/fleet/nodes/n1/remove?request=t7",
          "POST /v1/fleet/nodes/n2/remove?request=t7",
          "POST /v1/fleet/nodes/n3/remove?request=t7",
          "POST /v1/fleet/nodes/n4/remove?request=t7",
          "POST /v1/fleet/nodes/00000000-0000-0000-0000-000000000002/remove?request=t7",
          "POST /v1/fleet/adopt");
    }
    recorded.add(String.join("\n", fleet.queries));
  }

  @Test
  void whyTheyRanOrDidNot() throws Exception {
    try (ControlServer server = control.serve(directory.resolve("s"))) {
      Recorded recorded =
          served(server)
              .ask(
                  why("fleet:f.kron:any"),
                  why("any"),
                  why("web"),
                  why("each"),
                  why("labelled"),
                  why("off"),
                  why("stopped"),
                  why("nowhere"),
                  why("unknown"),
                  why("again"),
                  why("asked"),
                  why("fleet:g.kron:any"),
                  "/v1/fleet/jobs/web/why",
                  "/v1/jobs/again/why?from=2026-03-11T00:00:00Z",
                  "/v1/jobs/unknown/why",
                  "/v1/jobs/unknown/why?from=2026-03-10T12:01:00Z&to=2026-03-10T12:02:00Z");
      fleet.away = true;
      recorded.ask("/v1/jobs/again/why", "/v1/fleet/jobs/again/why");
      recorded.isAsIn("views-of-why-in-fleets.txt");
    }
  }

  @Test
  void atMostSoManyPeriodsAreTold() throws Exception {
    String asked = "/v1/fleet/jobs/again/why?from=2026-01-01T00:00:00Z&to=2026-01-14T21:%s:00Z";
    String note = "only the first 2000 periods are told";
    try (ControlServer server = control.serve(directory.resolve("s"))) {
      Caller caller = Caller.at(server.socket());
      assertTrue(caller.get(asked.formatted("10")).body().contains(note));
      assertFalse(caller.get(asked.formatted("00")).body().contains(note));
    }
  }
}
