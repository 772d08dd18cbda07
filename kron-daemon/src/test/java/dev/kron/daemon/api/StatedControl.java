package dev.kron.daemon.api;

import dev.kron.cron.CronCalendar;
import dev.kron.daemon.log.EventRing;
import dev.kron.daemon.log.Meters;
import dev.kron.daemon.loop.Answer;
import dev.kron.daemon.loop.Request;
import dev.kron.daemon.runs.ExactCommand;
import dev.kron.fleet.FleetDesk;
import dev.kron.job.HistoryEntry;
import dev.kron.job.JobSpec;
import dev.kron.process.SystemUsers;
import dev.kron.process.Usage;
import dev.kron.service.InstanceId;
import dev.kron.service.ServiceSpec;
import dev.kron.service.SupervisionState;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * A daemon whose jobs, services, messages and fleet are what a table says, behind the real server:
 * states that a living daemon has for a moment only, or after years, are told like any other.
 */
final class StatedControl implements Control {
  final Instant now;
  final Meters meters = new Meters();
  final List<JobView> jobs = new ArrayList<>();
  final Map<String, List<HistoryEntry>> histories = new HashMap<>();
  final Map<String, List<Day>> days = new HashMap<>();
  final Map<String, List<Hindered>> hindered = new HashMap<>();
  final Map<String, List<ServiceEvent>> events = new HashMap<>();
  final Map<String, Usage> usage = new HashMap<>();
  final Map<String, Integer> pids = new HashMap<>();
  final Map<String, RunFiles> files = new HashMap<>();
  final Map<String, String> successors = new HashMap<>();
  final Map<String, Long> downMillis = new HashMap<>();
  final Set<String> unreadable = new HashSet<>();
  final List<Ended> recent = new ArrayList<>();
  final List<Absence> absences = new ArrayList<>();
  final List<String> asked = new ArrayList<>();
  ServicesView services = new ServicesView(SupervisionState.empty(), Map.of(), Set.of(), Map.of());
  Load load = new Load(0, List.of(), List.of(), 0, false);
  @Nullable Notices notices;
  @Nullable FleetDesk fleet;
  @Nullable String trouble;
  @Nullable String credentialsProblem;
  boolean stopping;
  boolean allKnown = true;
  Answer answer = new Answer.Done("it is done", null);

  StatedControl(String now) {
    this.now = Instant.parse(now);
  }

  /** The server, with nothing but this behind it. */
  ControlServer serve(Path socket, String... jobMetrics) throws IOException {
    var info =
        new ControlServer.DaemonInfo(
            "1.2.3", 77, now.toEpochMilli() - 3_600_000, "/state", "here", List.of(jobMetrics));
    var failed = new AtomicReference<String>();
    ControlServer server =
        ControlServer.open(
            ApiSettings.at(socket),
            new SystemUsers(),
            new EventRing("e"),
            meters,
            info,
            (event, pairs) -> failed.set(event + List.of(pairs)));
    server.serve(this, new StatedDashboard());
    return server;
  }

  private static final class StatedDashboard implements Dashboard {
    @Override
    public Link link(Visitor visitor) {
      return new Link(List.of("http://localhost:1/a", "http://localhost:1/b"), 60);
    }

    @Override
    public int end(Visitor visitor) {
      return 2;
    }

    @Override
    public List<SessionView> sessions(Visitor visitor) {
      return List.of(
          new SessionView("s1", "http://localhost:1", 1_772_323_200_000L, 1_772_323_260_500L, true),
          new SessionView("s2", "http://localhost:2", 1_772_323_201_000L, 0, false));
    }

    @Override
    public boolean end(Visitor visitor, String session) {
      return session.equals("s1");
    }
  }

  /** The last entries of a job's history that were failures, and the like, as a daemon keeps it. */
  private Result results(String identity) {
    Result result = Result.NONE;
    for (HistoryEntry entry : histories.getOrDefault(identity, List.of())) {
      result = result.followedBy(entry);
    }
    return result;
  }

