package dev.kron.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kron.job.HistoryEntry;
import dev.kron.job.JobState;
import dev.kron.job.Outcome;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Power is lost at every single disk operation of a little history, many times with different luck:
 * what was acknowledged is there afterwards, and what is there was at least intended.
 */
final class PowerLossTest {
  private static final Path ROOT = Path.of("/var/lib");
  private static final Path DIRECTORY = ROOT.resolve("krond");
  private static final List<String> JOBS = List.of("/a:one", "/a:two", "/b:three");
  private static final int ROUNDS = 4;
  private static final int HISTORY = 3;
  private static final long SEED = Long.getLong("kron.seed", 20261115L);
  private static final int LIVES = Integer.getInteger("kron.lives", 12);

  /** What the history has promised so far, and what it may have done beyond that. */
  private static final class Promises {
    final Map<String, Integer> acknowledged = new HashMap<>();
    final Map<String, Integer> attempted = new HashMap<>();
    final Map<String, Long> since = new HashMap<>();
    final Map<String, Long> sinceAttempted = new HashMap<>();
    long touched;
  }

  @Test
  void keepsEveryPromiseThroughALossOfPowerAtAnyOperation() throws Exception {
    long length = operationsOfAnUndisturbedLife();
    for (long at = 1; at <= length; at++) {
      for (int life = 0; life < LIVES; life++) {
        long seed = SEED + at * 1_000 + life;
        try {
          liveAndDie(seed, at);
        } catch (AssertionError | Exception e) {
          throw new AssertionError(
              "power lost at operation %d, -Dkron.seed=%d (%d)".formatted(at, SEED, seed), e);
        }
      }
    }
  }

  private static long operationsOfAnUndisturbedLife() throws Exception {
    PowerLossDisk disk = new PowerLossDisk(new SplittableRandom(1), ROOT);
    live(disk, new Promises());
    return disk.operations();
  }

  private static void liveAndDie(long seed, long at) throws Exception {
    SplittableRandom random = new SplittableRandom(seed);
    PowerLossDisk disk = new PowerLossDisk(random, ROOT);
    Promises promises = new Promises();
    disk.losePowerAt(at);
    try {
      live(disk, promises);
    } catch (PowerLossDisk.PowerLost expected) {
      // the point of it
    } catch (IllegalStateException e) {
      assertTrue(e.getCause() instanceof PowerLossDisk.PowerLost, e::toString);
    }
    disk.restart();
    // A second loss of power while recovering must not make anything worse.
    disk.losePowerAt(1 + random.nextInt(40));
    try {
      check(disk, promises);
    } catch (PowerLossDisk.PowerLost again) {
      disk.restart();
      check(disk, promises);
    } catch (IllegalStateException e) {
      assertTrue(e.getCause() instanceof PowerLossDisk.PowerLost, e::toString);
      disk.restart();
      check(disk, promises);
    }
  }

  private static void live(PowerLossDisk disk, Promises promises) throws Exception {
    StateDirectory store = StateDirectory.open(DIRECTORY, disk, Samples.settings(HISTORY), "pid 1");
    LoadedStates loaded = store.load(UnaryOperator.identity());
    assertTrue(loaded.states().isEmpty());
    store.ledger().begin(1000, Samples.BOOT);
    promises.touched = 1000;
    arrive(store, promises, 500);
    for (int round = 1; round <= ROUNDS; round++) {
      List<StateChange> changes = new ArrayList<>();
      for (String job : JOBS) {
        promises.attempted.put(job, round);
        changes.add(change(job, round, promises));
      }
      List<CommitResult> results = store.jobs().commit(changes);
      for (int i = 0; i < JOBS.size(); i++) {
        assertTrue(results.get(i) instanceof CommitResult.Durable);
        promises.acknowledged.put(JOBS.get(i), round);
      }
      store.ledger().touch(1000 + round * 60L);
      promises.touched = 1000 + round * 60L;
      if (round == 2) {
        arrive(store, promises, 700);
      }
    }
  }

  private static void arrive(StateDirectory store, Promises promises, long since)
      throws DiskException {
    List<Arrival> arrivals = new ArrayList<>();
    for (String job : JOBS) {
      arrivals.add(new Arrival(job, "f" + since, since, false));
      promises.sinceAttempted.put(job, since);
    }
    store.arrivals().append(arrivals);
    promises.since.putAll(promises.sinceAttempted);
  }

  private static StateChange change(String job, int round, Promises promises) {
    long nominal = Samples.NOMINAL + round * 60L;
    long since = promises.since.getOrDefault(job, 0L);
    JobState state =
        JobState.builder(job)
            .lastHandled(nominal)
            .lastOutcome(Outcome.EXECUTED)
            .lastChosen(nominal + 1)
            .fingerprint("f" + since)
            .since(since)
            .build();
    return new StateChange(state, List.of(Samples.ended(round)));
  }

  private static void check(PowerLossDisk disk, Promises promises) throws Exception {
    StateDirectory store = StateDirectory.open(DIRECTORY, disk, Samples.settings(HISTORY), "pid 2");
    LoadedStates loaded = store.load(UnaryOperator.identity());
    assertEquals(List.of(), loaded.quarantined(), "a partial write replaced a valid state");
    Map<String, JobState> states = new HashMap<>();
    loaded.states().forEach(state -> states.put(state.identity(), state));
    for (String job : JOBS) {
      int acknowledged = promises.acknowledged.getOrDefault(job, 0);
      int attempted = promises.attempted.getOrDefault(job, 0);
      JobState state = states.get(job);
      int found = state == null ? 0 : Math.toIntExact((state.lastHandled() - Samples.NOMINAL) / 60);
      assertTrue(found >= acknowledged, () -> job + " lost " + acknowledged + ", has " + found);
      assertTrue(found <= attempted, () -> job + " has " + found + " of " + attempted);
      checkHistory(store, job, found);
      checkSince(loaded, job, state, promises);
    }
    store.ledger().begin(5000, Samples.BOOT);
    long from =
        store.ledger().downBetween(0, 5000).stream()
            .mapToLong(Ledger.Absence::from)
            .max()
            .orElse(0);
    assertTrue(from >= promises.touched, () -> "ledger lost " + promises.touched);
    for (String name : disk.list(DIRECTORY)) {
      assertTrue(!AtomicFiles.isTemporary(name), name + " was left behind");
    }
    store.close();
  }

  private static void checkHistory(StateDirectory store, String job, int found)
      throws DiskException {
    List<HistoryEntry> expected = new ArrayList<>();
    for (int round = Math.max(1, found - HISTORY + 1); round <= found; round++) {
      expected.add(Samples.ended(round));
    }
    assertEquals(expected, store.jobs().history(job));
  }

  private static void checkSince(
      LoadedStates loaded, String job, @Nullable JobState state, Promises promises) {
    Long acknowledged = promises.since.get(job);
    Long attempted = promises.sinceAttempted.get(job);
    Long found =
        state != null
            ? Long.valueOf(state.since())
            : loaded.arrival(job).map(Arrival::since).orElse(null);
    assertTrue(
        Objects.equals(found, acknowledged) || Objects.equals(found, attempted),
        () -> job + " counts since " + found + ", not " + acknowledged);
  }
}
