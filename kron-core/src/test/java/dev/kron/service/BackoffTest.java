package dev.kron.service;

import static dev.kron.service.Specs.service;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import dev.kron.service.ServiceEvent.HealthCheckPassed;
import dev.kron.service.ServiceEvent.ProcessExited;
import dev.kron.service.ServiceEvent.ProcessSpawned;
import dev.kron.service.ServiceEvent.StartRequested;
import dev.kron.service.ServiceEvent.Timeout;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class BackoffTest {
  private long now = 5_000;
  private int runs;

  private ServiceInstance step(ServiceSpec spec, ServiceInstance instance, ServiceEvent event) {
    var around =
        new ServiceContext(
            spec,
            true,
            List.of(),
            List.of(),
            null,
            new Moment(now, now),
            () -> "run" + ++runs,
            null);
    return ServiceMachine.step(instance, around, event).instance();
  }

  private ServiceInstance start(ServiceSpec spec) {
    return step(
        spec, ServiceInstance.inactive(new InstanceId(spec.name(), 0), spec), new StartRequested());
  }

  private ServiceInstance crash(ServiceSpec spec, ServiceInstance instance) {
    return step(spec, instance, new ProcessExited("run" + runs, 1, null));
  }

  private ServiceInstance spawned(ServiceSpec spec, ServiceInstance instance) {
    return step(spec, instance, new ProcessSpawned("run" + runs, 100 + runs, 0));
  }

  private ServiceInstance afterTheWait(ServiceSpec spec, ServiceInstance instance) {
    now = instance.restartAt();
    return step(spec, instance, new Timeout(TimeoutKind.RESTART_DELAY));
  }

  @Test
  void waitsTwiceAsLongEachTimeAndGivesUpAtTheEleventhCrash() {
    ServiceSpec spec = service("web").make();
    List<Long> waits = new ArrayList<>();
    ServiceInstance instance = start(spec);
    for (int crash = 1; crash <= 10; crash++) {
      instance = crash(spec, spawned(spec, instance));
      waits.add((instance.restartAt() - now) / 1000);
      assertEquals(crash, instance.restartCount());
      instance = afterTheWait(spec, instance);
    }
    assertEquals(List.of(1L, 2L, 4L, 8L, 16L, 32L, 64L, 128L, 256L, 300L), waits);
    instance = crash(spec, spawned(spec, instance));
    assertFalse(instance.inBackoff());
    assertInstanceOf(ServiceState.Failed.class, instance.state());

    instance = step(spec, instance, new StartRequested());
    assertEquals(0, instance.restartCount(), "a request begins afresh");
    assertEquals(1000, crash(spec, instance).restartDelayMillis());
  }

  @Test
  void waitsByTheFileAsItIsWhenItEnds() {
    Lifecycle usual = Lifecycle.standard(false);
    ServiceInstance instance = spawned(service("web").make(), start(service("web").make()));
    ServiceSpec changed =
        service("web")
            .lifecycle(
                usual.toBuilder()
                    .restartDelayMillis(7_000)
                    .restartDelayMaxMillis(20_000)
                    .maxRestarts(0)
                    .build())
            .make();
    instance = crash(changed, instance);
    assertEquals(7_000, instance.restartDelayMillis());
    instance = crash(changed, spawned(changed, afterTheWait(changed, instance)));
    assertEquals(14_000, instance.restartDelayMillis());
    instance = crash(changed, spawned(changed, afterTheWait(changed, instance)));
    assertEquals(20_000, instance.restartDelayMillis());
  }

  @Test
  void doesNotStartBeforeTheWaitIsOver() {
    ServiceSpec spec = service("web").make();
    ServiceInstance waiting = crash(spec, start(spec));
    now = waiting.restartAt() - 1;
    assertEquals(waiting, step(spec, waiting, new Timeout(TimeoutKind.RESTART_DELAY)));
  }

  @Test
  void withoutACheckTheBackoffIsResetOnlyAfterTheMinimumOfUptime() {
    ServiceSpec spec = service("web").make();
    ServiceInstance instance = crash(spec, spawned(spec, start(spec)));
    instance = spawned(spec, afterTheWait(spec, instance));
    now += 9_999;
    ServiceInstance early = step(spec, instance, new Timeout(TimeoutKind.UPTIME));
    assertEquals(1, early.restartCount());
    now += 1;
    assertEquals(0, step(spec, instance, new Timeout(TimeoutKind.UPTIME)).restartCount());
  }

  @Test
  void isResetForWhoIsFoundRunningByAFileThatHasNoMinimumAnyMore() {
    ServiceSpec spec = service("web").make();
    ServiceInstance instance = crash(spec, spawned(spec, start(spec)));
    instance = spawned(spec, afterTheWait(spec, instance));
    assertEquals(1, instance.restartCount());
    ServiceSpec changed = service("web").checked().make();
    assertEquals(0, spawned(changed, instance).restartCount());
  }

  @Test
  void withACheckTheBackoffIsResetAsSoonAsItPasses() {
    ServiceSpec spec = service("web").checked().make();
    ServiceInstance instance = crash(spec, spawned(spec, start(spec)));
    instance = spawned(spec, afterTheWait(spec, instance));
    assertEquals(1, instance.restartCount());
    instance = step(spec, instance, new HealthCheckPassed("run" + runs));
    assertEquals(0, instance.restartCount());
    assertEquals(1000, instance.nextDelayMillis());
  }

  @Test
  void withoutALimitItNeverGivesUp() {
    ServiceSpec spec =
        service("web")
            .lifecycle(
                Lifecycle.standard(false).toBuilder()
                    .restartDelayMillis(0)
                    .restartDelayMaxMillis(0)
                    .maxRestarts(0)
                    .build())
            .make();
    ServiceInstance instance = start(spec);
    for (int crash = 1; crash <= 100; crash++) {
      instance = crash(spec, instance);
      assertEquals(now, instance.restartAt(), "at once");
      instance = afterTheWait(spec, instance);
    }
    assertEquals(100, instance.restartCount());
  }
}
