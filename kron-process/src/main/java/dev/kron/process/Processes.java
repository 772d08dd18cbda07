package dev.kron.process;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The port to the operating system's processes. The daemon starts, inspects and signals processes
 * only through it; a simulation puts its own behind it.
 *
 * <p>Every method may be called from any thread, and several launches may be under way at once. The
 * ends of runs are reported to the {@link Exits} that the implementation was opened with.
 *
 * <p>An {@link IOException} means that a run's record, or what is noted beside it, cannot be read
 * or written now, and nothing else: what became of the run is unknown until that works again.
 */
public interface Processes extends AutoCloseable {

  /**
   * Starts a run: makes all possible checks as the run's user, then starts its keeper and watches
   * it. A start may be repeated for the same run, even by another daemon: the claim in the run's
   * directory lets exactly one of them execute the command.
   *
   * @throws java.util.concurrent.RejectedExecutionException if this is being closed; nothing was
   *     started or recorded
   */
  LaunchResult launch(Launch launch) throws IOException;

  /**
   * Prepares a run so that {@link Prepared#start} has as little as possible left to do. Until then
   * nothing of the run is claimed or executed; if this process dies first, the run never began. All
   * checks and files of a launch are made and opened now; the start repeats what fails now. A
   * prepared run costs two waiting processes and a descriptor.
   */
  Prepared prepare(Launch launch) throws IOException;

  /**
   * How many more runs may be prepared and wait.
   *
   * @param waiting how many wait already
   */
  int roomToPrepare(int waiting);

  /** The record of a run, and whether its keeper is still there. */
  RunStatus status(Run run) throws IOException;

  /**
   * Takes a run that has not begun away from every keeper, for ever.
   *
   * @return true if this run provably never began and never will; false if it began, or was taken
   *     away before: {@link #status} tells
   */
  boolean forestall(Run run) throws IOException;

  /**
   * Records that a run could not be started, for a reason found before the launch, such as an
   * unknown user.
   *
   * @return the record, which is not {@link RunStatus.FailedToStart} if the run had begun already
   */
  RunStatus refuse(Run run, Stage stage, String reason) throws IOException;

  /**
   * Watches a keeper that an earlier daemon started. {@link Exits} is told of its end, at once if
   * it is gone already. Runs started by {@link #launch} are watched without this.
   */
  void watch(Run run, ProcessIdentity keeper);

  /**
   * The process of a run's command, as its keeper recorded it; null until then. It may have ended
   * since.
   */
  @Nullable ProcessIdentity command(Run run) throws IOException;

  /** Signals the process group of a run's command, but not its keeper. */
  SignalDelivery signal(Run run, Signal signal) throws IOException;

  /**
   * The processes of a run without its keeper: those in its command's session, those that left it
   * but carry the run's id in their environment or descend from such a process, and those in the
   * group that {@link #enclose} made. Without that group, a process that cleared its environment
   * and lost its parents cannot be found.
   */
  List<ProcessIdentity> members(Run run) throws IOException;

  /**
   * Records the user of a run whose directory was lost; without that {@link #members} believes only
   * processes of the daemon's own user.
   */
  default void noteUser(Run run, Credentials credentials) throws IOException {}

  /** The runs below this directory whose keepers live, also where their files are lost. */
  default List<KeptRun> kept(Path directory) {
    return List.of();
  }

  /**
   * Gives a launched run a group of its own that its processes cannot leave, if this machine has
   * such groups (cgroup v2) and permits it. Not part of a launch, because the first one in a while
   * may take the kernel some ten milliseconds.
   *
   * @return false if there is no group; {@link #members} then finds what it can
   */
  default boolean enclose(Run run) throws IOException {
    return false;
  }

  /** The members of many runs, by one pass over all processes. */
  default Map<Run, List<ProcessIdentity>> members(Collection<Run> runs) throws IOException {
    Map<Run, List<ProcessIdentity>> members = new HashMap<>();
    for (Run run : runs) {
      members.put(run, members(run));
    }
    return members;
  }

  /** The present resource usage of these runs, by one pass over all processes. */
  default Map<Run, Usage> usage(Collection<Run> runs) throws IOException {
    return Map.of();
  }

  /**
   * Gives up the group of a run that {@link #launch} started here and whose keeper has ended, if no
   * process of it is left. Any process that outlives its parents becomes a child of this process,
   * whatever its session and environment; so if there is none, none is left. Costs next to nothing.
   *
   * @return whether nothing is left; false also if that cannot be told so simply, and {@link
   *     #members} has to look
   */
  default boolean releaseIfGone(Run run) {
    return false;
  }

  /**
   * Listens for the report of a run's command that it is ready: before the run is launched, and
   * when it was found again. Asked once more for the same run, it looks at once at what has come,
   * and tells again what it heard before.
   *
   * @throws IOException if it cannot listen now
   */
  void listen(Run run, Readiness how, Readiness.Listener listener) throws IOException;

  /** Listens to a run no more. */
  void stopListening(Run run);

  /** Signals one process, if it is still the one that is meant. */
  SignalDelivery signal(ProcessIdentity process, Signal signal);

  /** Whether the process is still there; a zombie is not. */
  boolean isAlive(ProcessIdentity process);

  /** The age of a process of this boot, by a clock that counts sleep too. */
  Duration age(ProcessIdentity process);

  /** The CPU time of a run that has ended, in milliseconds; null if unknown. */
  default @Nullable Long cpuMillis(Run run) {
    return null;
  }

  /** The id of this boot. */
  String bootId();

  /**
   * The id of this boot, which also changes when only a container is started again: its first
   * process then has another start time.
   */
  default String boot() {
    return bootId() + ".0";
  }

  /** Stops watching. Keepers and their commands go on. */
  @Override
  void close();
}
