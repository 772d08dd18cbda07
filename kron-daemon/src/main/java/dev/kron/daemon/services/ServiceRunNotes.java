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

/** The notes of services' runs, in the directories of the runs. */
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

  void write(LaunchOrder order, List<String> secret) throws DiskException {
    RunFacts run = order.run();
    String fingerprint = fingerprints.of(order.spec(), run.profile(), secret);
    new ServiceNote(
            order.instance(),
            order.restarts(),
            run.withFingerprint(fingerprint),
            processes.bootId(),
            order.hook())
        .write(directories);
  }

  /**
   * The facts in the note of a run. A lost note is written again as far as it is known, since the
   * supervisor's file may be lost next.
   */
  RunFacts read(Run run, ServiceRun present, long startedAt) {
    RunFacts without = RunFacts.intended(run.id(), startedAt, null);
    try {
      ServiceNote note = ServiceNote.find(directories, run.id());
      if (note != null) {
        return note.run();
      }
      directories.create(run.id());
      user(run, present.spec);
      new ServiceNote(present.instance, 0, without, processes.bootId(), present.hook)
          .write(directories);
    } catch (IOException e) {
      // The next daemon tries again.
    }
    return without;
  }

  /** Notes the user of a run's processes. */
  void user(Run run, ServiceSpec spec) throws IOException {
    try {
      Credentials credentials = launches.credentials(spec);
      if (credentials != null) {
        directories.create(run.id());
        processes.noteUser(run, credentials);
      }
    } catch (Launches.Refused e) {
      // There is no such user, so no process runs as them.
    }
  }
}
