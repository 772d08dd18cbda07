package dev.kron.daemon.services;

import dev.kron.daemon.runs.KeptRuns;
import dev.kron.daemon.runs.Launches;
import dev.kron.process.Credentials;
import dev.kron.process.Processes;
import dev.kron.process.Run;
import dev.kron.service.ServiceSpec;
import dev.kron.store.DiskException;
import dev.kron.store.RunDirectories;
import java.io.IOException;
import java.util.List;

/** Notes of runs of services, in their directories. */
final class ServiceRunNotes {
  private final Processes processes;
  private final RunDirectories directories;
  private final ServiceLaunches launches;
  private final Fingerprints fingerprints;

  ServiceRunNotes(KeptRuns.Means means, ServiceLaunches launches, Fingerprints fingerprints) {
    this.processes = means.processes();
    this.directories = means.directories();
    this.launches = launches;
    this.fingerprints = fingerprints;
  }

  void write(ServiceRuns.Order order, List<String> secret) throws DiskException {
    new ServiceNote(
            order.instance(),
            order.restarts(),
            order.startedAt(),
            fingerprints.of(order.spec(), order.profile(), secret),
            order.profile(),
            processes.bootId())
        .write(directories, order.runId());
  }

  /**
   * What is noted of a run. One that was lost is written again as far as it is known: the
   * supervisor's own file may be the next to be lost.
   */
  ServiceNote read(Run run, ServiceRun present, long startedAt) {
    var without = new ServiceNote(present.instance, 0, startedAt, "", null, processes.bootId());
    try {
      ServiceNote note = ServiceNote.find(directories, run.id());
      if (note != null) {
        return note;
      }
      directories.create(run.id());
      user(run, present.spec);
      without.write(directories, run.id());
    } catch (IOException e) {
      // The next daemon tries again.
    }
    return without;
  }

  /** Notes as whom the processes of a run run. */
  void user(Run run, ServiceSpec spec) throws IOException {
    try {
      Credentials credentials = launches.credentials(spec);
      if (credentials != null) {
        directories.create(run.id());
        processes.noteUser(run, credentials);
      }
    } catch (Launches.Refused e) {
      // There is no such user, so nothing runs as them.
    }
  }
}
