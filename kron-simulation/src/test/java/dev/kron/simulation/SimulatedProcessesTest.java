package dev.kron.simulation;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kron.process.Launch;
import dev.kron.process.Processes;
import dev.kron.process.Run;
import dev.kron.process.RunStatus;
import dev.kron.simulation.Keepers.Point;
import dev.kron.store.DiskException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;

/** The simulated keepers keep the contract. */
class SimulatedProcessesTest extends ProcessesContract {
  private static final long SECOND = 1_000_000_000L;

  private final Machine machine = new Machine(1, 1_800_000_000_000L, new Trace(false));
  private final Map<String, RunStatus> ends = new HashMap<>();
  private final SimulatedProcesses processes =
      new SimulatedProcesses(
          machine,
          new Lifeline(),
          (run, keeper, status) -> ends.put(run.id(), status),
          (launch, run) -> {});
  private int runs;

  @Override
  Processes processes() {
    return processes;
  }

  @Override
  Run run() {
    String id = "run-" + ++runs;
    Path directory = Path.of("/sim").resolve(id);
    try {
      machine.disk.createDirectory(directory);
    } catch (DiskException e) {
      throw new IllegalStateException(e);
    }
    return new Run(id, directory);
  }

  private void pass(long nanos) {
    long to = machine.clock.nanos() + nanos;
    for (long at = machine.agenda.next(); at <= to; at = machine.agenda.next()) {
      machine.clock.advanceTo(at);
      Runnable task = machine.agenda.poll(at);
      if (task != null) {
        task.run();
      }
    }
    machine.clock.advanceTo(to);
  }

  @Override
  RunStatus awaitEnd(Run run) {
    pass(100 * SECOND);
    return Objects.requireNonNull(ends.get(run.id()), "no end was told");
  }

  @Override
  void await(Condition condition) throws IOException {
    for (int i = 0; !condition.holds(); i++) {
      assertTrue(i < 1000, "not within ten seconds of the simulated clock");
      pass(SECOND / 100);
    }
  }

  @Override
  Launch exiting(Run run) {
    machine.keepers.next(new Conduct(SECOND, STATUS, false, Conduct.OnTerm.DIES, 0));
    return launch(run, "/bin/job");
  }

  @Override
  Launch lasting(Run run) {
    machine.keepers.next(new Conduct(Conduct.FOR_EVER, 0, false, Conduct.OnTerm.DIES, 0));
    return launch(run, "/bin/job");
  }

  @Override
  void killedAt(Point point, Run run) throws IOException {
    machine.keepers.kill(run, point);
    processes.launch(point == Point.COMMAND_RUNS ? lasting(run) : exiting(run));
    pass(10 * SECOND);
  }
}
