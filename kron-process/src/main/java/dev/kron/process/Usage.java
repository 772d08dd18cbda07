package dev.kron.process;

/**
 * The share of the machine that the processes of a run have.
 *
 * @param memoryBytes resident memory of those that live, added up: what they share counts for each
 * @param cpuMillis processor time of those that live and of the children that they waited for;
 *     where the run has a cgroup, of all that ever were in it
 * @param processes how many live, the keeper left out
 */
public record Usage(long memoryBytes, long cpuMillis, int processes) {
  /** Nothing, where nobody lives or nobody can tell. */
  public static final Usage NONE = new Usage(0, 0, 0);

  Usage plus(Usage other) {
    return new Usage(
        memoryBytes + other.memoryBytes, cpuMillis + other.cpuMillis, processes + other.processes);
  }
}
