package dev.kron.daemon;

import dev.kron.daemon.Fault.Point;
import dev.kron.process.Credentials;
import dev.kron.process.Exits;
import dev.kron.process.KeptRun;
import dev.kron.process.Launch;
import dev.kron.process.LaunchResult;
import dev.kron.process.LinuxProcesses;
import dev.kron.process.Prepared;
import dev.kron.process.ProcessIdentity;
import dev.kron.process.Processes;
import dev.kron.process.Readiness;
import dev.kron.process.Run;
import dev.kron.process.RunStatus;
import dev.kron.process.Signal;
import dev.kron.process.SignalDelivery;
import dev.kron.process.Stage;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The system's processes, and a daemon that dies before or after it deals with one. */
record DyingProcesses(Processes processes, Fault fault) implements Processes {

  static Processes open(Exits exits, Fault fault) {
    return new DyingProcesses(
        LinuxProcesses.open(
            (run, keeper, status) -> {
              fault.reach(Point.BEFORE_EXIT_TOLD);
              exits.ended(run, keeper, status);
              fault.reach(Point.AFTER_EXIT_TOLD);
            }),
        fault);
  }

  @Override
  public LaunchResult launch(Launch launch) throws IOException {
    fault.reach(Point.BEFORE_LAUNCH);
    LaunchResult result = processes.launch(launch);
    fault.reach(Point.AFTER_LAUNCH);
    return result;
  }

  @Override
  public List<KeptRun> kept(Path directory) {
    return processes.kept(directory);
  }

  @Override
  public int roomToPrepare(int waiting) {
    return processes.roomToPrepare(waiting);
  }

  @Override
  public Prepared prepare(Launch launch) throws IOException {
    fault.reach(Point.BEFORE_PREPARE);
    Prepared prepared = processes.prepare(launch);
    fault.reach(Point.AFTER_PREPARE);
    return new Prepared() {
      @Override
      public LaunchResult start() throws IOException {
        fault.reach(Point.BEFORE_LAUNCH);
        LaunchResult result = prepared.start();
        fault.reach(Point.AFTER_LAUNCH);
        return result;
      }

      @Override
      public void discard() {
        prepared.discard();
      }
    };
  }

  @Override
  public RunStatus status(Run run) throws IOException {
    return processes.status(run);
  }

  @Override
  public void listen(Run run, Readiness how, Readiness.Listener listener) throws IOException {
    processes.listen(run, how, listener);
  }

  @Override
  public void stopListening(Run run) {
    processes.stopListening(run);
  }

  @Override
  public void noteUser(Run run, Credentials credentials) throws IOException {
    processes.noteUser(run, credentials);
  }

  @Override
  public boolean forestall(Run run) throws IOException {
    fault.reach(Point.BEFORE_FORESTALL);
    boolean forestalled = processes.forestall(run);
    fault.reach(Point.AFTER_FORESTALL);
    return forestalled;
  }

  @Override
  public RunStatus refuse(Run run, Stage stage, String reason) throws IOException {
    return processes.refuse(run, stage, reason);
  }

  @Override
  public void watch(Run run, ProcessIdentity keeper) {
    fault.reach(Point.BEFORE_WATCH);
    processes.watch(run, keeper);
    fault.reach(Point.AFTER_WATCH);
  }

  @Override
  public @Nullable ProcessIdentity command(Run run) throws IOException {
    return processes.command(run);
  }

  @Override
  public SignalDelivery signal(Run run, Signal signal) throws IOException {
    fault.reach(Point.BEFORE_SIGNAL);
    SignalDelivery delivery = processes.signal(run, signal);
    fault.reach(Point.AFTER_SIGNAL);
    return delivery;
  }

  @Override
  public List<ProcessIdentity> members(Run run) throws IOException {
    return processes.members(run);
  }

  @Override
  public Map<Run, List<ProcessIdentity>> members(Collection<Run> runs) throws IOException {
    return processes.members(runs);
  }

  @Override
  public boolean releaseIfGone(Run run) {
    return processes.releaseIfGone(run);
  }

  @Override
  public boolean enclose(Run run) throws IOException {
    return processes.enclose(run);
  }

  @Override
  public SignalDelivery signal(ProcessIdentity process, Signal signal) {
    return processes.signal(process, signal);
  }

  @Override
  public boolean isAlive(ProcessIdentity process) {
    return processes.isAlive(process);
  }

  @Override
  public Duration age(ProcessIdentity process) {
    return processes.age(process);
  }

  @Override
  public @org.jspecify.annotations.Nullable Long cpuMillis(Run run) {
    return processes.cpuMillis(run);
  }

  @Override
  public String boot() {
    return processes.boot();
  }

  @Override
  public String bootId() {
    return processes.bootId();
  }

  @Override
  public void close() {
    processes.close();
  }
}
