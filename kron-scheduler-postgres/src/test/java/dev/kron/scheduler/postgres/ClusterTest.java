package dev.kron.scheduler.postgres;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kron.testing.TestDatabase;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Real processes on one real PostgreSQL, killed again and again, judged by what their tasks wrote
 * down. More of both: {@code -Dkron.cluster.jvms=4 -Dkron.cluster.kills=100}; every fifth time an
 * instance is then cut off from the database before it is killed, and every seventh one is frozen
 * until the others have taken up its work, and goes on.
 */
@Timeout(1400)
class ClusterTest {
  private static final int JVMS = Integer.getInteger("kron.cluster.jvms", 2);
  private static final int KILLS = Integer.getInteger("kron.cluster.kills", 5);
  private static final long SEED = Long.getLong("kron.seed", 20_261_116L);

  /** Lease, grace, a look a second, a start of a JVM on a machine that is busy. */
  private static final long LONGEST_MILLIS =
      ClusterProgram.LEASE.plus(ClusterProgram.GRACE).toMillis() * 2 + 20_000;

  private final SplittableRandom random = new SplittableRandom(SEED);
  private final long originMillis = System.currentTimeMillis();
  private final List<Instance> instances = new ArrayList<>();
  private final Map<String, Long> cutOff = new HashMap<>();
  private final List<Evidence.Freeze> freezes = new ArrayList<>();
  private int launched;

  private record Instance(String name, Process process) {}

  @Test
  void survivesWhatHappensToInstances(@TempDir Path directory) throws Exception {
    TestDatabase database = TestDatabase.create();
    Path evidence = Files.createFile(directory.resolve("evidence"));
    try {
      for (int i = 0; i < JVMS; i++) {
        instances.add(launch(database, evidence, directory));
      }
      awaitLines(evidence, 2 * ClusterProgram.TASKS);
      for (int kill = 1; kill <= KILLS; kill++) {
        // The last victim is the oldest, so that those who came later have to do the work.
        int place = random.nextInt(instances.size());
        Instance victim = instances.remove(kill == KILLS ? 0 : place);
        if (KILLS > 10 && kill % 5 == 0) {
          // It interrupts its own callbacks, and is of no more use.
          database.cutOff(victim.name());
          awaitLines(evidence, lines(evidence) + 4 * ClusterProgram.TASKS);
        } else if (KILLS > 10 && kill % 7 == 0) {
          instances.add(victim);
          freeze(victim, evidence);
          continue;
        }
        kill(victim);
        instances.add(launch(database, evidence, directory));
        awaitLines(evidence, lines(evidence) + random.nextInt(4 * ClusterProgram.TASKS));
      }
      awaitLines(evidence, lines(evidence) + 4 * ClusterProgram.TASKS);
    } finally {
      instances.forEach(this::kill);
    }
    Evidence found = Evidence.read(evidence, cutOff, freezes);
    found.noAttemptWasMadeByTwo();
    found.noTaskOverlapsItselfAndTokensRise();
    found.nothingWasLost(LONGEST_MILLIS, System.currentTimeMillis());
    assertTrue(found.restarts() > 0, "no kill hit a running task");
    assertTrue(found.instances() > JVMS, "those who came later have nothing to do");
  }

  /** Stops a process until others have taken up what it ran, and waits until it works again. */
  private void freeze(Instance victim, Path evidence) throws Exception {
    long stopped = System.currentTimeMillis();
    signal("-STOP", victim);
    long takenUp = stopped + ClusterProgram.LEASE.plus(ClusterProgram.GRACE).toMillis();
    await(() -> System.currentTimeMillis() > takenUp, () -> "a clock that stands still");
    awaitLines(evidence, lines(evidence) + 6 * ClusterProgram.TASKS);
    freezes.add(new Evidence.Freeze(victim.name(), stopped, System.currentTimeMillis()));
    signal("-CONT", victim);
    long before = beginnings(evidence, victim);
    await(
        () -> beginnings(evidence, victim) > before + ClusterProgram.TASKS,
        () -> victim.name() + " does not work again");
  }

  private static long beginnings(Path evidence, Instance of) throws IOException {
    try (var lines = Files.lines(evidence)) {
      return lines
          .filter(line -> line.startsWith("begin "))
          .filter(line -> line.contains(" " + of.name() + " "))
          .count();
    }
  }

  private void kill(Instance victim) {
    victim.process().destroyForcibly();
    try {
      victim.process().waitFor();
    } catch (InterruptedException enough) {
      Thread.currentThread().interrupt();
    }
    cutOff.putIfAbsent(victim.name(), System.currentTimeMillis());
  }

  private static void signal(String signal, Instance to) throws Exception {
    String pid = Long.toString(to.process().pid());
    assertEquals(0, new ProcessBuilder("kill", signal, pid).start().waitFor());
  }

  private Instance launch(TestDatabase database, Path evidence, Path directory) throws Exception {
    String name = "instance_" + ++launched;
    database.execute("CREATE ROLE " + name + " SUPERUSER LOGIN");
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Xmx64m",
                "-cp",
                System.getProperty("java.class.path"),
                ClusterProgram.class.getName(),
                database.url(name),
                name,
                evidence.toString(),
                Long.toString(originMillis))
            .redirectOutput(directory.resolve(name + ".out").toFile())
            .redirectError(directory.resolve(name + ".err").toFile())
            .start();
    Path out = directory.resolve(name + ".out");
    await(
        () -> Files.size(out) > 0 || !process.isAlive(),
        () -> name + " did not come up: " + Files.readString(directory.resolve(name + ".err")));
    return new Instance(name, process);
  }

  private static long lines(Path evidence) throws IOException {
    try (var lines = Files.lines(evidence)) {
      return lines.count();
    }
  }

  private static void awaitLines(Path evidence, long count) throws Exception {
    await(() -> lines(evidence) >= count, () -> "only " + lines(evidence) + " of " + count);
  }

  /** Asks a file system. */
  private interface Question<T> {
    T ask() throws IOException;
  }

  private static void await(Question<Boolean> condition, Question<String> otherwise)
      throws IOException {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    while (!condition.ask()) {
      if (System.nanoTime() > end) {
        throw new AssertionError(otherwise.ask());
      }
      LockSupport.parkNanos(20_000_000L);
    }
  }
}
