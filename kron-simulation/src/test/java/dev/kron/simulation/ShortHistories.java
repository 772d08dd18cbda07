package dev.kron.simulation;

import static org.junit.jupiter.api.Assertions.assertNull;

import dev.kron.simulation.HistoryStep.Kind;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** Plays histories that a test tells step by step, each with many different lucks. */
final class ShortHistories {
  private ShortHistories() {}

  private static final int LUCKS = 25;

  static String job(String name, String concurrency, String deadline) {
    return "* * * * * @policy(concurrency=%s,deadline=%s) name=%s command=/bin/job stdout=discard stderr=discard"
        .formatted(concurrency, deadline, name);
  }

  static void holds(long outputLimitBytes, List<String> entries, Object... steps) {
    holds(outputLimitBytes, entries, List.of(), steps);
  }

  static void holds(
      long outputLimitBytes, List<String> entries, List<String> services, Object... steps) {
    holds(LUCKS, outputLimitBytes, entries, services, steps);
  }

  static void holds(
      int lucks,
      long outputLimitBytes,
      List<String> entries,
      List<String> services,
      Object... steps) {
    long start = Instant.parse("2026-05-11T09:13:25Z").toEpochMilli();
    for (int luck = 0; luck < lucks; luck++) {
      var list = new ArrayList<HistoryStep>();
      for (int i = 0; i < steps.length; i++) {
        long seed = luck * 1000L + i;
        list.add(
            switch (steps[i]) {
              case Kind kind -> new HistoryStep(kind, seed, 0, 0);
              case Duration time -> new HistoryStep(Kind.PASS, seed, time.toNanos(), 0);
              case HistoryStep step ->
                  new HistoryStep(step.kind(), seed, step.amount(), step.which());
              default -> throw new IllegalArgumentException(steps[i].toString());
            });
      }
      var scenario = new Scenario(luck, start, 100, outputLimitBytes, entries, services, list);
      assertNull(History.play(scenario, false).violation(), "luck " + luck);
    }
  }

  static HistoryStep step(Kind kind, long amount) {
    return new HistoryStep(kind, 0, amount, 0);
  }

  static String service(String name, String more) {
    return "[service]\nname = \"%s\"\nexec = \"/bin/service\"\n%s".formatted(name, more);
  }

  static void holdsForServices(List<String> services, Object... steps) {
    holds(1 << 20, List.of(job("a", "forbid", "1m")), services, steps);
  }

  static void holds(Scenario scenario) {
    assertNull(History.play(scenario, false).violation());
  }
}
