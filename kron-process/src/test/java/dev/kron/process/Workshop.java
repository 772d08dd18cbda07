package dev.kron.process;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;

/** Real processes for tests: makes runs, waits for their ends, and leaves nothing running. */
final class Workshop implements AutoCloseable {

  static final Duration PATIENCE = Duration.ofSeconds(30);

  private final Path root;
  private final LinuxProcesses processes;
  private final List<Run> runs = new CopyOnWriteArrayList<>();
  private final Map<String, CompletableFuture<RunStatus>> ends = new ConcurrentHashMap<>();

  Workshop(Path root) {
    this(root, "/bin/sh");
  }

  Workshop(Path root, String shell) {
    this.root = root;
    processes = LinuxProcesses.openBesideOthers(this::ended, shell);
  }

  /** The same with a bound on what files may take to answer. */
  Workshop(Path root, Inspection inspection) {
    this.root = root;
    processes = LinuxProcesses.openBesideOthers(this::ended, "/bin/sh", inspection);
  }

  private void ended(Run run, ProcessIdentity keeper, RunStatus status) {
    end(run).complete(status);
  }

  private CompletableFuture<RunStatus> end(Run run) {
    return ends.computeIfAbsent(run.id(), id -> new CompletableFuture<>());
  }

  LinuxProcesses processes() {
    return processes;
  }

  Run run() {
    String id = UUID.randomUUID().toString();
    Path directory = root.resolve("run-" + id);
    try {
      Files.createDirectory(
          directory,
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    Run run = new Run(id, directory);
    runs.add(run);
    return run;
  }

  /** A launch of the given words with a small environment and captured output. */
  static Launch launch(Run run, String... command) {
    return Launch.builder(
            run, List.of(command), List.of("PATH=/usr/bin:/bin", Run.ID_VARIABLE + "=" + run.id()))
        .build();
  }

  /** A launch of a line of shell. */
  static Launch shell(Run run, String line) {
    return launch(run, "/bin/sh", "-c", line);
  }

  static Launch with(Launch launch, String... variables) {
    List<String> environment = new ArrayList<>(launch.environment());
    environment.addAll(List.of(variables));
    return launch.toBuilder().environment(environment).build();
  }

  static Launch masked(Launch launch, int umask) {
    return launch.toBuilder().umask(umask).build();
  }

  static Launch as(Launch launch, Credentials credentials) {
    return launch.toBuilder().credentials(credentials).build();
  }

  static Launch from(Launch launch, InputSource stdin) {
    return launch.toBuilder().stdin(stdin).build();
  }

  static Launch to(Launch launch, OutputTarget stdout, OutputTarget stderr) {
    return launch.toBuilder().stdout(stdout).stderr(stderr).build();
  }

  /** Launches and expects that to succeed. */
  ProcessIdentity start(Launch launch) {
    LaunchResult result = launched(processes, launch);
    if (result instanceof LaunchResult.Launched(ProcessIdentity keeper)) {
      return keeper;
    }
    throw new AssertionError("expected a start, but: " + result);
  }

  /** A launch whose records can be read and made. */
  static LaunchResult launched(Processes processes, Launch launch) {
    try {
      return processes.launch(launch);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The same in a working directory. */
  ProcessIdentity start(Launch launch, Path cwd) {
    return start(in(launch, cwd));
  }

  static Launch in(Launch launch, Path cwd) {
    return launch.toBuilder().cwd(cwd).build();
  }

  static void touch(Path file) {
    try {
      Files.createFile(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Waits for a run's keeper to end. */
  RunStatus await(Run run) {
    try {
      return end(run).get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      throw new AssertionError("run did not end: " + run.id(), e);
    } catch (InterruptedException | ExecutionException e) {
      throw new AssertionError(e);
    }
  }

  /** Runs a line of shell to its end. */
  RunStatus finish(Launch launch) {
    start(launch);
    return await(launch.run());
  }

  static String text(Path file) {
    try {
      return Files.exists(file) ? Files.readString(file, UTF_8) : "";
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Passes a very short time. */
  static void spinMicros(long micros) {
    long end = System.nanoTime() + micros * 1000;
    while (System.nanoTime() - end < 0) {
      Thread.onSpinWait();
    }
  }

  /** Runs a program of this machine for a test's own needs, and tells whether it succeeded. */
  static boolean command(String... words) {
    try {
      Process process = new ProcessBuilder(words).redirectErrorStream(true).start();
      process.getInputStream().transferTo(OutputStream.nullOutputStream());
      return process.waitFor() == 0;
    } catch (IOException e) {
      return false;
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  int watched() {
    return processes.watched();
  }

  /** What a test waits for. */
  interface Condition {
    boolean holds() throws IOException;
  }

  static void until(String what, Condition condition) {
    long end = System.nanoTime() + PATIENCE.toNanos();
    try {
      while (!condition.holds()) {
        if (System.nanoTime() - end > 0) {
          throw new AssertionError("waited in vain until " + what);
        }
        LockSupport.parkNanos(1_000_000);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Waits until a command has written a line to its standard output. */
  static void untilItSays(Run run, String line) {
    until("it says " + line, () -> text(run.stdout()).lines().anyMatch(line::equals));
  }

  @Override
  public void close() {
    try {
      killAll();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    processes.close();
  }

  private void killAll() throws IOException {
    for (Run run : runs) {
      if (processes.status(run) instanceof RunStatus.Running(ProcessIdentity keeper)) {
        processes.signal(run, Signal.KILL);
        processes.signal(keeper, Signal.KILL);
      }
    }
    for (Run run : runs) {
      if (!(processes.status(run) instanceof RunStatus.Unclaimed)) {
        until(
            "nothing is left of " + run.id(),
            () -> {
              List<ProcessIdentity> members = processes.members(run);
              members.forEach(member -> processes.signal(member, Signal.KILL));
              return members.isEmpty();
            });
      }
    }
  }
}
