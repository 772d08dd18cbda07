package dev.kron.service;

import static dev.kron.service.Specs.service;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kron.service.ServiceEffect.Probe;
import dev.kron.service.ServiceEffect.WakeAt;
import dev.kron.service.ServiceEvent.HealthCheckFailed;
import dev.kron.service.ServiceEvent.HealthCheckPassed;
import dev.kron.service.ServiceEvent.ProcessSpawned;
import dev.kron.service.ServiceEvent.StartRequested;
import dev.kron.service.ServiceEvent.Timeout;
import java.util.List;
import org.junit.jupiter.api.Test;

/** When a service is asked how it is. */
class HealthIntervalTest {
  private static final String RUN = "run1";

  private final ServiceSpec spec = service("web").checked().make();
  private ServiceInstance instance = ServiceInstance.inactive(new InstanceId("web", 0), spec);
  private long now = 5_000;

  private List<ServiceEffect> step(ServiceEvent event) {
    var around =
        new ServiceContext(
            spec, true, List.of(), List.of(), null, new Moment(now, now), () -> RUN, null);
    InstanceStep step = ServiceMachine.step(instance, around, event);
    instance = step.instance();
    return step.effects();
  }

  /** While it starts, two checks may be under way: one that was asked before its pid was known. */
  @Test
  void aCheckThatFailsAfterALaterOnePassedIsNotTheSecondInARow() {
    step(new StartRequested());
    step(new ProcessSpawned(RUN, 100, 0));
    step(new HealthCheckFailed(RUN, 1));
    now += 100;
    assertEquals(
        List.of(new Probe(instance.id(), RUN, 2)), step(new Timeout(TimeoutKind.HEALTH_CHECK)));
    step(new HealthCheckPassed(RUN));
    assertEquals(ServiceState.Kind.RUNNING, instance.state().kind());
    for (int retries = 2; retries <= 5; retries++) {
      assertEquals(List.of(), step(new HealthCheckFailed(RUN, retries)));
      assertEquals(ServiceState.Kind.RUNNING, instance.state().kind());
    }
    step(new HealthCheckFailed(RUN, 1));
    assertEquals(1, instance.failedProbes());
  }

  @Test
  void aServiceThatRunsIsCheckedEveryInterval() {
    step(new StartRequested());
    assertTrue(step(new ProcessSpawned(RUN, 100, 0)).contains(new Probe(instance.id(), RUN, 1)));
    for (int check = 1; check <= 5; check++) {
      List<ServiceEffect> effects = step(new HealthCheckPassed(RUN));
      assertEquals(ServiceState.Kind.RUNNING, instance.state().kind());
      now += 5_000;
      assertTrue(
          effects.contains(new WakeAt(instance.id(), TimeoutKind.HEALTH_CHECK, now)),
          effects::toString);
      assertEquals(
          List.of(new Probe(instance.id(), RUN, 1)), step(new Timeout(TimeoutKind.HEALTH_CHECK)));
    }
  }
}
