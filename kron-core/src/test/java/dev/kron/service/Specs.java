package dev.kron.service;

import dev.kron.service.Lifecycle.Restart;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Makes services for tests. */
final class Specs {
  private final String name;
  private ServiceSpec.Type type = ServiceSpec.Type.SIMPLE;
  private int instances = 1;
  private boolean autostart = true;
  private @Nullable ReadySignal readySignal;
  private @Nullable HealthCheck health;
  private Hooks hooks = Hooks.NONE;
  private @Nullable Lifecycle lifecycle;
  private final List<String> requires = new ArrayList<>();
  private final List<String> wants = new ArrayList<>();
  private final List<String> after = new ArrayList<>();
  private final List<String> conflicts = new ArrayList<>();

  private Specs(String name) {
    this.name = name;
  }

  static Specs service(String name) {
    return new Specs(name);
  }

  static Specs oneshot(String name) {
    return service(name).type(ServiceSpec.Type.ONESHOT);
  }

  static Specs target(String name) {
    return service(name).type(ServiceSpec.Type.TARGET);
  }

  Specs type(ServiceSpec.Type type) {
    this.type = type;
    return this;
  }

  Specs instances(int instances) {
    this.instances = instances;
    return this;
  }

  Specs notStartedByItself() {
    autostart = false;
    return this;
  }

  Specs checked() {
    return health(
        new HealthCheck(
            new HealthCheck.Probe.Http(URI.create("http://localhost/up")), 5_000, 2_000, 3));
  }

  Specs health(@Nullable HealthCheck health) {
    this.health = health;
    return this;
  }

  Specs reporting() {
    readySignal = new ReadySignal.Notify();
    return this;
  }

  /** With every hook, each of which may take a second. */
  Specs hooked() {
    hooks =
        new Hooks(
            List.of("/bin/before"),
            List.of("/bin/after"),
            List.of("/bin/reload"),
            List.of(),
            1_000);
    return this;
  }

  Specs lifecycle(Lifecycle lifecycle) {
    this.lifecycle = lifecycle;
    return this;
  }

  Specs stopTimeout(long millis) {
    Lifecycle now = Lifecycle.standard(health != null);
    return lifecycle(now.toBuilder().stopTimeoutMillis(millis).build());
  }

  Specs restart(Restart restart) {
    Lifecycle now = Lifecycle.standard(health != null);
    return lifecycle(now.toBuilder().restart(restart).build());
  }

  Specs exitCodes(Set<Integer> success, Set<Integer> noRestart) {
    Lifecycle now = Lifecycle.standard(health != null);
    return lifecycle(now.toBuilder().exitCodes(new ExitCodes(success, noRestart)).build());
  }

  Specs requires(String... names) {
    requires.addAll(List.of(names));
    return this;
  }

  Specs wants(String... names) {
    wants.addAll(List.of(names));
    return this;
  }

  Specs after(String... names) {
    after.addAll(List.of(names));
    return this;
  }

  Specs conflicts(String... names) {
    conflicts.addAll(List.of(names));
    return this;
  }

  ServiceSpec make() {
    return ServiceSpec.builder(
            name, type, type == ServiceSpec.Type.TARGET ? List.of() : List.of("/bin/" + name))
        .file("/etc/krond.d/" + name + ".toml")
        .instances(instances)
        .autostart(autostart)
        .dependencies(new Dependencies(requires, wants, after, conflicts))
        .lifecycle(lifecycle == null ? Lifecycle.standard(health != null) : lifecycle)
        .readySignal(readySignal)
        .health(health)
        .hooks(type == ServiceSpec.Type.TARGET ? Hooks.NONE : hooks)
        .build();
  }

  static ServiceGraph graph(Specs... specs) {
    return ServiceGraph.of(List.of(specs).stream().map(Specs::make).toList());
  }
}
