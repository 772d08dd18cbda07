package dev.kron.service;

import static dev.kron.service.Specs.graph;
import static dev.kron.service.Specs.service;
import static dev.kron.service.Specs.target;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kron.service.GraphProblem.Cycle;
import dev.kron.service.GraphProblem.Relation;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class ServiceGraphTest {

  @Test
  void startsWhatIsRequiredFirstAndStopsItLast() {
    ServiceGraph graph =
        graph(
            service("web").requires("db", "cache"),
            service("db"),
            service("cache").after("db"),
            target("all").requires("web"));
    assertEquals(List.of("db", "cache", "web", "all"), graph.startOrder());
    assertEquals(List.of("all", "web", "cache", "db"), graph.stopOrder());
    assertEquals(List.of(), graph.problems());
  }

  /** As state on disk may have it, though files with one are refused. */
  @Test
  void whoIsInACycleComesLastAndOnce() {
    ServiceGraph graph =
        graph(
            service("a").requires("b"),
            service("b").requires("a"),
            service("web").requires("b"),
            service("db"),
            service("cache").after("db"));
    assertEquals(List.of("db", "cache"), graph.startOrder().subList(0, 2));
    assertEquals(List.of("a", "b", "web"), graph.startOrder().stream().skip(2).sorted().toList());
  }

  @Test
  void startsAlongWhatIsRequiredAndWanted() {
    ServiceGraph graph =
        graph(
            service("web").requires("db").wants("mail").after("migrate"),
            service("db"),
            service("mail").requires("dns"),
            service("dns"),
            service("migrate"));
    assertEquals(List.of("db", "dns", "mail", "web"), graph.startedWith(List.of("web")));
  }

  @Test
  void stopsAlongWhoRequiresItButNotWhoOnlyWantsIt() {
    ServiceGraph graph =
        graph(
            service("db"),
            service("web").requires("db"),
            target("all").requires("web"),
            service("report").wants("db"),
            service("late").after("db"));
    assertEquals(List.of("all", "web", "db"), graph.stoppedWith(List.of("db")));
  }

  @Test
  void aConflictHoldsBothWays() {
    ServiceGraph graph = graph(service("web").conflicts("maintenance"), service("maintenance"));
    assertEquals(Set.of("web"), graph.conflicts("maintenance"));
    assertEquals(Set.of("maintenance"), graph.conflicts("web"));
  }

  @Test
  void namesEveryMissingService() {
    assertEquals(
        List.of(
            "web requires \"bd\", and there is no such service",
            "web wants \"cash\", and there is no such service",
            "web comes after \"migrat\", and there is no such service",
            "web conflicts with \"maintenence\", and there is no such service"),
        messages(
            graph(
                service("web")
                    .requires("bd")
                    .wants("cash")
                    .after("migrat")
                    .conflicts("maintenence"))));
  }

  @Test
  void refusesAServiceThatNamesItself() {
    assertEquals(
        List.of("web requires itself", "web conflicts with itself"),
        messages(graph(service("web").requires("web").conflicts("web"))));
  }

  @Test
  void namesTheWholeCycle() {
    ServiceGraph graph =
        graph(
            service("a").requires("b"),
            service("b").after("c"),
            service("c").requires("a"),
            service("d").requires("a"));
    assertEquals(
        List.of(
            "these wait for each other, so that none can start: "
                + "a requires b, b comes after c, c requires a"),
        messages(graph));
    Cycle cycle = (Cycle) graph.problems().getFirst();
    assertEquals(List.of("a", "b", "c", "a"), cycle.names());
    assertEquals(Relation.REQUIRES, cycle.relation());
    assertEquals("b", cycle.name());
  }

  @Test
  void namesEachOfTwoCyclesOnce() {
    assertEquals(
        2,
        graph(
                service("a").requires("b"),
                service("b").requires("a"),
                service("c").requires("a", "d"),
                service("d").requires("e"),
                service("e").requires("c"))
            .problems()
            .size());
  }

  @Test
  void whoWantsEachOtherIsNoCycle() {
    assertEquals(
        List.of(),
        graph(service("a").wants("b"), service("b").requires("a").wants("a")).problems());
  }

  @Test
  void refusesAConflictWithWhatIsRequired() {
    assertEquals(
        List.of("web requires db and conflicts with it, so that it can never start"),
        messages(graph(service("web").requires("db").conflicts("db"), service("db"))));
    assertEquals(
        List.of(
            "web requires disk (web requires db requires disk) and conflicts with it, so that it"
                + " can never start"),
        messages(
            graph(
                service("web").requires("db"),
                service("db").requires("disk"),
                service("disk").conflicts("web"))));
  }

  @Test
  void refusesARequirementOfTwoThatConflictAndSaysSoOnce() {
    assertEquals(
        List.of("both requires both a and b, which conflict, so that it can never start"),
        messages(
            graph(
                target("both").requires("a", "b"),
                service("a").conflicts("b"),
                service("b"),
                target("more").requires("both"))));
  }

  @Test
  void ordersARandomGraphSoThatEachComesAfterAllItWaitsFor() {
    long seed = Long.getLong("kron.seed", 20_261_115L);
    var random = new SplittableRandom(seed);
    for (int round = 0; round < 100; round++) {
      List<ServiceSpec> specs = RandomGraphs.specs(random, 40);
      ServiceGraph graph = ServiceGraph.of(specs);
      assertEquals(List.of(), graph.problems(), () -> "seed " + seed);
      Set<String> started = new HashSet<>();
      for (String name : graph.startOrder()) {
        assertTrue(
            started.containsAll(graph.predecessors(name)), () -> name + " too early, seed " + seed);
        started.add(name);
      }
      assertEquals(specs.size(), started.size());
    }
  }

  @Test
  void findsTheCycleInALongChain() {
    List<ServiceSpec> specs = new ArrayList<>();
    int length = 20_000;
    for (int i = 0; i < length; i++) {
      specs.add(service("s" + i).requires("s" + (i + 1) % length).make());
    }
    List<GraphProblem> problems = ServiceGraph.of(specs).problems();
    assertEquals(1, problems.size());
    assertEquals(length + 1, ((Cycle) problems.getFirst()).names().size());
  }

  private static List<String> messages(ServiceGraph graph) {
    return graph.problems().stream().map(GraphProblem::message).toList();
  }
}
