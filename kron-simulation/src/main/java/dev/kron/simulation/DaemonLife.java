package dev.kron.simulation;

import dev.kron.config.ConfigFiles.Configuration;
import dev.kron.daemon.HandDrivenDaemon;
import dev.kron.daemon.Ports;
import dev.kron.daemon.Settings;
import dev.kron.daemon.log.EventLog;
import dev.kron.daemon.loop.Background;
import dev.kron.process.Launch;
import dev.kron.store.DiskException;
import dev.kron.store.LockHeldException;
import dev.kron.store.Migration;
import dev.kron.store.StateRefusedException;
import dev.kron.store.StateSettings;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * One daemon from its start to its end, with the turns that its threads would have: the loop, the
 * workers, the thread that commits, and the one that looks at the clocks. Each task is one event of
 * the agenda; in which order they come, chance decides.
 */
final class DaemonLife implements Background {
  private static final long MILLI = 1_000_000L;
  private static final long LOOK_NANOS = 1_900 * MILLI;
  private static final long LONGEST_WAIT_NANOS = 3_600_000 * MILLI;
  static final Migration FROM_0 = new Migration("0", "1", file -> Versions.write(file, "0", "1"));

  final Lifeline lifeline = new Lifeline();
  private final Machine machine;
  private final Supplier<Configuration> configuration;
  private final Consumer<Launch> launching;
  private final Runnable committed;
  private final Consumer<String> log;
  private final int historyLimit;
  private final long outputLimitBytes;
  private @Nullable HandDrivenDaemon daemon;
  private @Nullable SimulatedProcesses processes;
  private @Nullable Integer exitCode;
  private long nextTurn = Long.MAX_VALUE;
  private boolean commitComing;
  private int tasks;
  private long lookedAt;
  private long pausedUntil;
  private long busyUntil;
  private long slowestCommitNanos = 3 * MILLI;

  DaemonLife(
      Machine machine,
      int historyLimit,
      long outputLimitBytes,
      Supplier<Configuration> configuration,
      Consumer<Launch> launching,
      Runnable committed,
      Consumer<String> log) {
    this.machine = machine;
    this.historyLimit = historyLimit;
    this.outputLimitBytes = outputLimitBytes;
    this.configuration = configuration;
    this.launching = launching;
    this.committed = committed;
    this.log = log;
  }

  void start(int launchFailsOneIn, long slowestCommitNanos)
      throws LockHeldException, StateRefusedException, DiskException {
    this.slowestCommitNanos = slowestCommitNanos;
    lookedAt = machine.clock.nanos();
    var settings =
        Settings.builder(List.of(Files.KRONTAB), Machine.STATE)
            .logLevel(machine.trace.isKept() ? EventLog.Level.DEBUG : EventLog.Level.WARN)
            .historyLimit(historyLimit)
            .outputLimitBytes(outputLimitBytes)
            .build();
    var ports =
        new Ports(
            machine.clock,
            new DaemonDisk(machine.disk, lifeline),
            exits -> {
              processes =
                  new SimulatedProcesses(
                      machine, lifeline, exits, (launch, run) -> launching.accept(launch));
              processes.launchFailsOneIn(launchFailsOneIn);
              processes.threads(this::run);
              return processes;
            },
            new SimulatedUsers(),
            Path.of("/sim/log"),
            Map.of("PATH", "/bin"),
            clocks -> machine.receivers.of(lifeline));
    var stateSettings =
        new StateSettings(
            historyLimit,
            Runnable::run,
            1,
            () -> Instant.ofEpochMilli(machine.clock.wallMillis()),
            List.of(FROM_0));
    daemon =
        HandDrivenDaemon.start(
            settings, ports, this, stateSettings, configuration, new PrintStream(new Lines(log)));
    turnBy(machine.clock.nanos());
    settle();
  }

  HandDrivenDaemon daemon() {
    return Objects.requireNonNull(daemon);
  }

  boolean isAlive() {
    return daemon != null && !lifeline.isCut();
  }

