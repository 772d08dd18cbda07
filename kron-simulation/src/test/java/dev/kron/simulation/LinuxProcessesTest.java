package dev.kron.simulation;

import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kron.process.Launch;
import dev.kron.process.LaunchResult;
import dev.kron.process.LinuxProcesses;
import dev.kron.process.Processes;
import dev.kron.process.Run;
import dev.kron.process.RunStatus;
import dev.kron.process.Signal;
import dev.kron.simulation.Keepers.Point;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;

/**
 * The real keepers keep the contract. Points at which no signal could be timed are brought about by
 * the record that a keeper leaves there.
 */
class LinuxProcessesTest extends ProcessesContract {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  @TempDir Path root;
  private final Map<String, CompletableFuture<RunStatus>> ends = new ConcurrentHashMap<>();
  private final LinuxProcesses processes =
      LinuxProcesses.open((run, keeper, status) -> end(run).complete(status));

  private CompletableFuture<RunStatus> end(Run run) {
    return ends.computeIfAbsent(run.id(), id -> new CompletableFuture<>());
  }

  @AfterEach
  void close() {
    processes.close();
  }

  @Override
  Processes processes() {
    return processes;
  }

  @Override
  Run run() {
    String id = UUID.randomUUID().toString();
    try {
      return new Run(
          id,
          Files.createDirectory(
              root.resolve(id),
              PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"))));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  RunStatus awaitEnd(Run run) {
    try {
      return end(run).get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    } catch (Exception e) {
      throw new AssertionError("no end of " + run + " was told", e);
    }
  }

  @Override
  void await(Condition condition) throws IOException {
    long until = System.nanoTime() + PATIENCE.toNanos();
    while (!condition.holds()) {
      assertTrue(System.nanoTime() < until, "not within " + PATIENCE);
      LockSupport.parkNanos(5_000_000L);
    }
  }

  @Override
  Launch exiting(Run run) {
    return launch(run, "/bin/sh", "-c", "exit " + STATUS);
  }

  @Override
  Launch lasting(Run run) {
    return launch(run, "/bin/sleep", "300");
  }

  @Override
  void killedAt(Point point, Run run) throws IOException {
    String gone = ProcessHandle.current().pid() + " 1 " + processes.bootId() + "\n";
    String command = gone + "command " + ProcessHandle.current().pid() + " 1\n";
    switch (point) {
      case BEFORE_CLAIM -> {}
      case CLAIM_UNFINISHED -> record(run, "12 3");
      case CLAIMED -> record(run, gone);
      case COMMAND_RUNS -> {
        var launched =
            assertInstanceOf(LaunchResult.Launched.class, processes.launch(lasting(run)));
        await(() -> !processes.members(run).isEmpty());
        await(() -> leadsItsGroup(run));
        processes.signal(launched.keeper(), Signal.KILL);
        awaitEnd(run);
      }
      case COMMAND_ENDED -> record(run, command);
      case EXIT_UNFINISHED -> record(run, command + "exit " + STATUS);
      case EXIT_WRITTEN -> record(run, command + "exit " + STATUS + "\n");
    }
  }

  /** Until then a signal to its group would not reach it. */
  private boolean leadsItsGroup(Run run) throws IOException {
    return processes.signal(run, Signal.CONT) == dev.kron.process.SignalDelivery.SENT;
  }

  private static void record(Run run, String content) {
    try {
      Files.writeString(run.directory().resolve("record"), content);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
