package dev.kron.store;

import dev.kron.job.Ending;
import dev.kron.job.HistoryEntry;
import dev.kron.job.Outcome;
import java.time.Instant;
import java.time.ZoneId;
import java.util.EnumMap;
import java.util.Map;
import java.util.TreeMap;

/**
 * The counts of a day whose single runs are no longer kept: how many runs had which ending, and
 * their durations to within 2 %.
 */
final class PastDay {
  private static final int EXACT = 64;
  private static final int STEPS = 32;
  private static final int STEP_BITS = 5;

  final Map<Ending, Long> counts = new EnumMap<>(Ending.class);

  /** The number of runs by duration, in classes given by {@link #step}. */
  final TreeMap<Integer, Long> durations = new TreeMap<>();

  static long of(HistoryEntry entry, ZoneId zone) {
    long at = entry.startedAt() == 0 ? entry.completedAt() : entry.startedAt();
    return Instant.ofEpochMilli(at).atZone(zone).toLocalDate().toEpochDay();
  }

  /** The duration of a run, −1 if nothing ran. */
  static long millis(HistoryEntry entry) {
    boolean ran = entry.outcome() == Outcome.EXECUTED && entry.startedAt() != 0;
    return ran && entry.stage() == null ? Math.max(0, entry.completedAt() - entry.startedAt()) : -1;
  }

  void add(HistoryEntry entry) {
    counts.merge(Ending.of(entry), 1L, Long::sum);
    long millis = millis(entry);
    if (millis >= 0) {
      durations.merge(step(millis), 1L, Long::sum);
    }
  }

  /** The class of a duration: exact below 64 ms, then 32 classes for each doubling. */
  static int step(long millis) {
    if (millis < EXACT) {
      return (int) millis;
    }
    int shift = Long.SIZE - 1 - Long.numberOfLeadingZeros(millis) - STEP_BITS;
    return shift * STEPS + (int) (millis >>> shift);
  }

  /** The middle of a class. */
  static long millis(int step) {
    if (step < EXACT) {
      return step;
    }
    int shift = step / STEPS - 1;
    return ((long) (step - shift * STEPS) << shift) + (1L << (shift - 1));
  }

  /** The duration that this fraction of the runs did not exceed, −1 if there were none. */
  long quantile(double part) {
    long all = durations.values().stream().mapToLong(Long::longValue).sum();
    long wanted = Math.max(1, (long) Math.ceil(all * part));
    long passed = 0;
    for (Map.Entry<Integer, Long> step : durations.entrySet()) {
      passed += step.getValue();
      if (passed >= wanted) {
        return millis(step.getKey());
      }
    }
    return -1;
  }
}
