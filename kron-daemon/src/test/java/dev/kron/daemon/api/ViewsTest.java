package dev.kron.daemon.api;

import static dev.kron.daemon.api.StatedControl.second;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kron.config.KrontabParser;
import dev.kron.daemon.loop.Answer;
import dev.kron.job.ActiveRun;
import dev.kron.job.Ending;
import dev.kron.job.HistoryEntry;
import dev.kron.job.JobSpec;
import dev.kron.job.JobState;
import dev.kron.job.Outcome;
import dev.kron.job.Reason;
import dev.kron.job.Retry;
import dev.kron.json.Json;
import dev.kron.notice.Channel;
import dev.kron.notify.Sent;
import dev.kron.notify.channel.Delivery;
import java.nio.file.Path;
import java.time.Instant;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is told of jobs, their runs and the messages about them, in states of every kind. */
final class ViewsTest {
  private static final String NOW = "2026-03-10T12:05:30.250Z";

  @TempDir Path directory;
  private final StatedControl control = new StatedControl(NOW);

  private static List<JobSpec> krontab(String file, String... lines) {
    var krontab =
        new KrontabParser(KrontabParser.Settings.DEFAULT)
            .parse(Path.of(file), (String.join("\n", lines) + "\n").getBytes(UTF_8));
    if (!krontab.isValid()) {
      throw new AssertionError(krontab.diagnostics().toString());
    }
    return krontab.jobs();
  }

  private static long milli(String instant) {
    return Instant.parse(instant).toEpochMilli();
  }

  private static String day(String time) {
    return "2026-03-" + time + "Z";
  }

  private void add(JobSpec spec, @Nullable String due, UnaryOperator<JobState.Builder> state) {
    String identity = spec.identity();
    var builder = JobState.builder(identity).fingerprint("f").since(second(day("01T00:00:00")));
    control.jobs.add(
        new JobView(
            identity,
            spec,
            state.apply(builder).build(),
            due == null ? JobView.NEVER : second(due),
            0,
            null));
  }

  private static HistoryEntry.Builder entry(@Nullable String nominal, Outcome outcome, String end) {
    return HistoryEntry.builder(second(nominal), outcome).completedAt(milli(end));
  }

  /** A run of so many milliseconds. */
  private static HistoryEntry.Builder ran(@Nullable String nominal, String start, long millis) {
    return HistoryEntry.builder(second(nominal), Outcome.EXECUTED)
        .chosen(second(nominal == null ? start : nominal))
        .startedAt(milli(start))
        .completedAt(milli(start) + millis);
  }

  private static Reason why(Reason.Cause cause, String text) {
    return Reason.of(cause, text);
  }

  private void history(String name, HistoryEntry... entries) {
    control.histories.put("/k/a:" + name, List.of(entries));
  }

  private static ActiveRun.Builder run(String id, @Nullable String nominal, String start) {
    return ActiveRun.builder(id)
        .nominal(second(nominal))
        .chosen(second(nominal == null ? start : nominal))
        .startedAt(milli(start));
  }

