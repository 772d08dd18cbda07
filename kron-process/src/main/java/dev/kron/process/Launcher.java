package dev.kron.process;

import static dev.kron.process.Platform.O_APPEND;
import static dev.kron.process.Platform.O_CREAT;
import static dev.kron.process.Platform.O_NOFOLLOW;
import static dev.kron.process.Platform.O_NONBLOCK;
import static dev.kron.process.Platform.O_RDONLY;
import static dev.kron.process.Platform.O_WRONLY;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.locks.Lock;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Checks a launch, opens what its command needs, and starts the keeper. */
final class Launcher implements AutoCloseable {

  private static final int PRIVATE = 0600;

  private static final int ENXIO = 6;

  private final Spawner spawner = new Spawner();
  private final Keeper keeper;
  private final Reaper reaper;
  private final FileRights rights;
  private final BiConsumer<Run, ProcessIdentity> ended;
  private final String bootId = ProcessTable.bootId();

  Launcher(Keeper keeper, Reaper reaper, Users users, BiConsumer<Run, ProcessIdentity> ended) {
    this.keeper = keeper;
    this.reaper = reaper;
    this.ended = ended;
    rights = new FileRights(users);
  }

  /** Starts a keeper that begins at once. */
  ProcessIdentity launch(Launch launch) throws LaunchFailure {
    try (Libc libc = new Libc();
        Descriptors files = new Descriptors(libc)) {
      return spawn(libc, files, launch, null, process -> ended.accept(launch.run(), process));
    }
  }

  /** Starts a keeper that begins when it is told to, or never. */
  WaitingKeeper prepare(Launch launch) throws LaunchFailure {
    try (Libc libc = new Libc();
        Descriptors files = new Descriptors(libc)) {
      MemorySegment ends = libc.arena().allocate(JAVA_INT, 2);
      int error = libc.pipe2(ends, Platform.O_CLOEXEC);
      if (error < 0) {
        throw new LaunchFailure(Stage.SPAWN, "no pipe for the keeper: " + Libc.message(-error));
      }
      int gate = opened(files.keep(ends.getAtIndex(JAVA_INT, 0)), Stage.SPAWN, "pipe");
      int handle = opened(files.keep(ends.getAtIndex(JAVA_INT, 1)), Stage.SPAWN, "pipe");
      WaitingKeeper waiting = new WaitingKeeper(launch.run(), handle, reaper::announce, ended);
      waiting.is(spawn(libc, files, launch, gate, waiting::ended));
      files.release(handle);
      return waiting;
    }
  }

  private ProcessIdentity spawn(
      Libc libc,
      Descriptors files,
      Launch launch,
      @Nullable Integer gate,
      Consumer<ProcessIdentity> end)
      throws LaunchFailure {
    List<String> words = keeper.words(launch, gate != null);
    Run run = launch.run();
    Targets targets = checkedAndOpened(libc, launch);
    int stdout = files.keep(targets.stdout());
    int stderr = files.keep(targets.stderr());
    int stdin = input(files, launch.stdin());
    stdout = target(files, stdout, launch.stdout(), run.stdout());
    stderr = target(files, stderr, launch.stderr(), run.stderr());
    int nowhere = target(files, -1, new Output.Discard(), run.stderr());
    int[] descriptors =
        gate == null
            ? new int[] {stdin, stdout, nowhere, stderr}
            : new int[] {stdin, stdout, nowhere, stderr, gate};
    return spawn(libc, launch, words, descriptors, gate != null, end);
  }

  private ProcessIdentity spawn(
      Libc libc,
      Launch launch,
      List<String> words,
      int[] descriptors,
      boolean waits,
      Consumer<ProcessIdentity> end)
      throws LaunchFailure {
    List<String> environment = keeper.environment(launch);
    Credentials credentials = launch.credentials();
    if (credentials != null) {
      RunFiles.note(launch.run(), credentials.uid());
    }
    Lock birth = reaper.birth();
    birth.lock();
    try {
      int pid = spawner.spawn(libc, keeper.shell(), words, environment, launch.cwd(), descriptors);
      if (pid < 0) {
        throw new LaunchFailure(
            Stage.SPAWN, "cannot start " + keeper.shell() + ": " + Libc.message(-pid));
      }
      // It is our child and nobody has buried it, so it is in the table, ended or not.
      long startTicks = ProcessTable.entry(pid).orElseThrow().startTicks();
      ProcessIdentity identity = new ProcessIdentity(pid, startTicks, bootId);
      if (waits) {
        reaper.expectChild(libc, identity, end);
      } else {
        reaper.watchChild(libc, identity, end);
      }
      return identity;
    } finally {
      birth.unlock();
    }
  }

  /** Descriptors of the output files that were opened with the user's rights, or -1. */
  private record Targets(int stdout, int stderr) {}

  private Targets checkedAndOpened(Libc libc, Launch launch) throws LaunchFailure {
    Credentials credentials = launch.credentials();
    if (credentials == null) {
      return checkAndOpen(libc, launch);
    }
    return rights.as(
        credentials,
        () -> {
          // Native memory belongs to the thread that asked for it.
          try (Libc own = new Libc()) {
            return checkAndOpen(own, launch);
          }
        });
  }

  private static Targets checkAndOpen(Libc libc, Launch launch) throws LaunchFailure {
    Checks checks = new Checks(libc, launch);
    checks.directory();
    checks.executable();
    int stdout = append(libc, launch.stdout());
    try {
      return new Targets(stdout, append(libc, launch.stderr()));
    } catch (LaunchFailure e) {
      if (stdout >= 0) {
        libc.close(stdout);
      }
      throw e;
    }
  }

  private static int append(Libc libc, Output output) throws LaunchFailure {
    if (!(output instanceof Output.Append(Path file))) {
      return -1;
    }
    // Without O_NONBLOCK a pipe that nobody reads would hold up the daemon.
    int flags =
        O_WRONLY
            | O_APPEND
            | O_CREAT
            | O_NOFOLLOW
            | O_NONBLOCK
            | Platform.O_CLOEXEC
            | Platform.O_NOCTTY;
    int descriptor = libc.open(file.toString(), flags, PRIVATE);
    if (descriptor < 0) {
      throw new LaunchFailure(Stage.OUTPUT, file + ": " + whyNotOpened(-descriptor));
    }
    return descriptor;
  }

  private static String whyNotOpened(int errno) {
    return switch (errno) {
      case 40 -> "is a symbolic link, which is not followed";
      case ENXIO -> "is a pipe that nobody reads, or a socket";
      default -> Libc.message(errno);
    };
  }

  private static int input(Descriptors files, @Nullable Path stdin) throws LaunchFailure {
    String path = stdin == null ? "/dev/null" : stdin.toString();
    return opened(files.open(path, O_RDONLY, 0), Stage.INPUT, path);
  }

  private static int target(Descriptors files, int opened, Output output, Path capture)
      throws LaunchFailure {
    return switch (output) {
      case Output.Append(Path file) -> opened(opened, Stage.OUTPUT, file.toString());
      case Output.Discard _ ->
          opened(files.open("/dev/null", O_WRONLY, 0), Stage.OUTPUT, "/dev/null");
      case Output.Capture _ -> appended(files, capture);
      case Output.Log(Path file) -> appended(files, file);
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
    rights.close();
  }
}