  @Nullable Integer exitCode() {
    return exitCode;
  }

  void launchFailsOneIn(int launches) {
    if (processes != null) {
      processes.launchFailsOneIn(launches);
    }
  }

  void slowestCommit(long nanos) {
    slowestCommitNanos = nanos;
  }

  /** The daemon is dead, and so are the ends of the pipes it held. */
  void buried() {
    lifeline.cut();
    if (processes != null) {
      processes.abandon();
    }
  }

  /** The process is stopped for a while: none of its threads goes on. */
  void pause(long nanos) {
    pausedUntil = machine.clock.nanos() + nanos;
  }

  /** The loop's thread has a lot to do; the others go on. */
  void busy(long nanos) {
    busyUntil = machine.clock.nanos() + nanos;
    if (nanos == 0) {
      turnBy(machine.clock.nanos()); // what it had put off need not wait any longer
    }
  }

  /** Whether something that the daemon has found out or decided is on its way. */
  boolean isDeciding() {
    return tasks > 0 || daemon().hasInputs() || daemon().hasUncommitted();
  }

  /** An operator asks for something. */
  void asked() {
    settle();
  }

  /** The thread that watches the clocks has looked, every now and then, until this moment. */
  void lookUntil(long nanos) {
    if (!isAlive()) {
      return;
    }
    long next = Math.max(lookedAt + LOOK_NANOS, pausedUntil);
    while (next < nanos) {
      machine.clock.advanceTo(next);
      lookedAt = next;
      daemon().watchTheClocks();
      next += LOOK_NANOS;
    }
    settle();
  }

  /** The machine slept: nobody has looked. */
  void slept() {
    lookedAt = Math.max(lookedAt, machine.clock.nanos() - LOOK_NANOS);
  }

  @Override
  public void execute(Runnable task) {
    tasks++;
    machine.soon(
        3 * MILLI,
        () ->
            run(
                () -> {
                  tasks--;
                  task.run();
                }));
  }

  @Override
  public void after(long millis, Runnable task) {
    machine.later(millis * MILLI, () -> run(task));
  }

  @Override
  public boolean byHand() {
    return true;
  }

  @Override
  public RandomGenerator random() {
    return machine.random();
  }

  @Override
  public void close() {}

  private void run(Runnable task) {
    if (lifeline.isCut()) {
      return;
    }
    if (machine.clock.nanos() < pausedUntil) {
      machine.agenda.at(pausedUntil, () -> run(task));
      return;
    }
    task.run();
    settle();
  }

  /** Sees to it that what has come in gets its turn. */
  private void settle() {
    HandDrivenDaemon present = daemon;
    if (present == null || lifeline.isCut()) {
      return;
    }
    if (present.hasInputs()) {
      turnBy(machine.clock.nanos() + machine.random().nextLong(2 * MILLI));
    }
    if (present.hasUncommitted() && !commitComing) {
      commitComing = true;
      machine.soon(slowestCommitNanos, () -> run(this::commit));
    }
  }

  private void commit() {
    commitComing = false;
    boolean last = tasks == 0 && !daemon().hasInputs();
    daemon().commit();
    if (last) {
      committed.run();
    }
  }

  private void turnBy(long nanos) {
    if (nanos < nextTurn) {
      nextTurn = nanos;
      machine.agenda.at(nanos, () -> turnAt(nanos));
    }
  }

  private void turnAt(long nanos) {
    if (lifeline.isCut() || nanos != nextTurn) {
      return;
    }
    long free = Math.max(pausedUntil, busyUntil);
    nextTurn = Long.MAX_VALUE;
    if (machine.clock.nanos() < free) {
      turnBy(free);
      return;
    }
    Integer exit = daemon().turn();
    if (exit != null) {
      exitCode = exit;
      daemon().close();
      lifeline.cut();
      return;
    }
    turnBy(machine.clock.nanos() + Math.min(daemon().nanosToWait(), LONGEST_WAIT_NANOS));
    settle();
  }
}