  private void jobs() {
    List<JobSpec> a =
        krontab(
            "/k/a",
            "*/5 * * * * @tz(Asia/Tokyo) name=good command=/bin/true description=\"All is well\"",
            "*/10 * * * * @tz(Europe/Paris) name=bad retries=2 okexit=0,3 timeout=90s"
                + " onfailure=/bin/tell nice=3 shell=true command=\"exit 7\"",
            "0 * * * * @tz(UTC) @policy(concurrency=replace,deadline=1h) name=slow"
                + " command=\"/bin/sleep 9\"",
            "1 0 * * * @tz(UTC) @avoid(hours=0) @win(after,1m) name=never command=/bin/true",
            "0 3 * * * @tz(UTC) name=held command=/bin/true",
            "*/3 * * * * @tz(UTC) name=paused command=/bin/true",
            "*/3 * * * * @tz(UTC) @policy(suspend=true) name=off command=/bin/true",
            "@manual name=hand command=/bin/true then=next",
            "@manual name=next command=/bin/true",
            "@boot name=boot command=/bin/true",
            "0 4 * * * @tz(America/New_York) @win(after,2h) name=night late=5m expect=1h least=1s"
                + " silent=48h command=/bin/true",
            "* * 1-7 * * @tz(UTC) name=often command=/bin/true",
            "0 0 29 2 * @tz(UTC) name=leap command=/bin/true",
            "*/20 * * * * @tz(UTC) name=due command=/bin/true",
            "0 * * * * @tz(UTC) name=later command=/bin/true",
            "*/10 * * * * @tz(UTC) name=changed command=/bin/true",
            "*/10 * * * * @tz(UTC) name=same command=/bin/true");
    add(
        a.get(0),
        day("10T12:10:00"),
        it -> it.lastHandled(second(day("10T12:05:00"))).lastOutcome(Outcome.EXECUTED));
    history(
        "good",
        ran(day("10T11:55:00"), day("10T11:55:00.100"), 4_000).exitCode(0).runId("g1").build(),
        ran(day("10T12:00:00"), day("10T12:00:00.100"), 2_000)
            .exitCode(0)
            .runId("g2")
            .cpuMillis(1_500L)
            .build(),
        ran(day("10T12:05:00"), day("10T12:05:00.100"), 9_000)
            .exitCode(0)
            .runId("g3")
            .cpuMillis(0L)
            .build());
    var failed =
        ran(day("10T12:00:00"), day("10T12:00:01"), 3_000)
            .exitCode(7)
            .runId("b9")
            .attempt(1)
            .build();
    add(
        a.get(1),
        day("10T12:07:00"),
        it ->
            it.lastHandled(second(day("10T12:00:00")))
                .lastOutcome(Outcome.EXECUTED)
                .lastChosen(second(day("10T12:00:00")))
                .retry(new Retry(failed, milli(day("10T12:07:00.500")), "f")));
    history(
        "bad",
        ran(day("10T10:20:00"), day("10T10:20:01"), 1_000)
            .exitCode(3)
            .success(true)
            .runId("b1")
            .build(),
        ran(day("10T10:30:00"), day("10T10:30:01"), 1_000)
            .exitCode(137)
            .signal(9)
            .runId("b2")
            .build(),
        ran(day("10T10:40:00"), day("10T10:40:01"), 90_000)
            .exitCode(143)
            .signal(15)
            .why(why(Reason.Cause.TIMED_OUT, "timed out"))
            .runId("b3")
            .build(),
        ran(day("10T10:50:00"), day("10T10:50:01"), 5_000)
            .exitCode(143)
            .why(why(Reason.Cause.STOPPED_BY_OPERATOR, "stopped by ops"))
            .runId("b4")
            .build(),
        ran(day("10T11:00:00"), day("10T11:00:01"), 5_000)
            .exitCode(143)
            .why(why(Reason.Cause.REPLACED, "replaced"))
            .runId("b5")
            .build(),
        entry(day("10T11:10:00"), Outcome.EXECUTED, day("10T11:10:00.900"))
            .stage("exec")
            .why(why(Reason.Cause.NOT_STARTED, "there is no /bin/x"))
            .runId("b6")
            .build(),
        ran(day("10T10:10:00"), day("10T11:12:00"), 900)
            .stage("user")
            .why(why(Reason.Cause.NOT_STARTED, "there is no user x"))
            .runId("b6b")
            .attempt(2)
            .build(),
        ran(day("10T11:20:00"), day("10T11:20:01"), 700)
            .why(why(Reason.Cause.UNKNOWN, "its keeper was killed"))
            .runId("b7")
            .attempt(3)
            .build(),
        entry(day("10T11:30:00"), Outcome.MISSED, day("10T11:45:00"))
            .chosen(second(day("10T11:30:00")))
            .why(new Reason(Reason.Cause.LATE, 900, 0, "900 s late"))
            .build(),
        entry(day("10T11:40:00"), Outcome.SKIPPED, day("10T11:40:00"))
            .chosen(second(day("10T11:40:00")))
            .why(why(Reason.Cause.STILL_ACTIVE, "run b7 is still active"))
            .build(),
        ran(day("10T11:50:00"), day("10T11:50:01"), -500).exitCode(7).runId("b8").build(),
        failed);
    control.days.put(
        "/k/a:bad",
        List.of(
            new Control.Day(
                LocalDate.parse("2026-03-08"), Map.of(Ending.SUCCEEDED, 143L), 1_000, 2_000),
            new Control.Day(LocalDate.parse("2026-03-09"), Map.of(Ending.FAILED, 3L), -1, -1),
            new Control.Day(LocalDate.parse("2026-03-10"), Map.of(Ending.FAILED, 12L), 5, 6)));
    control.absences.add(
        new Control.Absence(second(day("10T11:25:00")), second(day("10T11:45:00"))));
    add(
        a.get(2),
        day("10T13:00:00"),
        it ->
            it.lastHandled(second(day("10T09:00:00")))
                .lastOutcome(Outcome.EXECUTED)
                .active(
                    List.of(
                        run("s1", day("10T10:00:00"), day("10T10:00:01"))
                            .phase(ActiveRun.Phase.STARTED)
                            .pid(501)
                            .ending(ActiveRun.Ending.TIMED_OUT)
                            .build(),
                        run("s2", day("10T11:00:00"), day("10T11:00:01"))
                            .phase(ActiveRun.Phase.STARTED)
                            .pid(502)
                            .attempt(2)
                            .ending(ActiveRun.Ending.STOPPED)
                            .endedBy("ops")
                            .build(),
                        run("s3", day("10T12:00:00"), day("10T12:00:01"))
                            .phase(ActiveRun.Phase.WAITING)
                            .build(),
                        run("s4", null, day("10T12:05:00")).phase(ActiveRun.Phase.INTENDED).build(),
                        run("s5", null, day("10T12:05:30")).cause("g3").build())));
    control.pids.put("s1", 601);
    history(
        "slow",
        ran(day("10T05:00:00"), day("10T05:00:00"), 9_000).exitCode(0).runId("u1").build(),
        ran(day("10T06:00:00"), day("10T06:00:00"), 2_000).exitCode(0).runId("u2").build(),
        ran(day("10T07:00:00"), day("10T07:00:00"), 99_000).exitCode(1).runId("u3").build(),
        entry(day("10T08:00:00"), Outcome.EXECUTED, day("10T08:00:01"))
            .success(true)
            .runId("u4")
            .build(),
        ran(day("10T09:00:00"), day("10T09:00:00"), 3_000).exitCode(0).runId("u5").build());
    add(
        a.get(3),
        day("11T00:02:00"),
        it -> it.lastHandled(second(day("10T00:01:00"))).lastOutcome(Outcome.UNSCHEDULABLE));
    history(
        "never",
        entry(day("09T00:01:00"), Outcome.UNSCHEDULABLE, day("09T00:02:00"))
            .why(why(Reason.Cause.NO_CANDIDATE, "no candidate"))
            .build(),
        entry(day("10T00:01:00"), Outcome.UNSCHEDULABLE, day("10T00:02:00"))
            .why(why(Reason.Cause.NO_CANDIDATE, "no candidate"))
            .build());
    add(
        a.get(4),
        "2030-01-02T03:00:00Z",
        it ->
            it.lastHandled(second("2030-01-01T03:00:00Z"))
                .lastOutcome(Outcome.EXECUTED)
                .lastChosen(second("2030-01-01T03:00:00Z")));
    add(
        a.get(5),
        null,
        it ->
            it.suspended(true).lastHandled(second(day("10T11:00:00"))).lastOutcome(Outcome.MISSED));
    control.hindered.put(
        "/k/a:paused",
        List.of(
            new Control.Hindered(
                Control.Hindrance.UNWRITABLE,
                second(day("10T10:00:00")),
                second(day("10T10:10:00")),
                "disk full"),
            new Control.Hindered(
                Control.Hindrance.UNWRITABLE,
                second(day("10T10:12:00")),
                second(day("10T10:14:00")),
                null),
            new Control.Hindered(
                Control.Hindrance.NOT_IN_FILE,
                second(day("10T10:20:00")),
                second(day("10T10:30:00")),
                null),
            new Control.Hindered(
                Control.Hindrance.SUSPENDED, second(day("10T11:30:00")), Long.MAX_VALUE, null)));
    history(
        "paused",
        ran(day("10T09:00:00"), day("10T09:00:01"), 5_000).exitCode(0).runId("p1").build());
    add(a.get(6), null, it -> it);
    add(a.get(7), null, it -> it);
    history("hand", ran(null, day("10T08:00:00"), 1_000).exitCode(0).runId("h1").build());
    add(a.get(8), null, it -> it);
    history(
        "next",
        ran(null, day("10T08:00:02"), 1_000).exitCode(0).runId("n1").cause("h1").build(),
        ran(null, day("10T08:10:02"), 1_000).exitCode(4).runId("n2").build(),
        ran(null, day("10T08:20:02"), 1_000)
            .exitCode(137)
            .signal(9)
            .why(why(Reason.Cause.REPLACED, "replaced"))
            .runId("n3")
            .cause("h3")
            .build());
    add(a.get(9), null, it -> it.boots(List.of("boot-1", "boot-2")));
    history(
        "boot",
        ran(day("05T07:00:00"), day("05T07:00:01"), 1_000)
            .exitCode(0)
            .runId("o1")
            .bootPeriod("boot-1")
            .build(),
        ran(day("10T07:00:00"), day("10T07:00:01"), 1_000)
            .exitCode(0)
            .runId("o2")
            .bootPeriod("boot-2")
            .build());
    add(a.get(10), day("11T08:30:00"), it -> it);
    history("night", ran(null, day("10T08:00:00"), 1_000).exitCode(0).runId("i1").build());
    add(
        a.get(11),
        "2026-04-01T00:00:00Z",
        it -> it.begunAhead(List.of(second("2026-04-01T00:00:00Z"))));
    add(a.get(12), "2028-02-29T00:00:00Z", it -> it.since(second(day("09T00:00:00"))));
    add(
        a.get(13),
        day("10T12:20:00"),
        it -> it.lastHandled(second(day("10T11:20:00"))).lastOutcome(Outcome.SKIPPED));
    var once = ran(day("10T12:00:00"), day("10T12:00:01"), 1_000).exitCode(1).runId("t1").build();
    add(
        a.get(14),
        day("10T13:00:00"),
        it -> it.retry(new Retry(once, milli(day("10T12:07:00.500")), "f")));
    add(
        a.get(15),
        day("10T12:10:00"),
        it ->
            it.since(second(day("10T12:01:00")))
                .lastHandled(second(day("10T11:50:00")))
                .lastOutcome(Outcome.SKIPPED));
    history(
        "changed",
        ran(day("10T11:40:00"), day("10T11:40:00"), 1_000).exitCode(0).runId("c1").build());
    add(
        a.get(16),
        day("10T12:10:00"),
        it ->
            it.since(second(day("10T12:00:00")))
                .lastHandled(second(day("10T11:50:00")))
                .lastOutcome(Outcome.SKIPPED));
    history(
        "same", ran(day("10T11:40:00"), day("10T11:59:59"), 1_000).exitCode(0).runId("c2").build());
    history(
        "held",
        ran("2030-01-01T03:00:00Z", "2030-01-01T03:00:00Z", 1_000).exitCode(0).runId("e1").build());
    JobSpec good = krontab("/k/b", "0 0 * * * @tz(UTC) name=good command=/bin/true").getFirst();
    control.jobs.add(
        new JobView(
            good.identity(),
            good,
            JobState.builder(good.identity()).since(second(day("10T12:05:31"))).build(),
            second(day("11T00:00:00")),
            milli(day("10T18:00:00")),
            new JobView.InFleet("any", true, null, true)));
    JobSpec lost = krontab("/k/b", "0 6 * * * @tz(UTC) name=lost command=/bin/true").getFirst();
    control.jobs.add(
        new JobView(
            lost.identity(),
            lost,
            JobState.unseen(lost.identity()),
            second(day("11T06:00:00")),
            0,
            new JobView.InFleet("label:web", false, "l1", false)));
    control.jobs.add(
        new JobView(
            "/k/c:gone",
            null,
            JobState.builder("/k/c:gone")
                .active(List.of(run("abcd2", day("10T12:00:00"), day("10T12:00:01")).build()))
                .build(),
            JobView.NEVER,
            0,
            null));
    control.jobs.add(new JobView("lone", null, JobState.unseen("lone"), JobView.NEVER, 0, null));
    control.histories.forEach(
        (identity, entries) ->
            entries.forEach(entry -> control.recent.add(new Control.Ended(identity, entry))));
    control.recent.add(
        new Control.Ended(
            "/k/x:old", ran(null, day("09T12:00:00"), 1_000).exitCode(9).runId("abcd1").build()));
    control.recent.sort(
        Comparator.<Control.Ended>comparingLong(it -> it.entry().completedAt())
            .reversed()
            .thenComparing(Control.Ended::identity));
  }

