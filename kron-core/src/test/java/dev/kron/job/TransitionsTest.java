package dev.kron.job;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import dev.kron.MachinePage;
import dev.kron.job.Transitions.Kind;
import dev.kron.job.Transitions.Transition;
import java.io.IOException;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Executes the table, sees that nothing is missing in it, and draws it. */
class TransitionsTest {
  private static final String HEADING =
      """
      # The job machine

      What each event means for a job. This page is made from the table that the tests execute; after a
      change to the machine, make it anew with
      `mvn test -pl kron-core -Dtest=TransitionsTest -Dkron.update=true`.

      A job is *idle* (no run), *busy* (runs, none of them waiting), *replacing* (a run waits for the
      runs that it replaces to end) or *retrying* (no run, and an attempt waits for its time; a busy job may
      have one too). What happens to a run of which the job does not know, or no longer knows, means nothing
      to it. The `Alert` of an attempt that waited tells of the failure before it.

      ```mermaid
      stateDiagram-v2
          [*] --> idle
      """;

  private static final String ENDING =
      """

      Lower-case words are outcomes added to the history; `Launch`, `End` and `Alert` are begun once
      the new state is durable; `written` is a state that is made durable and nothing else.
      """;

  @TestFactory
  Stream<DynamicTest> eachTransitionIsAsTheTableSays() {
    return Transitions.ALL.stream().map(row -> dynamicTest(row.toString(), () -> check(row)));
  }

  private static void check(Transition row) {
    Step step = JobMachine.step(row.from().example(), row.rules(), row.event());
    assertEquals(row.to(), Kind.of(step.state()), step::toString);
    String meaning = row.meaning().replaceAll(" (\\(.*\\)|again on record, as released)", "");
    assertEquals(meaning, Transitions.meaning(step), step::toString);
    if (meaning.equals("nothing")) {
      assertEquals(row.from().example(), step.state());
    }
  }

  @Test
  void everyPairOfStateAndEventIsInTheTable() {
    Set<String> missing = new LinkedHashSet<>();
    for (Kind kind : Kind.values()) {
      for (Class<?> event : JobEvent.class.getPermittedSubclasses()) {
        missing.add(kind + " " + event.getSimpleName());
      }
    }
    Transitions.ALL.forEach(row -> missing.remove(row.from() + " " + row.eventName()));
    assertEquals(Set.of(), missing, "nobody has decided what these mean, or shown it");
  }

  @Test
  void theExamplesAreOfTheKindTheyStandFor() {
    for (Kind kind : Kind.values()) {
      assertEquals(kind, Kind.of(kind.example()));
    }
  }

  @Test
  void theDiagramInTheDocumentationIsTheTable() throws IOException {
    var page = new MachinePage(HEADING);
    page.row("state", "event", "when", "becomes", "recorded and done");
    for (Transition row : Transitions.ALL) {
      page.row(row.from(), row.eventName(), row.when(), row.to(), row.meaning());
      // An event that begins nothing is in the table only.
      if (row.from() != row.to() || row.meaning().matches(".*(Launch|End|Alert|skip).*")) {
        String when = row.when().isEmpty() ? "" : " (" + row.when() + ")";
        page.arrow(row.from(), row.to(), row.eventName() + when + " / " + row.meaning());
      }
    }
    page.check("job-machine.md", ENDING);
  }
}
