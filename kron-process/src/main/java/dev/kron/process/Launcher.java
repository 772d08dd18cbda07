package dev.kron.process;

import static dev.kron.process.Platform.O_APPEND;
import static dev.kron.process.Platform.O_CREAT;
import static dev.kron.process.Platform.O_NOFOLLOW;
import static dev.kron.process.Platform.O_NONBLOCK;
import static dev.kron.process.Platform.O_RDONLY;
import static dev.kron.process.Platform.O_RDWR;
import static dev.kron.process.Platform.O_WRONLY;

import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.locks.Lock;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** Checks a launch, opens what its command needs, and starts the keeper. */
final class Launcher implements AutoCloseable {

  private static final int PRIVATE = 0600;
  private static final int FALLOC_FL_KEEP_SIZE = 1;

  /** What a keeper writes fits in here many times over. */
  private static final long RECORD_BYTES = 4096;

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

  ProcessIdentity launch(Launch launch) throws LaunchFailure {
    List<String> words = keeper.words(launch, false);
    try (Libc libc = new Libc();
        Descriptors files = new Descriptors(libc)) {
      Targets targets = checkedAndOpened(libc, launch);
      int stdout = files.keep(targets.stdout());
      int stderr = files.keep(targets.stderr());
      int record = record(libc, files, launch.run());
      int[] descriptors = {
        input(files, launch.stdin()),
        orCapture(files, stdout, launch.stdout(), launch.run().stdout()),
        record,
        orCapture(files, stderr, launch.stderr(), launch.run().stderr()),
        record
      };
      return spawn(libc, launch, words, descriptors);
    }
  }

  private ProcessIdentity spawn(Libc libc, Launch launch, List<String> words, int[] descriptors)
      throws LaunchFailure {
    Lock birth = reaper.birth();
    birth.lock();
    try {
      int pid =
          spawner.spawn(
              libc, keeper.shell(), words, keeper.environment(launch), launch.cwd(), descriptors);
      if (pid < 0) {
        throw new LaunchFailure(
            Stage.SPAWN, "cannot start " + keeper.shell() + ": " + Libc.message(-pid));
      }
      // It is our child and nobody has buried it, so it is in the table, ended or not.
      ProcessIdentity identity =
          new ProcessIdentity(pid, ProcessTable.entry(pid).orElseThrow().startTicks(), bootId);
      reaper.watchChild(libc, identity, process -> ended.accept(launch.run(), process));
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

  private static int orCapture(Descriptors files, int opened, Output output, Path capture)
      throws LaunchFailure {
    return switch (output) {
      case Output.Append _ -> opened;
      case Output.Discard _ ->
          opened(files.open("/dev/null", O_WRONLY, 0), Stage.OUTPUT, "/dev/null");
      case Output.Capture _ ->
          opened(
              files.open(capture.toString(), O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW, PRIVATE),
              Stage.OUTPUT,
              capture.toString());
    };
  }

  /**
   * Opens the record and sets room aside for it, so that a full disk cannot lose an exit status.
   */
  private static int record(Libc libc, Descriptors files, Run run) throws LaunchFailure {
    Path file = RunFiles.recordFile(run);
    int descriptor =
        opened(
            files.open(file.toString(), O_RDWR | O_CREAT | O_NOFOLLOW, PRIVATE),
            Stage.CLAIM,
            file.toString());
    int error = libc.fallocate(descriptor, FALLOC_FL_KEEP_SIZE, 0, RECORD_BYTES);
    if (error == -28) {
      throw new LaunchFailure(Stage.CLAIM, file + ": " + Libc.message(-error));
    }
    return descriptor;
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
