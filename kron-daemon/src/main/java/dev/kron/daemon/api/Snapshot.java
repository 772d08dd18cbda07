package dev.kron.daemon.api;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * All jobs at one moment, never changed again.
 *
 * @param trouble why state cannot be written, null where it can
 * @param stopping the daemon has been told to leave
 * @param downMillis services that are wanted up and are not, and for how long
 * @param asOf the id of the last event that it knows of; everything after it is news
 */
public record Snapshot(
    long wallMillis,
    @Nullable String trouble,
    boolean stopping,
    Map<String, Long> downMillis,
    List<JobView> jobs,
    String asOf) {

  /** What stands before a name that a job and a service may have. */
  private static final String JOB = "job:";

  /** The same, told up to which event. */
  public Snapshot asOf(String event) {
    return new Snapshot(wallMillis, trouble, stopping, downMillis, jobs, event);
  }

  /** The jobs that somebody means by an identity or a name, {@code job:} before it or not. */
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
