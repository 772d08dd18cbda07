package dev.kron.daemon.fleet;

import dev.kron.daemon.jobs.JobRuns;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The moments after which claimed runs must not begin without being asked for again. Of a run that
 * is not known here, that is always.
 */
final class Latests implements JobRuns.Latest {
  private final Map<String, Long> latest = new ConcurrentHashMap<>();

  void put(String run, long bootNanos) {
    latest.put(run, bootNanos);
  }

  void remove(String run) {
    latest.remove(run);
  }

  @Override
  public long bootNanos(String run) {
    return latest.getOrDefault(run, 0L);
  }
}
