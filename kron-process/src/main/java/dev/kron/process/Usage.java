package dev.kron.process;

/**
 * The resources that the processes of a run use.
 *
 * @param memoryBytes resident memory of the living ones, added up; shared memory counts for each
 * @param cpuMillis processor time of the living ones and of the children that they waited for; for
 *     a run with a cgroup, of all processes that were ever in it
 * @param processes the number of living processes, without the keeper
 */
public record Usage(long memoryBytes, long cpuMillis, int processes) {
  /** The usage if no process is alive or nothing is known. */
  public static final Usage NONE = new Usage(0, 0, 0);

  Usage plus(Usage other) {
    return new Usage(
        memoryBytes + other.memoryBytes, cpuMillis + other.cpuMillis, processes + other.processes);
  }
}
