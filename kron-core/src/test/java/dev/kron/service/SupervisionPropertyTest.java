package dev.kron.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kron.service.ServiceEffect.Launch;
import dev.kron.service.ServiceEffect.WakeAt;
import dev.kron.service.ServiceEvent.HealthCheckFailed;
import dev.kron.service.ServiceEvent.HealthCheckPassed;
import dev.kron.service.ServiceEvent.ProcessExited;
import dev.kron.service.ServiceEvent.ProcessSpawned;
import dev.kron.service.ServiceEvent.SpawnFailed;
import dev.kron.service.ServiceEvent.Timeout;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Random graphs, random events, and what must hold after each of them. */
class SupervisionPropertyTest {
  private static final int ROUNDS = Integer.getInteger("kron.rounds", 300);
  private static final int EVENTS = 120;

  @Test
  void holdsWhateverHappens() {
    long seed = Long.getLong("kron.seed", 4_2026_11L);
    for (int round = 0; round < ROUNDS; round++) {
      long own = seed + round;
      try {
        new Round(own).run();
      } catch (AssertionError | RuntimeException e) {
        throw new AssertionError(
            "seed " + own + " (-Dkron.seed=" + own + "): " + e.getMessage(), e);
      }
    }
  }

  /** One graph and its life. */
  private static final class Round {
    private final SplittableRandom random;
    private final Map<InstanceId, String> processes = new LinkedHashMap<>();
    private final Map<InstanceId, Long> failedAt = new HashMap<>();
    private final Map<InstanceId, String> reloads = new LinkedHashMap<>();
    private final Map<InstanceId, Launch> launched = new HashMap<>();
    private final Map<String, Integer> exits = new HashMap<>();
    private final List<WakeAt> timers = new ArrayList<>();
    private final List<ServiceEffect> asked = new ArrayList<>();
    private SupervisionState supervised = SupervisionState.empty();
    private long now = 1_000;
    private int runs;

    Round(long seed) {
      random = new SplittableRandom(seed);
    }

    void run() {
      List<ServiceSpec> specs = RandomGraphs.specs(random, 12);
      happens(new SupervisionEvent.Reloaded(specs, Set.of()));
      for (int i = 0; i < EVENTS; i++) {
        somethingHappens(specs);
      }
      stopReachesQuiescence();
    }

    private void somethingHappens(List<ServiceSpec> specs) {
      String name = specs.get(random.nextInt(specs.size())).name();
      switch (random.nextInt(12)) {
        case 0 -> happens(new SupervisionEvent.StartRequested(List.of(name)));
        case 1 -> happens(new SupervisionEvent.StopRequested(List.of(name)));
        case 2 -> happens(new SupervisionEvent.RestartRequested(List.of(name)));
        case 3, 4 -> someProcessEnds();
        case 5, 6, 7 -> someAnswerComes();
        case 9 -> reloadIsAsked(new InstanceId(name, 0));
        case 8 -> happens(new SupervisionEvent.Reloaded(specs, Set.of(new InstanceId(name, 0))));
        default -> timePasses(random.nextInt(20_000));
      }
    }

    private void reloadIsAsked(InstanceId id) {
      happens(
          new SupervisionEvent.Happened(id, new ServiceEvent.ReloadRequested("reload" + ++runs)));
    }

    private void reloadEnds(InstanceId id, @Nullable Integer code) {
      String run = reloads.remove(id);
      if (run != null) {
        happens(new SupervisionEvent.Happened(id, new ProcessExited(run, code, null)));
      }
    }

    private void someProcessEnds() {
      if (!reloads.isEmpty() && random.nextBoolean()) {
        reloadEnds(reloads.keySet().iterator().next(), random.nextInt(2));
        return;
      }
      if (!processes.isEmpty()) {
        InstanceId id = List.copyOf(processes.keySet()).get(random.nextInt(processes.size()));
        Integer code = random.nextInt(4) == 0 ? null : random.nextInt(2);
        ends(id, code, code == null && random.nextBoolean() ? 9 : null);
      }
    }

    private void ends(InstanceId id, @Nullable Integer code, @Nullable Integer signal) {
      reloadEnds(id, code); // the end of a process is told after that
      String run = processes.remove(id);
      if (run != null) {
        exits.put(run, code == null ? -1 : code);
        happens(new SupervisionEvent.Happened(id, new ProcessExited(run, code, signal)));
      }
    }

