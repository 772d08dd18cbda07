package dev.kron.process;

/**
 * The identity of a process for all time; a pid alone is reused.
 *
 * @param startTicks the kernel's start time, in clock ticks since boot
 * @param bootId the boot from which the ticks count
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
