package dev.kron.daemon.jobs;

import dev.kron.daemon.runs.Launches;
import dev.kron.job.JobSpec;
import java.util.List;

/** The files that a job's variables come from; they are read when a run starts. */
public interface VariableSource {
  /**
   * @throws Launches.Refused where a file cannot be used; says why, and no value
   */
  Added read(JobSpec spec) throws Launches.Refused;

  /**
   * Variables as {@code NAME=value}; their values are secret.
   *
   * @param envfile variables that the entry itself may overwrite
   * @param profile variables that overwrite those of the entry
   */
  record Added(List<String> envfile, List<String> profile) {
    public Added {
      envfile = List.copyOf(envfile);
      profile = List.copyOf(profile);
    }

    /** A text without secrets. */
    @Override
    public String toString() {
      return "Added[" + envfile.size() + " and " + profile.size() + " variables]";
    }
  }
}
