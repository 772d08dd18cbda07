package dev.kron.scheduler;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** What was acknowledged is there after any power failure, and a batch is there whole or not. */
class FileSessionPropertyTest {
  private static final long SEED = Long.getLong("kron.seed", 20_261_115L);
  private static final int TRACES = Integer.getInteger("kron.traces", 4_000);

  @Test
  void everyPowerFailureAndEveryDiskErrorLeavesAcknowledgedStateWhole() {
    for (int trace = 0; trace < TRACES; trace++) {
      long seed = SEED + trace;
      try {
        new Trace(new SplittableRandom(seed)).run();
      } catch (AssertionError | RuntimeException | IOException broken) {
        fail("-Dkron.seed=" + seed + " -Dkron.traces=1: " + broken, broken);
      }
    }
  }

  private static final class Trace {
    private final SplittableRandom random;
    private final SimulatedDisk disk = new SimulatedDisk();
    private FileSession session;
    private Map<String, TaskState> acknowledged = new HashMap<>();

    /** What the disk may hold: what was acknowledged, and what was tried since. */
    private List<Map<String, TaskState>> possible = new ArrayList<>(List.of(Map.of()));

    Trace(SplittableRandom random) {
      this.random = random;
      session = newSession();
    }

    private FileSession newSession() {
      return new FileSession(disk, Path.of("/state"), "tasks.json", () -> {});
    }

    void run() throws IOException {
      session.load();
      boolean mustReplace = true;
      for (int step = 0; step < 12; step++) {
        plan();
        try {
          mustReplace = !write(mustReplace);
        } catch (SimulatedDisk.PowerFailure failure) {
          disk.restart(random);
          session = newSession();
          check("after a power failure");
          mustReplace = true;
        }
        disk.failAt = -1;
        disk.powerFailsAt = -1;
      }
    }

    private void plan() {
      int at = disk.operations + 1 + random.nextInt(14);
      switch (random.nextInt(3)) {
        case 0 -> disk.failAt = at;
        case 1 -> disk.powerFailsAt = at;
        default -> {}
      }
    }

    /** Whether the write was acknowledged. */
    private boolean write(boolean mustReplace) throws IOException {
      boolean replace = mustReplace || random.nextInt(4) == 0;
      Map<String, TaskState> tried = replace ? new HashMap<>() : new HashMap<>(acknowledged);
      List<TaskState> batch = new ArrayList<>();
      for (int i = random.nextInt(6); i >= 0; i--) {
        TaskState state = States.random("task " + i, random);
        batch.add(state);
        tried.put(state.name(), state);
      }
      possible.add(tried);
      try {
        if (replace) {
          session.replaceAll(batch);
        } else {
          session.update(batch);
        }
      } catch (IOException asPlanned) {
        if (replace) {
          possible.remove(tried);
          checkAnother("after a failed rewrite");
        }
        return false;
      }
      acknowledged = tried;
      possible = new ArrayList<>(List.of(tried));
      return true;
    }

    /** All or nothing: another session, without any failure, finds what was there before. */
    private void checkAnother(String when) throws IOException {
      disk.failAt = -1;
      if (disk.powerFailsAt < 0) {
        Map<String, TaskState> found = States.byName(newSession().load());
        assertTrue(possible.contains(found), () -> when + ": " + found + " not in " + possible);
      }
    }

    private void check(String when) throws IOException {
      Map<String, TaskState> found = States.byName(session.load());
      assertTrue(possible.contains(found), () -> when + ": " + found + " not in " + possible);
      acknowledged = found;
      possible = new ArrayList<>(List.of(found));
    }
  }
}
