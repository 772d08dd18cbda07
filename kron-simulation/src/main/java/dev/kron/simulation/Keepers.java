package dev.kron.simulation;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.kron.process.Launch;
import dev.kron.process.OutputTarget;
import dev.kron.process.ProcessIdentity;
import dev.kron.process.Run;
import dev.kron.process.Signal;
import dev.kron.simulation.SimulatedProcess.Kind;
import dev.kron.store.Disk;
import dev.kron.store.DiskException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Keepers as {@code keeper.sh} makes them: each claims its run, starts the command, waits, and
 * writes down how it ended. The real ones pass the same contract test.
 */
final class Keepers {
  private static final long MILLI = 1_000_000L;
  private static final int SEGV = 11;

  /** The points at which a keeper can be killed, in the order it comes by. */
  enum Point {
    BEFORE_CLAIM,
    CLAIM_UNFINISHED,
    CLAIMED,
    COMMAND_RUNS,
    COMMAND_ENDED,
    EXIT_UNFINISHED,
    EXIT_WRITTEN
  }

  /** Looks on. */
  interface Onlooker {
    /** A command is executed: from now on it has begun. */
    void began(Execution execution);

    /** A daemon tries to signal a run, whatever comes of it. */
    default void tried(Run run, Signal signal) {}

    /** A command was signalled. */
    default void signalled(Execution execution, Signal signal) {}

    /** A command has ended. */
    default void ended(Execution execution) {}
  }

  private final Machine machine;
  private Onlooker onlooker = execution -> {};
  private final List<Execution> executions = new ArrayList<>();
  private final Map<Path, Point> killed = new HashMap<>();

  /** The input of commands, by the directories of their runs. */
  private final Map<Path, String> inputs = new HashMap<>();

  private long rebootedNanos = -1;
  private long slowestClaimNanos = 5 * MILLI;
  private @Nullable Conduct next;
  private boolean calm;
  private boolean remarks;

  Keepers(Machine machine) {
    this.machine = machine;
  }

  /** An onlooker watches from now on. */
  void watchedBy(Onlooker watching) {
    onlooker = watching;
  }

  /** All that were ever executed. */
  List<Execution> executions() {
    return executions;
  }

  /** Whether keepers that are made ready have a file for remarks, as those of earlier versions. */
  void remarks(boolean now) {
    remarks = now;
  }

  /** The longest time that a keeper takes until it claims its run. */
  void slowestClaim(long nanos) {
    slowestClaimNanos = nanos;
  }

  /** The conduct of the next command. */
  void next(Conduct conduct) {
    next = conduct;
  }

  /**
   * All commands to come are short and well; those that run go on for their time, or until they are
   * ended.
   */
  void calm() {
    calm = true;
  }

  /** The keeper of this run will be killed at this point. */
  void kill(Run run, Point point) {
    killed.put(run.directory(), point);
  }

  void reboot() {
    executions.forEach(execution -> execution.recorded = false);
    for (Execution execution : executions) {
      if (!execution.over) {
        execution.over = true;
        execution.endedNanos = machine.clock.nanos();
      }
    }
    killed.clear();
    rebootedNanos = machine.clock.nanos();
  }

  /** The output of a run where somebody keeps it. */
  static String output(String runId) {
    return "output of " + runId + "\n";
  }

  /** A launch has opened what the command is to read. */
  void opened(Run run, String input) {
    inputs.put(run.directory(), input);
  }

  /** Whether a run wrote before power was lost. */
  boolean mayHaveLostOutput(String runId) {
    return executions.stream()
        .anyMatch(it -> it.run.id().equals(runId) && it.beganNanos <= rebootedNanos);
  }

  /** A keeper is on its way. */
  SimulatedProcess spawn(Launch launch) {
    SimulatedProcess keeper = spawnWaiting(launch.run());
    release(launch, keeper);
    return keeper;
  }

  /** A keeper that is made ready; one of an earlier version has a file for remarks. */
  SimulatedProcess spawnReady(Run run) {
    SimulatedProcess keeper = spawnWaiting(run);
    if (remarks) {
      machine.disk.touch(run.directory().resolve("remark"));
    }
    return keeper;
  }

  /** A keeper that has not claimed its run, and does not before it is let. */
  private SimulatedProcess spawnWaiting(Run run) {
    return machine.processes.start(Kind.KEEPER, run);
  }

  void release(Launch launch, SimulatedProcess keeper) {
    keeper.variables = Execution.variables(launch);
    Conduct drawn = next;
    if (drawn == null) {
      String command = launch.command().getFirst();
      drawn = calm ? Conduct.well(command) : Conduct.draw(machine.random(), command);
    }
    Conduct conduct = drawn;
    next = null;
    machine.soon(slowestClaimNanos, () -> claim(launch, keeper, conduct));
  }

  /** Whether the keeper goes on behind this point. */
  private boolean passes(SimulatedProcess keeper, Point point) {
    if (keeper.alive && killed.get(directory(keeper)) == point) {
      machine.trace.say(() -> "keeper of " + directory(keeper).getFileName() + " killed " + point);
      machine.processes.end(keeper);
    }
    return keeper.alive;
  }

  private static Path directory(SimulatedProcess keeper) {
    return Objects.requireNonNull(keeper.run).directory();
  }

