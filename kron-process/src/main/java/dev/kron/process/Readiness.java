package dev.kron.process;

/** The way in which the command of a run reports that it is ready. */
public sealed interface Readiness {

  /**
   * A line on this descriptor, which is a pipe that the keeper holds open: a command may write to
   * it whether or not a daemon is there, and a later daemon reads what was written.
   */
  record Descriptor(int number) implements Readiness {}

  /**
   * {@code READY=1} in a datagram to a socket without a file, as {@code sd_notify} sends it. What
   * is sent while no daemon is there is lost.
   *
   * @param name begins with {@code @}
   */
  record Socket(String name) implements Readiness {}

  /** The receiver of what is heard; called from any thread. */
  interface Listener {
    /** The command is ready; called once for each time that somebody listens. */
    void ready();

    /** A process that does not belong to the run said that it is ready; called once. */
    void refused(int pid, int user);
  }
}
