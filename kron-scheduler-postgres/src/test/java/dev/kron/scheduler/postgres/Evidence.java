package dev.kron.scheduler.postgres;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** What the tasks of a cluster wrote down themselves, and what must be true of it. */
final class Evidence {
  /** How soon a frozen instance that goes on has to see that its lease is over. */
  private static final long NOTICED_MILLIS = 3000;

  /** When an instance ended: what it ran then was cut off. */
  private final Map<String, Long> cutOff;

  private final List<Freeze> freezes;
  private final List<Run> runs = new ArrayList<>();

  private record Run(
      String task,
      String occurrence,
      int attempt,
      long token,
      String instance,
      long begin,
      long end) {}

  /** A time in which an instance stood still. */
  record Freeze(String instance, long from, long to) {
    /** Whether only the fencing token protects from a run: it was frozen, or its start was. */
    private boolean struck(Run run) {
      return run.instance().equals(instance)
          && run.end() > from
          && run.begin() < to + NOTICED_MILLIS;
    }
  }

  private Evidence(Map<String, Long> cutOff, List<Freeze> freezes) {
    this.cutOff = cutOff;
    this.freezes = freezes;
  }

  static Evidence read(Path file, Map<String, Long> cutOff, List<Freeze> freezes)
      throws IOException {
    Evidence evidence = new Evidence(cutOff, freezes);
    Map<String, Long> ends = new HashMap<>();
    List<String[]> begins = new ArrayList<>();
    for (String line : Files.readAllLines(file)) {
      String[] words = line.split(" ");
      if (words[0].equals("begin")) {
        begins.add(words);
      } else {
        ends.put(words[1] + " " + words[4], Long.parseLong(words[6]));
      }
    }
    for (String[] words : begins) {
      long begin = Long.parseLong(words[6]);
      Long end = ends.get(words[1] + " " + words[4]);
      evidence.runs.add(
          new Run(
              words[1],
              words[2],
              Integer.parseInt(words[3]),
              Long.parseLong(words[4]),
              words[5],
              begin,
              end == null ? evidence.cutOff.getOrDefault(words[5], Long.MAX_VALUE) : end));
    }
    evidence.runs.sort(Comparator.comparing(Run::task).thenComparingLong(Run::token));
    return evidence;
  }

  int size() {
    return runs.size();
  }

  long instances() {
    return runs.stream().map(Run::instance).distinct().count();
  }

  /** How many runs took up what an instance that was killed left. */
  long restarts() {
    return runs.stream().filter(run -> run.attempt() > 1).count();
  }

  void noAttemptWasMadeByTwo() {
    Set<String> attempts = new HashSet<>();
    for (Run run : runs) {
      String attempt = run.task() + " " + run.occurrence() + " attempt " + run.attempt();
      assertTrue(attempts.add(attempt), () -> attempt + " began twice: " + runs(run.task()));
    }
  }

  void noTaskOverlapsItselfAndTokensRise() {
    for (int i = 1; i < runs.size(); i++) {
      Run before = runs.get(i - 1);
      Run run = runs.get(i);
      if (before.task().equals(run.task())) {
        assertTrue(before.token() < run.token(), () -> before + " and " + run);
        assertTrue(
            before.end() <= run.begin() || freezes.stream().anyMatch(each -> each.struck(before)),
            () -> before + " overlaps " + run);
      }
    }
  }

  /** Whatever was killed: no task stood still for longer than it may. */
  void nothingWasLost(long longestMillis, long untilMillis) {
    Map<String, Long> latest = new HashMap<>();
    for (Run run : runs) {
      Long before = latest.put(run.task(), run.begin());
      if (before != null) {
        long gap = run.begin() - before;
        assertTrue(gap <= longestMillis, () -> run.task() + " stood still for " + gap + " ms");
      }
    }
    assertEquals(ClusterProgram.TASKS, latest.size());
    latest.forEach(
        (task, begin) ->
            assertTrue(untilMillis - begin <= longestMillis, () -> task + " did not go on"));
  }

  private List<Run> runs(String task) {
    return runs.stream().filter(run -> run.task().equals(task)).toList();
  }
}