    private void someAnswerComes() {
      if (asked.isEmpty()) {
        return;
      }
      ServiceEffect effect = asked.remove(random.nextInt(asked.size()));
      InstanceId id = effect.instance();
      switch (effect) {
        case Launch launch -> {
          boolean beside = launch.hook() == Hook.RELOAD;
          if (random.nextInt(8) == 0 && (beside ? reloads : processes).remove(id, launch.runId())) {
            happens(new SupervisionEvent.Happened(id, new SpawnFailed(launch.runId(), "no")));
          } else {
            happens(new SupervisionEvent.Happened(id, new ProcessSpawned(launch.runId(), 7, 0)));
          }
        }
        case ServiceEffect.Listen listen ->
            happens(
                new SupervisionEvent.Happened(id, new ServiceEvent.ReadySignalled(listen.runId())));
        case ServiceEffect.Probe probe ->
            happens(
                new SupervisionEvent.Happened(
                    id,
                    random.nextBoolean()
                        ? new HealthCheckPassed(probe.runId())
                        : new HealthCheckFailed(probe.runId(), probe.attempt())));
        case ServiceEffect.Terminate terminate -> {
          if (random.nextInt(3) > 0 && terminate.runId().equals(reloads.get(id))) {
            reloadEnds(id, 143);
          } else if (random.nextInt(3) > 0 && terminate.runId().equals(processes.get(id))) {
            ends(id, 0, null);
          }
        }
        case ServiceEffect.Kill kill -> {
          if (random.nextInt(3) > 0 && kill.runId().equals(reloads.get(id))) {
            reloadEnds(id, 137);
          } else if (random.nextInt(3) > 0 && kill.runId().equals(processes.get(id))) {
            ends(id, 137, null);
          }
        }
        case WakeAt wake -> throw new AssertionError(wake);
        case ServiceEffect.Log log -> throw new AssertionError(log);
        case ServiceEffect.Alert alert -> throw new AssertionError(alert);
      }
    }

    private void timePasses(long millis) {
      now += millis;
      List<WakeAt> due = timers.stream().filter(wake -> wake.bootMillis() <= now).toList();
      timers.removeAll(due);
      for (WakeAt wake : due) {
        happens(new SupervisionEvent.Happened(wake.instance(), new Timeout(wake.kind())));
      }
    }

    private void happens(SupervisionEvent event) {
      SupervisionState before = supervised;
      SupervisionStep step =
          Supervision.step(supervised, event, new Moment(now, now), () -> "r" + ++runs);
      supervised = step.supervised();
      for (InstanceId id : step.changed()) {
        ServiceInstance instance = supervised.instance(id);
        ServiceInstance old = before.instance(id);
        boolean failed = instance != null && instance.inBackoff();
        if (failed && (old == null || !old.inBackoff())) {
          failedAt.put(id, now);
        }
      }
      for (ServiceEffect effect : step.effects()) {
        switch (effect) {
          case Launch launch -> launched(launch, before, event);
          case WakeAt wake -> timers.add(wake);
          case ServiceEffect.Log log -> {}
          case ServiceEffect.Alert alert -> alerted(alert, before);
          default -> asked.add(effect);
        }
      }
      invariants();
    }

    /** Only what is wanted up, is down, and was not down for good before is told. */
    private void alerted(ServiceEffect.Alert alert, SupervisionState before) {
      ServiceInstance old = before.instance(alert.instance());
      ServiceInstance now = supervised.instance(alert.instance());
      assertTrue(now != null && now.isOver(), () -> alert + ": " + now);
      assertTrue(supervised.isWanted(alert.instance()), () -> "not wanted: " + alert);
      assertFalse(
          old != null && old.state().kind() == ServiceState.Kind.FAILED && old.equals(now),
          () -> alert + " of what had failed before");
    }

    private void launched(Launch launch, SupervisionState before, SupervisionEvent event) {
      InstanceId id = launch.instance();
      if (launch.hook() == Hook.RELOAD) {
        assertTrue(processes.containsKey(id), () -> "nothing to reload in " + id);
        assertEquals(null, reloads.put(id, launch.runId()), () -> id + " twice after " + event);
        asked.add(launch);
        return;
      }
      assertEquals(null, reloads.get(id), () -> id + " is launched beside its reload");
      assertEquals(null, processes.put(id, launch.runId()), () -> id + " twice after " + event);
      asked.add(launch);
      String name = id.service();
      hooksAreInOrder(launch, launched.put(id, launch));
      if (launch.hook() == Hook.AFTER_STOP) {
        return; // whatever is wanted
      }
      assertTrue(supervised.isWanted(name), () -> id + " is not wanted, after " + event);
      ServiceSpec own = supervised.graph().services().get(name);
      if (launch.hook() == null && own != null && own.hooks().has(Hook.BEFORE_START)) {
        return; // it was let through when that was launched
      }
      for (String required : supervised.graph().requires(name)) {
        ServiceSpec spec = supervised.graph().services().get(required);
        for (ServiceInstance instance : supervised.instances(required)) {
          assertTrue(
              spec != null && instance.isSatisfied(spec),
              () -> id + " before " + instance + ", after " + event);
        }
      }
      ServiceInstance old = before.instance(id);
      boolean byItself =
          event instanceof SupervisionEvent.Happened happened
              && happened.instance().equals(id)
              && happened.event() instanceof Timeout;
      if (byItself && old != null && old.inBackoff()) {
        long waited = now - failedAt.getOrDefault(id, now);
        assertTrue(
            waited >= old.restartDelayMillis(),
            () -> id + " waited " + waited + " of " + old.restartDelayMillis());
      }
    }

