package dev.kron.daemon.api;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.kron.config.KrontabParser;
import dev.kron.config.ServiceParser;
import dev.kron.process.Usage;
import dev.kron.service.FailureReason;
import dev.kron.service.Hook;
import dev.kron.service.InstanceId;
import dev.kron.service.ServiceGraph;
import dev.kron.service.ServiceInstance;
import dev.kron.service.ServiceSpec;
import dev.kron.service.ServiceState;
import dev.kron.service.SupervisionState;
import dev.kron.service.Wanted;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is told of services and their instances, in states of every kind. */
final class ServiceViewsTest {
  private static final String NOW = "2026-03-10T12:05:30.250Z";

  @TempDir Path directory;
  private final StatedControl control = new StatedControl(NOW);
  private final List<ServiceSpec> specs = new ArrayList<>();
  private final Map<String, List<ServiceInstance>> instances = new HashMap<>();

  private static long milli(String time) {
    return Instant.parse("2026-03-10T" + time + "Z").toEpochMilli();
  }

  private ServiceSpec spec(String name, String... lines) {
    var file =
        new ServiceParser(KrontabParser.Settings.DEFAULT)
            .parse(
                Path.of("/k/" + name + ".toml"),
                ("[service]\n" + String.join("\n", lines) + "\n").getBytes(UTF_8));
    if (!file.isValid()) {
      throw new AssertionError(file.diagnostics().toString());
    }
    ServiceSpec spec = Objects.requireNonNull(file.service());
    specs.add(spec);
    return spec;
  }

  private void add(String name, ServiceState state, UnaryOperator<ServiceInstance.Builder> more) {
    List<ServiceInstance> all = instances.computeIfAbsent(name, key -> new ArrayList<>());
    all.add(more.apply(ServiceInstance.builder(new InstanceId(name, all.size()), state)).build());
  }

  private void simple(String name, ServiceState state, String... lines) {
    List<String> all = new ArrayList<>(List.of("exec = \"/bin/" + name + "\""));
    all.addAll(List.of(lines));
    spec(name, all.toArray(String[]::new));
    add(name, state, it -> it);
  }

  private static ServiceState failed(FailureReason reason) {
    return new ServiceState.Failed(reason, milli("12:00:00"));
  }

  @BeforeEach
  void prepare() {
    spec(
        "web",
        "exec = [\"/bin/web\", \"%i\"]",
        "instances = 3",
        "description = \"The Shop\"",
        "[dependencies]",
        "requires = [\"db\"]",
        "wants = [\"cache\"]",
        "after = [\"all\"]",
        "[health]",
        "tcp = \"localhost:1\"",
        "[hooks]",
        "before_start = \"/bin/before\"",
        "after_stop = \"/bin/after\"",
        "reload = \"/bin/reload\"",
        "onfailure = \"/bin/tell\"",
        "[credentials]",
        "profile = \"shop\"");
    add("web", new ServiceState.Running(501, milli("11:00:00")), it -> it.runId("w0"));
    add(
        "web",
        new ServiceState.Running(502, milli("11:00:01")),
        it -> it.runId("w1").toRestart(true).stableAt(5).reloadRun("w1r"));
    add(
        "web",
        new ServiceState.Stopping(503, milli("12:05:00")),
        it -> it.runId("w2").hook(Hook.AFTER_STOP).restartCount(2).restartDelayMillis(5));
    simple(
        "db",
        new ServiceState.Running(null, milli("11:00:00")),
        "[lifecycle]",
        "ready = \"notify\"");
    simple("cache", new ServiceState.Starting(null, milli("12:05:29")));
    spec("all", "type = \"target\"", "[dependencies]", "conflicts = [\"maintenance\"]");
    add("all", new ServiceState.Running(null, milli("11:00:00")), it -> it);
    simple("code", failed(new FailureReason.ExitCode(3)));
    simple("gaveup", failed(new FailureReason.Signal(9)), "[lifecycle]", "max_restarts = 2");
    simple("late", failed(new FailureReason.StartTimeout()));
    simple("ghost", failed(new FailureReason.StopTimeout()), "autostart = false");
    simple("ill", failed(new FailureReason.HealthCheckFailed(3)));
    simple("poor", failed(new FailureReason.DependencyFailed("code")));
    simple("spawn", failed(new FailureReason.SpawnError("there is no /bin/x")));
    simple("hooked", failed(new FailureReason.HookFailed("before_start", "exit 2")));
    simple(
        "again",
        new ServiceState.Exited(0, milli("12:04:00")),
        "[lifecycle]",
        "restart = \"always\"",
        "max_restarts = 1");
    simple(
        "resting",
        new ServiceState.Exited(5, milli("12:04:00")),
        "[lifecycle]",
        "restart = \"never\"");
    simple("unknown", new ServiceState.Exited(null, milli("12:04:00")));
    simple("coming", new ServiceState.Exited(1, milli("12:05:00")));
    simple("blocked", new ServiceState.Blocked(List.of("db"), List.of("web")));
    simple("waits", new ServiceState.Blocked(List.of("db"), List.of()));
    simple("idle", new ServiceState.Inactive());
    simple("new", new ServiceState.Inactive());
    simple("down", new ServiceState.Inactive());
    simple("maintenance", new ServiceState.Inactive());
    spec("once", "type = \"oneshot\"", "exec = \"/bin/once\"", "shell = true");
    add("once", new ServiceState.Exited(0, milli("12:01:00")), it -> it);
    simple("gone", new ServiceState.Running(77, milli("11:00:00")));
    instances.replaceAll(
        (name, all) ->
            switch (name) {
              case "gaveup", "again" -> List.of(with(all, it -> it.restartCount(2)));
              case "coming" -> List.of(with(all, it -> it.restartCount(1).restartDelayMillis(900)));
              case "ghost" -> List.of(with(all, it -> it.runId("g0")));
              default -> all;
            });
    Set<String> down = Set.of("ghost", "down", "gone", "maintenance");
    Set<String> up = new HashSet<>();
    specs.forEach(spec -> up.add(spec.name()));
    up.removeAll(down);
    var wanted = new Wanted(up, Set.of(new InstanceId("web", 2)), Map.of("web", 3, "idle", 2));
    control.services =
        new Control.ServicesView(
            SupervisionState.of(ServiceGraph.of(specs), instances, wanted, Set.of("gone")),
            Map.of("web", "shop-2"),
            Set.of("w0"),
            Map.of(
                new InstanceId("web", 0),
                new Control.InstanceFacts(601, 4, 1, "exit code 3", milli("10:00:00"), null),
                new InstanceId("web", 2),
                new Control.InstanceFacts(
                    603,
                    2,
                    2,
                    "signal 9",
                    milli("10:00:01"),
                    new Control.LastReload(
                        "w2r", 7, "exit 7", "no such file\n", milli("10:30:00"))),
                new InstanceId("again", 0),
                new Control.InstanceFacts(null, 1, 0, null, 0, null)));
    control.usage.put("w0", new Usage(4096, 12, 2));
    control.downMillis.put("blocked", 60_001L);
    control.downMillis.put("waits", 60_000L);
    control.downMillis.put("idle", 60_001L);
    control.events.put(
        "web",
        List.of(
            event("09T12:00:00", "starting", null, null, "w0"),
            event("09T12:00:01", "running", null, null, "w0"),
            event("09T12:10:00", "failed", 3, "exit code 3", "w0"),
            event("10T12:00:00", "restart", null, null, null),
            event("10T12:00:01", "starting", null, null, "w2"),
            event("10T12:00:01", "starting", null, null, "w1"),
            event("10T12:00:02", "exited", 0, null, "w2")));
  }