  private Recorded served(ControlServer server) {
    return new Recorded(Caller.at(server.socket()), control);
  }

  private static String all(String name) {
    return "/v1/jobs/%s/why?from=2026-03-10T09:50:00Z&to=2026-03-10T12:40:00Z".formatted(name);
  }

  @Test
  void jobsAndTheirRuns() throws Exception {
    jobs();
    control.files.put("b3", new Control.RunFiles("/k/a:bad", Path.of("/nowhere")));
    control.files.put("g0", new Control.RunFiles("", Path.of("/nowhere")));
    control.successors.put("g00", "g0");
    control.successors.put("g0", "g1");
    try (ControlServer server = control.serve(directory.resolve("s"))) {
      served(server)
          .ask(
              "/v1/jobs",
              "/v1/jobs?sort=next&order=desc&offset=2&limit=3",
              "/v1/jobs?sort=last&limit=4",
              "/v1/jobs?sort=duration&order=desc&limit=5",
              "/v1/jobs?sort=state&limit=3",
              "/v1/jobs?state=held",
              "/v1/jobs?last=failing",
              "/v1/jobs?last=succeeded&limit=1",
              "/v1/jobs?last=running",
              "/v1/jobs?group=/k/b&limit=1",
              "/v1/jobs?filter=WELL",
              "/v1/jobs?filter=tokyo",
              "/v1/jobs?name=good",
              "/v1/jobs?state=asleep",
              "/v1/jobs?sort=none",
              "/v1/jobs?order=up",
              "/v1/jobs/bad",
              "/v1/jobs/slow",
              "/v1/jobs/night",
              "/v1/jobs/gone",
              "/v1/jobs/good",
              "/v1/jobs/nobody",
              "/v1/jobs/bad/runs",
              "/v1/jobs/bad/runs?limit=1",
              "/v1/jobs/bad/runs?failed=true",
              "/v1/jobs/bad/runs?since=2026-03-10T10:50:01Z&until=2026-03-10T11:20:01Z",
              "/v1/jobs/slow/runs?since=2026-03-10T11:00:01Z&limit=3",
              "/v1/jobs/bad/decisions?count=2&from=2026-03-10T11:50:00Z",
              "/v1/jobs/slow/decisions?count=1&from=2026-03-10T12:00:00Z",
              "/v1/jobs/never/decisions?count=1",
              "/v1/jobs/leap/decisions?count=1",
              "/v1/jobs/gone/decisions",
              "/v1/runs?limit=9",
              "/v1/runs?limit=0",
              "/v1/runs?failed=true&limit=3",
              "/v1/runs?since=2026-03-10T12:00:00Z",
              "/v1/runs?until=2026-03-05T08:00:00Z",
              "/v1/runs/s1",
              "/v1/runs/b3",
              "/v1/runs/g00",
              "/v1/runs/nobody",
              "/v1/jobs/bad/history",
              "/v1/jobs/bad/history?runs=2",
              "/v1/jobs/next/history",
              "/v1/jobs/gone/history",
              "/v1/search?q=good",
              "/v1/search?q=o&limit=3",
              "/v1/search?q=well",
              "/v1/search?q=",
              "/v1/search?q=s1",
              "/v1/search?q=abc",
              "/v1/search?q=ABCD",
              "/v1/search?q=bcd1",
              "/v1/search?q=goo",
              "/v1/search?q=oo",
              "/v1/search?q=abcd&limit=0",
              "/v1/version",
              "/v1/runs/abcd1",
              "/v1/runs?failed=true&until=2026-03-10T00:00:00Z",
              "/v1/runs?limit=1001",
              "/v1/jobs?offset=18&limit=9",
              "/v1/jobs?offset=99",
              "/v1/jobs/slow/decisions?count=2&from=2026-03-10T08:00:00Z",
              "/v1/jobs/slow/decisions?count=0",
              "/v1/whoami?q=1",
              "/v1/dashboard/sessions",
              "POST /v1/dashboard/links",
              "POST /v1/dashboard/end",
              "POST /v1/dashboard/end?session=s1",
              "POST /v1/dashboard/end?session=s9")
          .isAsIn("views-of-jobs.txt");
    }
  }

