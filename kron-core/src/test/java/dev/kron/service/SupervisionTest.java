package dev.kron.service;

import static dev.kron.service.Specs.oneshot;
import static dev.kron.service.Specs.service;
import static dev.kron.service.Specs.target;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kron.service.Lifecycle.Restart;
import dev.kron.service.SupervisionEvent.InstanceRequested;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class SupervisionTest {
  private static ServiceState blocked(String... services) {
    return new ServiceState.Blocked(List.of(services), List.of());
  }

  private static ServiceState failedBy(SupervisionWorld world, String culprit) {
    return new ServiceState.Failed(new FailureReason.DependencyFailed(culprit), world.now);
  }

  @Test
  void startsWhatIsToBeStartedByItselfInOrder() {
    var world =
        new SupervisionWorld(
            service("web").requires("db"),
            service("db"),
            service("tool").notStartedByItself(),
            target("all").requires("web"));
    assertEquals(List.of("start db@0", "start web@0"), world.takeLog());
    assertEquals("running", world.state("all"));
    assertEquals("inactive", world.state("tool"));
  }

  @Test
  void waitsForWhatItRequiresToBeReady() {
    var world = new SupervisionWorld();
    world.passesAtOnce = false;
    world.reload(service("web").requires("db"), service("db").checked());
    assertEquals(blocked("db"), world.stateOf("web"));
    world.happens(new InstanceId("db", 0), new ServiceEvent.HealthCheckPassed("run1"));
    assertEquals("running", world.state("web"));
  }

  @Test
  void aOneshotSatisfiesOnceItHasExitedWith0() {
    var world = new SupervisionWorld(service("web").requires("migrate"), oneshot("migrate"));
    assertEquals(blocked("migrate"), world.stateOf("web"));
    world.exits("migrate", 0);
    assertEquals("exited", world.state("migrate"));
    assertEquals("running", world.state("web"));
    world.restart("web");
    assertEquals("running", world.state("web"));
    assertFalse(world.processes.containsKey(new InstanceId("migrate", 0)), "not done again");
  }

  @Test
  void aOneshotThatIsRunAgainAndAgainGoesOnWhenSomebodyStartsWhoRequiresIt() {
    var world =
        new SupervisionWorld(
            service("web").requires("sync"), oneshot("sync").restart(Restart.ALWAYS));
    world.exits("sync", 0);
    world.stop("sync");
    assertEquals("exited", world.state("sync"));
    world.start("web");
    assertEquals("starting", world.state("sync"), "done once, and wanted again and again");
    world.exits("sync", 0);
    world.start("web");
    assertEquals("exited", world.state("sync"), "it waits for its next round");
  }

  @Test
  void startingOneStartsWhatItRequiresAndWants() {
    var world =
        new SupervisionWorld(
            service("web").requires("db").wants("mail").notStartedByItself(),
            service("db").notStartedByItself(),
            service("mail").notStartedByItself());
    assertEquals(List.of(), world.takeLog());
    world.start("web");
    assertEquals(List.of("start db@0", "start web@0", "start mail@0"), world.takeLog());
    assertTrue(world.supervised.isWanted("db"));
  }

  @Test
  void stoppingOneFirstStopsWhoRequiresIt() {
    var world =
        new SupervisionWorld(
            service("db"), service("web").requires("db"), service("front").requires("web"));
    world.takeLog();
    world.endsWhenAsked = false;
    world.stop("db");
    assertEquals(List.of("stop front@0"), world.takeLog());
    assertEquals("running", world.state("db"));
    world.exits("front", 0);
    assertEquals(List.of("stop web@0"), world.takeLog());
    world.exits("web", 0);
    assertEquals(List.of("stop db@0"), world.takeLog());
    world.exits("db", 0);
    assertTrue(world.supervised.isAtRest());
    assertEquals(Set.of(), world.supervised.wanted().up());
  }

  @Test
  void aCrashDoesNotStopWhoRequiresItButATargetIsNoLongerUp() {
    var world =
        new SupervisionWorld(
            service("db"), service("web").requires("db"), target("all").requires("db"));
    world.exits("db", 1);
    assertEquals("running", world.state("web"));
    assertEquals(blocked("db"), world.stateOf("all"));
    world.passes(1_000);
    assertEquals("running", world.state("db"));
    assertEquals("running", world.state("all"));
  }

  @Test
  void aDependencyInBackoffKeepsOthersWaitingAndOneThatGaveUpFailsThemByItsName() {
    var world =
        new SupervisionWorld(
            oneshot("db"), service("web").requires("db"), target("all").requires("web"));
    for (int crash = 1; crash <= 10; crash++) {
      world.exits("db", 1);
      assertEquals("blocked", world.state("web"));
      world.passes(world.supervised.instances("db").getFirst().restartAt() - world.now);
    }
    world.exits("db", 1);
    assertEquals("failed", world.state("db"));
    assertEquals(failedBy(world, "db"), world.stateOf("web"));
    assertEquals(failedBy(world, "db"), world.stateOf("all"));
    assertTrue(world.takeLog().contains("db@0 GaveUp[restarts=10]"));

    world.start("db");
    assertEquals("starting", world.state("db"));
    world.exits("db", 0);
    assertEquals("running", world.state("web"), "is wanted up, and nothing stands in its way");
    assertEquals("running", world.state("all"));
  }

  @Test
  void oneThatEndedForGoodFailsWhoRequiresIt() {
    var world = new SupervisionWorld();
    world.passesAtOnce = false;
    world.reload(service("db").checked(), service("web").requires("db"));
    world.exits("db", 0);
    assertEquals("exited", world.state("db"));
    assertEquals(failedBy(world, "db"), world.stateOf("web"));
  }

  @Test
  void oneThatIsOnlyWantedMayFail() {
    var world =
        new SupervisionWorld(
            oneshot("cache").restart(Restart.NEVER), service("web").wants("cache"));
    world.exits("cache", 1);
    assertEquals("running", world.state("web"));
  }

  @Test
  void orderAloneWaitsUntilTheOtherIsOutOfTheWayHoweverItEnded() {
    var world =
        new SupervisionWorld(
            oneshot("migrate").restart(Restart.NEVER),
            service("web").after("migrate"),
            service("lone").after("idle"),
            service("idle").notStartedByItself());
    assertEquals(blocked("migrate"), world.stateOf("web"));
    assertEquals("running", world.state("lone"));
    world.exits("migrate", 1);
    assertEquals("running", world.state("web"));
  }

  @Test
  void whoWaitsOnlyForAnOrderGoesOnWhenTheOtherIsStopped() {
    var world = new SupervisionWorld();
    world.passesAtOnce = false;
    world.reload(service("slow").checked(), service("web").after("slow"));
    assertEquals(blocked("slow"), world.stateOf("web"));
    world.stop("slow");
    assertEquals("running", world.state("web"));
  }

  @Test
  void aConflictWaitsUntilTheOtherIsGone() {
    var world =
        new SupervisionWorld(
            service("web").conflicts("maintenance"), service("maintenance").notStartedByItself());
    world.endsWhenAsked = false;
    world.start("maintenance");
    assertEquals(new ServiceState.Blocked(List.of(), List.of("web")), world.stateOf("maintenance"));
    world.stop("web");
    assertEquals("blocked", world.state("maintenance"));
    world.exits("web", 0);
    assertEquals("running", world.state("maintenance"));
  }

  @Test
  void aStopCancelsARestartThatIsToCome() {
    var world = new SupervisionWorld(service("web"));
    world.exits("web", 1);
    world.stop("web");
    world.passes(1_000_000);
    assertEquals("failed", world.state("web"));
    assertEquals(Set.of(), world.processes.keySet());
  }

  @Test
  void aRestartStartsAnewWhenTheOldOneIsGoneAndLeavesOthersAlone() {
    var world = new SupervisionWorld(service("db"), service("web").requires("db"));
    world.takeLog();
    world.endsWhenAsked = false;
    world.restart("db");
    assertEquals("stopping", world.state("db"));
    assertEquals("running", world.state("web"));
    world.exits("db", 0);
    assertEquals("running", world.state("db"));
    assertEquals(List.of("stop db@0", "start db@0"), world.takeLog());
    assertEquals(0, world.supervised.instances("db").getFirst().restartCount());
  }

  @Test
  void aStartDuringAStopBeginsWhenItIsGone() {
    var world = new SupervisionWorld(service("web"));
    world.endsWhenAsked = false;
    world.stop("web");
    world.start("web");
    assertEquals("stopping", world.state("web"));
    world.exits("web", 0);
    assertEquals("running", world.state("web"));
  }

  @Test
  void killsWhatDoesNotGoInTime() {
    var world = new SupervisionWorld(service("web"));
    world.takeLog();
    world.endsWhenAsked = false;
    world.stop("web");
    world.passes(9_999);
    assertEquals(List.of("stop web@0"), world.takeLog());
    world.passes(1);
    assertEquals(List.of("kill web@0"), world.takeLog());
    assertEquals("exited", world.state("web"));
  }

  @Test
  void runsAsManyAsAskedEachWithABackoffOfItsOwn() {
    var world = new SupervisionWorld(service("web").instances(3), target("all").requires("web"));
    assertEquals(3, world.processes.size());
    assertEquals("running", world.state("all"));
    InstanceId second = new InstanceId("web", 1);
    world.exits(second, "run2", 1);
    assertEquals("failed", world.state("web"));
    assertEquals("blocked", world.state("all"));
    assertEquals(0, world.supervised.instances("web").get(0).restartCount());
    assertEquals(1, world.supervised.instances("web").get(1).restartCount());
    world.passes(1_000);
    assertEquals("running", world.state("all"));
  }

  @Test
  void aReloadTouchesOnlyWhatIsToBeTouched() {
    var world =
        new SupervisionWorld(service("keep"), service("gone"), service("more").instances(2));
    world.takeLog();
    world.happens(
        new SupervisionEvent.Reloaded(
            List.of(
                service("keep").checked().make(),
                service("more").instances(3).make(),
                service("new").make()),
            Set.of()));
    assertEquals(List.of("stop gone@0", "start new@0", "start more@2"), world.takeLog());
    assertEquals(Set.of("keep", "more", "new"), world.supervised.graph().services().keySet());
    world.reload(service("keep").checked(), service("more"), service("new"));
    assertEquals(List.of("stop more@1", "stop more@2"), world.takeLog());
    assertEquals(1, world.supervised.instances("more").size());
    world.happens(
        new SupervisionEvent.Reloaded(
            List.of(service("keep").make(), service("more").make(), service("new").make()),
            Set.of(new InstanceId("new", 0))));
    assertEquals(List.of("stop new@0", "start new@0"), world.takeLog());
  }

  @Test
  void whatTheFilesNoLongerHaveStaysKnownUntilItsLastProcessIsGone() {
    var world = new SupervisionWorld(service("db"), service("web").requires("db"));
    world.takeLog();
    world.endsWhenAsked = false;
    world.reload();
    assertEquals(List.of("stop web@0"), world.takeLog());
    assertTrue(world.supervised.isLeaving("db"));
    world.exits("web", 0);
    assertEquals(List.of("stop db@0"), world.takeLog());
    world.exits("db", 0);
    assertEquals(Set.of(), world.supervised.graph().services().keySet());
  }

  @Test
  void aHaltStopsEverythingInReverseOrderAndForgetsNoWish() {
    var world =
        new SupervisionWorld(
            service("db"), service("web").requires("db"), service("late").after("db"));
    world.takeLog();
    world.happens(new SupervisionEvent.Halted(world.now + 60_000));
    assertEquals(List.of("stop late@0", "stop web@0", "stop db@0"), sortedButLast(world));
    assertTrue(world.supervised.isAtRest());
    assertEquals(Set.of("db", "web", "late"), world.supervised.wanted().up());
  }

  @Test
  void whatAHaltStoppedComesBackInOrderAndWhatHadEndedBeforeDoesNot() {
    var world =
        new SupervisionWorld(
            service("db"),
            service("web").requires("db"),
            target("all").requires("web"),
            oneshot("once"),
            service("crashed"),
            service("down"));
    world.exits("once", 0);
    world.exits("crashed", 1);
    world.stop("down");
    world.happens(new SupervisionEvent.Halted(world.now + 60_000));
    world.passes(100);
    assertTrue(world.supervised.isAtRest());
    world.takeLog();
    world.daemonComesBack();
    assertEquals(List.of("start db@0", "start web@0"), world.takeLog());
    assertEquals("running", world.state("all"));
    assertEquals("exited", world.state("once"));
    assertEquals("exited", world.state("down"));
    assertEquals("failed", world.state("crashed"));
    world.passes(900);
    assertEquals(List.of("start crashed@0"), world.takeLog(), "its wait went on");
  }

  @Test
  void whoIsAskedForWhileEverythingGoesDownIsStartedByTheNextDaemon() {
    var world = new SupervisionWorld(service("web"), service("down"));
    world.stop("down");
    world.happens(new SupervisionEvent.Halted(world.now + 60_000));
    world.takeLog();
    world.restart("down");
    world.passes(100);
    assertEquals(List.of(), world.takeLog(), "not by this one");
    world.daemonComesBack();
    assertEquals(
        List.of("start web@0", "start down@0"),
        world.takeLog().stream().sorted().toList().reversed());
  }

  @Test
  void aHaltSharesItsTimeAmongAllThatGoOneAfterAnother() {
    var world =
        new SupervisionWorld(
            service("a").stopTimeout(600_000),
            service("b").stopTimeout(600_000).requires("a"),
            service("c").stopTimeout(600_000).requires("b"),
            service("d").stopTimeout(600_000));
    world.endsWhenAsked = false;
    world.stop("d");
    world.takeLog();
    world.happens(new SupervisionEvent.Halted(world.now + 9_000));
    assertEquals(List.of("stop c@0"), world.takeLog());
    world.passes(1_999);
    assertEquals(List.of(), world.takeLog());
    world.passes(1);
    assertEquals(List.of("kill c@0", "stop b@0"), world.takeLog());
    world.passes(2_500);
    assertEquals(List.of("kill b@0", "stop a@0"), world.takeLog());
    world.passes(3_500);
    assertEquals(List.of("kill d@0", "kill a@0"), world.takeLog());
    assertTrue(world.supervised.isAtRest());
  }

  @Test
  void aHaltThatWhatCannotBeKilledUsesUpStillReachesEverybody() {
    var world = new SupervisionWorld(service("a"), service("b").requires("a"));
    world.endsWhenAsked = false;
    world.diesOfKill = false;
    world.takeLog();
    world.happens(new SupervisionEvent.Halted(world.now + 4_000));
    world.passes(3_999);
    List<String> signals =
        world.takeLog().stream().filter(line -> !line.contains("Unendable")).distinct().toList();
    assertEquals(List.of("stop b@0", "kill b@0", "stop a@0", "kill a@0"), signals);
  }

  @Test
  void aServiceThatWasStoppedBeforeEverythingWasFoundOutIsNotStarted() {
    var world = new SupervisionWorld();
    world.supervised =
        SupervisionState.of(
            ServiceGraph.of(List.of(service("web").make())),
            Map.of(),
            Wanted.allOf(Set.of("web")),
            Set.of());
    world.stop("web");
    world.happens(new SupervisionEvent.Recovered());
    assertEquals(List.of(), world.takeLog());
    world.start("web");
    assertEquals(List.of("start web@0"), world.takeLog());
  }

  @Test
  void aServiceThatBecomesATargetIsEndedAndATargetThatBecomesAServiceIsStarted() {
    var world = new SupervisionWorld(service("db"), service("web"));
    world.takeLog();
    world.reload(service("db"), target("web").requires("db"));
    assertEquals(List.of("stop web@0"), world.takeLog());
    assertEquals("running", world.state("web"));
    world.reload(service("db"), service("web").requires("db"));
    assertEquals(List.of("start web@0"), world.takeLog());
    assertEquals("running", world.state("web"));
  }

  @Test
  void whoWasBlockedByAConflictIsStartedWhenTheOthersFileHasItNoMore() {
    var world = new SupervisionWorld(service("web"), service("maintenance").conflicts("web"));
    assertEquals("running", world.state("maintenance"));
    assertEquals("blocked", world.state("web"));
    world.takeLog();
    world.reload(service("web"), service("maintenance"));
    assertEquals(List.of("start web@0"), world.takeLog());
    assertEquals("running", world.state("web"));
  }

  @Test
  void whoWaitedForAnInstanceThatAReloadTakesAwayIsStarted() {
    var world = new SupervisionWorld();
    world.passesAtOnce = false;
    world.reload(service("db").checked().instances(2), service("web").requires("db"));
    world.happens(new InstanceId("db", 0), new ServiceEvent.HealthCheckPassed("run1"));
    assertEquals(blocked("db"), world.stateOf("web"));
    world.reload(service("db").checked(), service("web").requires("db"));
    assertEquals("running", world.state("web"));
  }

  @Test
  void aTargetIsNotUpWhileAnInstanceThatAReloadBroughtIsNot() {
    var world = new SupervisionWorld();
    world.passesAtOnce = false;
    world.reload(service("db").checked(), target("all").requires("db"));
    world.happens(new InstanceId("db", 0), new ServiceEvent.HealthCheckPassed("run1"));
    assertEquals("running", world.state("all"));
    world.reload(service("db").checked().instances(2), target("all").requires("db"));
    assertEquals(blocked("db"), world.stateOf("all"));
    world.happens(new InstanceId("db", 1), new ServiceEvent.HealthCheckPassed("run2"));
    assertEquals("running", world.state("all"));
  }

  @Test
  void aProcessThatDoesNotGoIsKilledAlsoWhereItsServiceIsAskedForMeanwhile() {
    var world = new SupervisionWorld();
    world.passesAtOnce = false;
    world.endsWhenAsked = false;
    world.reload(service("web").checked().restart(Restart.NEVER));
    world.passes(30_000);
    assertEquals("failed", world.state("web"));
    world.start("web");
    world.takeLog();
    world.passes(10_000);
    assertEquals(List.of("kill web@0", "start web@0"), world.takeLog());
  }

  @Test
  void whatWasNotSpawnedYetIsNotAskedWhetherItIsWell() {
    var world = new SupervisionWorld();
    world.spawnsAtOnce = false;
    world.passesAtOnce = false;
    world.reload(service("web").checked());
    world.happens(new SupervisionEvent.Recovered());
    assertEquals(Set.of(), world.probes.keySet());
    world.spawned(new InstanceId("web", 0));
    assertEquals(Set.of(new InstanceId("web", 0)), world.probes.keySet());
  }

  private static List<String> sortedButLast(SupervisionWorld world) {
    List<String> log = world.takeLog();
    assertEquals("stop db@0", log.getLast());
    return log.stream()
        .sorted(
            Comparator.comparing((String line) -> line.contains("db")).thenComparing(line -> line))
        .toList();
  }

  @Test
  void oneInstanceIsStoppedAndStartedByItself() {
    var world = new SupervisionWorld(service("web").instances(2), service("front").requires("web"));
    world.takeLog();
    var second = new InstanceId("web", 1);
    world.happens(new InstanceRequested(second, InstanceRequested.Act.STOP));
    assertEquals(List.of("stop web@1"), world.takeLog());
    assertEquals("running", world.state("web"));
    world.daemonComesBack();
    assertEquals(List.of(), world.takeLog(), "and a daemon that comes back leaves it so");
    world.happens(new InstanceRequested(new InstanceId("web", 0), InstanceRequested.Act.RESTART));
    assertEquals(List.of("stop web@0", "start web@0"), world.takeLog());
    world.happens(new InstanceRequested(second, InstanceRequested.Act.START));
    assertEquals(List.of("start web@1"), world.takeLog());
    world.stop("web");
    assertEquals(List.of("stop front@0", "stop web@0", "stop web@1"), world.takeLog());
    world.happens(new InstanceRequested(second, InstanceRequested.Act.START));
    assertEquals(List.of("start web@1"), world.takeLog(), "the others stay down");
    world.start("web");
    assertEquals(List.of("start web@0"), world.takeLog());
  }

  @Test
  void withAllInstancesStoppedOneByOneAServiceSatisfiesNobody() {
    var world =
        new SupervisionWorld(
            service("web").instances(2), service("front").requires("web").notStartedByItself());
    for (int i = 0; i < 2; i++) {
      world.happens(new InstanceRequested(new InstanceId("web", i), InstanceRequested.Act.STOP));
    }
    world.takeLog();
    world.start("front");
    assertEquals("blocked", world.state("front"));
    world.happens(new InstanceRequested(new InstanceId("web", 1), InstanceRequested.Act.START));
    assertEquals(List.of("start web@1", "start front@0"), world.takeLog());
  }

  @Test
  void aScaledServiceHasSoManyInstancesUntilItsFileSaysAnotherNumber() {
    var world = new SupervisionWorld(service("web").instances(2));
    world.takeLog();
    world.happens(new SupervisionEvent.ScaleRequested("web", 4));
    assertEquals(List.of("start web@2", "start web@3"), world.takeLog());
    world.reload(service("web").instances(2).restart(Restart.ALWAYS));
    world.daemonComesBack();
    assertEquals(List.of(), world.takeLog(), "another change of the file is none of this");
    world.happens(new SupervisionEvent.ScaleRequested("web", 1));
    assertEquals(List.of("stop web@1", "stop web@2", "stop web@3"), world.takeLog());
    assertEquals(1, world.supervised.instances("web").size());
    world.reload(service("web").instances(3));
    assertEquals(List.of("start web@1", "start web@2"), world.takeLog());
    world.stop("web");
    world.takeLog();
    world.happens(new SupervisionEvent.ScaleRequested("web", 5));
    assertEquals(List.of(), world.takeLog(), "it is to be down");
    world.start("web");
    assertEquals(5, world.takeLog().size());
  }

  private static SupervisionWorld rolling(int instances) {
    var world = new SupervisionWorld(service("web").instances(instances));
    world.passes(1_000);
    world.takeLog();
    world.outdated("web", service("web").instances(instances).restart(Restart.ALWAYS));
    return world;
  }

  @Test
  void aReloadRestartsOneInstanceAfterTheOtherAndGoesOnWhenTheNewOneHasStayedUp() {
    var world = rolling(3);
    for (int i = 0; i < 3; i++) {
      assertEquals(List.of("stop web@" + i, "start web@" + i), world.takeLog());
      world.passes(999);
      assertEquals(List.of(), world.takeLog());
      world.passes(1);
    }
    assertEquals(List.of(), world.takeLog());
  }

  @Test
  void aRollingRestartHasTheHooksOfEachInstanceBeforeItGoesOn() {
    var world = new SupervisionWorld(service("web").instances(2).hooked());
    world.passes(1_000);
    world.takeLog();
    world.outdated("web", service("web").instances(2).hooked());
    for (int i = 0; i < 2; i++) {
      String web = "web@" + i;
      assertEquals(
          List.of("stop " + web, "after_stop " + web, "before_start " + web, "start " + web),
          world.takeLog());
      world.passes(1_000);
    }
    assertEquals(List.of(), world.takeLog());
  }

  @Test
  void whatIsRequiredIsStoppedAfterTheHookOfWhoRequiresIt() {
    var world =
        new SupervisionWorld(service("db").hooked(), service("web").requires("db").hooked());
    world.takeLog();
    world.stop("db");
    assertEquals(
        List.of("stop web@0", "after_stop web@0", "stop db@0", "after_stop db@0"), world.takeLog());
  }

  @Test
  void whereTheNewOneDoesNotComeUpTheOthersKeepTheirProcesses() {
    var world = rolling(2);
    world.takeLog();
    for (int crash = 1; crash <= 10; crash++) {
      world.passes(500);
      world.exits("web", 1);
      world.passes(Lifecycle.standard(false).delayMillis(crash - 1));
    }
    assertTrue(world.supervised.instances("web").get(1).toRestart(), "it waits still");
    world.takeLog();
    world.exits("web", 1);
    assertEquals(
        List.of("web@0 GaveUp[restarts=10]", "alert web@0", "web@1 RestartWaits[failed=web@0]"),
        world.takeLog());
    world.daemonComesBack();
    world.passes(100_000);
    assertEquals(List.of(), world.takeLog(), "it keeps what it has");
    world.start("web");
    world.passes(1_000);
    assertEquals(List.of("start web@0", "stop web@1", "start web@1"), world.takeLog());
  }

  @Test
  void aDaemonThatComesBackGoesOnWithTheRestOfARollingRestart() {
    var world = rolling(2);
    world.takeLog();
    world.daemonComesBack();
    world.passes(1_000);
    assertEquals(List.of("stop web@1", "start web@1"), world.takeLog());
  }

  @Test
  void aFileThatIsAsBeforeEndsARollingRestart() {
    var world = rolling(3);
    world.takeLog();
    world.reload(service("web").instances(3));
    world.passes(10_000);
    assertEquals(List.of(), world.takeLog());
    assertFalse(world.supervised.instances("web").get(2).toRestart());
  }

  @Test
  void whoWasStoppedByItselfHoldsUpNoRollingRestart() {
    var world = new SupervisionWorld(service("web").instances(3));
    world.happens(new InstanceRequested(new InstanceId("web", 0), InstanceRequested.Act.STOP));
    world.passes(1_000);
    world.takeLog();
    world.outdated("web", service("web").instances(3));
    world.passes(5_000);
    assertEquals(
        List.of("stop web@1", "start web@1", "stop web@2", "start web@2"), world.takeLog());
  }
}
