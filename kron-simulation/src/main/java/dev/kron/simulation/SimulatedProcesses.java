package dev.kron.simulation;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.kron.process.Exits;
import dev.kron.process.InputSource;
import dev.kron.process.KeptRun;
import dev.kron.process.Launch;
import dev.kron.process.LaunchResult;
import dev.kron.process.OutputTarget;
import dev.kron.process.Prepared;
import dev.kron.process.ProcessIdentity;
import dev.kron.process.Processes;
import dev.kron.process.Readiness;
import dev.kron.process.Run;
import dev.kron.process.RunStatus;
import dev.kron.process.Signal;
import dev.kron.process.SignalDelivery;
import dev.kron.process.Stage;
import dev.kron.simulation.SimulatedProcess.Kind;
import dev.kron.store.DiskException;
import dev.kron.store.DiskException.Reason;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One daemon's way to the processes of the simulated machine. Says and does what {@code
 * LinuxProcesses} says and does; a contract test that both pass holds it to that.
 */
final class SimulatedProcesses implements Processes {
  private static final int ROOM = 1_000;

  private static final long REAPER_NANOS = 20_000_000L;

  private final Machine machine;
  private final Lifeline life;
  private final Exits exits;
  private final BiConsumer<Launch, Run> launching;
  private final List<SimulatedProcess> waiting = new ArrayList<>();
  private int launchFailsOneIn;
  private Consumer<Runnable> threads = Runnable::run;

  /**
   * @param launching told of each start that is tried, before anything comes of it
   */
  SimulatedProcesses(
      Machine machine, Lifeline life, Exits exits, BiConsumer<Launch, Run> launching) {
    this.machine = machine;
    this.life = life;
    this.exits = exits;
    this.launching = launching;
  }

  /** The daemon's own threads do their work through this. */
  void threads(Consumer<Runnable> own) {
    threads = own;
  }

  /** One launch in so many fails, at any stage; 0: none. */
  void launchFailsOneIn(int launches) {
    launchFailsOneIn = launches;
  }

  @Override
  public LaunchResult launch(Launch launch) throws IOException {
    life.reach();
    if (!(record(launch.run()) instanceof RunRecord.None)) {
      return new LaunchResult.AlreadyClaimed(status(launch.run()));
    }
    launching.accept(launch, launch.run());
    if (launchFailsOneIn > 0 && machine.random().nextInt(launchFailsOneIn) == 0) {
      Stage[] stages = Stage.values();
      return failed(
          launch.run(), stages[machine.random().nextInt(stages.length)], "it was to fail");
    }
    LaunchResult failed = open(launch);
    if (failed != null) {
      return failed;
    }
    SimulatedProcess keeper = machine.keepers.spawn(launch);
    watch(launch.run(), keeper);
    machine.trace.say(() -> "launched " + launch.run().id() + " as pid " + keeper.identity.pid());
    life.reach();
    return new LaunchResult.Launched(keeper.identity);
  }

  /** Opens the files of the daemon's own that the command reads and writes; null: that worked. */
  private @Nullable LaunchResult open(Launch launch) throws IOException {
    Run run = launch.run();
    if (launch.stdin() instanceof InputSource.Kept(Path file)) {
      byte[] content = machine.disk.content(file);
      if (content == null) {
        return failed(run, Stage.STDIN, file + ": No such file or directory");
      }
      machine.keepers.opened(run, new String(content, UTF_8));
    }
    if (launch.stdout() instanceof OutputTarget.Capture
        && machine.disk.content(run.stdout()) == null) {
      try {
        machine.disk.create(run.stdout()).close();
      } catch (DiskException e) {
        return failed(run, Stage.OUTPUT, String.valueOf(e.getMessage()));
      }
    }
    return null;
  }

  private LaunchResult failed(Run run, Stage stage, String reason) throws IOException {
    return switch (refuse(run, stage, reason)) {
      case RunStatus.FailedToStart(Stage at, String why) -> new LaunchResult.Failed(at, why);
      case RunStatus status -> new LaunchResult.AlreadyClaimed(status);
    };
  }