  @Test
  void whyTheyRanOrDidNot() throws Exception {
    jobs();
    try (ControlServer server = control.serve(directory.resolve("s"))) {
      Recorded recorded =
          served(server)
              .ask(
                  all("%2Fk%2Fa:good"),
                  all("bad"),
                  all("slow"),
                  all("never"),
                  all("held"),
                  all("paused"),
                  all("off"),
                  all("hand"),
                  all("next"),
                  all("boot"),
                  all("night"),
                  "/v1/jobs/often/why",
                  all("leap"),
                  all("due"),
                  all("changed"),
                  all("same"),
                  all("%2Fk%2Fb:good"),
                  all("gone"),
                  "/v1/jobs/bad/why",
                  "/v1/jobs/never/why",
                  "/v1/jobs/never/why?from=2026-03-12T00:01:00Z",
                  "/v1/jobs/boot/why",
                  "/v1/jobs/boot/why?from=2026-03-05T07:00:00Z",
                  "/v1/jobs/boot/why?from=2026-03-05T06:00:00Z",
                  "/v1/jobs/boot/why?from=2026-03-05T06:00:00Z&to=2026-03-10T07:00:00Z",
                  "/v1/jobs/night/why",
                  "/v1/jobs/night/why?from=2026-03-10T08:00:00Z",
                  "/v1/jobs/night/why?from=2026-03-10T07:59:59Z",
                  "/v1/jobs/leap/why?from=1970-01-02T00:00:00Z",
                  "/v1/jobs/leap/why?from=1970-01-02T00:00:00Z&to=1970-01-03T00:00:00Z",
                  "/v1/jobs/leap/why?from=9999-12-30T00:00:00Z&to=9999-12-31T00:00:00Z",
                  "/v1/jobs/due/why?from=2026-03-10T12:00:00Z&to=2026-03-10T12:00:00Z",
                  "/v1/jobs/due/why?to=2026-03-06T00:00:00Z",
                  "/v1/jobs/due/why?from=2026-03-06T00:00:00Z&to=2026-03-05T00:00:00Z");
      control.trouble = "disk full";
      recorded.ask(all("due"));
      control.unreadable.add("/k/a:due");
      recorded.ask(
          all("due"), "/v1/jobs/due/history", "/v1/jobs/due/runs", "/v1/timeline?filter=due");
      recorded.isAsIn("views-of-why.txt");
    }
  }

