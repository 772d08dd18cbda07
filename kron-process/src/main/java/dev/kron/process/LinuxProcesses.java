package dev.kron.process;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.io.IOException;
import java.lang.foreign.FunctionDescriptor;
import java.lang.invoke.MethodHandle;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The real processes of this machine. There is one instance per JVM, for its whole life. */
public final class LinuxProcesses implements Processes {
  private static final int PR_SET_CHILD_SUBREAPER = 36;
  private static final int COMMAND_LOOKS = 500;
  private static final long COMMAND_LOOK_NANOS = 2_000_000;

  /** How long the paths of a launch may take to answer. */
  private static final Duration ANSWER_WITHIN = Duration.ofSeconds(5);

  private static final int OWN_PID = Math.toIntExact(ProcessHandle.current().pid());
  private static final int OWN_UID = ProcFiles.users(OWN_PID).orElseThrow().real();

  private final Exits exits;
  private final String bootId = ProcFiles.bootId();
  private final Cgroups cgroups = new Cgroups();
  private final Pidfds pidfds = new Pidfds(bootId);
  private final Reaper reaper;
  private final Launcher launcher;
  private final ReadinessListener readiness = new ReadinessListener();

  LinuxProcesses(Exits exits, Inspection inspection, Keeper keeper, boolean adoptOrphans) {
    this.exits = exits;
    reaper = Reaper.start(pidfds, adoptOrphans);
    launcher = new Launcher(keeper, reaper, inspection);
  }

  /**
   * Starts watching. This process becomes the parent of orphaned descendants and reaps all its
   * children, so {@link ProcessBuilder} must not be used beside it.
   */
  public static LinuxProcesses open(Exits exits) {
    return open(exits, ANSWER_WITHIN, path -> {});
  }

  /**
   * The same, for tests.
   *
   * @param answerWithin how long the paths of a launch may take to answer
   * @param touched called with each path of a launch before the kernel is asked; it may block
   */
  public static LinuxProcesses open(Exits exits, Duration answerWithin, Consumer<String> touched) {
    becomeSubreaper();
    Keeper keeper = new Keeper("/bin/sh", ProcFiles.bootId(), OpenFiles.raiseLimit());
    var inspection = new Inspection(new SystemUsers(), touched, () -> answerWithin);
    return new LinuxProcesses(exits, inspection, keeper, true);
  }

  /** For tests that start processes in other ways too, and for other shells. */
  static LinuxProcesses openBesideOthers(Exits exits, String shell) {
    return openBesideOthers(
        exits, shell, new Inspection(new SystemUsers(), path -> {}, () -> ANSWER_WITHIN));
  }

  static LinuxProcesses openBesideOthers(Exits exits, String shell, Inspection inspection) {
    Keeper keeper = new Keeper(shell, ProcFiles.bootId(), OptionalLong.empty());
    return new LinuxProcesses(exits, inspection, keeper, false);
  }

  @Override
  public LaunchResult launch(Launch launch) throws IOException {
    Optional<LaunchResult> before = claimedBefore(launch.run());
    if (before.isPresent()) {
      return before.get();
    }
    try {
      return new LaunchResult.Launched(launcher.launch(launch, this::ended));
    } catch (LaunchFailure failure) {
      return refused(launch.run(), failure);
    }
  }

  @Override
  public Prepared prepare(Launch launch) throws IOException {
    try {
      if (RunFiles.claim(launch.run()) instanceof RunFiles.Claim.None) {
        return new PreparedLaunch(launch, launcher.prepare(launch, this::ended), this::launch);
      }
    } catch (LaunchFailure failure) {
      // The program may be installed by the time it is needed; the start reports it if not.
    }
    return new PreparedLaunch(launch, null, this::launch);
  }

  @Override
  public int roomToPrepare(int waiting) {
    return Headroom.more(waiting);
  }

  private Optional<LaunchResult> claimedBefore(Run run) throws IOException {
    if (RunFiles.claim(run) instanceof RunFiles.Claim.None) {
      return Optional.empty();
    }
    return Optional.of(new LaunchResult.AlreadyClaimed(status(run)));
  }

  private LaunchResult refused(Run run, LaunchFailure failure) throws IOException {
    return switch (refuse(run, failure.stage(), failure.reason())) {
      case RunStatus.FailedToStart(Stage stage, String reason) ->
          new LaunchResult.Failed(stage, reason);
      case RunStatus status -> new LaunchResult.AlreadyClaimed(status);
    };
  }

  @Override
  public RunStatus status(Run run) throws IOException {
    return switch (RunFiles.claim(run)) {
      case RunFiles.Claim.None() -> new RunStatus.Unclaimed();
      case RunFiles.Claim.ByDaemon() -> new RunStatus.Forestalled();
      case RunFiles.Claim.Refused(Stage stage, String reason) ->
          new RunStatus.FailedToStart(stage, reason);
      case RunFiles.Claim.ByKeeper claim -> kept(run, claim);
      case RunFiles.Claim.Unreadable() -> halfClaimed(run);
    };
  }

