package dev.kron.service;

import static dev.kron.service.Specs.oneshot;
import static dev.kron.service.Specs.service;
import static dev.kron.service.Specs.target;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.kron.service.Lifecycle.Restart;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** A service's file changes while the service is on its way up, or was kept from it. */
class ChangedServiceFilesTest {
  @Test
  void whoFailedByAServiceThatItRequiresNoMoreIsStarted() {
    var world = failedByADependency();
    world.reload(
        oneshot("db").restart(Restart.NEVER), service("web"), target("all").requires("web"));
    assertEquals("failed", world.state("db"));
    assertEquals("running", world.state("web"));
    assertEquals("running", world.state("all"));
  }

  @Test
  void whoFailedByAServiceThatItRequiresStillStaysDown() {
    var world = failedByADependency();
    ServiceState before = world.stateOf("web");
    world.now += 1_000;
    world.reload(
        oneshot("db").restart(Restart.NEVER),
        service("web").requires("db").wants("db"),
        target("all").requires("web"));
    assertEquals(before, world.stateOf("web"));
  }

  @Test
  void whoWasKeptDownAndIsFreeWhenADaemonComesBackIsStarted() {
    var world = failedByADependency();
    world.supervised =
        SupervisionState.of(
            ServiceGraph.of(
                List.of(
                    oneshot("db").restart(Restart.NEVER).make(),
                    service("web").make(),
                    target("all").requires("web").make())),
            world.supervised.all(),
            world.supervised.wanted(),
            Set.of());
    world.happens(new SupervisionEvent.Recovered());
    assertEquals("running", world.state("web"));
    assertEquals("running", world.state("all"));
  }

  private static SupervisionWorld failedByADependency() {
    var world =
        new SupervisionWorld(
            oneshot("db").restart(Restart.NEVER),
            service("web").requires("db"),
            target("all").requires("web"));
    world.exits("db", 1);
    assertEquals("failed", world.state("web"));
    assertEquals("failed", world.state("all"));
    return world;
  }

  @Test
  void aServiceThatBecomesATargetWhileItStartsIsEndedAtOnce() {
    var world = new SupervisionWorld();
    world.passesAtOnce = false;
    world.reload(service("web").checked(), target("all").requires("web"));
    assertEquals("starting", world.state("web"));
    world.takeLog();
    world.reload(target("web"), target("all").requires("web"));
    assertEquals(List.of("stop web@0"), world.takeLog());
    assertEquals("running", world.state("web"));
    assertEquals("running", world.state("all"));
  }

  @Test
  void aTargetThatIsRestartedIsUpAgain() {
    var world = new SupervisionWorld(service("web"), target("all").requires("web"));
    world.now += 1_000;
    world.restart("all");
    assertEquals("running", world.state("all"));
  }

  @Test
  void whatWasOnlyWantedAndIsRequiredNowIsStarted() {
    var world = new SupervisionWorld(service("db"), service("web").wants("db"));
    world.stop("db");
    assertEquals("running", world.state("web"));
    world.reload(service("db"), service("web").requires("db"));
    assertEquals("running", world.state("db"));
    world.restart("web");
    assertEquals("running", world.state("web"));
  }

  @Test
  void theTimeToBeReadyBeginsWithTheProcess() {
    var world = new SupervisionWorld();
    world.spawnsAtOnce = false;
    world.passesAtOnce = false;
    world.reload(service("web").checked());
    world.passes(3_600_000); // the disk was slow, or the machine slept
    assertEquals("starting", world.state("web"));
    world.spawned(new InstanceId("web", 0));
    world.passes(29_999);
    assertEquals("starting", world.state("web"));
    world.passes(1);
    assertEquals("failed", world.state("web"));
  }
}