  private static Control.ServiceEvent event(
      String at,
      String what,
      @Nullable Integer code,
      @Nullable String reason,
      @Nullable String run) {
    long millis = Instant.parse("2026-03-" + at + "Z").toEpochMilli();
    return new Control.ServiceEvent(millis, "web@0", what, code, reason, run);
  }

  private static ServiceInstance with(
      List<ServiceInstance> all, UnaryOperator<ServiceInstance.Builder> more) {
    ServiceInstance it = all.getFirst();
    return more.apply(ServiceInstance.builder(it.id(), it.state())).build();
  }

  @Test
  void servicesAndTheirInstances() throws Exception {
    try (ControlServer server = control.serve(directory.resolve("s"))) {
      Recorded recorded =
          new Recorded(Caller.at(server.socket()), control)
              .ask(
                  "/v1/services",
                  "/v1/services?usage=true&limit=2",
                  "/v1/services?filter=SHOP",
                  "/v1/services?state=troubled&sort=name",
                  "/v1/services?state=wanted&sort=restarts&order=desc&limit=2",
                  "/v1/services?state=blocked&sort=state",
                  "/v1/services?order=desc&limit=1",
                  "/v1/services?sort=state&limit=3",
                  "/v1/services?sort=none",
                  "/v1/services?state=none",
                  "/v1/services/web",
                  "/v1/services/service:web@0",
                  "/v1/services/web@2",
                  "/v1/services/web@3",
                  "/v1/services/web@x",
                  "/v1/services/idle@1",
                  "/v1/services/db@0",
                  "/v1/services/db@1",
                  "/v1/services/all",
                  "/v1/services/once",
                  "/v1/services/nobody",
                  "/v1/services/web/history",
                  "/v1/services/web/history?events=2",
                  "/v1/services/db/history",
                  "/v1/graph",
                  "/v1/search?q=web",
                  "/v1/search?q=sho",
                  "/v1/search?q=o&limit=5",
                  "/v1/status",
                  "/v1/status?limit=2",
                  "/v1/overview",
                  "/v1/overview?limit=3",
                  "/metrics",
                  "/v1/services/web/logs?instance=3",
                  "/v1/services/web/logs?instance=2");
      asks(recorded);
      control.stopping = true;
      recorded.ask("/v1/status?limit=0");
      control.credentialsProblem = "there is no profile p";
      recorded.ask("POST /v1/services/web/credentials/bind?profile=p");
      recorded.isAsIn("views-of-services.txt");
    }
  }

  private static void asks(Recorded recorded) throws Exception {
    for (String name : List.of("web", "web@1", "service:db", "db@0")) {
      String service = "POST /v1/services/" + name;
      recorded.ask(
          service + "/start",
          service + "/stop",
          service + "/restart",
          service + "/reload",
          service + "/signal?signal=HUP",
          service + "/scale?instances=4",
          service + "/credentials/bind?profile=p",
          service + "/credentials/unbind");
    }
    recorded.ask(
        "POST /v1/services/web/signal",
        "POST /v1/services/web/signal?signal=NO",
        "POST /v1/services/web/scale",
        "POST /v1/services/web/scale?instances=0",
        "POST /v1/services/web/scale?instances=1",
        "POST /v1/services/web/scale?instances=1000",
        "POST /v1/services/web/scale?instances=1001",
        "POST /v1/services/web/scale?instances=2&dry-run=true",
        "POST /v1/services/web/credentials/bind?profile=P",
        "POST /v1/services/nobody/start",
        "POST /v1/services/web@9/start");
  }
}