    /** Before a process comes before_start, which did well, and after its end after_stop. */
    private void hooksAreInOrder(Launch launch, @Nullable Launch before) {
      ServiceSpec spec = supervised.graph().services().get(launch.instance().service());
      if (spec == null || !spec.hooks().has(Hook.BEFORE_START)) {
        return;
      }
      Integer exit = before == null ? null : exits.get(before.runId());
      Hook earlier = before == null ? null : before.hook();
      boolean ended = before != null && earlier == null && exit != null;
      boolean inOrder =
          switch (launch.hook()) {
            case null -> earlier == Hook.BEFORE_START && Integer.valueOf(0).equals(exit);
            case BEFORE_START -> !ended;
            case AFTER_STOP -> ended;
            case RELOAD -> true;
          };
      assertTrue(inOrder, () -> launch + " after " + before + ", which ended with " + exit);
    }

    private void invariants() {
      for (String name : supervised.graph().services().keySet()) {
        for (ServiceInstance instance : supervised.instances(name)) {
          assertEquals(
              processes.get(instance.id()), instance.runId(), () -> "runs differ: " + instance);
          assertEquals(
              reloads.get(instance.id()), instance.reloadRun(), () -> "reloads: " + instance);
          if (instance.state() instanceof ServiceState.Failed failed
              && failed.reason() instanceof FailureReason.DependencyFailed by) {
            assertTrue(
                supervised.graph().requiredOf(name).contains(by.service()),
                () -> instance + " blames a stranger");
          }
          if (instance.state() instanceof ServiceState.Blocked blocked
              && supervised.isWanted(name)) {
            assertTrue(
                !blocked.waitingOn().isEmpty() || !blocked.conflictsWith().isEmpty(),
                () -> instance + " waits for nothing");
            assertStillWaits(instance, blocked);
          }
        }
        assertNoConflict(name);
      }
    }

    /** Whoever waits for a service that is required has a reason to. */
    private void assertStillWaits(ServiceInstance instance, ServiceState.Blocked blocked) {
      Set<String> requires = supervised.graph().requires(instance.id().service());
      for (String other : blocked.waitingOn()) {
        ServiceSpec spec = supervised.graph().services().get(other);
        boolean satisfied =
            spec != null
                && supervised.isWanted(other)
                && supervised.instances(other).stream().allMatch(it -> it.isSatisfied(spec));
        boolean alone = blocked.waitingOn().size() == 1 && blocked.conflictsWith().isEmpty();
        assertTrue(
            !(alone && satisfied && requires.contains(other)),
            () -> instance + " waits for nobody any more");
      }
    }

    private void assertNoConflict(String name) {
      if (supervised.instances(name).stream().anyMatch(ServiceInstance::isThere)) {
        for (String other : supervised.graph().conflicts(name)) {
          assertTrue(
              supervised.instances(other).stream().noneMatch(ServiceInstance::isThere),
              () -> name + " beside " + other);
        }
      }
    }

    private void stopReachesQuiescence() {
      happens(new SupervisionEvent.Halted(now + 60_000));
      Set<String> wanted = Set.copyOf(supervised.wanted().up());
      for (int i = 0; i < 1_000 && !(supervised.isAtRest() && processes.isEmpty()); i++) {
        for (InstanceId id : List.copyOf(processes.keySet())) {
          ServiceInstance instance = supervised.instance(id);
          if (instance != null && instance.state().kind() != ServiceState.Kind.RUNNING) {
            ends(id, 0, null);
          }
        }
        timePasses(1_000);
      }
      assertTrue(supervised.isAtRest(), () -> "still there: " + processes);
      assertEquals(Map.of(), processes);
      assertEquals(wanted, supervised.wanted().up(), "what is wanted up stays wanted up");
    }
  }
}
