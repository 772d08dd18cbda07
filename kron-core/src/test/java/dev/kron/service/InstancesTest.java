package dev.kron.service;

import static dev.kron.service.Specs.service;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import dev.kron.service.SupervisionEvent.InstanceRequested;
import dev.kron.service.SupervisionEvent.InstanceRequested.Act;
import dev.kron.service.SupervisionEvent.ScaleRequested;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** More instances of a service, fewer, and one by itself. */
class InstancesTest {
  private static void scale(SupervisionWorld world, int instances) {
    world.happens(new ScaleRequested("web", instances));
  }

  private static void act(SupervisionWorld world, int index, Act act) {
    world.happens(new InstanceRequested(new InstanceId("web", index), act));
  }

  private static List<String> states(SupervisionWorld world) {
    return world.supervised.instances("web").stream()
        .map(instance -> instance.state().name())
        .toList();
  }

  private static Set<Integer> running(SupervisionWorld world) {
    return Set.copyOf(world.processes.keySet().stream().map(InstanceId::index).toList());
  }

  private static Map<String, Integer> scaled(SupervisionWorld world) {
    return world.supervised.wanted().scaled();
  }

  private static Set<InstanceId> stopped(SupervisionWorld world) {
    return world.supervised.wanted().stopped();
  }

  @Test
  void aServiceIsGivenMoreInstancesAndFewer() {
    var world = new SupervisionWorld(service("web").instances(2));
    assertEquals(Set.of(0, 1), running(world));
    scale(world, 4);
    assertEquals(Set.of(0, 1, 2, 3), running(world));
    assertEquals(Map.of("web", 4), scaled(world));
    world.takeLog();
    scale(world, 1);
    assertEquals(Set.of(0), running(world));
    assertEquals(Set.of("stop web@1", "stop web@2", "stop web@3"), Set.copyOf(world.takeLog()));
    assertEquals(1, world.supervised.size("web"));
    scale(world, 2);
    assertEquals(Set.of(0, 1), running(world));
    assertEquals(Map.of(), scaled(world), "as many as its file says");
  }

  @Test
  void aServiceThatIsDownStaysDownWhateverItsSize() {
    var world = new SupervisionWorld(service("web"));
    world.stop("web");
    scale(world, 3);
    assertEquals(Set.of(), running(world));
    world.start("web");
    assertEquals(Set.of(0, 1, 2), running(world));
  }

  @Test
  void whatAnOperatorScaledOutlivesADaemonAndEndsWithAnotherNumberInTheFile() {
    var world = new SupervisionWorld(service("web").instances(2));
    scale(world, 3);
    world.daemonComesBack();
    assertEquals(Set.of(0, 1, 2), running(world));
    world.reload(service("web").instances(2).stopTimeout(1));
    assertEquals(Set.of(0, 1, 2), running(world), "the number in the file is the same");
    world.reload(service("web").instances(1));
    assertEquals(Set.of(0), running(world));
    assertEquals(Map.of(), scaled(world));
  }

  @Test
  void oneInstanceIsStoppedByItselfUntilItIsStarted() {
    var world = new SupervisionWorld(service("web").instances(3));
    act(world, 1, Act.STOP);
    assertEquals(Set.of(0, 2), running(world));
    assertEquals(Set.of(new InstanceId("web", 1)), stopped(world));
    world.daemonComesBack();
    world.reload(service("web").instances(3).stopTimeout(1));
    assertEquals(Set.of(0, 2), running(world));
    world.takeLog();
    act(world, 1, Act.START);
    assertEquals(Set.of(0, 1, 2), running(world));
    assertEquals(Set.of(), stopped(world));
    assertEquals(
        List.of(),
        world.takeLog().stream().filter(line -> line.startsWith("stop")).toList(),
        "the others go on");
  }

  @Test
  void whoStartsTheServiceStartsAllOfIt() {
    var world = new SupervisionWorld(service("web").instances(3));
    act(world, 0, Act.STOP);
    act(world, 2, Act.STOP);
    assertEquals(Set.of(1), running(world));
    world.start("web");
    assertEquals(Set.of(0, 1, 2), running(world));
    assertEquals(Set.of(), stopped(world));
  }

  @Test
  void oneInstanceGetsANewProcess() {
    var world = new SupervisionWorld(service("web").instances(2));
    var before = Map.copyOf(world.processes);
    act(world, 1, Act.RESTART);
    assertEquals(Set.of(0, 1), running(world));
    var first = new InstanceId("web", 0);
    var second = new InstanceId("web", 1);
    assertEquals(before.get(first), world.processes.get(first));
    assertNotEquals(before.get(second), world.processes.get(second));
    act(world, 1, Act.STOP);
    act(world, 1, Act.RESTART);
    assertEquals(Set.of(0, 1), running(world), "one that was stopped is started");
    assertEquals(Set.of(), stopped(world));
  }

  @Test
  void anInstanceThatIsNoMoreIsNotRememberedAsStopped() {
    var world = new SupervisionWorld(service("web").instances(3));
    act(world, 2, Act.STOP);
    act(world, 1, Act.STOP);
    scale(world, 2);
    assertEquals(Set.of(new InstanceId("web", 1)), stopped(world));
    scale(world, 3);
    assertEquals(Set.of(0, 2), running(world));
    act(world, 2, Act.STOP);
    world.reload(service("web").instances(2));
    assertEquals(Set.of(new InstanceId("web", 1)), stopped(world));
    world.reload(service("web").instances(4));
    assertEquals(Set.of(0, 2, 3), running(world));
    world.reload();
    world.reload(service("web").instances(2));
    world.start("web");
    assertEquals(Set.of(0, 1), running(world));
  }

  @Test
  void nobodyAsksForAnInstanceThatIsNotThere() {
    var world = new SupervisionWorld(service("web").instances(2));
    for (Act act : Act.values()) {
      act(world, 2, act);
    }
    assertEquals(Set.of(0, 1), running(world));
    assertEquals(Set.of(), stopped(world));
    assertEquals(List.of("running", "running"), states(world));
  }

  private static void ends(SupervisionWorld world, int index) {
    InstanceId id = new InstanceId("web", index);
    world.exits(id, Objects.requireNonNull(world.processes.get(id)).runId(), 0);
  }

  /** The one before it has ended, and is there as long as it is. */
  private static SupervisionWorld lastOfThreeIsSlowToEnd() {
    var world = new SupervisionWorld(service("web").instances(3));
    world.endsWhenAsked = false;
    scale(world, 1);
    ends(world, 1);
    assertEquals(Set.of(0, 2), running(world));
    assertEquals(List.of("running", "exited", "stopping"), states(world));
    return world;
  }

  @Test
  void anInstanceThatWasOnItsWayOutIsStartedWhereItIsToBeThereAgain() {
    var scaled = lastOfThreeIsSlowToEnd();
    scale(scaled, 2);
    assertEquals(Set.of(0, 1, 2), running(scaled));
    var reloaded = lastOfThreeIsSlowToEnd();
    reloaded.reload(service("web").instances(2));
    assertEquals(Set.of(0, 1, 2), running(reloaded));
  }

  @Test
  void allThatAreNoMoreAreForgottenTogether() {
    var world = lastOfThreeIsSlowToEnd();
    ends(world, 2);
    assertEquals(List.of("running"), states(world));
    assertEquals(Set.of(new InstanceId("web", 1), new InstanceId("web", 2)), world.changed);
  }
}
