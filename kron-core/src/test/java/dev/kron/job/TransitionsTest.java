package dev.kron.job;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import dev.kron.job.Transitions.Kind;
import dev.kron.job.Transitions.Transition;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
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
    Path page = Path.of(System.getProperty("kron.root", ".."), "docs", "job-machine.md");
    String drawn = page();
    if (Boolean.getBoolean("kron.update")) {
      Files.createDirectories(page.getParent());
      Files.writeString(page, drawn);
    }
    assertEquals(
        Files.exists(page) ? Files.readString(page) : "(no such file)",
        drawn,
        page + " is not what the machine does; make it anew with -Dkron.update=true");
  }

  private static String page() {
    StringBuilder page = new StringBuilder(HEADING);
    arrows()
        .forEach(
            (arrow, labels) ->
                page.append("    ")
                    .append(arrow)
                    .append(" : ")
                    .append(String.join("<br/>", labels))
                    .append('\n'));
    page.append("```\n\n| state | event | when | becomes | recorded and done |\n");
    page.append("| --- | --- | --- | --- | --- |\n");
    for (Transition row : Transitions.ALL) {
      page.append(
          "| %s | %s | %s | %s | %s |\n"
              .formatted(row.from(), row.eventName(), row.when(), row.to(), row.meaning()));
    }
    return page.append(
            """

            Lower-case words are outcomes added to the history; `Launch`, `End` and `Alert` are begun once
            the new state is durable; `written` is a state that is made durable and nothing else.
            """)
        .toString();
  }

  /** Arrows with what they stand for; what begins nothing is in the table only. */
  private static Map<String, List<String>> arrows() {
    Map<String, List<String>> arrows = new LinkedHashMap<>();
    for (Transition row : Transitions.ALL) {
      boolean moves =
          row.from() != row.to() || row.meaning().matches(".*(Launch|End|Alert|skip).*");
      if (moves) {
        String when = row.when().isEmpty() ? "" : " (" + row.when() + ")";
        arrows
            .computeIfAbsent(row.from() + " --> " + row.to(), arrow -> new ArrayList<>())
            .add(row.eventName() + when + " / " + row.meaning());
      }
    }
    return arrows;
  }
}
