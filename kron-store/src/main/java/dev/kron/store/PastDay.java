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
 * A day of a job, when its single runs are no longer kept: how many ended how, and how long they
 * took, to within 2 %.
 */
final class PastDay {
  private static final int EXACT = 64;
  private static final int STEPS = 32;
  private static final int STEP_BITS = 5;

  final Map<Ending, Long> counts = new EnumMap<>(Ending.class);

  /** How many took about so long, by {@link #step}. */
  final TreeMap<Integer, Long> durations = new TreeMap<>();

  static long of(HistoryEntry entry, ZoneId zone) {
    long at = entry.startedAt() == 0 ? entry.completedAt() : entry.startedAt();
    return Instant.ofEpochMilli(at).atZone(zone).toLocalDate().toEpochDay();
  }

  /** How long a run took, −1 where nothing ran. */
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

  /** Equal durations below 64 ms, then 32 steps for each doubling. */
  static int step(long millis) {
    if (millis < EXACT) {
      return (int) millis;
    }
    int shift = Long.SIZE - 1 - Long.numberOfLeadingZeros(millis) - STEP_BITS;
    return shift * STEPS + (int) (millis >>> shift);
  }

  /** The middle of a step. */
  static long millis(int step) {
    if (step < EXACT) {
      return step;
    }
    int shift = step / STEPS - 1;
    return ((long) (step - shift * STEPS) << shift) + (1L << (shift - 1));
  }

  /** The duration that so great a part of the runs did not exceed, −1 where none ran. */
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