  @Override
  public CompletableFuture<Snapshot> look() {
    return CompletableFuture.completedFuture(
        new Snapshot(
            now.toEpochMilli(),
            trouble,
            stopping,
            Map.copyOf(downMillis),
            List.copyOf(jobs),
            "e-9"));
  }

  @Override
  public CompletableFuture<Answer> ask(Request request) {
    asked.add("ask " + request);
    return CompletableFuture.completedFuture(answer);
  }

  @Override
  public List<HistoryEntry> history(String identity) throws UnreadableException {
    if (unreadable.contains(identity)) {
      throw new UnreadableException("the disk has gone");
    }
    return histories.getOrDefault(identity, List.of());
  }

  @Override
  public Story story(String identity, ZoneId zone) throws UnreadableException {
    return new Story(history(identity), days.getOrDefault(identity, List.of()));
  }

  @Override
  public List<ServiceEvent> story(String service) {
    return events.getOrDefault(service, List.of());
  }

  @Override
  public List<Ended> recent() {
    return recent;
  }

  @Override
  public @Nullable Result result(String identity, boolean look) {
    return histories.containsKey(identity) || look ? results(identity) : null;
  }

  @Override
  public boolean learnResults(List<JobView> some, long patienceMillis) {
    asked.add("learn results of " + some.size());
    return allKnown;
  }

  @Override
  public Load load(Snapshot snapshot) {
    return load;
  }

  @Override
  public List<Absence> downBetween(long from, long to) {
    return absences.stream().filter(it -> it.to() >= from && it.from() < to).toList();
  }

  @Override
  public @Nullable RunFiles run(String runId) {
    return files.get(runId);
  }

  @Override
  public byte[] keptOutput(String runId, String stream) {
    return new byte[0];
  }

  @Override
  public @Nullable Integer commandPid(String runId) {
    return pids.get(runId);
  }

  @Override
  public Map<String, Usage> usage(List<String> runIds) {
    asked.add("usage of " + runIds);
    return usage;
  }

  @Override
  public @Nullable String successor(String runId) {
    return successors.get(runId);
  }

  private static ExactCommand command(
      @Nullable String problem, List<String> argv, @Nullable Integer umask) {
    return new ExactCommand(
        problem,
        argv,
        "mail",
        8,
        9,
        List.of(9, 10),
        "/var/mail",
        umask,
        List.of("A=b", "TOKEN=x"),
        new ExactCommand.Streams("/dev/null", "/out", "/err"));
  }

  @Override
  public ExactCommand execution(JobSpec spec, long atMillis) {
    return command(null, spec.command(), 18);
  }

  @Override
  public @Nullable ExactCommand executed(String runId) {
    return runId.endsWith("1") ? null : command("there is no /bin/x", List.of("/bin/x"), null);
  }

  @Override
  public ServicesView services() {
    return services;
  }

  @Override
  public @Nullable Notices notices() {
    return notices;
  }

  @Override
  public @Nullable FleetDesk fleet() {
    return fleet;
  }

  @Override
  public Path log(InstanceId instance) {
    return Path.of("/nowhere").resolve(instance.toString());
  }

  @Override
  public ExactCommand execution(ServiceSpec spec, InstanceId instance) {
    return command(null, List.of(instance.toString()), null);
  }

  @Override
  public @Nullable String credentialsProblem(ServiceSpec spec, String profile) {
    return credentialsProblem;
  }

  @Override
  public boolean isStopped() {
    return false;
  }

  @Override
  public void asked(String who, String what, @Nullable String of) {
    asked.add("asked " + what + " of " + of);
  }

  @Override
  public List<Hindered> hindered(String identity) {
    return hindered.getOrDefault(identity, List.of());
  }

  static long second(@Nullable String instant) {
    return instant == null ? CronCalendar.NONE : Instant.parse(instant).getEpochSecond();
  }
}
