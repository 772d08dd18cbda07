package dev.kron.service;

import static dev.kron.service.Hook.RELOAD;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import dev.kron.MachinePage;
import dev.kron.service.ServiceState.Kind;
import dev.kron.service.ServiceTransitions.Transition;
import java.io.IOException;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Executes the table, sees that nothing is missing in it, and draws it. */
class ServiceTransitionsTest {
  private static final String HEADING =
      """
      # The service machine

      What each event means for one instance of a service. This page is made from the table that the
      tests execute; after a change to the machine, make it anew with
      `mvn test -pl kron-core -Dtest=ServiceTransitionsTest -Dkron.update=true`.

      What is asked of a service is kept apart from the state it is in: *wanted up* is the operator's
      wish, and the restart policy applies only while it holds. Nothing is started while a process of
      the same instance is not known to be gone. `before_start` and `after_stop` are such processes
      too: the instance is starting while the first runs, and exited or failed while the second
      does. A reload command runs beside the service's process.

      ```mermaid
      stateDiagram-v2
          [*] --> inactive
      """;

  private static final String ENDING =
      """

      What is done is begun once the new state is durable; `written` is a state that is made durable
      and nothing else. `Log` is a restart to come, or that no more will come.
      """;

  @TestFactory
  Stream<DynamicTest> eachTransitionIsAsTheTableSays() {
    return ServiceTransitions.ALL.stream()
        .map(row -> dynamicTest(row.toString(), () -> check(row)));
  }

  private static void check(Transition row) {
    InstanceStep step = ServiceMachine.step(row.from(), row.around(), row.event());
    assertEquals(row.to(), step.instance().state().kind(), step::toString);
    assertEquals(row.meaning(), ServiceTransitions.meaning(step), step::toString);
    if (row.meaning().equals("nothing")) {
      assertEquals(row.from(), step.instance());
    }
  }

  @Test
  void everyPairOfStateAndEventIsInTheTable() {
    Set<String> missing = new LinkedHashSet<>();
    for (Kind kind : Kind.values()) {
      for (Class<?> event : ServiceEvent.class.getPermittedSubclasses()) {
        if (event == ServiceEvent.Timeout.class) {
          for (TimeoutKind timeout : TimeoutKind.values()) {
            missing.add(kind.text() + " Timeout " + timeout);
          }
        } else {
          missing.add(kind.text() + " " + event.getSimpleName());
        }
      }
    }
    ServiceTransitions.ALL.forEach(
        row -> missing.remove(row.kind().text() + " " + row.eventName()));
    assertEquals(Set.of(), missing, "nobody has decided what these mean, or shown it");
  }

  @Test
  void everyReasonToFailIsReached() {
    Set<Class<?>> reached = new HashSet<>();
    for (Transition row : ServiceTransitions.ALL) {
      InstanceStep step = ServiceMachine.step(row.from(), row.around(), row.event());
      if (step.changed() && step.instance().state() instanceof ServiceState.Failed failed) {
        reached.add(failed.reason().getClass());
      }
    }
    assertEquals(Set.of(FailureReason.class.getPermittedSubclasses()), reached);
  }

  @Test
  void nothingIsEverLaunchedBesideARunThatIsNotGone() {
    for (Transition row : ServiceTransitions.ALL) {
      InstanceStep step = ServiceMachine.step(row.from(), row.around(), row.event());
      boolean launches =
          step.effects().stream()
              .anyMatch(it -> it instanceof ServiceEffect.Launch launch && launch.hook() != RELOAD);
      if (launches && row.from().runId() != null) {
        boolean gone =
            row.event() instanceof ServiceEvent.ProcessExited
                || row.event() instanceof ServiceEvent.NeverBegan
                || row.event() instanceof ServiceEvent.SpawnFailed;
        assertTrue(gone, row::toString);
      }
    }
  }

  @Test
  void theDiagramInTheDocumentationIsTheTable() throws IOException {
    var page = new MachinePage(HEADING);
    page.row("state", "event", "when", "becomes", "done");
    for (Transition row : ServiceTransitions.ALL) {
      page.row(row.kind().text(), row.eventName(), row.when(), row.to().text(), row.meaning());
      // An event that does not move the service is in the table only.
      if (row.kind() != row.to()) {
        String when = row.when().isEmpty() ? "" : " (" + row.when() + ")";
        page.arrow(row.kind().text(), row.to().text(), row.eventName() + when);
      }
    }
    page.check("service-machine.md", ENDING);
  }
}