  @Test
  void picturesOfAllOfThem() throws Exception {
    jobs();
    String range = "/v1/timeline?from=2026-03-10T%s&to=2026-03-10T%s&limit=30";
    try (ControlServer server = control.serve(directory.resolve("s"))) {
      served(server)
          .ask(
              range.formatted("11:30:00Z", "12:30:00Z") + "&buckets=1000",
              range.formatted("10:00:00Z", "12:30:00Z") + "&buckets=5",
              range.formatted("12:05:00Z", "12:20:00Z") + "&buckets=3&empty=hide",
              range.formatted("11:30:00Z", "12:30:00Z")
                  + "&empty=hide&rowsFrom=2026-03-10T12:08:00Z&rowsTo=2026-03-10T12:11:00Z",
              range.formatted("13:00:00Z", "14:00:00Z") + "&empty=hide",
              range.formatted("12:00:00Z", "12:30:00Z")
                  + "&empty=hide&rowsFrom=2026-03-10T12:07:00Z&rowsTo=2026-03-10T12:07:01Z",
              "/v1/timeline?from=2030-01-01T00:00:00Z&to=2030-01-02T00:00:00Z&filter=held",
              "/v1/timeline?from=2030-01-01T03:00:01Z&to=2030-01-02T00:00:00Z&filter=held&empty=hide",
              "/v1/timeline?from=2030-01-01T03:00:02Z&to=2030-01-02T00:00:00Z&filter=held&empty=hide",
              "/v1/timeline?from=2026-03-11T07:50:00Z&to=2026-03-11T08:00:00Z&filter=night&empty=hide",
              "/v1/timeline?from=2026-03-11T07:50:00Z&to=2026-03-11T08:00:01Z&filter=night&empty=hide",
              "/v1/timeline?from=2026-03-11T09:50:00Z&to=2026-03-11T09:51:00Z&filter=night&empty=hide",
              "/v1/timeline?from=2026-03-08T07:00:00Z&to=2026-03-08T08:00:00Z&filter=night",
              range.formatted("10:00:00Z", "12:06:00Z") + "&filter=bad&buckets=12",
              range.formatted("10:00:00Z", "12:06:00Z") + "&filter=bad&buckets=11",
              range.formatted("10:20:02Z", "10:21:00Z") + "&filter=bad",
              range.formatted("10:19:00Z", "10:20:01Z") + "&filter=bad",
              range.formatted("12:15:00Z", "13:55:00Z") + "&filter=%3Adue&buckets=5",
              range.formatted("12:15:00Z", "13:55:00Z") + "&filter=%3Adue&buckets=4",
              "/v1/timeline?filter=leap&limit=200&buckets=5000",
              "/v1/timeline?filter=leap&limit=201&buckets=5000",
              "/v1/timeline?filter=leap&from=1970-01-01T00:00:00Z&to=1970-01-01T00:00:01Z",
              "/v1/timeline?filter=leap&from=1969-12-31T23:59:59Z&to=1970-01-01T00:00:01Z",
              "/v1/timeline?filter=leap&from=9999-12-31T00:00:00Z&to=9999-12-31T23:59:59Z",
              "/v1/timeline?filter=leap&from=2026-01-01T00:00:00Z&to=2027-02-05T00:00:00Z",
              "/v1/timeline?filter=leap&from=2026-01-01T00:00:00Z&to=2027-02-05T00:00:01Z",
              range.formatted("12:00:00Z", "12:30:00Z") + "&rowsFrom=2026-03-10T12:30:00Z",
              "/v1/timeline?from=2026-03-07T00:00:00Z&to=2026-03-11T00:00:00Z&filter=bad&buckets=4",
              "/v1/timeline?from=2026-03-09T12:00:00Z&to=2026-03-10T00:00:00Z&filter=bad",
              "/v1/timeline?from=2026-02-20T00:00:00Z&to=2026-03-10T00:00:00Z&filter=often&buckets=9",
              "/v1/timeline?filter=leap",
              "/v1/timeline?filter=leap&to=2026-03-11T00:00:00Z",
              "/v1/timeline?filter=leap&from=2026-03-11T00:00:00Z",
              "/v1/timeline?filter=night&from=2026-01-01T00:00:00Z&to=2026-12-31T00:00:00Z&buckets=3",
              "/v1/timeline?from=2026-03-11T00:00:00Z&to=2026-03-11T00:00:00Z",
              "/v1/timeline?from=2026-03-11T00:00:00Z&to=2028-03-11T00:00:00Z",
              "/v1/timeline?from=1969-03-11T00:00:00Z",
              "/v1/timeline?limit=500&buckets=5000")
          .isAsIn("views-of-times.txt");
    }
  }

