package dev.kron.scheduler.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import dev.kron.scheduler.Callback;
import dev.kron.scheduler.Registration;
import dev.kron.scheduler.RunContext;
import dev.kron.scheduler.SchedulerException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Random histories of clusters, in simulated time: instances come, stop, are killed, frozen and cut
 * off, answers are lost, the database's clock jumps. More of them: {@code -Dkron.histories=10000}.
 */
class ClusterHistoryTest {
  private static final long SEED = Long.getLong("kron.seed", 20_261_116L);
  private static final int HISTORIES = Integer.getInteger("kron.histories", 100);
  private static final int STEPS = 60;

  @Test
  void noHistoryBreaksAPromise() {
    for (int i = 0; i < HISTORIES; i++) {
      long seed = SEED + i;
      History history = new History(new SplittableRandom(seed));
      try {
        for (int step = 0; step < STEPS; step++) {
          history.step();
          rethrow(history.broken);
        }
        history.heal();
        rethrow(history.broken);
      } catch (AssertionError | RuntimeException broken) {
        fail(
            "The history with -Dkron.seed="
                + seed
                + " -Dkron.histories=1: "
                + broken
                + "\n"
                + String.join("\n", history.lines),
            broken);
      }
    }
  }

  @Test
  void aTaskThatWasForgottenComesBackWithHigherTokens() {
    ClusterTestKit cluster =
        ClusterTestKit.startingAt(ZonedDateTime.parse("2026-03-01T00:00:00Z[UTC]"));
    List<Long> tokens = new ArrayList<>();
    Registration task =
        new Registration(
            "task",
            "* * * * *",
            Callback.of(run -> tokens.add(run.fencingToken())),
            Duration.ofSeconds(40));
    ClusterTestKit.Instance first = cluster.start("first", List.of(task));
    cluster.advance(Duration.ofMinutes(5));
    first.stop();
    cluster.start("without", List.of()).stop();
    cluster.start("again", List.of(task));
    cluster.advance(Duration.ofMinutes(5));
    assertEquals(List.copyOf(new TreeSet<>(tokens)), tokens);
    assertTrue(tokens.size() > 10, tokens::toString);
  }

  private static void rethrow(@Nullable AssertionError broken) {
    if (broken != null) {
      throw broken;
    }
  }

  /** One cluster, and what its tasks say of themselves. */
  private static final class History {
    private static final List<String> CRONS =
        List.of(
            "* * * * *", "0,5,10,15,20,25,30,35,40,45,50,55 * * * *", "0,10,20,30,40,50 * * * *");

    final List<String> lines = new ArrayList<>();
    private final SplittableRandom random;
    private final ClusterTestKit cluster =
        ClusterTestKit.startingAt(ZonedDateTime.parse("2026-03-01T00:00:00Z[UTC]"));
    private final Set<String> attempts = new HashSet<>();
    private final Map<String, Long> tokens = new HashMap<>();
    private final Map<String, Instant> occurrences = new HashMap<>();
    private final Map<String, Instant> starts = new HashMap<>();
    private int launched;
    @Nullable AssertionError broken;

    History(SplittableRandom random) {
      this.random = random;
      for (String task : List.of("a", "b", "c")) {
        cluster.lasts(task, Duration.ofSeconds(random.nextInt(200)));
      }
      launch();
    }

    private void note(String what) {
      lines.add(cluster.clock().instant() + " " + what);
    }

    private void launch() {
      String name = "i" + ++launched;
      note("start " + name);
      List<Registration> tasks = new ArrayList<>();
      for (int i = 0; i < 3; i++) {
        String task = List.of("a", "b", "c").get(i);
        // Now and then a version of the program that means something else by b.
        String cron = i == 1 && random.nextInt(8) == 0 ? CRONS.getFirst() : CRONS.get(i);
        Callback callback = Callback.of(run -> check(name, run));
        tasks.add(new Registration(task, cron, callback, Duration.ofSeconds(40)));
      }
      cluster.start(name, tasks);
    }