  private RunStatus kept(Run run, RunFiles.Claim.ByKeeper claim) throws IOException {
    if (claim.end() != null) {
      return claim.end();
    }
    ProcessIdentity keeper = claim.keeper();
    if (pidfds.isAlive(keeper)) {
      return new RunStatus.Running(keeper);
    }
    // The keeper may have written its last line and left after we read the claim.
    if (RunFiles.claim(run) instanceof RunFiles.Claim.ByKeeper again && again.end() != null) {
      return again.end();
    }
    return new RunStatus.Unknown(
        keeper.bootId().equals(bootId)
            ? "its keeper (pid " + keeper.pid() + ") ended without writing an exit status"
            : "the machine was restarted while it ran");
  }

  /** The status of a claim that was created and not written yet, or never will be. */
  private RunStatus halfClaimed(Run run) throws IOException {
    ProcessIdentity keeper = new Members(run, bootId, OWN_UID).keeper();
    if (keeper != null) {
      return new RunStatus.Running(keeper);
    }
    // The keeper may have finished its claim, or even the run, since the first read.
    return RunFiles.claim(run) instanceof RunFiles.Claim.Unreadable
        ? new RunStatus.Unknown("its claim was never finished; the disk may have been full")
        : status(run);
  }

  @Override
  public boolean forestall(Run run) throws IOException {
    return RunFiles.claim(run, "daemon");
  }

  @Override
  public RunStatus refuse(Run run, Stage stage, String reason) throws IOException {
    RunFiles.claim(run, RunFiles.failureLine(stage, reason));
    return status(run);
  }

  @Override
  public void watch(Run run, ProcessIdentity keeper) {
    reaper.watch(keeper, process -> ended(run, process));
  }

  private void ended(Run run, ProcessIdentity keeper) {
    RunStatus status;
    try {
      status = status(run);
    } catch (IOException | RuntimeException e) {
      // The end must be reported nevertheless, and nobody will ever know more about it.
      status = new RunStatus.Unknown(String.valueOf(e.getMessage()));
    }
    exits.ended(run, keeper, status);
  }

  @Override
  public List<KeptRun> kept(Path directory) {
    return LivingKeepers.below(directory, bootId, OWN_UID);
  }

  @Override
  public @Nullable ProcessIdentity command(Run run) throws IOException {
    return RunFiles.claim(run) instanceof RunFiles.Claim.ByKeeper claim ? claim.command() : null;
  }

  @Override
  public SignalDelivery signal(Run run, Signal signal) throws IOException {
    return switch (RunFiles.claim(run)) {
      case RunFiles.Claim.ByKeeper claim ->
          claim.keeper().bootId().equals(bootId) ? signal(run, claim, signal) : SignalDelivery.GONE;
      case RunFiles.Claim.None none -> signalUnclaimed(run, signal, none);
      case RunFiles.Claim.Unreadable unreadable -> signalUnclaimed(run, signal, unreadable);
      case RunFiles.Claim.ByDaemon(), RunFiles.Claim.Refused(_, _) -> SignalDelivery.GONE;
    };
  }

  /** Signals a run without a claim, whose keeper may be about to make it. */
  private SignalDelivery signalUnclaimed(Run run, Signal signal, RunFiles.Claim before)
      throws IOException {
    // The order matters: a child that is no longer a newborn shows its command line.
    if (ProcFiles.hasNewborn(OWN_PID, OWN_UID)
        || new Members(run, bootId, OWN_UID).keeper() != null) {
      return SignalDelivery.NOT_YET;
    }
    // The keeper may have come and gone since the first read.
    return RunFiles.claim(run).equals(before) ? SignalDelivery.GONE : signal(run, signal);
  }

  private SignalDelivery signal(Run run, RunFiles.Claim.ByKeeper claim, Signal signal)
      throws IOException {
    ProcessIdentity command = claim.command();
    if (command == null) {
      return pidfds.isAlive(claim.keeper()) ? SignalDelivery.NOT_YET : SignalDelivery.GONE;
    }
    Optional<ProcFiles.Entry> leader =
        ProcFiles.entry(command.pid()).filter(entry -> entry.startTicks() == command.startTicks());
    if (leader.isEmpty()) {
      return signalOrphanedGroup(run, command, signal);
    }
    // Until it leads a session of its own, the command is still in its keeper's group.
    return leader.get().session() == command.pid()
        ? pidfds.signalGroup(command, signal)
        : SignalDelivery.NOT_YET;
  }

