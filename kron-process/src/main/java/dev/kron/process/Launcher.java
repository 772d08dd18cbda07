package dev.kron.process;

import static dev.kron.process.Platform.O_APPEND;
import static dev.kron.process.Platform.O_CREAT;
import static dev.kron.process.Platform.O_NOFOLLOW;
import static dev.kron.process.Platform.O_RDONLY;
import static dev.kron.process.Platform.O_WRONLY;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.locks.Lock;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/** The start of a run: checks the launch, opens the files of its command, and starts the keeper. */
final class Launcher implements AutoCloseable {

  private static final int PRIVATE = 0600;

  private static final int SPAWNS_AT_ONCE = 8;

  /** The kernel's limit, less what wraps a variable on its way. */
  private static final int LONGEST_VARIABLE = (128 << 10) - 24;

  private final Spawner spawner = new Spawner();
  private final Keeper keeper;
  private final Reaper reaper;
  private final Inspection inspection;

  /** A limit on concurrent spawns; more would only compete for the processors. */
  private final Semaphore spawning = new Semaphore(SPAWNS_AT_ONCE);

  private final String bootId = ProcFiles.bootId();

  Launcher(Keeper keeper, Reaper reaper, Inspection inspection) {
    this.keeper = keeper;
    this.reaper = reaper;
    this.inspection = inspection;
  }

  /**
   * Starts a keeper that begins at once.
   *
   * @param ended called at the keeper's end
   */
  ProcessIdentity launch(Launch launch, BiConsumer<Run, ProcessIdentity> ended)
      throws LaunchFailure, IOException {
    try (Libc libc = new Libc();
        Descriptors files = new Descriptors(libc)) {
      Pipe pipe = pipe(libc, files);
      Consumer<ProcessIdentity> end = process -> ended.accept(launch.run(), process);
      ProcessIdentity identity = spawn(libc, files, launch, pipe.gate(), false, end);
      WaitingKeeper.tell(libc, pipe.handle(), identity);
      return identity;
    }
  }

  /**
   * Starts a keeper that waits until it is told to begin.
   *
   * @param ended called at the keeper's end
   */
  WaitingKeeper prepare(Launch launch, BiConsumer<Run, ProcessIdentity> ended)
      throws LaunchFailure, IOException {
    try (Libc libc = new Libc();
        Descriptors files = new Descriptors(libc)) {
      Pipe pipe = pipe(libc, files);
      WaitingKeeper waiting =
          new WaitingKeeper(launch.run(), pipe.handle(), reaper::announce, ended);
      waiting.is(spawn(libc, files, launch, pipe.gate(), true, waiting::ended));
      files.release(pipe.handle());
      return waiting;
    }
  }

  /** A pipe of a keeper, which reads from the gate. */
  private record Pipe(int gate, int handle) {}

  private static Pipe pipe(Libc libc, Descriptors files) throws LaunchFailure {
    MemorySegment ends = libc.arena().allocate(JAVA_INT, 2);
    int error = libc.pipe2(ends, Platform.O_CLOEXEC);
    if (error < 0) {
      throw new LaunchFailure(Stage.SPAWN, "no pipe for the keeper: " + Libc.message(-error));
    }
    int gate = files.keep(ends.getAtIndex(JAVA_INT, 0));
    int handle = files.keep(ends.getAtIndex(JAVA_INT, 1));
    return new Pipe(opened(gate, Stage.SPAWN, "pipe"), opened(handle, Stage.SPAWN, "pipe"));
  }

  private ProcessIdentity spawn(
      Libc libc,
      Descriptors files,
      Launch launch,
      int gate,
      boolean waits,
      Consumer<ProcessIdentity> end)
      throws LaunchFailure, IOException {
    List<String> words = keeper.words(launch, waits);
    Run run = launch.run();
    Inspection.Targets targets = inspection.inspect(launch);
    int stdout = files.keep(targets.stdout());
    int stderr = files.keep(targets.stderr());
    int stdin = input(libc, files, files.keep(targets.stdin()), launch.stdin());
    stdout = target(files, stdout, launch.stdout(), run.stdout());
    stderr = target(files, stderr, launch.stderr(), run.stderr());
    if (waits) {
      Pipe remarks = pipe(libc, files);
      int[] descriptors = {stdin, stdout, remarks.handle(), stderr, gate, remarks.gate()};
      return spawn(libc, launch, words, descriptors, true, end);
    }
    int nowhere = target(files, -1, new OutputTarget.Discard(), run.stderr());
    int[] descriptors = {stdin, stdout, nowhere, stderr, gate};
    return spawn(libc, launch, words, descriptors, false, end);
  }