    /** What a callback throws is a failed run, and nothing else; so it is kept for the test. */
    private void check(String instance, RunContext run) {
      try {
        began(instance, run);
      } catch (AssertionError found) {
        broken = broken == null ? found : broken;
      }
      if (random.nextInt(6) == 0) {
        throw new IllegalStateException("as planned");
      }
    }

    private void began(String instance, RunContext run) {
      String task = run.taskName();
      note(instance + " " + task + " " + run.scheduledAt() + " attempt " + run.attempt());
      for (ClusterTestKit.Instance other : cluster.instances()) {
        assertTrue(
            other.name().equals(instance) || other.isFrozen() || !other.runs(task),
            () -> task + " begins in " + instance + " and runs in " + other.name());
      }
      Long before = tokens.put(task, run.fencingToken());
      assertTrue(before == null || before < run.fencingToken(), "tokens rise");
      Instant occurrence = run.scheduledAt();
      if (occurrence != null) {
        String attempt = task + occurrence + "/" + run.attempt();
        assertTrue(attempts.add(attempt), () -> attempt + " was made twice");
        if (run.attempt() == 1) {
          Instant last = occurrences.put(task, occurrence);
          assertTrue(last == null || last.isBefore(occurrence), "an occurrence starts once");
        }
      }
      starts.put(task, cluster.clock().instant());
    }

    void step() {
      if (cluster.instances().isEmpty()) {
        launch();
      }
      List<ClusterTestKit.Instance> all = cluster.instances();
      ClusterTestKit.Instance some = all.get(random.nextInt(all.size()));
      int choice = random.nextInt(20);
      if (all.size() < 3 || (choice == 0 && all.size() < 5)) {
        launch();
      } else if (choice == 1) {
        note("kill " + some.name());
        some.kill();
      } else if (choice == 2) {
        note("freeze " + some.name());
        some.freeze();
      } else if (choice == 3) {
        note("thaw " + some.name());
        some.thaw();
      } else if (choice == 4) {
        note("cut off " + some.name());
        some.cutOff();
      } else if (choice == 5) {
        note("reconnect " + some.name());
        some.reconnect();
      } else if (choice == 6) {
        note("lose an answer of " + some.name());
        some.loseNextAnswer();
      } else if (choice == 7) {
        Duration jump = Duration.ofSeconds(random.nextInt(400) - 200);
        note("the database's clock is ahead by " + jump);
        cluster.databaseClockIsAheadBy(jump);
      } else if (choice < 11 && !some.isFrozen()) {
        direct(some, choice);
      } else {
        cluster.advance(
            Duration.ofMillis(1 + random.nextInt(random.nextBoolean() ? 3000 : 200_000)));
      }
    }

    private void direct(ClusterTestKit.Instance some, int choice) {
      String task = List.of("a", "b", "c").get(random.nextInt(3));
      try {
        if (choice == 8) {
          note("run now " + task + " in " + some.name());
          some.scheduler().runNow(task);
        } else if (choice == 9) {
          note("pause and resume " + task + " in " + some.name());
          some.scheduler().pause(task);
          some.scheduler().resume(task);
        } else {
          note("stop " + some.name());
          some.stop();
        }
      } catch (SchedulerException refused) {
        note("refused: " + refused.getMessage());
        if (choice == 10) {
          some.kill();
        }
      }
    }

    /** All faults end: everything that is due runs somewhere within a bound. */
    void heal() {
      note("heal");
      cluster.databaseClockIsAheadBy(Duration.ZERO);
      for (ClusterTestKit.Instance instance : cluster.instances()) {
        instance.reconnect();
        instance.thaw();
      }
      cluster.advance(Duration.ofMinutes(2));
      launch(); // its configuration is in force
      cluster.instances().getLast().scheduler().tasks().stream()
          .filter(task -> task.pausedSince() != null)
          .forEach(task -> cluster.instances().getLast().scheduler().resume(task.name()));
      Instant healed = cluster.clock().instant();
      cluster.advance(Duration.ofMinutes(18));
      for (String task : List.of("a", "b", "c")) {
        Instant start = starts.getOrDefault(task, Instant.MIN);
        assertTrue(start.isAfter(healed), () -> task + " does not go on: " + start);
      }
      assertEquals(3, starts.size());
    }
  }
}
