package dev.kron.daemon.jobs;

import dev.kron.daemon.runs.Launches;
import dev.kron.job.JobSpec;
import java.util.List;

/** The files that a job's variables come from, read at the moment they are needed. */
public interface VariableSource {
  /**
   * @throws Launches.Refused where a file cannot be used; says why, and no value
   */
  Added read(JobSpec spec) throws Launches.Refused;

  /**
   * Variables as {@code NAME=value}; secret.
   *
   * @param envfile come before what the entry itself sets
   * @param profile come after it
   */
  record Added(List<String> envfile, List<String> profile) {
    public Added {
      envfile = List.copyOf(envfile);
      profile = List.copyOf(profile);
    }

    /** Nothing of what is secret. */
    @Override
    public String toString() {
      return "Added[" + envfile.size() + " and " + profile.size() + " variables]";
    }
  }
}
