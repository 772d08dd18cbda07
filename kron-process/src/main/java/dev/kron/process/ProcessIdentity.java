package dev.kron.process;

/**
 * One process of all that ever were: a pid alone is given out again.
 *
 * @param startTicks when the kernel started it, in clock ticks since boot
 * @param bootId the boot that those count from
 */
public record ProcessIdentity(int pid, long startTicks, String bootId) {
  public ProcessIdentity {
    if (pid <= 0) {
      throw new IllegalArgumentException("pid " + pid + ", expected a positive number");
    }
    if (startTicks < 0) {
      throw new IllegalArgumentException("start time " + startTicks + " of pid " + pid);
    }
  }
}
