package dev.kron.cli;

import dev.kron.cli.forecast.Forecast.Consequences;
import dev.kron.job.JobSpec;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * How many further starts one start leads to: attempts, and jobs that follow, with those that
 * follow them. Chains have no cycles: a krontab with one is refused.
 */
final class ChainCounts {
  private final Map<String, JobSpec> jobs;
  private final Map<String, Consequences> known = new HashMap<>();

  ChainCounts(List<JobSpec> all) {
    boolean chained = all.stream().anyMatch(job -> !job.then().isEmpty());
    jobs = chained ? HashMap.newHashMap(all.size()) : Map.of();
    if (chained) {
      all.forEach(job -> jobs.put(job.identity(), job));
    }
  }

  /** Of one start of this job. */
  Consequences of(JobSpec job) {
    if (job.then().isEmpty()) {
      return new Consequences(job.retry().retries(), 0);
    }
    Deque<JobSpec> open = new ArrayDeque<>(List.of(job));
    while (!open.isEmpty()) {
      JobSpec next = open.peek();
      int before = open.size();
      for (String target : next.rules().then()) {
        JobSpec follower = jobs.get(target);
        if (follower != null && !known.containsKey(target)) {
          open.push(follower);
        }
      }
      if (open.size() == before) {
        open.pop();
        known.put(next.identity(), sum(next));
      }
    }
    return Objects.requireNonNull(known.get(job.identity()));
  }

  /** A suspended job skips what it is to follow. */
  private Consequences sum(JobSpec job) {
    long retries = job.retry().retries();
    long following = 0;
    for (String target : job.rules().then()) {
      JobSpec follower = jobs.get(target);
      Consequences more = known.get(target);
      if (follower != null && more != null && !follower.schedule().policy().suspend()) {
        retries = bounded(retries, more.retriesAtMost());
        following = bounded(following, bounded(1, more.following()));
      }
    }
    return new Consequences(retries, following);
  }

  private static long bounded(long a, long b) {
    return a > Long.MAX_VALUE - b ? Long.MAX_VALUE : a + b;
  }
}