  @Override
  public int roomToPrepare(int waiting) {
    return ROOM - waiting;
  }

  @Override
  public Prepared prepare(Launch launch) throws IOException {
    life.reach();
    if (!(record(launch.run()) instanceof RunRecord.None)) {
      return new Waiting(launch, null);
    }
    SimulatedProcess keeper = machine.keepers.spawnReady(launch.run());
    waiting.add(keeper);
    return new Waiting(launch, keeper);
  }

  /** The daemon is dead: the pipes that keepers wait at have ended. */
  void abandon() {
    waiting.forEach(machine.processes::end);
    waiting.clear();
    machine.reports.died(this);
  }

  @Override
  public void listen(Run run, Readiness how, Readiness.Listener listener) {
    life.reach();
    machine.reports.listen(this, threads, run.id(), listener);
  }

  @Override
  public void stopListening(Run run) {
    machine.reports.stop(this, run.id());
  }

  /** A keeper that waits for a word, or none. */
  private final class Waiting implements Prepared {
    private final Launch launch;
    private final @Nullable SimulatedProcess keeper;

    Waiting(Launch launch, @Nullable SimulatedProcess keeper) {
      this.launch = launch;
      this.keeper = keeper;
    }

    @Override
    public LaunchResult start() throws IOException {
      life.reach();
      if (keeper == null || !keeper.alive) {
        return launch(launch);
      }
      launching.accept(launch, launch.run());
      waiting.remove(keeper);
      LaunchResult failed = open(launch);
      if (failed != null) {
        machine.processes.end(keeper);
        return failed;
      }
      machine.keepers.release(launch, keeper);
      watch(launch.run(), keeper);
      machine.trace.say(() -> "released " + launch.run().id() + " as " + keeper.identity.pid());
      life.reach();
      return new LaunchResult.Launched(keeper.identity);
    }

    @Override
    public void discard() {
      if (keeper != null && waiting.remove(keeper)) {
        machine.processes.end(keeper);
      }
    }
  }

  private RunRecord record(Run run) throws IOException {
    try {
      return RunRecord.parse(machine.disk.read(RunRecord.file(run)));
    } catch (DiskException e) {
      throw new IOException("cannot read " + RunRecord.file(run), e);
    }
  }

  @Override
  public RunStatus status(Run run) throws IOException {
    life.reach();
    return switch (record(run)) {
      case RunRecord.None() -> new RunStatus.Unclaimed();
      case RunRecord.Taken() -> new RunStatus.Forestalled();
      case RunRecord.Refused(Stage stage, String reason) ->
          new RunStatus.FailedToStart(stage, reason);
      case RunRecord.Unfinished() -> unfinished(run);
      case RunRecord.Kept kept -> kept(kept);
    };
  }

  private RunStatus unfinished(Run run) {
    for (SimulatedProcess process : machine.processes.living()) {
      if (process.kind == Kind.KEEPER
          && process.run != null
          && process.run.directory().equals(run.directory())) {
        return new RunStatus.Running(process.identity);
      }
    }
    return new RunStatus.Unknown("its claim was never finished; the disk may have been full");
  }

  private RunStatus kept(RunRecord.Kept kept) {
    if (kept.end() != null) {
      return kept.end();
    }
    if (machine.processes.find(kept.keeper()) != null) {
      return new RunStatus.Running(kept.keeper());
    }
    return new RunStatus.Unknown(
        kept.keeper().bootId().equals(bootId())
            ? "its keeper ended without writing an exit status"
            : "the machine was restarted while it ran");
  }

  @Override
  public boolean forestall(Run run) throws IOException {
    life.reach();
    boolean taken = claim(run, "daemon");
    life.reach();
    return taken;
  }

  private boolean claim(Run run, String line) throws IOException {
    try {
      machine.disk.link(RunRecord.file(run), (line + "\n").getBytes(UTF_8));
      return true;
    } catch (DiskException e) {
      if (e.reason() == Reason.EXISTS) {
        return false;
      }
      throw new IOException("cannot claim run " + run.id() + ": " + e.getMessage(), e);
    }
  }