  /** As many rows as have room for 1,980 periods each; the others have none. */
  private List<String> partsOf(String from, String to, int parts) throws Exception {
    List<String> told = new ArrayList<>();
    try (ControlServer server = control.serve(directory.resolve("s"))) {
      String asked = "/v1/timeline?from=%s&to=%s&buckets=%s&limit=101".formatted(from, to, parts);
      Json row = Caller.at(server.socket()).get(asked).tree().list("rows").getLast();
      for (Json part : row.list("buckets")) {
        told.add(
            part.text("from").substring(0, 16)
                + " "
                + part.text("outcome")
                + " "
                + part.get("count").value());
      }
    }
    return told;
  }

  @Test
  void periodsThatAreTooManyToBeCountedAreInTheirPartsOfTheTimeline() throws Exception {
    for (int i = 100; i < 200; i++) {
      add(krontab("/k/a", "@manual name=m" + i + " command=/bin/true").getFirst(), null, it -> it);
    }
    String often = "* * 1,5 * * @tz(UTC) name=often command=/bin/true";
    add(krontab("/k/a", often).getFirst(), "2026-04-01T00:00:00Z", it -> it);
    assertEquals(
        List.of(
            "2026-04-01T00:00 coming 1440",
            "2026-04-05T00:00 coming null",
            "2026-05-01T00:00 coming null",
            "2026-05-05T00:00 coming null"),
        partsOf("2026-04-01T00:00:00Z", "2026-06-01T00:00:00Z", 61));
    assertEquals(
        List.of(
            "2026-03-31T23:59 coming 1439",
            "2026-04-01T23:59 coming 1",
            "2026-04-04T23:59 coming null",
            "2026-04-05T23:59 coming null",
            "2026-04-30T23:59 coming null",
            "2026-05-01T23:59 coming null",
            "2026-05-04T23:59 coming null",
            "2026-05-05T23:59 coming null"),
        partsOf("2026-03-31T23:59:00Z", "2026-05-31T23:59:00Z", 61));
  }

