package dev.kron.process;

import java.io.IOException;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The port to the operating system's processes. The daemon knows no other way to start, look at or
 * signal one; a simulation puts its own behind it.
 *
 * <p>Every method may be called from any thread, and several launches may be under way at once. How
 * a run ended is told to the {@link Exits} that the implementation was opened with.
 *
 * <p>An {@link IOException} says that a run's record, or what is noted beside it, cannot be read or
 * made now, and nothing else: what became of the run is not known until that works again.
 */
public interface Processes extends AutoCloseable {

  /**
   * Starts a run: checks as the run's user what can be checked, then starts its keeper and watches
   * it. A start may be repeated for the same run, also by another daemon: the claim in the run's
   * directory lets exactly one of them execute the command.
   *
   * @throws java.util.concurrent.RejectedExecutionException where this is being closed: nothing was
   *     started, and nothing is on record
   */
  LaunchResult launch(Launch launch) throws IOException;

  /**
   * Gets a run ready so that {@link Prepared#start} is left with as little as possible to do.
   * Nothing of the run is claimed or executed before that; if this process dies first, the run
   * never began. What a launch checks and opens is checked and opened now; what fails now is tried
   * again by the start. Until then it costs two waiting processes and a descriptor.
   */
  Prepared prepare(Launch launch) throws IOException;

  /**
   * How many more runs may be prepared and wait.
   *
   * @param waiting how many do so already
   */
  int roomToPrepare(int waiting);

  /** What is on record about a run, and whether its keeper is still there. */
  RunStatus status(Run run) throws IOException;

  /**
   * Takes a run that has not begun away from every keeper, for ever.
   *
   * @return true: this run provably never began and never will; false: it began (or somebody took
   *     it away before), {@link #status} tells how far it came
   */
  boolean forestall(Run run) throws IOException;

  /**
   * Puts on record that a run could not be started, for reasons the caller found out before a
   * launch: an unknown user, for example.
   *
   * @return what is on record now; something else than {@link RunStatus.FailedToStart} if the run
   *     had begun already
   */
  RunStatus refuse(Run run, Stage stage, String reason) throws IOException;

  /**
   * Watches a keeper that an earlier daemon started. Its end is told to {@link Exits}, at once if
   * it is gone already. Runs started by {@link #launch} are watched without this.
   */
  void watch(Run run, ProcessIdentity keeper);

  /**
   * The process that a run's command is, as its keeper put it on record; null until then. It may
   * have ended since.
   */
  @Nullable ProcessIdentity command(Run run) throws IOException;

  /** Signals the process group of a run's command, its keeper left alone. */
  SignalDelivery signal(Run run, Signal signal) throws IOException;

  /**
   * The processes that belong to a run, its keeper excepted: those in its command's session, and
   * those that left it but carry the run's id in their environment or descend from one that does,
   * and those in the group that {@link #enclose} gave it. Without that group, what cleared its
   * environment and lost its parents cannot be found.
   */
  List<ProcessIdentity> members(Run run) throws IOException;

  /**
   * Puts on record whose processes a run's are, where that was lost with its directory: without it
   * {@link #members} believes nobody but the daemon's own user.
   */
  default void noteUser(Run run, Credentials credentials) throws IOException {}

  /**
   * Gives a run that was launched a group of its own which its processes cannot leave, where this
   * machine has such (cgroup v2) and lets us. Not part of a launch, because the first of a while
   * may take the kernel some ten milliseconds.
   *
   * @return false where there is none; {@link #members} then finds what it can
   */
  default boolean enclose(Run run) throws IOException {
    return false;
  }

  /** The same for many runs, by one look at all processes. */
  default Map<Run, List<ProcessIdentity>> members(Collection<Run> runs) throws IOException {
    Map<Run, List<ProcessIdentity>> members = new HashMap<>();
    for (Run run : runs) {
      members.put(run, members(run));
    }
    return members;
  }

  /** What the processes of these runs use now, by one look at all processes. */
  default Map<Run, Usage> usage(Collection<Run> runs) throws IOException {
    return Map.of();
  }

  /**
   * Gives up the group of a run that {@link #launch} started here and whose keeper has ended, where
   * nothing is left of it. Whatever outlives its parents then comes to this process, whatever it
   * made of its session and its environment; so where nobody came there is nobody. Costs next to
   * nothing.
   *
   * @return whether nothing is left; false also where that cannot be told so simply, and {@link
   *     #members} knows
   */
  default boolean releaseIfGone(Run run) {
    return false;
  }

  /** Signals one process, if it is still the one that is meant. */
  SignalDelivery signal(ProcessIdentity process, Signal signal);

  /** Whether the process is still there; a zombie is not. */
  boolean isAlive(ProcessIdentity process);

  /** How long ago a process of this boot was started, by a clock that counts sleep too. */
  Duration age(ProcessIdentity process);

  /** What a run that has ended used of CPU time, in milliseconds; null: nobody knows. */
  default @Nullable Long cpuMillis(Run run) {
    return null;
  }

  /** The boot that this is. */
  String bootId();

  /**
   * Names the boot that this is, also where only a container was started again: its first process
   * began at another time then.
   */
  default String boot() {
    return bootId() + ".0";
  }

  /** Stops watching. Keepers and their commands go on. */
  @Override
  void close();
}