  /** Signals the members of a group whose leader is gone one by one, each proved to be ours. */
  private SignalDelivery signalOrphanedGroup(Run run, ProcessIdentity command, Signal signal)
      throws IOException {
    SignalDelivery result = SignalDelivery.GONE;
    for (ProcessIdentity member : members(run)) {
      boolean inGroup =
          ProcFiles.entry(member.pid()).filter(entry -> entry.group() == command.pid()).isPresent();
      if (inGroup) {
        SignalDelivery delivery = pidfds.signal(member, signal);
        result = result == SignalDelivery.SENT ? result : delivery;
      }
    }
    return result;
  }

  @Override
  public List<ProcessIdentity> members(Run run) throws IOException {
    return members(new Census(), run);
  }

  @Override
  public Map<Run, List<ProcessIdentity>> members(Collection<Run> runs) throws IOException {
    Census census = new Census();
    Map<Run, List<ProcessIdentity>> members = new HashMap<>();
    for (Run run : runs) {
      members.put(run, members(census, run));
    }
    return members;
  }

  private List<ProcessIdentity> members(Census census, Run run) throws IOException {
    Members members = new Members(run, bootId, OWN_UID);
    return RunFiles.claim(run) instanceof RunFiles.Claim.ByKeeper claim
            && claim.keeper().bootId().equals(bootId)
        ? members.living(census, claim.keeper(), claim.command())
        : members.living(census, null, null);
  }

  @Override
  public Map<Run, Usage> usage(Collection<Run> runs) throws IOException {
    UsageOfRuns look = new UsageOfRuns();
    Map<Run, Usage> usage = new HashMap<>();
    for (Run run : runs) {
      if (RunFiles.claim(run) instanceof RunFiles.Claim.ByKeeper claim
          && claim.keeper().bootId().equals(bootId)) {
        usage.put(run, look.of(run, claim.keeper(), claim.command()));
      }
    }
    return usage;
  }

  @Override
  public void noteUser(Run run, Credentials credentials) throws IOException {
    if (!RunFiles.hasUser(run)) {
      RunFiles.note(run, credentials.uid());
    }
  }

  @Override
  public boolean releaseIfGone(Run run) {
    return reaper.hasNoOrphans() && Cgroups.release(run);
  }

  @Override
  public boolean enclose(Run run) throws IOException {
    // The keeper's fork records itself right before it becomes the command.
    for (int i = 0; i < COMMAND_LOOKS; i++) {
      if (!(RunFiles.claim(run) instanceof RunFiles.Claim.ByKeeper claim)) {
        return false;
      }
      ProcessIdentity command = claim.command();
      if (command != null) {
        return pidfds.isAlive(command) && cgroups.enclose(run, command);
      }
      LockSupport.parkNanos(COMMAND_LOOK_NANOS);
    }
    return false;
  }

  @Override
  public void listen(Run run, Readiness how, Readiness.Listener listener) throws IOException {
    readiness.listen(run, how, pid -> isMember(run, pid), listener);
  }

  private boolean isMember(Run run, int pid) {
    try {
      return RunFiles.claim(run) instanceof RunFiles.Claim.ByKeeper claim
          && claim.keeper().bootId().equals(bootId)
          && new Members(run, bootId, OWN_UID).includes(pid, claim.keeper(), claim.command());
    } catch (IOException e) {
      return false; // nobody knows
    }
  }

  @Override
  public void stopListening(Run run) {
    readiness.stop(run);
  }

  @Override
  public SignalDelivery signal(ProcessIdentity process, Signal signal) {
    return pidfds.signal(process, signal);
  }

  @Override
  public boolean isAlive(ProcessIdentity process) {
    return pidfds.isAlive(process);
  }

  @Override
  public Duration age(ProcessIdentity process) {
    if (!process.bootId().equals(bootId)) {
      throw new IllegalArgumentException(process + " is not of this boot, " + bootId);
    }
    return BootClock.since(process.startTicks());
  }

  @Override
  public @Nullable Long cpuMillis(Run run) {
    return RunFiles.cpuMillis(run);
  }

  @Override
  public String boot() {
    return bootId + "." + ProcFiles.entry(1).map(ProcFiles.Entry::startTicks).orElse(0L);
  }

  @Override
  public String bootId() {
    return bootId;
  }

  /** The number of keepers that are being watched. */
  public int watched() {
    return reaper.watched();
  }

  private static void becomeSubreaper() {
    MethodHandle prctl =
        Libc.variadic("prctl", 1, FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_LONG, JAVA_LONG));
    try (Libc libc = new Libc()) {
      int result =
          libc.orErrno((int) prctl.invokeExact(libc.state(), PR_SET_CHILD_SUBREAPER, 1L, 0L));
      if (result < 0) {
        throw new IllegalStateException("cannot become subreaper: " + Libc.message(-result));
      }
    } catch (Throwable e) {
      throw Libc.rethrow(e);
    }
  }

  @Override
  public void close() {
    launcher.close();
    readiness.close();
    reaper.close();
  }
}
