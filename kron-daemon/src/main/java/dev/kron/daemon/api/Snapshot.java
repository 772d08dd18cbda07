package dev.kron.daemon.api;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * All jobs at one moment, never changed again.
 *
 * @param trouble why state cannot be written, null where it can
 * @param stopping the daemon has been told to leave
 */
public record Snapshot(
    long wallMillis, @Nullable String trouble, boolean stopping, List<JobView> jobs) {

  /** The jobs that somebody means by an identity or a name. */
  public List<JobView> named(String word) {
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