  private void claim(Launch launch, SimulatedProcess keeper, Conduct conduct) {
    if (!passes(keeper, Point.BEFORE_CLAIM)) {
      return;
    }
    Path record = RunRecord.file(launch.run());
    ProcessIdentity who = keeper.identity;
    try (Disk.Output output = machine.disk.create(record)) {
      if (!passes(keeper, Point.CLAIM_UNFINISHED)) {
        return;
      }
      byte[] line =
          (who.pid() + " " + who.startTicks() + " " + who.bootId() + "\n").getBytes(US_ASCII);
      output.write(line, 0, line.length);
    } catch (DiskException e) {
      machine.trace.say(() -> "keeper leaves " + launch.run().id() + ": " + e.getMessage());
      machine.processes.end(keeper);
      return;
    }
    if (passes(keeper, Point.CLAIMED)) {
      machine.soon(5 * MILLI, () -> begin(launch, keeper, conduct));
    }
  }

  private void begin(Launch launch, SimulatedProcess keeper, Conduct drawn) {
    if (!keeper.alive) {
      return;
    }
    Conduct conduct = calm ? Conduct.well(launch.command().getFirst()) : drawn;
    SimulatedProcess command = machine.processes.start(Kind.COMMAND, launch.run());
    command.conduct = conduct;
    command.keeper = keeper;
    write(
        launch.run(),
        "command " + command.identity.pid() + " " + command.identity.startTicks() + "\n");
    if (launch.stdout() instanceof OutputTarget.Capture) {
      machine.disk.grow(launch.run().stdout(), output(launch.run().id()).getBytes(US_ASCII));
    }
    var execution =
        new Execution(launch, inputs.get(launch.run().directory()), command, machine.clock.nanos());
    executions.add(execution);
    machine.trace.say(
        () ->
            "begins %s %s run %s%s"
                .formatted(
                    execution.instance == null ? execution.identity : execution.instance,
                    execution.period,
                    launch.run().id(),
                    execution.check ? ", a check" : ""));
    onlooker.began(execution);
    Boolean pipe = ReadyReports.throughPipe(launch);
    Long after = pipe == null ? null : ReadyReports.afterNanos(launch.run().id(), calm);
    if (pipe != null && after != null) {
      machine.later(after, () -> report(execution, pipe));
    }
    if (conduct.forNanos() != Conduct.FOR_EVER) {
      machine.later(
          conduct.forNanos(),
          () ->
              end(
                  execution,
                  conduct.crashes() ? 128 + SEGV : conduct.exitCode(),
                  conduct.crashes() ? SEGV : null));
    }
    passes(keeper, Point.COMMAND_RUNS);
  }

  private void report(Execution execution, boolean pipe) {
    if (execution.command.alive) {
      execution.reportedNanos = machine.clock.nanos();
      machine.trace.say(() -> "reports that it is ready " + execution.run.id());
      machine.reports.report(execution.run.id(), pipe);
    }
  }

  private void write(Run run, String line) {
    machine.disk.grow(RunRecord.file(run), line.getBytes(US_ASCII));
  }

  /** A signal to a run is tried. */
  void tried(Run run, Signal signal) {
    onlooker.tried(run, signal);
  }

  /** A signal reaches a command. */
  void signal(SimulatedProcess command, Signal signal) {
    Execution execution = of(command);
    Conduct conduct = Objects.requireNonNull(command.conduct);
    onlooker.signalled(execution, signal);
    if (signal == Signal.KILL) {
      machine.later(
          conduct.deafNanos() + machine.random().nextLong(MILLI), () -> end(execution, 137, 9));
    } else if (signal == Signal.TERM) {
      switch (conduct.onTerm()) {
        case DIES -> machine.soon(10 * MILLI, () -> end(execution, 143, 15));
        case EXITS_CLEANLY -> machine.soon(500 * MILLI, () -> end(execution, 0, null));
        case IGNORES -> {}
      }
    }
  }

  Execution of(SimulatedProcess command) {
    for (int i = executions.size() - 1; i >= 0; i--) {
      if (executions.get(i).command == command) {
        return executions.get(i);
      }
    }
    throw new IllegalArgumentException("no execution of " + command.identity);
  }

  /** Ends a command, if it still goes on. */
  void end(Execution execution, int status, @Nullable Integer signal) {
    SimulatedProcess command = execution.command;
    if (!command.alive) {
      return;
    }
    execution.status = status;
    execution.signal = signal;
    execution.over = true;
    execution.endedNanos = machine.clock.nanos();
    machine.trace.say(() -> "ends " + execution.run.id() + " with " + status);
    machine.processes.end(command);
    onlooker.ended(execution);
    SimulatedProcess keeper = Objects.requireNonNull(command.keeper);
    if (passes(keeper, Point.COMMAND_ENDED)) {
      machine.soon(5 * MILLI, () -> writeEnd(execution, keeper));
    }
  }

  private void writeEnd(Execution execution, SimulatedProcess keeper) {
    if (!keeper.alive) {
      return;
    }
    if (execution.signal != null) {
      write(execution.run, "Ended by signal " + execution.signal + "\n");
    }
    String line = "exit " + execution.status;
    write(execution.run, line.substring(0, line.length() - 1));
    if (passes(keeper, Point.EXIT_UNFINISHED)) {
      write(execution.run, line.substring(line.length() - 1) + "\n");
      execution.recorded = true;
      passes(keeper, Point.EXIT_WRITTEN);
      machine.soon(5 * MILLI, () -> machine.processes.end(keeper));
    }
  }
}
