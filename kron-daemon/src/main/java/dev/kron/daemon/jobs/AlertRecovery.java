package dev.kron.daemon.jobs;

import dev.kron.daemon.loop.Errands;
import dev.kron.job.JobSpec;
import dev.kron.store.JobStates;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Alerts that an earlier daemon owed are raised beside the loop, and tried again until they are: a
 * disk that cannot be read for a while must not silence them.
 */
public record AlertRecovery(Alerts alerts, List<JobSpec> specs, JobStates states, Errands errands) {
  private static final long AGAIN_MILLIS = 1_000;

  public void start() {
    errands.execute(Errands.Place.RECOVER_ALERTS, this::recover, thrown -> again());
  }

  private void recover() {
    if (!alerts.recover(this::find, states)) {
      again();
    }
  }

  private void again() {
    errands.after(AGAIN_MILLIS, Errands.Place.RECOVER_ALERTS, this::recover, thrown -> again());
  }

  /** The job of an owed alert. Few alerts are owed, so the list is searched. */
  private @Nullable JobSpec find(String identity) {
    return specs.stream().filter(spec -> spec.identity().equals(identity)).findFirst().orElse(null);
  }
}
