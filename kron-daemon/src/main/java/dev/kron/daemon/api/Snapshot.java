package dev.kron.daemon.api;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * All jobs at one moment; immutable.
 *
 * @param trouble why state cannot be written; null if it can
 * @param stopping whether the daemon was told to leave
 * @param downMillis how long services have been down that are wanted up
 * @param asOf the id of the last event that is part of it
 */
public record Snapshot(
    long wallMillis,
    @Nullable String trouble,
    boolean stopping,
    Map<String, Long> downMillis,
    List<JobView> jobs,
    String asOf) {

  /** The prefix for a name that both a job and a service have. */
  private static final String JOB = "job:";

  /** The same snapshot with the id of its last event. */
  public Snapshot asOf(String event) {
    return new Snapshot(wallMillis, trouble, stopping, downMillis, jobs, event);
  }

  /** The jobs with this identity or name, with or without {@code job:} before it. */
  public List<JobView> named(String written) {
    String word = written.startsWith(JOB) ? written.substring(JOB.length()) : written;
    var found = new ArrayList<JobView>(1);
    for (JobView job : jobs) {
      if (job.identity().equals(word)) {
        return List.of(job);
      }
      if (job.name().equals(word)) {
        found.add(job);
      }
    }
    return found;
  }
}