  @Override
  public RunStatus refuse(Run run, Stage stage, String reason) throws IOException {
    life.reach();
    claim(run, "failed " + stage.name().toLowerCase(Locale.ROOT) + " " + reason);
    return status(run);
  }

  @Override
  public void watch(Run run, ProcessIdentity keeper) {
    life.reach();
    SimulatedProcess process = machine.processes.find(keeper);
    if (process == null) {
      machine.soon(REAPER_NANOS, () -> ended(run, keeper));
    } else {
      watch(run, process);
    }
  }

  private void watch(Run run, SimulatedProcess process) {
    process.watchers.add(ended -> machine.soon(REAPER_NANOS, () -> ended(run, process.identity)));
  }

  private void ended(Run run, ProcessIdentity keeper) {
    if (life.isCut()) {
      return;
    }
    RunStatus status;
    try {
      status = status(run);
    } catch (IOException e) {
      status = new RunStatus.Unknown(String.valueOf(e.getMessage()));
    }
    exits.ended(run, keeper, status);
  }

  @Override
  public @Nullable ProcessIdentity command(Run run) throws IOException {
    life.reach();
    return record(run) instanceof RunRecord.Kept kept ? kept.command() : null;
  }

  @Override
  public SignalDelivery signal(Run run, Signal signal) throws IOException {
    life.reach();
    machine.keepers.tried(run, signal);
    return switch (record(run)) {
      case RunRecord.Kept kept ->
          kept.keeper().bootId().equals(bootId()) ? signal(kept, signal) : SignalDelivery.GONE;
      case RunRecord.Unfinished() ->
          unfinished(run) instanceof RunStatus.Running
              ? SignalDelivery.NOT_YET
              : SignalDelivery.GONE;
      case RunRecord.None(), RunRecord.Taken(), RunRecord.Refused(_, _) -> SignalDelivery.GONE;
    };
  }

  private SignalDelivery signal(RunRecord.Kept kept, Signal signal) {
    ProcessIdentity command = kept.command();
    if (command == null) {
      return machine.processes.find(kept.keeper()) != null
          ? SignalDelivery.NOT_YET
          : SignalDelivery.GONE;
    }
    return signal(command, signal);
  }

  @Override
  public List<ProcessIdentity> members(Run run) {
    life.reach();
    var members = new ArrayList<ProcessIdentity>();
    for (SimulatedProcess process : machine.processes.living()) {
      if (process.kind == Kind.COMMAND && run.equals(process.run)) {
        members.add(process.identity);
      }
    }
    return members;
  }

  @Override
  public List<KeptRun> kept(Path directory) {
    life.reach();
    List<KeptRun> kept = new ArrayList<>();
    for (SimulatedProcess process : machine.processes.living()) {
      Run run = process.run;
      if (process.kind == Kind.KEEPER
          && run != null
          && directory.equals(run.directory().getParent())) {
        String name = String.valueOf(run.directory().getFileName());
        kept.add(new KeptRun(name, process.identity, process.variables));
      }
    }
    return kept;
  }

  @Override
  public SignalDelivery signal(ProcessIdentity identity, Signal signal) {
    life.reach();
    SimulatedProcess process = machine.processes.find(identity);
    if (process == null) {
      return SignalDelivery.GONE;
    }
    if (process.kind == Kind.COMMAND) {
      machine.keepers.signal(process, signal);
    } else if (signal == Signal.KILL) {
      machine.processes.end(process);
    }
    return SignalDelivery.SENT;
  }

  @Override
  public boolean isAlive(ProcessIdentity process) {
    return machine.processes.find(process) != null;
  }

  @Override
  public Duration age(ProcessIdentity identity) {
    @Nullable SimulatedProcess process = machine.processes.find(identity);
    long startedNanos =
        process == null ? identity.startTicks() * 10_000_000L : process.startedNanos;
    return Duration.ofNanos(machine.clock.bootNanos() - startedNanos);
  }

  @Override
  public String bootId() {
    return machine.processes.bootId();
  }

  @Override
  public void close() {}
}