  private int hidden(ControlServer server) throws Exception {
    String asked = "/v1/timeline?limit=0&empty=auto";
    return (int) Caller.at(server.socket()).get(asked).tree().number("hidden");
  }

  @Test
  void manyRowsWithoutAnythingAreLeftOut() throws Exception {
    JobSpec manual = krontab("/k/a", "@manual name=m command=/bin/true").getFirst();
    for (int i = 0; i < 200; i++) {
      add(manual, null, it -> it);
    }
    try (ControlServer server = control.serve(directory.resolve("s"))) {
      assertEquals(0, hidden(server));
      add(manual, null, it -> it);
      assertEquals(201, hidden(server));
    }
  }

  @Test
  void atMostSoManyPeriodsAreTold() throws Exception {
    jobs();
    String asked = "/v1/jobs/due/why?from=2026-01-01T00:00:00Z&to=2026-01-28T18:%s:00Z";
    String note = "only the first 2000 periods are told";
    try (ControlServer server = control.serve(directory.resolve("s"))) {
      Caller caller = Caller.at(server.socket());
      assertTrue(caller.get(asked.formatted("20")).body().contains(note));
      assertFalse(caller.get(asked.formatted("00")).body().contains(note));
    }
  }

  /** Messages to people. */
  private static final class StatedNotices implements Notices {
    @Override
    public Collection<Channel> channels() {
      return List.of(
          new Channel(
              "ops", Channel.Type.NTFY, List.of(), null, null, null, 5, Channel.Flavor.KUMA, null));
    }

