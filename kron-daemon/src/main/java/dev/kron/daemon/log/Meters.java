package dev.kron.daemon.log;

import dev.kron.job.Ending;
import dev.kron.job.HistoryEntry;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/**
 * The counters of the daemon since its start. They are plain adders; the library that exports them
 * is loaded at the first request for metrics.
 */
public final class Meters {
  private final Map<Ending, LongAdder> runs = new EnumMap<>(Ending.class);

  /** The time from the due second of a period until its process was known. */
  public final Histogram startLatency =
      new Histogram(0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60);

  /** The lateness of periods that fell due while the daemon was away. */
  public final Histogram lateness =
      new Histogram(1, 10, 60, 300, 900, 3600, 14_400, 43_200, 86_400, 604_800);

  /** The time from a step of a job until it was durable. */
  public final Histogram stateWrite =
      new Histogram(0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5);

  /** The time that inputs waited for the loop. */
  public final Histogram loopLag =
      new Histogram(0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5);

  /** The time that an input held the loop. */
  public final Histogram loopHold =
      new Histogram(0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5);

  /** The parts of the daemon that do not work at present. */
  public final Faults faults = new Faults();

  private final LongAdder failedWrites = new LongAdder();
  private final LongAdder restarts = new LongAdder();
  private final LongAdder cpuMillis = new LongAdder();

  public Meters() {
    for (Ending ending : Ending.values()) {
      runs.put(ending, new LongAdder());
    }
  }

  public void ended(HistoryEntry entry) {
    counter(Ending.of(entry)).increment();
    Long cpu = entry.cpuMillis();
    if (cpu != null) {
      cpuMillis.add(cpu);
    }
  }

  public LongAdder counter(Ending ending) {
    LongAdder counter = runs.get(ending);
    if (counter == null) {
      throw new IllegalStateException(ending.name());
    }
    return counter;
  }

  /** The CPU time of runs, as far as it is known. */
  public double cpuSeconds() {
    return cpuMillis.sum() / 1e3;
  }

  public void writeFailed() {
    failedWrites.increment();
  }

  /** Counts a restart of a service that ended. */
  public void restarted() {
    restarts.increment();
  }

  public long restarts() {
    return restarts.sum();
  }

  public long failedWrites() {
    return failedWrites.sum();
  }
}
