package dev.kron.daemon.runs;

import dev.kron.process.Run;
import dev.kron.process.RunStatus;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The owner of each run, which is told of its end: whoever launched it, or found it again. A run is
 * known by its directory, as an alert has the id of the run that failed. For any thread.
 */
public final class RunOwners {
  private final Map<Path, Owner> owners = new ConcurrentHashMap<>();

  /** An owner of runs takes their ends in hand. */
  public interface Owner {
    void exited(Run run, RunStatus status);
  }

  /** Before the run begins, or is watched again. */
  public void register(Run run, Owner owner) {
    owners.put(run.directory(), owner);
  }

  /** The end of the run concerns nobody from now on. */
  public void release(Run run) {
    owners.remove(run.directory());
  }

  /** A process that was watched for a run has ended. */
  public void exited(Run run, RunStatus status) {
    Owner owner = owners.get(run.directory());
    if (owner != null) {
      owner.exited(run, status);
    }
  }
}
