package dev.kron.daemon.runs;

import dev.kron.process.Run;
import dev.kron.process.RunStatus;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The owner of each run, which is told of its end: whatever launched it, or found it again. Runs
 * are identified by their directories, since an alert has the id of the run that failed. For any
 * thread.
 */
public final class RunOwners {
  private final Map<Path, Owner> owners = new ConcurrentHashMap<>();

  /** An owner of runs, which handles their ends. */
  public interface Owner {
    void exited(Run run, RunStatus status);
  }

  /** Registers the owner of a run before the run begins or is watched again. */
  public void register(Run run, Owner owner) {
    owners.put(run.directory(), owner);
  }

  /** Removes the owner of a run; its end concerns nobody from now on. */
  public void release(Run run) {
    owners.remove(run.directory());
  }

  /** Passes on the end of a process that was watched for a run. */
  public void exited(Run run, RunStatus status) {
    Owner owner = owners.get(run.directory());
    if (owner != null) {
      owner.exited(run, status);
    }
  }
}
