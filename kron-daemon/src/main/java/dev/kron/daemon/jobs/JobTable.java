package dev.kron.daemon.jobs;

import dev.kron.job.ActiveRun;
import dev.kron.job.ActiveRun.Phase;
import dev.kron.job.JobState;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** The jobs, by identity and by the second they are due, and their runs that have not ended. */
final class JobTable {
  private final Map<String, Job> jobs = new HashMap<>();
  private final DueQueue dueQueue = new DueQueue();

  /** The runs whose end is not on record yet; read by other threads too. */
  private final Set<String> active = ConcurrentHashMap.newKeySet();

  void add(Job job) {
    jobs.put(job.identity, job);
    job.state.active().forEach(run -> active.add(run.runId()));
  }

  void remove(Job job) {
    dueQueue.remove(job);
    jobs.remove(job.identity);
  }

  @Nullable Job find(String identity) {
    return jobs.get(identity);
  }

  Map<String, Job> known() {
    return Collections.unmodifiableMap(jobs);
  }

  /** A copy of all jobs, since the table may change meanwhile. */
  List<Job> all() {
    return List.copyOf(jobs.values());
  }

  DueQueue dueQueue() {
    return dueQueue;
  }

  /** A state is on disk. Returns the runs that it has no more: they have ended. */
  List<ActiveRun> become(Job job, JobState state) {
    state.active().forEach(run -> active.add(run.runId()));
    List<ActiveRun> ended =
        job.state.active().stream()
            .filter(
                before ->
                    state.active().stream().noneMatch(run -> run.runId().equals(before.runId())))
            .toList();
    ended.forEach(run -> active.remove(run.runId()));
    job.state = state;
    return ended;
  }

  /** From any thread: whether the end of this run is not on record yet. */
  boolean isActive(String runId) {
    return active.contains(runId);
  }

  boolean anyActive() {
    return jobs.values().stream().anyMatch(job -> !job.state.active().isEmpty());
  }

  /** Whether a start is under way whose intent is durable. */
  boolean anyStarting() {
    return jobs.values().stream()
        .flatMap(job -> job.state.active().stream())
        .anyMatch(run -> run.phase() == Phase.INTENDED);
  }
}
