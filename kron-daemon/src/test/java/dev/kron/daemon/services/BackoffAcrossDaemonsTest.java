package dev.kron.daemon.services;

import static dev.kron.service.ServiceInstance.NONE;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.kron.service.FailureReason;
import dev.kron.service.InstanceId;
import dev.kron.service.Moment;
import dev.kron.service.ServiceEffect;
import dev.kron.service.ServiceGraph;
import dev.kron.service.ServiceInstance;
import dev.kron.service.ServiceSpec;
import dev.kron.service.ServiceState;
import dev.kron.service.Supervision;
import dev.kron.service.SupervisionEvent;
import dev.kron.service.SupervisionState;
import dev.kron.service.Wanted;
import dev.kron.store.LinuxDisk;
import dev.kron.store.StateManager;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What a daemon writes down of a wait before a restart, and what the next one makes of it. */
class BackoffAcrossDaemonsTest {
  private static final InstanceId WEB = new InstanceId("web", 0);
  private static final int RESTARTS = 4;
  private static final long DELAY = 8_000;

  private static final ServiceSpec SPEC =
      ServiceSpec.builder("web", ServiceSpec.Type.SIMPLE, List.of("web")).build();

  private final Moment then = new Moment(1_000_000_000, 500_000);
  private final ServiceMemory memory =
      new ServiceMemory(
          new StateManager(
              Path.of("nowhere"),
              new LinuxDisk(),
              InstantSource.system(),
              Instant.EPOCH,
              List.of()),
          new SplittableRandom(1),
          "boot");

  private Moment later(long millis) {
    return new Moment(then.epochMillis() + millis, then.bootMillis() + millis);
  }

  /** The last restart was the fourth: it waits eight seconds. */
  private void remembers(ServiceState state, @Nullable String runId, long restartAt, Moment now) {
    memory.put(WEB, RunFacts.intended("run", then.epochMillis(), null));
    var instance =
        ServiceInstance.builder(WEB, state)
            .runId(runId)
            .restartCount(RESTARTS)
            .nextDelayMillis(2 * DELAY)
            .restartDelayMillis(DELAY)
            .restartAt(restartAt)
            .build();
    SupervisionState supervised =
        SupervisionState.of(
            ServiceGraph.of(List.of(SPEC)),
            Map.of("web", List.of(instance)),
            Wanted.allOf(Set.of("web")),
            Set.of());
    memory.remember(supervised, List.of(WEB), List.of("web"), now);
  }

  private ServiceRecovery.Found found(Moment now) {
    return new ServiceRecovery(memory.manager().state(), "boot", now).find(List.of(SPEC));
  }

  private static ServiceInstance web(ServiceRecovery.Found found) {
    return Objects.requireNonNull(found.supervised().instance(WEB));
  }

  @Test
  void waitsForWhatIsLeft() {
    List<ServiceState> ended =
        List.of(
            new ServiceState.Exited(0, then.epochMillis()),
            new ServiceState.Failed(new FailureReason.ExitCode(1), then.epochMillis()),
            new ServiceState.Failed(new FailureReason.Signal(9), then.epochMillis()),
            new ServiceState.Failed(new FailureReason.SpawnError("no"), then.epochMillis()));
    for (ServiceState state : ended) {
      remembers(state, null, then.bootMillis() + DELAY, then);
      ServiceRecovery.Found found = found(later(5_000));
      assertEquals(Map.of(), found.toRecover(), state::toString);
      assertEquals(then.bootMillis() + DELAY, web(found).restartAt(), state::toString);
      assertEquals(RESTARTS, web(found).restartCount(), state::toString);
    }
  }

  @Test
  void waitsInFullWhereTheProcessIsStillToGo() {
    List<ServiceState> lingering =
        List.of(
            new ServiceState.Failed(new FailureReason.HealthCheckFailed(3), then.epochMillis()),
            new ServiceState.Failed(new FailureReason.StartTimeout(), then.epochMillis()));
    for (ServiceState state : lingering) {
      remembers(state, "run", NONE, then);
      ServiceRecovery.Found found = found(later(5_000));
      assertEquals(Map.of(WEB, "run"), found.toRecover(), state::toString);
      assertEquals(NONE, web(found).restartAt(), "begins when it is gone");
      assertEquals(DELAY, web(found).restartDelayMillis(), state::toString);
    }
  }

  @Test
  void aWallClockThatIsPutAheadALittleMakesNoWaitShorter() {
    ServiceState state = new ServiceState.Exited(0, then.epochMillis());
    remembers(state, null, then.bootMillis() + DELAY, then);
    Moment ahead = new Moment(then.epochMillis() + 900, then.bootMillis());
    remembers(state, null, then.bootMillis() + DELAY, ahead);
    assertEquals(then.bootMillis() + DELAY, web(found(ahead)).restartAt());
  }

  @Test
  void aRebootStartsWhatIsWantedUpHoweverItStood() {
    Map<ServiceState, Boolean> states =
        Map.of(
            new ServiceState.Running(4711, then.epochMillis()), true,
            new ServiceState.Starting(null, then.epochMillis()), true,
            new ServiceState.Exited(0, then.epochMillis()), false,
            new ServiceState.Failed(new FailureReason.ExitCode(1), then.epochMillis()), false);
    states.forEach(
        (state, hadProcess) -> {
          remembers(state, hadProcess ? "run" : null, NONE, then);
          Moment now = new Moment(then.epochMillis() + 60_000, 3_000);
          ServiceRecovery.Found found =
              new ServiceRecovery(memory.manager().state(), "another boot", now)
                  .find(List.of(SPEC));
          assertEquals(Map.of(), found.toRecover(), state::toString);
          var step =
              Supervision.step(
                  found.supervised(), new SupervisionEvent.Recovered(), now, () -> "next");
          assertEquals(
              List.of(new ServiceEffect.Launch(WEB, "next", null)),
              step.effects().stream().filter(ServiceEffect.Launch.class::isInstance).toList(),
              state::toString);
        });
  }
}