    @Override
    public List<Sent> log(int limit) {
      return List.of(
              new Sent(
                  "m2",
                  "ops",
                  "failed",
                  "job:a",
                  1_772_323_200_500L,
                  Sent.State.WAITING,
                  2,
                  "away"),
              new Sent("m1", "ops", "recovered", "", 0, Sent.State.GIVEN_UP, 9, null))
          .subList(0, Math.min(2, limit));
    }

    @Override
    public @Nullable Delivery test(String channel) {
      return switch (channel) {
        case "ops" -> new Delivery.Delivered("late");
        case "no" -> new Delivery.Refused("never");
        case "far" -> new Delivery.Unreachable("away");
        default -> null;
      };
    }

    @Override
    public int waiting() {
      return 3;
    }

    @Override
    public long delivered() {
      return 5;
    }

    @Override
    public long lost() {
      return 7;
    }
  }

  @Test
  void theWholeAndWhatIsAskedOfIt() throws Exception {
    jobs();
    control.load = new Control.Load(1_773_100_800L, List.of(3L, 9L), List.of(0L, 2L), 0, false);
    control.meters.faults.raise("output", 1, "no room");
    control.meters.writeFailed();
    control.meters.restarted();
    control.histories.values().forEach(all -> all.forEach(control.meters::ended));
    control.meters.lateness.addNanos(5_000_000_000L);
    try (ControlServer server =
        control.serve(directory.resolve("s"), "/k/a:good", "*bad", "*leap")) {
      Recorded recorded =
          served(server)
              .ask(
                  "/v1/status",
                  "/v1/status?limit=1",
                  "/v1/status?limit=0",
                  "/v1/overview",
                  "/v1/overview?limit=2",
                  "/v1/load",
                  "/v1/notify/log",
                  "POST /v1/notify/channels/ops/test",
                  "/metrics");
      control.notices = new StatedNotices();
      control.trouble = "disk full";
      control.stopping = true;
      control.allKnown = false;
      recorded.ask(
          "/v1/status?limit=0",
          "/v1/overview?limit=0",
          "/v1/jobs?limit=1",
          "/v1/jobs?sort=last&limit=0",
          "/v1/jobs?sort=duration&limit=0",
          "/v1/jobs?sort=next&limit=0",
          "/v1/jobs?last=failing&limit=0",
          "/v1/timeline?limit=0&empty=hide",
          "/v1/notify/log",
          "/v1/notify/log?limit=1",
          "POST /v1/notify/channels/ops/test",
          "POST /v1/notify/channels/no/test",
          "POST /v1/notify/channels/far/test",
          "POST /v1/notify/channels/none/test",
          "/metrics",
          "POST /v1/jobs/bad/suspend",
          "POST /v1/jobs/bad/resume",
          "POST /v1/jobs/bad/trigger",
          "POST /v1/jobs/bad/forget",
          "POST /v1/jobs/bad/stop",
          "POST /v1/jobs/bad/stop?signal=HUP",
          "POST /v1/jobs/bad/stop?signal=NO",
          "POST /v1/jobs/bad/mute?for=2h",
          "POST /v1/jobs/bad/mute?for=0s",
          "POST /v1/jobs/bad/mute?for=1ns",
          "POST /v1/jobs/bad/mute?for=x",
          "POST /v1/jobs/bad/unmute",
          "POST /v1/runs/s1/stop?signal=INT",
          "POST /v1/reload",
          "POST /v1/reload?dry-run=1",
          "POST /v1/reload?dry-run=2",
          "POST /v1/shutdown",
          "POST /v1/shutdown?jobs=wait",
          "POST /v1/shutdown?jobs=kill",
          "POST /v1/shutdown?jobs=no");
      control.answer = new Answer.Refused("not now", List.of("one", "two"));
      recorded.ask("POST /v1/jobs/bad/trigger", "POST /v1/reload");
      control.answer =
          new Answer.Plan(
              List.of("a"), List.of("b", "c"), List.of(), List.of("s"), List.of("n"), List.of("f"));
      recorded.ask("POST /v1/reload?dry-run=true");
      control.answer = new Answer.Done("begun", "r1");
      recorded.ask("POST /v1/jobs/bad/trigger");
      recorded.isAsIn("views-of-all.txt");
    }
  }

  @Test
  void aDaemonWithoutAnything() throws Exception {
    try (ControlServer server = control.serve(directory.resolve("s"))) {
      served(server)
          .ask(
              "/v1/status",
              "/v1/overview",
              "/v1/jobs",
              "/v1/runs",
              "/v1/timeline",
              "/v1/load",
              "/metrics")
          .isAsIn("views-of-nothing.txt");
    }
  }
}