  private ProcessIdentity spawn(
      Libc libc,
      Launch launch,
      List<String> words,
      int[] descriptors,
      boolean waits,
      Consumer<ProcessIdentity> end)
      throws LaunchFailure, IOException {
    List<String> environment = keeper.environment(launch, waits);
    Credentials credentials = launch.credentials();
    if (credentials != null) {
      RunFiles.note(launch.run(), credentials.uid());
    }
    Lock birth = reaper.birth();
    spawning.acquireUninterruptibly();
    birth.lock();
    try {
      int pid = spawner.spawn(libc, keeper.shell(), words, environment, descriptors);
      if (pid < 0) {
        throw new LaunchFailure(
            Stage.SPAWN,
            "cannot start " + keeper.shell() + ": " + Libc.message(-pid) + tooLong(launch));
      }
      // Our child stays in the process table until it is reaped, even if it has ended.
      long startTicks = ProcFiles.entry(pid).orElseThrow().startTicks();
      ProcessIdentity identity = new ProcessIdentity(pid, startTicks, bootId);
      if (waits) {
        reaper.expectChild(libc, identity, end);
      } else {
        reaper.watchChild(libc, identity, end);
      }
      return identity;
    } finally {
      birth.unlock();
      spawning.release();
    }
  }

  /** Names a variable that the kernel does not take, since it says only that there is one. */
  private static String tooLong(Launch launch) {
    for (String variable : launch.environment()) {
      if (variable.length() > LONGEST_VARIABLE) {
        String name = variable.substring(0, variable.indexOf('='));
        return "; the value of " + name + " is too long: a variable takes at most 128 KiB";
      }
    }
    return "";
  }

  private static int input(Libc libc, Descriptors files, int opened, InputSource input)
      throws LaunchFailure, IOException {
    return switch (input) {
      case InputSource.Nothing _ -> read(files, "/dev/null");
      case InputSource.Kept(Path file) -> kept(libc, files, file);
      case InputSource.Users(Path file) -> opened(opened, Stage.STDIN, file.toString());
    };
  }

  private static int kept(Libc libc, Descriptors files, Path file)
      throws LaunchFailure, IOException {
    int descriptor = files.open(file.toString(), O_RDONLY, 0);
    if (descriptor == -Libc.ENOENT) {
      descriptor = files.keep(JoinedInput.open(libc, file));
    }
    return opened(descriptor, Stage.STDIN, file.toString());
  }

  private static int read(Descriptors files, String path) throws LaunchFailure {
    return opened(files.open(path, O_RDONLY, 0), Stage.STDIN, path);
  }

  private static int target(Descriptors files, int opened, OutputTarget output, Path capture)
      throws LaunchFailure {
    return switch (output) {
      case OutputTarget.Append(Path file) -> opened(opened, Stage.OUTPUT, file.toString());
      case OutputTarget.Discard _ ->
          opened(files.open("/dev/null", O_WRONLY, 0), Stage.OUTPUT, "/dev/null");
      case OutputTarget.Capture _ -> appended(files, capture);
      case OutputTarget.Log(Path file) -> appended(files, file);
    };
  }

  private static int appended(Descriptors files, Path file) throws LaunchFailure {
    int flags = O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW;
    return opened(files.open(file.toString(), flags, PRIVATE), Stage.OUTPUT, file.toString());
  }

  private static int opened(int descriptor, Stage stage, String path) throws LaunchFailure {
    if (descriptor < 0) {
      throw new LaunchFailure(stage, path + ": " + Libc.message(-descriptor));
    }
    return descriptor;
  }

  @Override
  public void close() {
    inspection.close();
  }
}
